//! `gp-ei`: expected improvement on a Gaussian process.
//!
//! Asks for one objective on any space. The classic of Bayesian optimisation, in logarithms, where it has the same maximum
//! and a gradient everywhere.
//!
//! D. Jones, M. Schonlau, W. Welch, *Efficient Global Optimization of Expensive Black-Box Functions* (1998).

use hilltop_acquire::{Incumbent, LogEi};
use hilltop_core::{Proposer, Result};
use serde::{Deserialize, Serialize};

use crate::process::Process;

/// The settings of `gp-ei`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpEi {
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
    /// The process and the search.
    #[serde(flatten)]
    pub process: Process,
}

impl GpEi {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let acquisition = LogEi {
            incumbent: self.incumbent,
            margin: 0.0,
            ..LogEi::default()
        };
        let composite = self.process.composed(acquisition)?;
        Ok(Box::new(composite))
    }
}
