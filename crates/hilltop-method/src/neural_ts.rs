//! `neural-ts`: Thompson sampling with a network whose features move.
//!
//! Asks for one objective, on any space or among arms given with the ask.
//!
//! W. Zhang, D. Zhou, L. Li, Q. Gu, *Neural Thompson Sampling*, ICLR 2021.
//!
//! Follows the paper (Algorithm 1): `U` gathers each round's gradient at that round's weights. The paper draws an
//! independent normal for every arm (`draw = "pointwise"`); here one function is drawn by default (`path`), a direction
//! of the weights from `N(0, λU⁻¹)`, so that equal arms have equal draws and a space can be searched by gradients.
//! Values are standardised, and the network is trained each time the observations have grown by a share.

use std::sync::Arc;

use hilltop_acquire::{Design, Path, Pointwise, acquisition, maximiser};
use hilltop_core::{Error, Proposer, Result};
use hilltop_nn::{Activation, Optimiser, Parameterisation};
use hilltop_surrogate::Accumulated;
use hilltop_surrogate::accumulated::Covariance;
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::neural_bo::Draw;
use crate::transform::Transform;

/// The settings of `neural-ts`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralTs {
    /// One function a round, or an independent normal a candidate.
    pub draw: Draw,
    /// `ν`: how far draws stray from the mean, in deviations.
    pub spread: f64,
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
    /// `λ`: of the gathered features, and the penalty of training.
    pub regularisation: f64,
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

impl Default for NeuralTs {
    fn default() -> Self {
        let network = Accumulated::default();
        Self {
            draw: Draw::Path,
            spread: 1.0,
            width: network.width,
            depth: network.depth,
            activation: network.activation,
            parameterisation: network.parameterisation,
            scale: network.scale,
            constant: network.constant,
            regularisation: network.regularisation,
            covariance: network.covariance,
            training: network.training,
            warm: network.warm,
            growth: network.growth,
            design: Design::default(),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl NeuralTs {
    fn surrogate(&self) -> Accumulated {
        Accumulated {
            width: self.width,
            depth: self.depth,
            activation: self.activation,
            parameterisation: self.parameterisation,
            scale: self.scale,
            constant: self.constant,
            regularisation: self.regularisation,
            covariance: self.covariance,
            training: self.training,
            warm: self.warm,
            growth: self.growth,
        }
    }

    fn acquisition(&self) -> acquisition::Kind {
        match self.draw {
            Draw::Path => acquisition::Kind::Path(Path { spread: self.spread }),
            Draw::Pointwise => acquisition::Kind::Pointwise(Pointwise { spread: self.spread }),
        }
    }

    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        check_spread(self.spread)?;
        let surrogate = self.surrogate();
        surrogate.check()?;
        let (acquisition, maximiser) = (Arc::new(self.acquisition()), Arc::new(self.maximiser));
        let composite = Composite::new(self.design, Transform::None, Arc::new(surrogate), acquisition, maximiser)?;
        Ok(Box::new(composite))
    }
}

/// Refuses a spread that is no number of deviations.
pub(crate) fn check_spread(spread: f64) -> Result<()> {
    if spread.is_finite() && spread >= 0.0 {
        return Ok(());
    }
    let (setting, value) = ("spread".to_owned(), spread.to_string());
    Err(Error::Setting { setting, value, allowed: "a number, 0 or more".into() })
}
