//! `NeuralBO`'s draw: an independent normal at every point, `f̃(x) ~ N(mean, (spread · deviation)²)`.
//!
//! The paper draws once for each candidate. Here the draw is a function of the round and of the point's bits, so the
//! same point has the same value however often it is looked at, and a score remains a function. It is smooth nowhere:
//! only a pool can be searched.

use std::sync::Arc;

use faer::MatRef;
use hilltop_core::{Acquisition, Capabilities, Context, Model, Models, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::marginal::marginals;
use super::require;

/// An independent draw a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pointwise {
    /// What the deviation is multiplied by (`ν` of the paper).
    pub spread: f64,
}

impl Default for Pointwise {
    fn default() -> Self {
        Self { spread: 1.0 }
    }
}

impl Acquisition for Pointwise {
    fn bind(&self, models: &Models, _context: &Context<'_>, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let model = Arc::clone(&models.objective);
        marginals("pointwise", &*model)?;
        Ok(Arc::new(Draw {
            model,
            spread: self.spread,
            round: rng.bits(),
        }))
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        require("pointwise", "marginals", capabilities.marginals, capabilities)
    }

    fn is_smooth(&self) -> bool {
        false
    }
}

struct Draw {
    model: Arc<dyn Model>,
    spread: f64,
    round: u64,
}

impl Draw {
    /// The normal of a point, the same for equal points (zero has one sign here).
    fn normal(&self, points: MatRef<'_, f64>, row: usize) -> f64 {
        let bits: Vec<u64> = points.row(row).iter().map(|x| (x + 0.0).to_bits()).collect();
        Rng::keyed(self.round, &bits).normal()
    }
}

impl Score for Draw {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let Some(marginals) = self.model.marginals() else {
            return out.fill(f64::NAN);
        };
        let beliefs = marginals.beliefs(points);
        for (row, out) in out.iter_mut().enumerate() {
            *out = -(beliefs.mean[row] + self.spread * beliefs.deviation[row] * self.normal(points, row));
        }
    }
}
