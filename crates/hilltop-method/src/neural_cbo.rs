//! `neural-cbo`: expected improvement among points that may keep every limit, on the tangent kernels of networks.
//!
//! Asks for one objective and any number of outputs with limits, each with a network of its own. A point counts where the
//! lower confidence bounds of all limited outputs keep their limits; among these the expected improvement on the best
//! predicted mean is maximised. Where no point counts, the least sum of hopeful violations is aimed at.
//!
//! D. Phan-Trong, H. The Tran, S. Gupta, *Black-box Optimization with Unknown Constraints via Overparameterized Deep Neural
//! Networks*.
//!
//! Follows the paper, and not its authors' code: the incumbent is the best mean of the current models among points that
//! are believed to keep the limits, not a running minimum of old predictions; initial points count; every output is
//! standardised on its own. Departs from both where measurement says so, each a setting that can be turned back: the width
//! is infinite and the activation smooth, scales and noise are fitted, and the search climbs instead of looking at 10,000
//! random points. `NeuralCbo::paper()` has the paper's networks, antisymmetric and rectified, trained by one pass of
//! gradient descent over the stream of observations, and its `β_t` from the information gain.

use std::sync::Arc;

use hilltop_acquire::{Design, Incumbent, LogEi, Optimistic, Pool, Schedule, maximiser};
use hilltop_core::{Error, Output, Proposer, Result, named};
use hilltop_nn::{Activation, Optimiser, Parameterisation};
use hilltop_surrogate::Ntk;
use hilltop_surrogate::ntk::{Expectation, Fit, Width};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::composite::Composite;
use crate::limits::modest;
use crate::transform::Transform;

/// How networks are trained: `"full"`, or `"one-pass"` as a table with a rate of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Training {
    /// Until they fit, towards the mean of their kernels.
    Full {},
    /// One step an observation, in their order: eq. 2 of the paper.
    OnePass {
        /// The step size `α`.
        #[serde(default = "rate")]
        rate: f64,
    },
}

/// The paper's step size.
fn rate() -> f64 {
    1e-4
}

impl Serialize for Training {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Training {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        named::deserialize(deserializer, "a way to train")
    }
}

impl<'de> named::Table<'de> for Training {
    fn table<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

/// The settings of `neural-cbo`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralCbo {
    /// Units a hidden layer, or `"infinite"`.
    pub width: Width,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers.
    pub activation: Activation,
    /// Factors and initial weights of finite networks.
    pub parameterisation: Parameterisation,
    /// The trained networks, or the kernels' own means.
    pub mean: Expectation,
    /// How networks are trained, where they are.
    pub training: Training,
    /// Input scales, fitted or fixed.
    pub scales: Fit,
    /// `λ`, fitted or fixed.
    pub noise: Fit,
    /// `β_t`: the square of how many deviations limits are granted.
    pub beta: Schedule,
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
    /// The first points.
    pub design: Design,
    /// What is done to the objective's values first.
    pub transform: Transform,
    /// How the best point is found.
    pub maximiser: maximiser::Kind,
}

impl Default for NeuralCbo {
    fn default() -> Self {
        Self {
            width: Width::Infinite,
            depth: 1,
            activation: Activation::Erf,
            parameterisation: Parameterisation::Antisymmetric,
            mean: Expectation::Kernel,
            training: Training::Full {},
            scales: Fit::Fitted,
            noise: Fit::Fitted,
            beta: Schedule::Constant { value: 1.0 },
            incumbent: Incumbent::BestMean,
            design: Design::default(),
            transform: Transform::default(),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl NeuralCbo {
    /// The paper's experiments for a horizon of `T` rounds: antisymmetric networks of one hidden layer of `max(T, 64)`
    /// rectified units, trained by one pass, bounds from the information gain, and the best of 10,000 points.
    pub fn paper(horizon: usize) -> Self {
        let width = horizon.clamp(64, 1000).next_multiple_of(2);
        Self {
            width: Width::Finite(width),
            activation: Activation::Relu,
            mean: Expectation::Trained,
            training: Training::OnePass { rate: rate() },
            beta: Schedule::Paper {
                bound: 1.0,
                noise: 1.0,
                delta: 0.1,
            },
            scales: Fit::Fixed(1.0),
            noise: Fit::Fixed(1.0),
            transform: Transform::None,
            maximiser: maximiser::Kind::Pool(Pool {
                points: 10_000,
                near: 0,
            }),
            ..Self::default()
        }
    }

    fn surrogate(&self) -> Result<Ntk> {
        let mut network = Ntk {
            width: self.width,
            depth: self.depth,
            activation: self.activation,
            parameterisation: self.parameterisation,
            mean: self.mean,
            scales: self.scales,
            noise: self.noise,
            ..Ntk::default()
        };
        if let Training::OnePass { rate } = self.training {
            if self.mean != Expectation::Trained {
                return Err(refused(&serde_json::to_string(&self.mean).unwrap_or_default()));
            }
            network.mean = Expectation::OnePass;
            network.training = Optimiser::one_pass(rate);
        }
        Ok(network)
    }

    pub(crate) fn build(&self, outputs: &[Output]) -> Result<Box<dyn Proposer>> {
        let network = self.surrogate()?;
        network.check()?;
        self.beta.check()?;
        let limiting = Arc::new(modest(&network, outputs.len().saturating_sub(1)));
        let acquisition = Arc::new(LogEi {
            incumbent: self.incumbent,
            margin: 0.0,
            ..LogEi::default()
        });
        let composite = Composite::new(
            self.design,
            self.transform,
            Arc::new(network),
            acquisition,
            Arc::new(self.maximiser),
        )?;
        let optimistic = Optimistic {
            beta: self.beta,
            declares: false,
        };
        Ok(Box::new(composite.limiting(limiting).under(Arc::new(optimistic))))
    }
}

fn refused(value: &str) -> Error {
    Error::Setting {
        setting: "mean".into(),
        value: value.to_owned(),
        allowed: "\"trained\", with a finite width, where training = \"one-pass\"".into(),
    }
}
