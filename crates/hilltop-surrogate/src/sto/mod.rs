//! Sample, then optimise: a network that starts at random and is trained to the end is a draw from a posterior.
//!
//! Each drawn function starts from fresh weights, is pulled towards the observations by training and towards its start by a
//! penalty (Matthews et al., 2017; He, Lakshminarayanan and Teh, 2020; Dai et al., 2022). Linear in its weights it is exactly a
//! draw from the Gaussian process of the network's tangent kernel; a network itself approaches that as its width grows. No mean and
//! no deviation is ever computed: models of this surrogate have paths and nothing else.
//!
//! Input scales, signal and noise are fitted as for the tangent kernel of infinite width ([`crate::ntk`]).

mod linear;
mod member;
mod model;

use std::sync::Arc;

use hilltop_core::{Capabilities, Evidence, Model, Previous, Result, Surrogate};
use hilltop_nn::{Activation, Newton, Optimiser};
use serde::{Deserialize, Serialize};

pub use model::StoModel;

use crate::image::ImageNetwork;
use crate::ntk::{Fit, Fitting, Ntk, Width, refused};
use crate::process::Schedule;

/// The description of a sample-then-optimise surrogate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sto {
    /// What is trained; in a recipe the surrogate's name says it.
    #[serde(skip)]
    pub kind: Kind,
    /// A convolution and a dense layer in place of `width` and `depth`, for candidates with a shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convolution: Option<ImageNetwork>,
    /// Units a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers.
    pub activation: Activation,
    /// Whether every draw sees targets with noise of its own, without which it varies too little near the observations.
    pub perturb: bool,
    /// How much less the weights of a [`Kind::Network`] move than training alone would have them, the change of the output being
    /// multiplied by as much. The paper's is 1; the larger, the closer to the linearised network and its posterior.
    pub laziness: f64,
    /// How it is trained.
    pub training: Training,
    /// The scales of the inputs.
    pub scales: Fit,
    /// The scale of the constant input.
    pub constant: Fit,
    /// The variance of the network's output.
    pub signal: Fit,
    /// The noise variance `σ²` of standardised values.
    pub noise: Fit,
    /// At most so many observations are trained on: the best quarter, the latest quarter, a spread of the rest.
    pub limit: usize,
    /// Parameters are fitted to at most so many observations.
    pub fit_limit: usize,
    /// When parameters are fitted.
    pub schedule: Schedule,
}

/// What a draw trains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A network with an added tangent term: STO-BNTS.
    #[default]
    Network,
    /// A model linear in the tangent features of a network: STO-BNTS-Linear.
    Linear,
    /// A network alone: a deep ensemble.
    Plain,
}

/// How a member is trained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Training {
    /// Gauss–Newton steps from the linearised solution to convergence; of a linear model the closed form.
    Newton(Newton),
    /// An optimiser of first order from the initial weights, as in the paper.
    Descent(Optimiser),
}

impl Default for Training {
    fn default() -> Self {
        Self::Newton(Newton::default())
    }
}

impl Default for Sto {
    fn default() -> Self {
        let Ntk {
            fit_limit, schedule, ..
        } = Ntk::default();
        Self {
            kind: Kind::Network,
            convolution: None,
            width: 256,
            depth: 2,
            activation: Activation::Erf,
            perturb: true,
            laziness: 128.0,
            training: Training::default(),
            scales: Fit::Fitted,
            constant: Fit::Fixed(2.0),
            signal: Fit::Fitted,
            noise: Fit::Fitted,
            limit: 1200,
            fit_limit,
            schedule,
        }
    }
}

impl Sto {
    /// Whether such a surrogate can be built.
    pub fn check(&self) -> Result<()> {
        if self.width == 0 {
            return Err(refused("width", &self.width, "a whole number above 0"));
        }
        if self.limit < 2 {
            return Err(refused("limit", &self.limit, "at least 2"));
        }
        if !(self.laziness.is_finite() && self.laziness > 0.0) {
            return Err(refused("laziness", &self.laziness, "a number above 0"));
        }
        self.check_training()?;
        self.prior().check()
    }

    fn check_training(&self) -> Result<()> {
        let sound = match &self.training {
            Training::Newton(newton) => newton.check(),
            Training::Descent(optimiser) => optimiser.check(),
        };
        sound.map_err(|error| refused("training", &error, "settings in their ranges"))?;
        let plain = matches!(
            self.training,
            Training::Newton(_) | Training::Descent(Optimiser::GradientDescent { .. })
        );
        if self.kind == Kind::Linear && !plain {
            return Err(refused(
                "training",
                &"a stochastic optimiser",
                "newton or gradient-descent for a linear model",
            ));
        }
        Ok(())
    }

    /// The process of infinite width whose parameters are fitted, and which the draws approach.
    ///
    /// Activations without a closed form here have the smooth one of erf. On arrays it is the process of a network of the
    /// members' own size.
    pub fn prior(&self) -> Ntk {
        let activation = match self.activation {
            own if own == Activation::Relu || self.convolution.is_some() => own,
            _ => Activation::Erf,
        };
        Ntk {
            convolution: self.convolution,
            width: Width::Infinite,
            depth: self.depth,
            activation,
            scales: self.scales,
            constant: self.constant,
            signal: self.signal,
            noise: self.noise,
            fit_limit: self.fit_limit,
            schedule: self.schedule,
            ..Ntk::default()
        }
    }
}

impl Surrogate for Sto {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.check()?;
        let prior = self.prior();
        let prepared = Fitting::new(&prior, evidence, previous)?.prepared()?;
        Ok(Arc::new(StoModel::new(self.clone(), prepared, evidence.values)))
    }

    fn capabilities(&self) -> Capabilities {
        let name = match self.kind {
            Kind::Network => "sto-bnts",
            Kind::Linear => "sto-bnts-linear",
            Kind::Plain => "deep-ensemble",
        };
        Capabilities {
            name,
            marginals: false,
            paths: true,
            weights: false,
            information: false,
            smooth: true,
        }
    }
}
