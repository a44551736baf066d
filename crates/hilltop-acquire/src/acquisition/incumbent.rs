//! What an improvement is measured against.

use hilltop_core::{Context, Evidence, Marginals, Model, Points, Result};
use serde::{Deserialize, Serialize};

use super::marginal::{marginals, middle};

/// Which value must be improved upon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Incumbent {
    /// The best value observed where there is no noise, else the best mean.
    #[default]
    Auto,
    /// The best value observed: right where there is no noise.
    BestObserved,
    /// The best mean that the model predicts at the observed points: where a lucky observation must not set the bar.
    BestMean,
}

/// The bar of a round, in the units of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bar {
    /// What an improvement falls below.
    pub(crate) height: f64,
    /// The smallest deviation that is told from none.
    pub(crate) floor: f64,
}

impl Bar {
    /// `z`, how many deviations the mean lies below the bar, and the deviation itself, kept above the floor.
    pub(crate) fn reduce(&self, mean: f64, deviation: f64) -> (f64, f64) {
        let deviation = deviation.max(self.floor);
        ((self.height - mean) / deviation, deviation)
    }
}

/// The predicted mean is asked for at no more than this many of the best observations.
const ASKED: usize = 1000;

impl Incumbent {
    /// The bar, lowered by `margin` deviations of the observed values.
    pub(crate) fn bar(self, asker: &'static str, margin: f64, model: &dyn Model, context: &Context<'_>) -> Result<Bar> {
        let marginals = marginals(asker, model)?;
        let spread = spread(context.evidence.values);
        let height = self.height(marginals, context) - margin * spread;
        Ok(Bar {
            height,
            floor: 1e-12 * spread,
        })
    }

    fn height(self, marginals: &dyn Marginals, context: &Context<'_>) -> f64 {
        let Evidence { points, values, .. } = context.evidence;
        let contenders = contenders(context);
        match (self, contenders.first()) {
            // Nothing observed: whatever is believed in the middle.
            (_, None) => marginals.beliefs(middle(context).matrix()).mean[0],
            (Self::BestObserved, Some(&best)) => values[best],
            (Self::Auto, Some(&best)) if !context.history.is_noisy() => values[best],
            (Self::BestMean | Self::Auto, Some(_)) => {
                let rows = contenders.iter().map(|&index| points.row(index));
                let means = marginals.beliefs(Points::from_rows(points.dim(), rows).matrix()).mean;
                means.into_iter().fold(f64::INFINITY, f64::min)
            }
        }
    }
}

/// The best observations that keep the limits; where none does, the least one that breaks them.
fn contenders(context: &Context<'_>) -> Vec<usize> {
    let mut ranked = context.ranked();
    let kept = ranked.iter().filter(|index| context.violation(**index) <= 0.0).count();
    ranked.truncate(kept.clamp(1, ASKED));
    ranked
}

/// The places of the lowest values, lowest first, at most `count`.
pub(crate) fn lowest(values: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order.truncate(count);
    order
}

/// The deviation of the values, 1 where they do not differ.
pub(crate) fn spread(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    if deviation > 0.0 && deviation.is_finite() {
        deviation
    } else {
        1.0
    }
}
