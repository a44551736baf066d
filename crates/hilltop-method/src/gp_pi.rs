//! `gp-pi`: probability of improvement on a Gaussian process.
//!
//! Asks for one objective on any space. Greedier than expected improvement; the margin keeps it from standing still.
//!
//! H. Kushner, *A New Method of Locating the Maximum Point of an Arbitrary Multipeak Curve* (1964).

use hilltop_acquire::{Incumbent, LogPi};
use hilltop_core::{Proposer, Result};
use serde::{Deserialize, Serialize};

use crate::process::Process;

/// The settings of `gp-pi`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpPi {
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
    /// How many deviations of the observed values an improvement must exceed.
    pub margin: f64,
    /// The process and the search.
    #[serde(flatten)]
    pub process: Process,
}

impl Default for GpPi {
    fn default() -> Self {
        Self {
            incumbent: Incumbent::default(),
            margin: 0.01,
            process: Process::default(),
        }
    }
}

impl GpPi {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let acquisition = LogPi {
            incumbent: self.incumbent,
            margin: self.margin,
            ..LogPi::default()
        };
        let composite = self.process.composed(acquisition)?;
        Ok(Box::new(composite))
    }
}
