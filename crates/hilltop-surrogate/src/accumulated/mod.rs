//! A network whose features move: gradients at the weights of each round, accumulated over rounds.
//!
//! The surrogate of `NeuralUCB` and `NeuralTS`. The mean is the network as trained on the observations so far; the
//! deviation is `σ²(x) = λ gᵀU⁻¹g` with `U = λI + Σ_i g_i g_iᵀ`, where `g(x)` is the gradient at the current weights and
//! `g_i` that of observation `i` at the weights which the observations before it had led to. So the model depends on
//! the path and is a fold over the observations in their order: `Course` is its state, one observation a step, and
//! a model of the first observations is taken further instead of being rebuilt.

mod course;
mod covariance;
mod encoder;
mod growing;
mod model;

use std::sync::Arc;

use hilltop_core::{Capabilities, Error, Evidence, Model, Previous, Result, Surrogate};
use hilltop_nn::{Activation, Optimiser, Parameterisation};
use serde::{Deserialize, Serialize};

pub use covariance::Covariance;
pub(crate) use covariance::Primal;
pub(crate) use encoder::Encoder;
pub use model::AccumulatedModel;

use course::Course;

/// The description of a network with accumulated features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Accumulated {
    /// Units a hidden layer; left out, 20 among arms and 32 on a space.
    pub width: Option<usize>,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers; left out, softplus among arms and relu on a space.
    pub activation: Option<Activation>,
    /// Factors and initial weights.
    pub parameterisation: Parameterisation,
    /// The scale of the inputs in `[-1,1]`; left out, 1.5 among arms of up to ten features and 1 otherwise.
    pub scale: Option<f64>,
    /// The scale of the constant input.
    pub constant: f64,
    /// `λ`: of `U`, and the penalty of training, in units of standardised values; left out, that of noisy observations.
    pub regularisation: Option<f64>,
    /// How much of `U` is kept.
    pub covariance: Covariance,
    /// How the network is trained.
    pub training: Optimiser,
    /// Whether training goes on from the weights before it; otherwise it starts from the initial ones.
    pub warm: bool,
    /// The share by which the observations grow between trainings, and every observation trains while that is less than
    /// one more; left out, 0.1 among arms and 0.02 on a space.
    pub growth: Option<f64>,
    /// Whether between trainings the weights follow every observation by a step of recursive least squares, `U⁻¹ g (y − h)`; with the exact
    /// covariance only, of which it is a by-product.
    pub recursive: bool,
}

impl Default for Accumulated {
    fn default() -> Self {
        Self {
            width: None,
            depth: 1,
            activation: None,
            parameterisation: Parameterisation::Antisymmetric,
            scale: None,
            constant: 1.0,
            regularisation: None,
            covariance: Covariance::Exact,
            training: Optimiser::adam(0.01, 50, 20),
            warm: true,
            growth: None,
            recursive: true,
        }
    }
}

/// `λ` where observations are noisy, as those of bandits always are.
const NOISY: f64 = 0.1;
/// Of so many features rewards may go up and down more than smooth units do.
const FEW: usize = 10;

impl Accumulated {
    /// The same for a choice among arms with so many features: what was left out is fewer and smoother units, which learn from fewer rounds and whose
    /// gradients stay true for longer while the weights move, so that they need training less often.
    #[must_use]
    pub fn among_arms(mut self, features: usize) -> Self {
        self.width.get_or_insert(20);
        self.activation.get_or_insert(Activation::Softplus);
        self.growth.get_or_insert(0.1);
        self.scale.get_or_insert(if features <= FEW { 1.5 } else { 1.0 });
        self
    }

    fn width(&self) -> usize {
        self.width.unwrap_or(32)
    }

    fn activation(&self) -> Activation {
        self.activation.unwrap_or(Activation::Relu)
    }

    fn scale(&self) -> f64 {
        self.scale.unwrap_or(1.0)
    }

    fn growth(&self) -> f64 {
        self.growth.unwrap_or(0.02)
    }

    /// `λ`.
    pub(crate) fn ridge(&self) -> f64 {
        self.regularisation.unwrap_or(NOISY)
    }

    /// Whether such a surrogate can be built.
    pub fn check(&self) -> Result<()> {
        if !(1..=8).contains(&self.depth) {
            return Err(refused("depth", &self.depth, "1 to 8 hidden layers"));
        }
        let width = self.width();
        if width == 0 {
            return Err(refused("width", &width, "a whole number above 0"));
        }
        if self.parameterisation == Parameterisation::Antisymmetric && width % 2 == 1 {
            let allowed = "an even number where parameterisation = antisymmetric";
            return Err(refused("width", &width, allowed));
        }
        positive("regularisation", self.ridge())?;
        positive("scale", self.scale())?;
        if !(self.constant.is_finite() && self.constant >= 0.0) {
            return Err(refused("constant", &self.constant, "a number, 0 or more"));
        }
        let growth = self.growth();
        if !(growth.is_finite() && growth >= 0.0) {
            return Err(refused("growth", &growth, "a number, 0 or more"));
        }
        self.training
            .check()
            .map_err(|error| refused("training", &error, "rates above 0 and batches of at least 1"))
    }
}

/// Refuses what is not a positive number.
pub(crate) fn positive(setting: &str, value: f64) -> Result<()> {
    let sound = value.is_finite() && value > 0.0;
    if sound {
        Ok(())
    } else {
        Err(refused(setting, &value, "a number above 0"))
    }
}

fn refused(setting: &str, value: &dyn ToString, allowed: &str) -> Error {
    Error::Setting {
        setting: setting.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    }
}

impl Surrogate for Accumulated {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.check()?;
        let earlier = previous
            .model
            .and_then(|model| model.as_any().downcast_ref::<AccumulatedModel>());
        let started = earlier
            .and_then(|model| model.course())
            .filter(|course| course.precedes(self, evidence));
        let mut course = match started {
            Some(course) => course.clone(),
            None => Course::new(self, evidence)?,
        };
        course.follow(evidence)?;
        Ok(Arc::new(AccumulatedModel::new(course)))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "accumulated",
            marginals: true,
            paths: true,
            weights: false,
            information: false,
            smooth: true,
        }
    }
}
