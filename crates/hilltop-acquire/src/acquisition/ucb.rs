//! The optimistic confidence bound: `-(mean - √β deviation)` (Srinivas et al., 2010).

use std::sync::Arc;

use hilltop_core::{Acquisition, Capabilities, Context, Models, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::schedule::Schedule;
use super::{marginal, require};

/// Optimism in the face of uncertainty; for minimisation the lower bound counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ucb {
    /// The square of how many deviations are hoped for.
    pub beta: Schedule,
}

impl Acquisition for Ucb {
    fn bind(&self, models: &Models, context: &Context<'_>, _rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let beta = self.beta.value(context.history, models.objective.as_ref())?;
        marginal::bind("ucb", Optimism { weight: beta.sqrt() }, models, context)
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        self.beta.check()?;
        self.beta.suits(capabilities)?;
        require("ucb", "marginals", capabilities.marginals, capabilities)
    }

    fn is_smooth(&self) -> bool {
        true
    }
}

struct Optimism {
    weight: f64,
}

impl marginal::Rule for Optimism {
    fn value(&self, mean: f64, deviation: f64) -> f64 {
        self.weight * deviation - mean
    }

    fn slopes(&self, _mean: f64, _deviation: f64) -> (f64, f64) {
        (-1.0, self.weight)
    }
}
