//! `config-opt`: the optimistic objective among points that may keep every limit.
//!
//! Asks for one objective and any number of outputs with limits, each with a Gaussian process of its own. A point counts
//! where the lower bounds of all limited outputs keep their limits. Where no point does, the study is declared infeasible,
//! with the numbers that say so.
//!
//! W. Xu, Y. Jiang, B. Svetozarevic, C. Jones, *Constrained Efficient Global Optimization of Expensive Black-box Functions*
//! (ICML 2023).

use std::sync::Arc;

use hilltop_acquire::{Design, Optimistic, Schedule, Ucb, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Gp;
use hilltop_surrogate::gp::Family;
use hilltop_surrogate::ntk::Fit;
use serde::{Deserialize, Serialize};

use crate::process::on_processes;
use crate::transform::Transform;

/// The settings of `config-opt`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConfigOpt {
    /// The square of how many deviations are hoped for.
    pub beta: Schedule,
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

impl Default for ConfigOpt {
    fn default() -> Self {
        Self {
            beta: Schedule::default(),
            kernel: Family::default(),
            noise: Fit::Fitted,
            design: Design::default(),
            transform: Transform::None,
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl ConfigOpt {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let process = Gp {
            kernel: self.kernel,
            noise: self.noise,
            ..Gp::default()
        };
        let acquisition = Ucb { beta: self.beta };
        let composite = on_processes(process, self.design, self.transform, acquisition, self.maximiser)?;
        Ok(Box::new(composite.under(Arc::new(Optimistic {
            beta: self.beta,
            declares: true,
        }))))
    }
}
