//! `gp-ucb`: the optimistic confidence bound of a Gaussian process.
//!
//! Asks for one objective on any space. `β` is constant by default; `beta = "gp-ucb"` is the schedule of the paper.
//!
//! N. Srinivas, A. Krause, S. Kakade, M. Seeger, *Gaussian Process Optimization in the Bandit Setting* (ICML 2010).

use hilltop_acquire::{Schedule, Ucb};
use hilltop_core::{Proposer, Result};
use serde::{Deserialize, Serialize};

use crate::process::Process;

/// The settings of `gp-ucb`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpUcb {
    /// The square of how many deviations are hoped for.
    pub beta: Schedule,
    /// The process and the search.
    #[serde(flatten)]
    pub process: Process,
}

impl GpUcb {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let acquisition = Ucb { beta: self.beta };
        let composite = self.process.composed(acquisition)?;
        Ok(Box::new(composite))
    }
}
