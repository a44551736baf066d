//! Cutting: a score counts where a second one, the margin, reaches a bar; elsewhere it is below everything, and the less so
//! the less the margin misses the bar.

use std::sync::Arc;

use hilltop_core::{Context, Points, Rng, Score, Sobol};

use super::joint::{Formula, Joint, Worth};

/// What lies beyond the cut is below every score.
const BELOW: f64 = -1e30;
/// Beyond this a margin is missed by as much as anything.
const FARTHEST: f64 = 1e6;
/// How many points of the space are asked whether anything passes.
const ASKED: u64 = 1000;
/// How many of the best observations are.
const OBSERVED: usize = 200;

/// Everything is cut off where the margin is below the bar.
pub(crate) struct Cut {
    pub(crate) bar: f64,
}

impl Cut {
    /// The score within the cut; where nothing passes it, the margin itself.
    pub(crate) fn apply(
        self,
        score: Arc<dyn Score>,
        margin: Arc<dyn Score>,
        context: &Context<'_>,
        rng: &mut Rng,
    ) -> Arc<dyn Score> {
        if best(margin.as_ref(), context, rng).0 < self.bar {
            return margin;
        }
        let formula = self;
        Arc::new(Joint { score, margin, formula })
    }
}

impl Formula for Cut {
    const LOGARITHMIC: bool = false;

    fn worth(&self, score: f64, margin: f64) -> Worth {
        if margin < self.bar {
            let missed = (self.bar - margin).min(FARTHEST);
            return Worth {
                value: BELOW * (1.0 + missed),
                by_score: 0.0,
                by_margin: -BELOW,
            };
        }
        Worth {
            value: score,
            by_score: 1.0,
            by_margin: 0.0,
        }
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
