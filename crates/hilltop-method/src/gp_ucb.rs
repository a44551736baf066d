//! `gp-ucb`: the optimistic confidence bound of a Gaussian process.
//!
//! Asks for one objective on any space. `β` is constant by default; `beta = "gp-ucb"` is the schedule of the paper.
//!
//! N. Srinivas, A. Krause, S. Kakade, M. Seeger, *Gaussian Process Optimization in the Bandit Setting* (ICML 2010).

use hilltop_acquire::{Design, Schedule, Ucb, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Gp;
use hilltop_surrogate::gp::Family;
use hilltop_surrogate::ntk::Fit;
use serde::{Deserialize, Serialize};

use crate::process::on_processes;
use crate::transform::Transform;

/// The settings of `gp-ucb`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpUcb {
    /// The square of how many deviations are hoped for.
    pub beta: Schedule,
    /// Squared exponential or Matérn.
    pub kernel: Family,
    /// The noise variance of standardised values, fitted or fixed.
    pub noise: Fit,
    /// The first points.
    pub design: Design,
    /// What is done to the objective's values first.
    pub transform: Transform,
    /// How the best point is found.
    pub maximiser: maximiser::Kind,
}

impl Default for GpUcb {
    fn default() -> Self {
        Self {
            beta: Schedule::default(),
            kernel: Family::default(),
            noise: Fit::Fitted,
            design: Design::default(),
            transform: Transform::None,
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl GpUcb {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let process = Gp {
            kernel: self.kernel,
            noise: self.noise,
            ..Gp::default()
        };
        let acquisition = Ucb { beta: self.beta };
        let composite = on_processes(process, self.design, self.transform, acquisition, self.maximiser)?;
        Ok(Box::new(composite))
    }
}
