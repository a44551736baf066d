//! Mean and deviation of a Gaussian process after its observations, in standardised units.

use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use hilltop_core::{Beliefs, Result, Rng, Slopes};

use super::condition::Condition;
use super::kernel::Field;

/// No variance is believed smaller than this share of what it was before the observations: below is rounding.
const FLOOR: f64 = 1e-14;

/// So many queries are worked on at once.
const BATCH: usize = 512;

/// The mean of a process.
#[derive(Clone)]
pub enum Mean {
    /// `Σ_i w_i k(x_i, x)` over the first anchors.
    Kernel(Vec<f64>),
    /// A function of its own.
    Function(Arc<dyn Field>),
}

/// A Gaussian process after its observations.
pub struct Posterior {
    /// What they explain.
    pub condition: Box<dyn Condition>,
    /// What is expected.
    pub mean: Mean,
}

impl Clone for Posterior {
    fn clone(&self) -> Self {
        Self {
            condition: self.condition.boxed(),
            mean: self.mean.clone(),
        }
    }
}

impl Posterior {
    /// Mean and deviation at each row.
    pub fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let mut beliefs = Beliefs {
            mean: Vec::new(),
            deviation: Vec::new(),
        };
        for start in (0..points.nrows()).step_by(BATCH) {
            let batch = points.subrows(start, BATCH.min(points.nrows() - start));
            let mut cross = self.condition.cross(batch);
            beliefs.mean.extend(match &self.mean {
                Mean::Kernel(weights) => combine(weights, cross.as_ref()),
                Mean::Function(field) => field.values(batch),
            });
            let explained = self.condition.explained(cross.as_mut());
            let prior = self.condition.prior().diagonal(batch);
            beliefs.deviation.extend(
                prior
                    .iter()
                    .zip(&explained)
                    .map(|(prior, explained)| left(*prior, *explained).0),
            );
        }
        beliefs
    }

    /// Mean and deviation at each row with gradients.
    pub fn slopes(&self, points: MatRef<'_, f64>) -> Slopes {
        let crossing = self.condition.crossing(points);
        let mut cross = crossing.values();
        let (mean, mean_slopes) = match &self.mean {
            Mean::Kernel(weights) => {
                let coefficients = repeated(weights, cross.nrows(), points.nrows());
                (
                    combine(weights, cross.as_ref()),
                    crossing.gradients(coefficients.as_ref()),
                )
            }
            Mean::Function(field) => field.slopes(points),
        };
        let explained = self.condition.duals(cross.as_mut());
        let (prior, mut slopes) = self.condition.prior().diagonal_slopes(points);
        let pulled = crossing.gradients(cross.as_ref());
        let mut deviation = Vec::with_capacity(prior.len());
        for i in 0..points.nrows() {
            let (sigma, smooth) = left(prior[i], explained[i]);
            for j in 0..points.ncols() {
                let slope = 0.5 * slopes[(i, j)] - pulled[(i, j)];
                slopes[(i, j)] = if smooth { slope / sigma } else { 0.0 };
            }
            deviation.push(sigma);
        }
        Slopes {
            beliefs: Beliefs { mean, deviation },
            mean: mean_slopes,
            deviation: slopes,
        }
    }

    /// The same with one more point observed at its mean: the mean stays, the variance shrinks.
    pub fn believe(&mut self, point: MatRef<'_, f64>) {
        self.condition.push(point, 1.0);
    }

    /// A function of the prior and the weights of the anchors that make it a centred one of the posterior.
    pub fn draw(&self, rng: &mut Rng) -> Result<(Arc<dyn Field>, Vec<f64>)> {
        self.condition.draw(rng)
    }
}

/// The deviation left, and whether it is more than rounding.
fn left(prior: f64, explained: f64) -> (f64, bool) {
    let floor = FLOOR * prior.max(f64::MIN_POSITIVE / FLOOR);
    let variance = prior - explained;
    (variance.max(floor).sqrt(), variance > floor)
}

/// `Σ_i w_i K_iq` over the first rows.
pub(super) fn combine(weights: &[f64], cross: MatRef<'_, f64>) -> Vec<f64> {
    let row = MatRef::from_row_major_slice(weights, 1, weights.len());
    let mut out = Mat::zeros(cross.ncols(), 1);
    let head = cross.subrows(0, weights.len());
    matmul(out.as_mut().transpose_mut(), Accum::Replace, row, head, 1.0, Par::Seq);
    out.col_as_slice(0).to_vec()
}

/// Weights as the column of every query, zero in the rows beyond them.
pub(super) fn repeated(weights: &[f64], rows: usize, queries: usize) -> Mat<f64> {
    Mat::from_fn(rows, queries, |i, _| weights.get(i).copied().unwrap_or(0.0))
}
