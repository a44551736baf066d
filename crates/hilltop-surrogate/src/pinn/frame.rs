//! From the network to the objective and back: `f(z) = offset + scale · ν · h(x)` with `x` the scaled point.

use faer::{Mat, MatRef};
use hilltop_core::Coordinate;
use hilltop_core::physics::Partial;

use crate::process::Standard;

/// How the network's inputs and output are scaled.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame {
    /// What a coordinate in `[-1,1]` is multiplied by.
    factors: Vec<f64>,
    pub(super) standard: Standard,
    /// `ν`: what the network's output is multiplied by to be a standardised value.
    pub(super) spread: f64,
}

impl Frame {
    /// Coordinates of deviation one; one-hot ones so that another option is as far as half a range of a number.
    pub(super) fn new(coordinates: &[Coordinate], standard: Standard) -> Self {
        let uniform = 3_f64.sqrt();
        let factor = |coordinate: &Coordinate| match coordinate {
            Coordinate::OneHot { .. } => uniform / 8_f64.sqrt(),
            _ => uniform,
        };
        Self {
            factors: coordinates.iter().map(factor).collect(),
            standard,
            spread: 1.0,
        }
    }

    /// Points as the network sees them, a row each; a constant where a space has no coordinates.
    pub(super) fn inputs(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        let dim = self.factors.len();
        Mat::from_fn(points.nrows(), dim.max(1), |i, j| {
            if j < dim {
                self.factors[j] * (2.0 * points[(i, j)] - 1.0)
            } else {
                1.0
            }
        })
    }

    /// What a unit of the network's output is in the objective's units.
    pub(super) fn unit(&self) -> f64 {
        self.standard.scale * self.spread
    }

    /// The objective from the network's output.
    pub(super) fn outward(&self, output: f64) -> f64 {
        self.standard.offset + self.unit() * output
    }

    /// Gradients in the inputs as gradients in the points, times a factor.
    pub(super) fn gradients(&self, inner: &Mat<f64>, factor: f64) -> Mat<f64> {
        Mat::from_fn(inner.nrows(), self.factors.len(), |i, j| {
            2.0 * self.factors[j] * factor * inner[(i, j)]
        })
    }

    /// What a derivative of the network is multiplied by, and what is added, to be that of the objective.
    pub(super) fn chain(&self, partial: &Partial) -> (f64, f64) {
        let inner = |&(axis, times): &(usize, usize)| (2.0 * self.factors[axis]).powi(times as i32);
        let factor: f64 = partial.axes().iter().map(inner).product();
        let offset = if partial.order() == 0 {
            self.standard.offset
        } else {
            0.0
        };
        (self.unit() * factor, offset)
    }
}
