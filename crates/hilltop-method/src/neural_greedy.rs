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

use hilltop_acquire::{Design, Path, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Perturbed;
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::transform::Transform;

/// The settings of `neural-greedy`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralGreedy {
    /// The network and its training.
    #[serde(flatten)]
    pub network: Perturbed,
    /// The first points.
    pub design: Design,
    /// What is done to the objective's values first.
    pub transform: Transform,
    /// How the network's minimum is found.
    pub maximiser: maximiser::Kind,
}

impl NeuralGreedy {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        self.network.check()?;
        let network = self.network.clone();
        Composite::boxed(self.design, self.transform, network, Path::default(), self.maximiser)
    }
}
