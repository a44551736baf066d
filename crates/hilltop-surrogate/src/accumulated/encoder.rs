//! Points as a network sees them: in `[-1,1]`, scaled, with a constant coordinate.

use faer::{Mat, MatRef};
use hilltop_nn::Parameterisation;

/// The map from points of `[0,1]^d` to a network's inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Encoder {
    dim: usize,
    scale: f64,
    constant: f64,
}

impl Encoder {
    /// Scales of the coordinates and of the constant one. The ntk form divides by the number of inputs, which is
    /// undone here, so that the forms see the same.
    pub(crate) fn new(dim: usize, scale: f64, constant: f64, form: Parameterisation) -> Self {
        let factor = if form == Parameterisation::Ntk {
            ((dim + 1) as f64).sqrt()
        } else {
            1.0
        };
        Self {
            dim,
            scale: factor * scale,
            constant: factor * constant,
        }
    }

    /// How many inputs the network has.
    pub(crate) fn inputs(&self) -> usize {
        self.dim + 1
    }

    /// Encoded points, a row each.
    pub(crate) fn encode(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        Mat::from_fn(points.nrows(), self.dim + 1, |i, j| {
            if j == self.dim {
                self.constant
            } else {
                self.scale * (2.0 * points[(i, j)] - 1.0)
            }
        })
    }

    /// Gradients in the inputs as gradients in the points, times a factor.
    pub(crate) fn outward(&self, inner: &Mat<f64>, factor: f64) -> Mat<f64> {
        Mat::from_fn(inner.nrows(), self.dim, |i, j| {
            2.0 * self.scale * factor * inner[(i, j)]
        })
    }
}
