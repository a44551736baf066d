//! `gp-ei`: expected improvement on a Gaussian process.
//!
//! Asks for one objective on any space. The classic of Bayesian optimisation, in logarithms, where it has the same maximum
//! and a gradient everywhere.
//!
//! D. Jones, M. Schonlau, W. Welch, *Efficient Global Optimization of Expensive Black-Box Functions* (1998).

use hilltop_acquire::{Design, Incumbent, LogEi, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Gp;
use hilltop_surrogate::gp::Family;
use hilltop_surrogate::ntk::Fit;
use serde::{Deserialize, Serialize};

use crate::process::on_processes;
use crate::transform::Transform;

/// The settings of `gp-ei`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpEi {
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
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

impl Default for GpEi {
    fn default() -> Self {
        Self {
            incumbent: Incumbent::default(),
            kernel: Family::default(),
            noise: Fit::Fitted,
            design: Design::default(),
            transform: Transform::None,
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl GpEi {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let process = Gp {
            kernel: self.kernel,
            noise: self.noise,
            ..Gp::default()
        };
        let acquisition = LogEi {
            incumbent: self.incumbent,
            margin: 0.0,
            ..LogEi::default()
        };
        let composite = on_processes(process, self.design, self.transform, acquisition, self.maximiser)?;
        Ok(Box::new(composite))
    }
}
