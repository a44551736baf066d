//! `c-ei`: expected improvement times the probability that every limit is kept.
//!
//! Asks for one objective and any number of outputs with limits, each with a Gaussian process of its own. In logarithms,
//! so that many limits do not underflow. While nothing keeps the limits, their probability alone is maximised.
//!
//! J. Gardner et al., *Bayesian Optimization with Inequality Constraints* (ICML 2014); M. Schonlau (1997).

use std::sync::Arc;

use hilltop_acquire::{Design, Incumbent, LogEi, Probability, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Gp;
use hilltop_surrogate::gp::Family;
use hilltop_surrogate::ntk::Fit;
use serde::{Deserialize, Serialize};

use crate::process::on_processes;
use crate::transform::Transform;

/// The settings of `c-ei`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CEi {
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

impl Default for CEi {
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

impl CEi {
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
        Ok(Box::new(composite.under(Arc::new(Probability::default()))))
    }
}
