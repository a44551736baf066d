//! What the methods on Gaussian processes share: a process of the objective, and one of every limit.

use std::sync::Arc;

use hilltop_acquire::{Design, maximiser};
use hilltop_core::{Acquisition, Result};
use hilltop_surrogate::Gp;
use hilltop_surrogate::gp::Family;
use hilltop_surrogate::ntk::Fit;
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::transform::Transform;

/// The settings that the methods on Gaussian processes have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Process {
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

impl Default for Process {
    fn default() -> Self {
        Self {
            kernel: Family::default(),
            noise: Fit::Fitted,
            design: Design::default(),
            transform: Transform::None,
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl Process {
    /// The composition of an acquisition on such processes.
    pub(crate) fn composed(&self, acquisition: impl Acquisition + 'static) -> Result<Composite> {
        let process = Gp {
            kernel: self.kernel,
            noise: self.noise,
            ..Gp::default()
        };
        process.check()?;
        let process = Arc::new(process);
        let (acquisition, maximiser) = (Arc::new(acquisition), Arc::new(self.maximiser));
        let composite = Composite::new(self.design, self.transform, process.clone(), acquisition, maximiser)?;
        Ok(composite.limiting(process))
    }
}
