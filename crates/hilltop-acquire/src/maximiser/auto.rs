//! The maximiser that fits the space and the score.

use hilltop_core::{Context, Maximiser, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::finite::Finite;
use super::gradient::Gradient;
use super::local::Local;

/// A small finite space is enumerated, a smooth score climbed, anything else searched locally from a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Auto {
    /// The largest finite space that is enumerated.
    pub limit: usize,
    /// For smooth scores.
    pub gradient: Gradient,
    /// For all others.
    pub local: Local,
}

impl Default for Auto {
    fn default() -> Self {
        Self {
            limit: 10_000,
            gradient: Gradient::default(),
            local: Local::default(),
        }
    }
}

impl Maximiser for Auto {
    fn maximise(&self, score: &dyn Score, context: &Context<'_>, rng: &mut Rng) -> Result<Vec<f64>> {
        let points = context.history.space().cardinality();
        if points.is_some_and(|points| points <= self.limit as u64) {
            Finite { limit: self.limit }.maximise(score, context, rng)
        } else if score.smooth().is_some() {
            self.gradient.maximise(score, context, rng)
        } else {
            self.local.maximise(score, context, rng)
        }
    }
}
