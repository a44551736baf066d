//! The tangent-kernel surrogate: what a wide network believes.
//!
//! A network that is trained by small steps from random weights behaves like a Gaussian process whose kernel is the inner product of
//! its gradients (Jacot et al., 2018). Here the kernel comes from the closed form of infinite width or from a network of finite width at its
//! initial weights; input scales, signal and noise are fitted to the observations.

mod arc;
mod array;
mod encoding;
mod finite;
mod fit;
mod infinite;
mod layered;
mod network;
mod prior;
mod settings;
mod source;
mod spectrum;
mod summary;
mod sweep;
mod trained;

use std::sync::Arc;

use hilltop_core::{Capabilities, Evidence, Model, Previous, Result, Surrogate};
use hilltop_nn::{Activation, Optimiser, Parameterisation};
use serde::{Deserialize, Serialize};

pub use infinite::{Limit, erf, relu};
pub use settings::{Expectation, Features, Fit, Width};

use crate::image::ImageNetwork;
use crate::process::Schedule;
pub(crate) use encoding::{grouping, matrix, shares};
pub(crate) use fit::{Fitting, Prepared};
pub(crate) use network::{Directional, Encoded};
pub(crate) use prior::refit;
pub(crate) use settings::refused;
pub(crate) use source::unusable;

/// The description of a tangent-kernel surrogate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ntk {
    /// A convolution and a dense layer in place of `width` and `depth`, for candidates with a shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convolution: Option<ImageNetwork>,
    /// The width of the hidden layers.
    pub width: Width,
    /// The function between layers.
    pub activation: Activation,
    /// The number of hidden layers.
    pub depth: usize,
    /// Factors and initial weights of a finite network.
    pub parameterisation: Parameterisation,
    /// Which kernel of infinite width.
    pub kernel: Limit,
    /// The scales of the inputs in `[-1,1]`, one a parameter where they are fitted.
    pub scales: Fit,
    /// The scale of the constant input.
    pub constant: Fit,
    /// The factor of the kernel.
    pub signal: Fit,
    /// The noise variance `λ` of standardised values.
    pub noise: Fit,
    /// Whether observations are known to be noisy: where noise is fitted it is then sought around 3e-3 and not around 1e-6,
    /// so that it is not taken for structure as long as there are few observations, and nothing is taken for nearly straight that noise
    /// hides the curvature of.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub noisy: bool,
    /// Whether parameters that the observations do not ask for are left out, where scales are fitted: noise lets anything look as though
    /// it mattered a little.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sparse: bool,
    /// What is expected of the output.
    pub mean: Expectation,
    /// At which weights gradients are features.
    pub features: Features,
    /// Up to so many observations the posterior is exact.
    pub exact_limit: usize,
    /// So many landmarks stand for more where there is noise; where there is little, a selection of observations.
    pub landmarks: usize,
    /// Parameters are fitted to at most so many observations.
    pub fit_limit: usize,
    /// When parameters are fitted.
    pub schedule: Schedule,
    /// How the network is trained, where it is.
    pub training: Optimiser,
}

impl Default for Ntk {
    fn default() -> Self {
        Self {
            convolution: None,
            width: Width::Infinite,
            activation: Activation::Erf,
            depth: 1,
            parameterisation: Parameterisation::Ntk,
            kernel: Limit::Tangent,
            scales: Fit::Fitted,
            constant: Fit::Fitted,
            signal: Fit::Fitted,
            noise: Fit::Fitted,
            noisy: false,
            sparse: false,
            mean: Expectation::Kernel,
            features: Features::Initial,
            exact_limit: 1500,
            landmarks: 800,
            fit_limit: 400,
            schedule: Schedule::default(),
            training: Optimiser::adam(0.02, 32, 100),
        }
    }
}

impl Ntk {
    /// Whether such a surrogate can be built.
    pub fn check(&self) -> Result<()> {
        if let Some(network) = &self.convolution {
            network.check()?;
        }
        let dense = self.convolution.is_none();
        let infinite = dense && self.width == Width::Infinite;
        if !(1..=8).contains(&self.depth) {
            return Err(refused("depth", &self.depth, "1 to 8 hidden layers"));
        }
        if infinite && !matches!(self.activation, Activation::Erf | Activation::Relu) {
            return Err(refused(
                "activation",
                &format!("{:?}", self.activation).to_lowercase(),
                "erf or relu where width is infinite",
            ));
        }
        if dense
            && self.parameterisation == Parameterisation::Antisymmetric
            && matches!(self.width, Width::Finite(width) if width % 2 == 1)
        {
            return Err(refused(
                "width",
                &"odd",
                "an even number where parameterisation = antisymmetric",
            ));
        }
        if self.landmarks == 0 || self.fit_limit < 2 {
            let (setting, value) = if self.landmarks == 0 {
                ("landmarks", 0)
            } else {
                ("fit_limit", self.fit_limit)
            };
            return Err(refused(setting, &value, "at least 2"));
        }
        if infinite && (self.mean != Expectation::Kernel || self.features != Features::Initial) {
            return Err(refused(
                "width",
                &"infinite",
                "a number where the mean is a network's or features = current",
            ));
        }
        if self.mean == Expectation::OnePass && !self.training.is_one_pass() {
            return Err(refused(
                "training",
                &serde_json::to_string(&self.training).unwrap_or_default(),
                "sgd with batch = 1, epochs = 1 and shuffle = false where mean = one-pass",
            ));
        }
        self.training.check().map_err(unusable)?;
        Ok(())
    }
}

impl Surrogate for Ntk {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.check()?;
        let fitting = Fitting::new(self, evidence, previous)?;
        Ok(Arc::new(fitting.model(previous)?))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "ntk",
            marginals: true,
            paths: true,
            weights: false,
            information: true,
            smooth: true,
        }
    }
}
