//! `gp-ts`: Thompson sampling on a Gaussian process.
//!
//! Asks for one objective on any space. Every round draws one function, by waves of the spectral density and Matheron's
//! rule, and evaluates its minimum.
//!
//! S. Chowdhury, A. Gopalan, *On Kernelized Multi-armed Bandits* (ICML 2017).

use hilltop_acquire::{Design, Path, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Gp;
use hilltop_surrogate::gp::Family;
use hilltop_surrogate::ntk::Fit;
use serde::{Deserialize, Serialize};

use crate::process::on_processes;
use crate::transform::Transform;

/// The settings of `gp-ts`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpTs {
    /// How far draws stray from the mean, in posterior deviations.
    pub spread: f64,
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

impl Default for GpTs {
    fn default() -> Self {
        Self {
            spread: 1.0,
            kernel: Family::default(),
            noise: Fit::Fitted,
            design: Design::default(),
            transform: Transform::None,
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl GpTs {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let process = Gp {
            kernel: self.kernel,
            noise: self.noise,
            ..Gp::default()
        };
        let acquisition = Path { spread: self.spread };
        let composite = on_processes(process, self.design, self.transform, acquisition, self.maximiser)?;
        Ok(Box::new(composite))
    }
}
