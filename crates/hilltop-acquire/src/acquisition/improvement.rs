//! What is expected of an improvement, whatever measures it: the acquisitions `ei`, `log-ei`, `pi` and `log-pi`.

use std::marker::PhantomData;
use std::sync::Arc;

use hilltop_core::{Acquisition, Capabilities, Context, Models, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::incumbent::{Bar, Incumbent};
use super::marginal::Rule;
use super::{marginal, require};

/// A measure of what falls below a bar.
pub trait Measure: Send + Sync + 'static {
    /// As a recipe names the acquisition.
    const NAME: &'static str;
    /// The margin where none is given.
    const MARGIN: f64;
}

/// An acquisition that measures improvements by `M`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case", bound = "M: Measure")]
pub struct Improvement<M> {
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
    /// How many deviations of the observed values an improvement must exceed.
    pub margin: f64,
    /// By what it is measured.
    #[serde(skip)]
    pub measure: PhantomData<M>,
}

impl<M: Measure> Default for Improvement<M> {
    fn default() -> Self {
        Self {
            incumbent: Incumbent::default(),
            margin: M::MARGIN,
            measure: PhantomData,
        }
    }
}

// Derived ones would ask the same of the measure.
impl<M> Clone for Improvement<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Improvement<M> {}

impl<M> PartialEq for Improvement<M> {
    fn eq(&self, other: &Self) -> bool {
        self.incumbent == other.incumbent && self.margin == other.margin
    }
}

#[allow(private_bounds)]
impl<M: Measure + Rule + From<Bar>> Acquisition for Improvement<M> {
    fn bind(&self, models: &Models, context: &Context<'_>, _rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let bar = self.incumbent.bar(M::NAME, self.margin, &*models.objective, context)?;
        marginal::bind(M::NAME, M::from(bar), models, context)
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        require(M::NAME, "marginals", capabilities.marginals, capabilities)
    }

    fn is_smooth(&self) -> bool {
        true
    }
}
