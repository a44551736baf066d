//! `neural-greedy`: the minimum of a network trained on perturbed targets.
//!
//! Asks for one objective on any space. The simplest method that trains a network: what exploration there is comes from noise
//! added to the values before training, and from new initial weights each round.
//!
//! B. Paria, B. Póczos, P. Ravikumar, J. Schneider, A. S. Suggala, *Be Greedy: a Simple Algorithm for Blackbox Optimization
//! using Neural Networks* (ICML 2022 workshop).
//!
//! Follows the method as the `NeuralBO` paper describes it. Each point of a batch trains its own network, so that a batch needs
//! no more than that. The noise is relative to standardised values; training and network are this library's choice, because the
//! paper leaves them to the problem.

use std::sync::Arc;

use hilltop_acquire::{Design, Path, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_nn::{Activation, Optimiser};
use hilltop_surrogate::Perturbed;
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::transform::Transform;

/// The settings of `neural-greedy`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralGreedy {
    /// Units a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers.
    pub activation: Activation,
    /// `σ`: the deviation of the noise added to standardised values.
    pub noise: f64,
    /// How a network is trained.
    pub training: Optimiser,
    /// What distance from the initial weights costs.
    pub penalty: f64,
    /// The first points.
    pub design: Design,
    /// What is done to the objective's values first.
    pub transform: Transform,
    /// How the network's minimum is found.
    pub maximiser: maximiser::Kind,
}

impl Default for NeuralGreedy {
    fn default() -> Self {
        let Perturbed {
            width,
            depth,
            activation,
            noise,
            training,
            penalty,
        } = Perturbed::default();
        Self {
            width,
            depth,
            activation,
            noise,
            training,
            penalty,
            design: Design::default(),
            transform: Transform::default(),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl NeuralGreedy {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let Self {
            width,
            depth,
            activation,
            noise,
            training,
            penalty,
            ..
        } = *self;
        let surrogate = Perturbed {
            width,
            depth,
            activation,
            noise,
            training,
            penalty,
        };
        surrogate.check()?;
        let (acquisition, maximiser) = (Arc::new(Path::default()), Arc::new(self.maximiser));
        Ok(Box::new(Composite::new(
            self.design,
            self.transform,
            Arc::new(surrogate),
            acquisition,
            maximiser,
        )?))
    }
}
