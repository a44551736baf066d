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
use hilltop_nn::{Activation, Optimiser, Parameterisation};
use hilltop_surrogate::Accumulated;
use hilltop_surrogate::accumulated::Covariance;
use serde::{Deserialize, Serialize};

use crate::moving::Moving;

/// The settings of `neural-ucb`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralUcb {
    /// `ν²`: the square of how many deviations are hoped for; 0.3 where the study is noisy, as bandits are, 4 otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<Schedule>,
    /// Units a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers.
    pub activation: Activation,
    /// Factors and initial weights.
    pub parameterisation: Parameterisation,
    /// The scale of the inputs in `[-1,1]`.
    pub scale: f64,
    /// The scale of the constant input.
    pub constant: f64,
    /// `λ`: of the gathered features, and the penalty of training; 0.3 where the study is noisy, 0.01 otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regularisation: Option<f64>,
    /// All of the features' covariance, or its diagonal.
    pub covariance: Covariance,
    /// How the network is trained.
    pub training: Optimiser,
    /// Whether training goes on from the weights before it.
    pub warm: bool,
    /// The share by which the observations grow between trainings.
    pub growth: f64,
    /// The first points of a space; with arms, how many rounds choose blindly, none where the count is left out.
    pub design: Design,
    /// How the best point of a space is found.
    pub maximiser: maximiser::Kind,
}

impl Default for NeuralUcb {
    fn default() -> Self {
        let network = Accumulated::default();
        Self {
            beta: None,
            width: network.width,
            depth: network.depth,
            activation: network.activation,
            parameterisation: network.parameterisation,
            scale: network.scale,
            constant: network.constant,
            regularisation: None,
            covariance: network.covariance,
            training: network.training,
            warm: network.warm,
            growth: network.growth,
            design: Design::default(),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl NeuralUcb {
    fn surrogate(&self) -> Accumulated {
        Accumulated {
            width: self.width,
            depth: self.depth,
            activation: self.activation,
            parameterisation: self.parameterisation,
            scale: self.scale,
            constant: self.constant,
            covariance: self.covariance,
            training: self.training,
            warm: self.warm,
            growth: self.growth,
            ..Accumulated::default()
        }
    }

    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let beta = self.beta;
        let moving = Moving {
            design: self.design,
            surrogate: self.surrogate(),
            regularisation: self.regularisation,
            acquisition: Box::new(move |noisy| {
                Arc::new(Ucb {
                    beta: beta.unwrap_or(hoped(noisy)),
                })
            }),
            maximiser: self.maximiser,
            composite: None,
        };
        moving.build()
    }
}

fn hoped(noisy: bool) -> Schedule {
    Schedule::Constant {
        value: if noisy { 0.3 } else { 4.0 },
    }
}
