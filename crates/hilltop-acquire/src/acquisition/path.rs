//! Thompson sampling: one function drawn from the model is optimised as if it were the truth.

use std::sync::Arc;

use hilltop_core::{Acquisition, Capabilities, Context, Error, Models, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::require;

/// A drawn function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Path {
    /// What the drawn deviation around the mean is multiplied by (`ν` of the papers).
    pub spread: f64,
}

impl Default for Path {
    fn default() -> Self {
        Self { spread: 1.0 }
    }
}

impl Acquisition for Path {
    fn bind(&self, models: &Models, _context: &Context<'_>, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let lacking = Error::Incapable {
            asker: "path",
            needed: "paths",
            model: "the fitted model",
            offered: "none",
        };
        models.objective.paths().ok_or(lacking)?.draw(self.spread, rng)
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        require("path", "paths", capabilities.paths, capabilities)
    }

    fn is_smooth(&self) -> bool {
        true
    }
}
