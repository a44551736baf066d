//! `neural-ucb`: optimism with a network whose features move.
//!
//! Asks for one objective, on any space or among arms given with the ask. Made for contextual bandits, where every
//! round counts and contexts never come again.
//!
//! D. Zhou, L. Li, Q. Gu, *Neural Contextual Bandits with UCB-based Exploration*, ICML 2020.
//!
//! Follows the paper (Algorithm 1): `U` gathers each round's gradient at that round's weights, the score is
//! `h(x; θ) ± ν √(λ gᵀU⁻¹g)`. Departs from it in that values are standardised, `ν` is a setting instead of the theory's
//! `γ_t`, and the network is not trained in every round for ever but each time the observations have grown by a
//! share (`growth = 0` trains in every round). The authors' code keeps the diagonal of `U`: `covariance = "diagonal"`.

use std::sync::Arc;

use hilltop_acquire::{Design, Schedule, Ucb, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Accumulated;
use serde::{Deserialize, Serialize};

use crate::moving::Moving;

/// The settings of `neural-ucb`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralUcb {
    /// `ν²`: the square of how many deviations are hoped for, 4 by default.
    pub beta: Schedule,
    /// The network and its training; `λ` left out is 0.1 where the study is noisy, 0.01 otherwise.
    #[serde(flatten)]
    pub network: Accumulated,
    /// The first points of a space; with arms, how many rounds choose blindly, none where the count is left out.
    pub design: Design,
    /// How the best point of a space is found.
    pub maximiser: maximiser::Kind,
}

impl NeuralUcb {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let beta = self.beta;
        let moving = Moving {
            design: self.design,
            surrogate: self.network.clone(),
            acquisition: Box::new(move |_| Arc::new(Ucb { beta })),
            maximiser: self.maximiser,
            composite: None,
        };
        moving.build()
    }
}
