//! A score and what limits say of the same points, joined by a formula of the two.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Score, SmoothScore};

/// What a score is worth beside its margin, with the derivatives in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Worth {
    pub(crate) value: f64,
    pub(crate) by_score: f64,
    pub(crate) by_margin: f64,
}

/// A formula of a score and its margin.
pub(crate) trait Formula: Send + Sync {
    /// What they are worth together.
    fn worth(&self, score: f64, margin: f64) -> Worth;
    /// Whether that is the logarithm of something that probabilities multiply.
    const LOGARITHMIC: bool;
}

/// Two scores as one.
pub(crate) struct Joint<F> {
    pub(crate) score: Arc<dyn Score>,
    pub(crate) margin: Arc<dyn Score>,
    pub(crate) formula: F,
}

impl<F: Formula> Score for Joint<F> {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        self.score.values(points, out);
        let mut margins = vec![0.0; out.len()];
        self.margin.values(points, &mut margins);
        for (out, margin) in out.iter_mut().zip(margins) {
            *out = self.formula.worth(*out, margin).value;
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        let both = self.score.smooth().is_some() && self.margin.smooth().is_some();
        both.then_some(self)
    }

    fn is_logarithmic(&self) -> bool {
        F::LOGARITHMIC
    }
}

impl<F: Formula> SmoothScore for Joint<F> {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let (Some(score), Some(margin)) = (self.score.smooth(), self.margin.smooth()) else {
            return values.fill(f64::NAN);
        };
        score.values_and_gradients(points, values, gradients.as_mut());
        let (mut margins, mut slopes) = (vec![0.0; values.len()], Mat::zeros(points.nrows(), points.ncols()));
        margin.values_and_gradients(points, &mut margins, slopes.as_mut());
        for row in 0..points.nrows() {
            let worth = self.formula.worth(values[row], margins[row]);
            values[row] = worth.value;
            for axis in 0..points.ncols() {
                let slope = &mut gradients[(row, axis)];
                *slope = share(worth.by_score, *slope) + share(worth.by_margin, slopes[(row, axis)]);
            }
        }
    }
}

/// What does not count adds nothing, even where it is no number.
fn share(weight: f64, slope: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * slope }
}
