//! `gp-ts`: Thompson sampling on a Gaussian process.
//!
//! Asks for one objective on any space. Every round draws one function, by waves of the spectral density and Matheron's
//! rule, and evaluates its minimum.
//!
//! S. Chowdhury, A. Gopalan, *On Kernelized Multi-armed Bandits* (ICML 2017).

use hilltop_acquire::Path;
use hilltop_core::{Proposer, Result};
use serde::{Deserialize, Serialize};

use crate::process::Process;

/// The settings of `gp-ts`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpTs {
    /// How far draws stray from the mean, in posterior deviations.
    pub spread: f64,
    /// The process and the search.
    #[serde(flatten)]
    pub process: Process,
}

impl Default for GpTs {
    fn default() -> Self {
        Self {
            spread: 1.0,
            process: Process::default(),
        }
    }
}

impl GpTs {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let acquisition = Path { spread: self.spread };
        let composite = self.process.composed(acquisition)?;
        Ok(Box::new(composite))
    }
}
