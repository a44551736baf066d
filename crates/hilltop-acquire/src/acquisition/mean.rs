//! Greedy: the best mean, whatever its deviation.

use std::sync::Arc;

use hilltop_core::{Acquisition, Capabilities, Context, Models, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::{marginal, require};

/// The lowest mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mean {}

impl Acquisition for Mean {
    fn bind(&self, models: &Models, context: &Context<'_>, _rng: &mut Rng) -> Result<Arc<dyn Score>> {
        marginal::bind("mean", Lowest, models, context)
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        require("mean", "marginals", capabilities.marginals, capabilities)
    }

    fn is_smooth(&self) -> bool {
        true
    }
}

struct Lowest;

impl marginal::Rule for Lowest {
    fn value(&self, mean: f64, _deviation: f64) -> f64 {
        -mean
    }

    fn slopes(&self, _mean: f64, _deviation: f64) -> (f64, f64) {
        (-1.0, 0.0)
    }
}
