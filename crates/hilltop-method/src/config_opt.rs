//! `config-opt`: the optimistic objective among points that may keep every limit.
//!
//! Asks for one objective and any number of outputs with limits, each with a Gaussian process of its own. A point counts
//! where the lower bounds of all limited outputs keep their limits. Where no point does, the study is declared infeasible,
//! with the numbers that say so.
//!
//! W. Xu, Y. Jiang, B. Svetozarevic, C. Jones, *Constrained Efficient Global Optimization of Expensive Black-box Functions*
//! (ICML 2023).

use std::sync::Arc;

use hilltop_acquire::{Optimistic, Schedule, Ucb};
use hilltop_core::{Proposer, Result};
use serde::{Deserialize, Serialize};

use crate::process::Process;

/// The settings of `config-opt`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConfigOpt {
    /// The square of how many deviations are hoped for.
    pub beta: Schedule,
    /// The process and the search.
    #[serde(flatten)]
    pub process: Process,
}

impl ConfigOpt {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let acquisition = Ucb { beta: self.beta };
        let composite = self.process.composed(acquisition)?;
        Ok(Box::new(composite.under(Arc::new(Optimistic {
            beta: self.beta,
            declares: true,
        }))))
    }
}
