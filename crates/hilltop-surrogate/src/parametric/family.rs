//! A family of functions `f_w(x)`: a network whose weights are the parameters, on encoded points.

use faer::{Mat, MatRef};
use hilltop_core::{Coordinate, Space};
use hilltop_nn::{Network, Tangent};

/// Networks of one shape on the points of one space.
#[derive(Clone, Debug)]
pub struct Family {
    network: Network,
    factors: Vec<f64>,
}

impl Family {
    /// The family of a network; a number of `[0,1]` reaches it as one between `−scale` and `scale`.
    pub fn new(network: Network, space: &Space, scale: f64) -> Self {
        // Another option is as far away as half a range of a number.
        let factor = |coordinate: &Coordinate| match coordinate {
            Coordinate::OneHot { .. } => scale / 8_f64.sqrt(),
            _ => scale,
        };
        Self {
            network,
            factors: space.coordinates().iter().map(factor).collect(),
        }
    }

    /// The member with these weights.
    pub fn member(&self, weights: &[f64]) -> Network {
        let mut network = self.network.clone();
        network.weights_mut().copy_from_slice(weights);
        network
    }

    /// Points as networks see them.
    pub fn inputs(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        Mat::from_fn(points.nrows(), self.factors.len(), |i, j| {
            self.factors[j] * (2.0 * points[(i, j)] - 1.0)
        })
    }

    /// Gradients in what networks see as gradients in the points, times a factor.
    pub fn outward(&self, inner: &Mat<f64>, factor: f64) -> Mat<f64> {
        Mat::from_fn(inner.nrows(), inner.ncols(), |i, j| {
            factor * 2.0 * self.factors[j] * inner[(i, j)]
        })
    }
}

/// The gradients in the weights at every point, one column each.
pub(super) fn gradients(tangent: &Tangent, size: usize) -> Mat<f64> {
    let mut out = Mat::zeros(size, tangent.len());
    for point in 0..tangent.len() {
        out.col_as_slice_mut(point)
            .copy_from_slice(&tangent.gradient_vector(point));
    }
    out
}
