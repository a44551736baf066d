//! `dngo`: expected improvement on a network with a Bayesian linear head.
//!
//! Asks for one objective on any space. Its cost grows with the number of observations as training a network does, so it is
//! meant for many of them.
//!
//! J. Snoek et al., *Scalable Bayesian Optimization Using Deep Neural Networks* (ICML 2015).
//!
//! Three layers of 50 tanh units as in the reference implementation, trained anew each round from the same initial weights. Departs
//! from the paper in the head's two precisions, which are those of greatest likelihood and not integrated over, and in the
//! prior mean, which is a constant and not a fitted quadratic; maximises the logarithm of expected improvement, whose maximum is
//! the same.

use hilltop_acquire::{Design, LogEi, acquisition, maximiser};
use hilltop_core::{Proposer, Result};
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::transform::Transform;

/// The settings of `dngo`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dngo {
    /// The network and its training.
    #[serde(flatten)]
    pub network: hilltop_surrogate::Dngo,
    /// What is worth evaluating.
    pub acquisition: acquisition::Kind,
    /// The first points.
    pub design: Design,
    /// What is done to the objective's values first.
    pub transform: Transform,
    /// How the best point is found.
    pub maximiser: maximiser::Kind,
}

impl Default for Dngo {
    fn default() -> Self {
        Self {
            network: hilltop_surrogate::Dngo::default(),
            acquisition: acquisition::Kind::LogEi(LogEi::default()),
            design: Design::default(),
            transform: Transform::default(),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl Dngo {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        self.network.check()?;
        let (network, acquisition) = (self.network.clone(), self.acquisition.clone());
        Composite::boxed(self.design, self.transform, network, acquisition, self.maximiser)
    }
}
