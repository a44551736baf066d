//! Cutting: a score counts where a second one, the margin, reaches a bar; elsewhere it is below everything, and the less so
//! the less the margin misses the bar.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Context, Points, Rng, Score, SmoothScore};

use crate::design::Sobol;

/// What lies beyond the cut is below every score.
const BELOW: f64 = -1e30;
/// Beyond this a margin is missed by as much as anything.
const FARTHEST: f64 = 1e6;
/// How many points of the space are asked whether anything passes.
const ASKED: u64 = 1000;
/// How many of the best observations are.
const OBSERVED: usize = 200;

/// A score with everything cut off where the margin is below the bar.
pub(crate) struct Cut {
    pub(crate) score: Arc<dyn Score>,
    pub(crate) margin: Arc<dyn Score>,
    pub(crate) bar: f64,
}

impl Cut {
    /// The score within the cut; where nothing passes it, the margin itself.
    pub(crate) fn apply(self, context: &Context<'_>, rng: &mut Rng) -> Arc<dyn Score> {
        if best(self.margin.as_ref(), context, rng).0 >= self.bar {
            Arc::new(self)
        } else {
            self.margin
        }
    }

    fn lowered(&self, margin: f64) -> f64 {
        let missed = (self.bar - margin).min(FARTHEST);
        BELOW * (1.0 + missed)
    }
}

/// The greatest margin over a spread of the space and the best observations, and how many points were asked.
pub(crate) fn best(margin: &dyn Score, context: &Context<'_>, rng: &mut Rng) -> (f64, usize) {
    let space = context.history.space();
    let mut points = Points::new(space.dim());
    for index in context.ranked().into_iter().take(OBSERVED) {
        points.push(context.evidence.points.row(index));
    }
    if let Some(table) = space.candidates() {
        (0..table.len().min(ASKED as usize)).for_each(|row| points.push(table.features(row)));
    } else {
        let sobol = Sobol::new(rng.bits(), space.unit_dim());
        for index in 0..ASKED {
            let mut point = space.from_unit(&sobol.point(index));
            context.bounds.clamp(&mut point);
            if space.satisfies(&point) {
                points.push(&point);
            }
        }
    }
    let mut values = vec![0.0; points.len()];
    margin.values(points.matrix(), &mut values);
    let greatest = values.iter().copied().filter(|value| !value.is_nan());
    (greatest.fold(f64::NEG_INFINITY, f64::max), points.len())
}

impl Score for Cut {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        self.score.values(points, out);
        let mut margins = vec![0.0; out.len()];
        self.margin.values(points, &mut margins);
        for (out, margin) in out.iter_mut().zip(margins) {
            if margin < self.bar {
                *out = self.lowered(margin);
            }
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        let both = self.score.smooth().is_some() && self.margin.smooth().is_some();
        both.then_some(self)
    }
}

impl SmoothScore for Cut {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let (Some(score), Some(margin)) = (self.score.smooth(), self.margin.smooth()) else {
            return values.fill(f64::NAN);
        };
        score.values_and_gradients(points, values, gradients.as_mut());
        let (mut margins, mut slopes) = (vec![0.0; values.len()], Mat::zeros(points.nrows(), points.ncols()));
        margin.values_and_gradients(points, &mut margins, slopes.as_mut());
        for row in 0..points.nrows() {
            if margins[row] < self.bar {
                values[row] = self.lowered(margins[row]);
                for axis in 0..points.ncols() {
                    gradients[(row, axis)] = -BELOW * slopes[(row, axis)];
                }
            }
        }
    }
}
