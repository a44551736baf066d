//! A cut by probability: only points count that keep every limit with at least a given probability.

use std::sync::Arc;

use hilltop_core::{Context, Error, Feasibility, Models, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::cut::Cut;
use super::odds::Chance;
use super::seeks;
use crate::acquisition::middle;

/// Points that probably keep the limits; where there are none, the most probable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Likely {
    /// The least probability of keeping all limits.
    pub level: f64,
}

impl Default for Likely {
    fn default() -> Self {
        Self { level: 0.5 }
    }
}

impl Feasibility for Likely {
    fn apply(
        &self,
        score: Arc<dyn Score>,
        models: &Models,
        context: &Context<'_>,
        rng: &mut Rng,
    ) -> Result<Arc<dyn Score>> {
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(Error::Setting {
                setting: "level".into(),
                value: self.level.to_string(),
                allowed: "a probability between 0 and 1".into(),
            });
        }
        if models.limits.is_empty() {
            return Ok(score);
        }
        let margin: Arc<dyn Score> = Arc::new(Chance::of("likely", &models.limits, &middle(context))?);
        if seeks(context) {
            return Ok(margin);
        }
        let bar = self.level.ln();
        Ok(Cut { bar }.apply(score, margin, context, rng))
    }
}
