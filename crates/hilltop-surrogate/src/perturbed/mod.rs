//! Networks on perturbed targets: each function drawn is a network trained on values with fresh noise added.
//!
//! The model of `neural-greedy` (Paria et al., 2022): what it is unsure about is what its training does with other noise and
//! other initial weights. It has paths alone; there is no mean or deviation to speak of.

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{
    Capabilities, Error, Evidence, Marginals, Model, Paths, Previous, Result, Rng, Score, SmoothScore, Surrogate,
};
use hilltop_nn::{Activation, Architecture, Network, Optimiser, Parameterisation, Trainer};
use serde::{Deserialize, Serialize};

use crate::dngo::Encoder;
use crate::process::Standard;

/// The description of networks on perturbed targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Perturbed {
    /// Units a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers.
    pub activation: Activation,
    /// `σ`: the deviation of the noise added to standardised values.
    pub noise: f64,
    /// How a network is trained.
    pub training: Optimiser,
    /// What distance from the initial weights costs.
    pub penalty: f64,
}

impl Default for Perturbed {
    fn default() -> Self {
        let training = Optimiser::adam(0.01, 10, 200);
        Self {
            width: 100,
            depth: 2,
            activation: Activation::Erf,
            noise: 0.1,
            training,
            penalty: 0.01,
        }
    }
}

impl Perturbed {
    /// Whether such a surrogate can be built.
    pub fn check(&self) -> Result<()> {
        if !(1..=8).contains(&self.depth) {
            return Err(refused("depth", &self.depth, "1 to 8 hidden layers"));
        }
        if !(self.noise.is_finite() && self.noise >= 0.0) {
            return Err(refused("noise", &self.noise, "a number of at least 0"));
        }
        self.shape(1)
            .check()
            .map_err(|error| refused("width", &self.width, &error.to_string()))?;
        self.trainer()
            .check()
            .map_err(|error| refused("training", &"as given", &error.to_string()))
    }

    fn shape(&self, inputs: usize) -> Architecture {
        let hidden = vec![self.width; self.depth];
        Architecture::new(inputs, &hidden, self.activation, Parameterisation::Ntk).with_bias(0.5)
    }

    fn trainer(&self) -> Trainer {
        Trainer::new(self.training).with_penalty(self.penalty)
    }
}

fn refused(setting: &str, value: &dyn ToString, allowed: &str) -> Error {
    Error::Setting {
        setting: setting.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    }
}

impl Surrogate for Perturbed {
    fn fit(&self, evidence: &Evidence<'_>, _previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.check()?;
        let encoder = Encoder::new(evidence.space.coordinates());
        let standard = Standard::of(evidence.values);
        Ok(Arc::new(PerturbedModel {
            inputs: encoder.inputs(evidence.points.matrix()),
            targets: standard.inward(evidence.values),
            recipe: self.clone(),
            encoder,
            standard,
        }))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "perturbed",
            marginals: false,
            paths: true,
            weights: false,
            information: false,
            smooth: self.activation.is_smooth(),
        }
    }
}

/// A fitted [`Perturbed`]: the observations, from which every draw trains a network of its own.
#[derive(Clone, Debug)]
pub struct PerturbedModel {
    recipe: Perturbed,
    encoder: Encoder,
    inputs: Mat<f64>,
    targets: Vec<f64>,
    standard: Standard,
}

impl Model for PerturbedModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        None
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    /// Nothing to believe: two draws differ anyway.
    fn believe(&self, _pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Paths for PerturbedModel {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let unusable = |error: hilltop_nn::Error| Error::Numerical {
            what: "a network on perturbed targets",
            detail: error.to_string(),
        };
        let mut network = Network::init(&self.recipe.shape(self.inputs.ncols()), rng).map_err(unusable)?;
        let noise = spread * self.recipe.noise;
        let targets: Vec<f64> = self
            .targets
            .iter()
            .map(|target| target + noise * rng.normal())
            .collect();
        if !targets.is_empty() {
            self.recipe
                .trainer()
                .train(&mut network, self.inputs.as_ref(), &targets, rng)
                .map_err(unusable)?;
        }
        Ok(Arc::new(Trained {
            network,
            encoder: self.encoder.clone(),
            standard: self.standard,
        }))
    }
}

/// A trained network; as a score its negative.
struct Trained {
    network: Network,
    encoder: Encoder,
    standard: Standard,
}

impl Trained {
    fn outward(&self, value: f64) -> f64 {
        -(self.standard.offset + self.standard.scale * value)
    }
}

impl Score for Trained {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let values = self.network.forward(self.encoder.inputs(points).as_ref());
        out.iter_mut()
            .zip(values)
            .for_each(|(out, value)| *out = self.outward(value));
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        self.network.architecture().activation.is_smooth().then_some(self)
    }
}

impl SmoothScore for Trained {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let (at, inner) = self.network.input_gradients(self.encoder.inputs(points).as_ref());
        values
            .iter_mut()
            .zip(at)
            .for_each(|(out, value)| *out = self.outward(value));
        gradients.copy_from(self.encoder.outward(&inner, -self.standard.scale));
    }
}
