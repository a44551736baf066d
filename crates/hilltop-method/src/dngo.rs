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

use std::sync::Arc;

use hilltop_acquire::{Design, LogEi, acquisition, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_nn::{Activation, Optimiser};
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::transform::Transform;

/// The settings of `dngo`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dngo {
    /// Units a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers.
    pub activation: Activation,
    /// How the network is trained.
    pub training: Optimiser,
    /// What distance from the initial weights costs.
    pub penalty: f64,
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
        let hilltop_surrogate::Dngo {
            width,
            depth,
            activation,
            training,
            penalty,
        } = hilltop_surrogate::Dngo::default();
        Self {
            width,
            depth,
            activation,
            training,
            penalty,
            acquisition: acquisition::Kind::LogEi(LogEi::default()),
            design: Design::default(),
            transform: Transform::default(),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl Dngo {
    fn surrogate(&self) -> hilltop_surrogate::Dngo {
        let Self {
            width,
            depth,
            activation,
            training,
            penalty,
            ..
        } = *self;
        hilltop_surrogate::Dngo {
            width,
            depth,
            activation,
            training,
            penalty,
        }
    }

    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let surrogate = self.surrogate();
        surrogate.check()?;
        let (acquisition, maximiser) = (Arc::new(self.acquisition.clone()), Arc::new(self.maximiser));
        Ok(Box::new(Composite::new(
            self.design,
            self.transform,
            Arc::new(surrogate),
            acquisition,
            maximiser,
        )?))
    }
}
