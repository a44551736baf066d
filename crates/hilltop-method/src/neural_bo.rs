//! `neural-bo`: Thompson sampling with the neural tangent kernel.
//!
//! Asks for one objective on any space. Suits problems with structure that a network sees and a stationary kernel
//! does not; every round draws one function that fits the data and evaluates its minimum.
//!
//! D. Phan-Trong, H. Tran-The, S. Gupta, *NeuralBO: A Black-box Optimization Algorithm using Deep Neural Networks*.
//!
//! Follows the paper (Algorithm 1) and not its authors' code: features at the initial weights `θ_0`, the initial
//! points count, values are standardised. Departs from both where measurement says so, each departure a setting that
//! can be turned back: the width is infinite, where the kernel is known exactly, the activation smooth, input scales,
//! noise and signal are fitted instead of fixed, and the draw is a whole function (`path`) instead of an independent
//! normal a candidate (`pointwise`), whose minimum over N candidates is mostly noise.
//! `NeuralBo::paper()` is the paper's own configuration.

use hilltop_acquire::{Design, Path, Pointwise, acquisition, maximiser};
use hilltop_core::{Proposer, Result, Space};
use hilltop_nn::{Activation, Parameterisation};
use hilltop_surrogate::ntk::{Expectation, Features, Fit, Width};
use hilltop_surrogate::{Imaging, Ntk};
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::neural_ts::check_spread;
use crate::transform::Transform;

/// The settings of `neural-bo`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralBo {
    /// Units a hidden layer, or `"infinite"`.
    pub width: Width,
    /// Hidden layers.
    pub depth: usize,
    /// A convolution and a dense layer in place of `width` and `depth`, where candidates have a shape.
    pub convolution: Imaging,
    /// The function between layers.
    pub activation: Activation,
    /// Factors and initial weights.
    pub parameterisation: Parameterisation,
    /// One function a round, or an independent normal a candidate.
    pub draw: Draw,
    /// `ν`: how far draws stray from the mean, in posterior deviations.
    pub spread: f64,
    /// The trained network, or the kernel's own mean.
    pub mean: Expectation,
    /// Gradients at the initial or at the trained weights.
    pub features: Features,
    /// Input scales, fitted or fixed.
    pub scales: Fit,
    /// `λ`, fitted or fixed.
    pub noise: Fit,
    /// The first points.
    pub design: Design,
    /// What is done to the objective's values first.
    pub transform: Transform,
    /// How the draw's minimum is found.
    pub maximiser: maximiser::Kind,
}

/// How a round is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// One function of the posterior.
    #[default]
    Path,
    /// An independent normal a candidate, as in the paper.
    Pointwise,
}

impl Default for NeuralBo {
    fn default() -> Self {
        Self {
            width: Width::Infinite,
            depth: 1,
            convolution: Imaging::Auto,
            activation: Activation::Erf,
            parameterisation: Parameterisation::Ntk,
            draw: Draw::Path,
            spread: 1.0,
            mean: Expectation::Kernel,
            features: Features::Initial,
            scales: Fit::Fitted,
            noise: Fit::Fitted,
            design: Design::default(),
            transform: Transform::default(),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl NeuralBo {
    /// The paper's experiments: one hidden layer of 500 rectified units (two layers of weights), a trained mean,
    /// `λ = 0.01`, independent draws over a pool of 10,000 points, and of its grid of spreads `ν = 0.1`.
    pub fn paper() -> Self {
        Self {
            width: Width::Finite(500),
            activation: Activation::Relu,
            parameterisation: Parameterisation::Standard,
            draw: Draw::Pointwise,
            spread: 0.1,
            mean: Expectation::Trained,
            scales: Fit::Fixed(1.0),
            noise: Fit::Fixed(0.01),
            transform: Transform::None,
            maximiser: maximiser::Kind::Pool(hilltop_acquire::Pool {
                points: 10_000,
                near: 0,
            }),
            ..Self::default()
        }
    }

    fn surrogate(&self, space: &Space) -> Result<Ntk> {
        Ok(Ntk {
            convolution: self.convolution.network(space)?,
            width: self.width,
            depth: self.depth,
            activation: self.activation,
            parameterisation: self.parameterisation,
            mean: self.mean,
            features: self.features,
            scales: self.scales,
            noise: self.noise,
            ..Ntk::default()
        })
    }

    fn acquisition(&self) -> acquisition::Kind {
        match self.draw {
            Draw::Path => acquisition::Kind::Path(Path { spread: self.spread }),
            Draw::Pointwise => acquisition::Kind::Pointwise(Pointwise { spread: self.spread }),
        }
    }

    pub(crate) fn build(&self, space: &Space) -> Result<Box<dyn Proposer>> {
        check_spread(self.spread)?;
        let surrogate = self.surrogate(space)?;
        surrogate.check()?;
        Composite::boxed(
            self.design,
            self.transform,
            surrogate,
            self.acquisition(),
            self.maximiser,
        )
    }
}
