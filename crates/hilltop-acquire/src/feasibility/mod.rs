//! What unknown limits do to a score: weigh it, cut it off, or aim elsewhere.
//!
//! Limits are the models of outputs that must keep an interval, and of the danger that an evaluation fails. While no
//! observation keeps them all, the search is for one that does.

mod budget;
mod cut;
mod joint;
mod likely;
mod odds;
mod optimistic;
mod probability;
mod sum;

use std::sync::Arc;

use hilltop_core::{Context, Feasibility, Models, Result, Rng, Score};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use budget::{Budget, spent};
pub use likely::Likely;
pub use odds::chance;
pub use optimistic::Optimistic;
pub use probability::Probability;

use crate::named;

/// Any way to handle limits, as a recipe names it: `"probability"`, or a table with its settings,
/// `{ name = "likely", level = 0.9 }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "name", rename_all = "kebab-case")]
pub enum Kind {
    /// What fits the score: weighing where it is a logarithm, else a cut.
    Auto(Auto),
    /// The score is weighed with the probability that limits are kept.
    Probability(Probability),
    /// Points that probably break limits are cut off.
    Likely(Likely),
    /// Points that break limits even in the most hopeful view are cut off.
    Optimistic(Optimistic),
}

impl Default for Kind {
    fn default() -> Self {
        Self::Auto(Auto::default())
    }
}

impl Feasibility for Kind {
    fn apply(
        &self,
        score: Arc<dyn Score>,
        models: &Models,
        context: &Context<'_>,
        rng: &mut Rng,
    ) -> Result<Arc<dyn Score>> {
        match self {
            Self::Auto(role) => role.apply(score, models, context, rng),
            Self::Probability(role) => role.apply(score, models, context, rng),
            Self::Likely(role) => role.apply(score, models, context, rng),
            Self::Optimistic(role) => role.apply(score, models, context, rng),
        }
    }
}

/// A logarithmic score is weighed, any other cut off where limits are more probably broken than not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Auto {}

impl Feasibility for Auto {
    fn apply(
        &self,
        score: Arc<dyn Score>,
        models: &Models,
        context: &Context<'_>,
        rng: &mut Rng,
    ) -> Result<Arc<dyn Score>> {
        if score.is_logarithmic() {
            Probability::default().apply(score, models, context, rng)
        } else {
            Likely::default().apply(score, models, context, rng)
        }
    }
}

/// Whether there are limits and no observation is believed to keep them.
fn seeks(context: &Context<'_>) -> bool {
    !context.violations.is_empty() && context.violations.iter().all(|violation| *violation > 0.0)
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        named::deserialize(deserializer, "a way to handle limits")
    }
}

impl<'de> named::Table<'de> for Kind {
    fn table<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}
