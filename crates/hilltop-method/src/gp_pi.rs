//! `gp-pi`: probability of improvement on a Gaussian process.
//!
//! Asks for one objective on any space. Greedier than expected improvement; the margin keeps it from standing still.
//!
//! H. Kushner, *A New Method of Locating the Maximum Point of an Arbitrary Multipeak Curve* (1964).

use hilltop_acquire::{Design, Incumbent, LogPi, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Gp;
use hilltop_surrogate::gp::Family;
use hilltop_surrogate::ntk::Fit;
use serde::{Deserialize, Serialize};

use crate::process::on_processes;
use crate::transform::Transform;

/// The settings of `gp-pi`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpPi {
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
    /// How many deviations of the observed values an improvement must exceed.
    pub margin: f64,
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

impl Default for GpPi {
    fn default() -> Self {
        Self {
            incumbent: Incumbent::default(),
            margin: 0.01,
            kernel: Family::default(),
            noise: Fit::Fitted,
            design: Design::default(),
            transform: Transform::None,
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl GpPi {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let process = Gp {
            kernel: self.kernel,
            noise: self.noise,
            ..Gp::default()
        };
        let acquisition = LogPi {
            incumbent: self.incumbent,
            margin: self.margin,
            ..LogPi::default()
        };
        let composite = on_processes(process, self.design, self.transform, acquisition, self.maximiser)?;
        Ok(Box::new(composite))
    }
}
