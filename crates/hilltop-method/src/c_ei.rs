//! `c-ei`: expected improvement times the probability that every limit is kept.
//!
//! Asks for one objective and any number of outputs with limits, each with a Gaussian process of its own. In logarithms,
//! so that many limits do not underflow. While nothing keeps the limits, their probability alone is maximised.
//!
//! J. Gardner et al., *Bayesian Optimization with Inequality Constraints* (ICML 2014); M. Schonlau (1997).

use std::sync::Arc;

use hilltop_acquire::{Incumbent, LogEi, Probability};
use hilltop_core::{Proposer, Result};
use serde::{Deserialize, Serialize};

use crate::process::Process;

/// The settings of `c-ei`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CEi {
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
    /// The process and the search.
    #[serde(flatten)]
    pub process: Process,
}

impl CEi {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let acquisition = LogEi {
            incumbent: self.incumbent,
            margin: 0.0,
            ..LogEi::default()
        };
        let composite = self.process.composed(acquisition)?;
        Ok(Box::new(composite.under(Arc::new(Probability::default()))))
    }
}
