//! `sto-bnts`: batch Thompson sampling in which every point trains a network of its own.
//!
//! Asks for one objective on any space. Suits batches and many workers: the points of a batch are independent draws, made on all
//! cores, and a worker that comes back gets its next point without waiting for anyone.
//!
//! Z. Dai, Y. Shu, B. K. H. Low, P. Jaillet, *Sample-Then-Optimize Batch Neural Thompson Sampling*, `NeurIPS` 2022, Algorithm 1.
//!
//! Follows the paper and not its authors' code: the ntk form with weights `N(0,1)`, the added tangent term, regularisation
//! towards the initial weights. Departs from both where measurement or theory says so, each departure a setting that can be turned
//! back: targets are perturbed, without which draws vary too little at the observations; training goes to convergence by
//! Gauss–Newton steps from the linearised solution instead of 10,000 gradient steps; the activation is smooth; input scales, noise
//! and signal are fitted. `StoBnts::paper()` is the paper's own configuration.

use hilltop_acquire::maximiser::{Auto, Gradient, Pool};
use hilltop_acquire::{Design, maximiser};
use hilltop_core::{Proposer, Result, Space};
use hilltop_nn::{Activation, Optimiser};
use hilltop_surrogate::ntk::Fit;
use hilltop_surrogate::sto::{Kind, Training};
use hilltop_surrogate::{Imaging, Sto};
use serde::{Deserialize, Serialize};

use crate::thompson::{Frame, Thompson};
use crate::transform::Transform;
use crate::uncertainty::Opening;

/// The settings of `sto-bnts`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StoBnts {
    /// Units a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// A convolution and a dense layer in place of `width` and `depth`, where candidates have a shape.
    pub convolution: Imaging,
    /// The function between layers.
    pub activation: Activation,
    /// `β`: how far draws stray from the mean, in posterior deviations.
    pub spread: f64,
    /// Whether every draw sees targets with noise of its own.
    pub perturb: bool,
    /// How much less weights move than in the paper, whose is 1.
    pub laziness: f64,
    /// How a network is trained.
    pub training: Training,
    /// Input scales, fitted or fixed.
    pub scales: Fit,
    /// The scale of the constant input, fitted or fixed; behind a convolution the deviation of the biases. Left out it is 2 for
    /// networks, 0.5 behind a convolution, and fitted for the linear model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<Fit>,
    /// The variance of the network's output, fitted or fixed.
    pub signal: Fit,
    /// `σ²`, fitted or fixed.
    pub noise: Fit,
    /// At most so many observations are trained on.
    pub limit: usize,
    /// How a study begins.
    pub opening: Opening,
    /// The first points.
    pub design: Design,
    /// What is done to the objective's values first.
    pub transform: Transform,
    /// How a draw's minimum is found.
    pub maximiser: maximiser::Kind,
}

impl Default for StoBnts {
    fn default() -> Self {
        let sto = Sto::default();
        Self {
            width: sto.width,
            depth: sto.depth,
            convolution: Imaging::Auto,
            activation: sto.activation,
            spread: 1.0,
            perturb: sto.perturb,
            laziness: sto.laziness,
            training: sto.training,
            scales: sto.scales,
            constant: None,
            signal: sto.signal,
            noise: sto.noise,
            limit: sto.limit,
            opening: Opening::default(),
            design: Design::default(),
            transform: Transform::default(),
            maximiser: maximiser::Kind::Auto(Auto {
                gradient: Gradient {
                    pool: POOL,
                    ..Gradient::default()
                },
                ..Auto::default()
            }),
        }
    }
}

/// The deviation of biases behind a convolution: larger ones drown what the filters see.
const BIASES: Fit = Fit::Fixed(0.5);

/// Where the search for a draw's minimum starts: half of what others look at, because every draw is searched anew.
const POOL: Pool = Pool { points: 500, near: 250 };

impl StoBnts {
    /// The paper's experiments: two hidden layers of 256 rectified units, targets as they are, `σ = 0.1`, `β = 1`, 10,000 steps of gradient descent
    /// at a rate of 0.001, inputs in `[-1,1]` and values as they come.
    pub fn paper() -> Self {
        Self {
            activation: Activation::Relu,
            perturb: false,
            laziness: 1.0,
            training: Training::Descent(Optimiser::gradient_descent(1e-3, 10_000)),
            scales: Fit::Fixed(1.0),
            constant: Some(Fit::Fixed(1.0)),
            signal: Fit::Fixed(1.0),
            noise: Fit::Fixed(0.01),
            transform: Transform::None,
            ..Self::default()
        }
    }

    pub(crate) fn surrogate(&self, kind: Kind, space: &Space) -> Result<Sto> {
        let convolution = self.convolution.network(space)?;
        // A large constant saturates most units, and the few that are left must bend: training would not converge.
        let usual = match kind {
            Kind::Linear => Fit::Fitted,
            Kind::Network | Kind::Plain if convolution.is_some() => BIASES,
            Kind::Network | Kind::Plain => Sto::default().constant,
        };
        Ok(Sto {
            kind,
            convolution,
            width: self.width,
            depth: self.depth,
            activation: self.activation,
            perturb: self.perturb,
            laziness: self.laziness,
            training: self.training,
            scales: self.scales,
            constant: self.constant.unwrap_or(usual),
            signal: self.signal,
            noise: self.noise,
            limit: self.limit,
            ..Sto::default()
        })
    }

    /// The proposer that trains members of a kind.
    pub(crate) fn build_kind(&self, kind: Kind, space: &Space) -> Result<Box<dyn Proposer>> {
        let frame = Frame {
            spread: self.spread,
            opening: self.opening,
            design: self.design,
            transform: self.transform,
            maximiser: self.maximiser,
        };
        Ok(Box::new(Thompson::new(self.surrogate(kind, space)?, frame)?))
    }

    pub(crate) fn build(&self, space: &Space) -> Result<Box<dyn Proposer>> {
        self.build_kind(Kind::Network, space)
    }
}
