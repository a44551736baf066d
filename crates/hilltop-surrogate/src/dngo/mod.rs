//! Deep networks for global optimisation: the last hidden layer of a trained network as features of a Bayesian linear model.
//!
//! A network is trained on the observations; what enters its output then stays as features, and the output is replaced by
//! linear regression with a normal prior, whose two precisions are those of greatest likelihood (Snoek et al., 2015). The cost grows
//! with the number of observations as training does, not with its cube.

mod head;
mod model;

use std::sync::Arc;

use hilltop_core::{Capabilities, Coordinate, Error, Evidence, Model, Previous, Result, Rng, Surrogate};
use hilltop_nn::{Activation, Architecture, Network, Optimiser, Parameterisation, Trainer};
use serde::{Deserialize, Serialize};

pub use head::Head;
pub use model::DngoModel;

use crate::process::Standard;

/// The description of a network with a Bayesian linear head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dngo {
    /// Units a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers.
    pub activation: Activation,
    /// How the network is trained.
    pub training: Optimiser,
    /// What distance from the initial weights costs.
    pub penalty: f64,
}

impl Default for Dngo {
    fn default() -> Self {
        let training = Optimiser::adam(0.01, 10, 500);
        Self {
            width: 50,
            depth: 3,
            activation: Activation::Tanh,
            training,
            penalty: 1e-3,
        }
    }
}

/// Streams of the study's seed.
const INITIAL_WEIGHTS: u64 = 0x444e_4700;
const TRAINING: u64 = 0x444e_4701;

impl Dngo {
    /// Whether such a surrogate can be built.
    pub fn check(&self) -> Result<()> {
        let trainer = Trainer::new(self.training).with_penalty(self.penalty);
        let training = trainer.check().map_err(|error| refused("training", &error.to_string()));
        if !(1..=8).contains(&self.depth) {
            return Err(setting("depth", self.depth, "1 to 8 hidden layers"));
        }
        if self.width == 0 {
            return Err(setting("width", 0, "a whole number above 0"));
        }
        self.shape(1)
            .check()
            .map_err(|error| refused("width", &error.to_string()))
            .and(training)
    }

    fn shape(&self, inputs: usize) -> Architecture {
        let hidden = vec![self.width; self.depth];
        Architecture::new(inputs, &hidden, self.activation, Parameterisation::Ntk).with_bias(0.5)
    }
}

impl Surrogate for Dngo {
    fn fit(&self, evidence: &Evidence<'_>, _previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.check()?;
        let standard = Standard::of(evidence.values);
        let targets = standard.inward(evidence.values);
        let encoder = Encoder::new(evidence.space.coordinates());
        let inputs = encoder.inputs(evidence.points.matrix());
        let unusable = |error: hilltop_nn::Error| Error::Numerical {
            what: "a network of dngo",
            detail: error.to_string(),
        };
        let mut rng = Rng::keyed(evidence.seed, &[INITIAL_WEIGHTS]);
        let mut network = Network::init(&self.shape(inputs.ncols()), &mut rng).map_err(unusable)?;
        if !targets.is_empty() {
            let mut rng = Rng::keyed(evidence.seed, &[TRAINING, targets.len() as u64]);
            let trainer = Trainer::new(self.training).with_penalty(self.penalty);
            trainer
                .train(&mut network, inputs.as_ref(), &targets, &mut rng)
                .map_err(unusable)?;
        }
        let features = model::features(&network, inputs.as_ref());
        let head = Head::fit(features.as_ref(), &targets)?;
        Ok(Arc::new(DngoModel {
            encoder,
            network,
            head,
            standard,
        }))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "dngo",
            marginals: true,
            paths: true,
            weights: false,
            information: false,
            smooth: self.activation.is_smooth(),
        }
    }
}

/// Points of `[0,1]` as numbers of mean zero and deviation one, and a constant where a space has no coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    factors: Vec<f64>,
}

impl Encoder {
    pub(crate) fn new(coordinates: &[Coordinate]) -> Self {
        // Uniform numbers of deviation one.
        let reach = 3_f64.sqrt();
        let factor = |coordinate: &Coordinate| match coordinate {
            Coordinate::OneHot { .. } => reach / 8_f64.sqrt(),
            _ => reach,
        };
        Self {
            factors: coordinates.iter().map(factor).collect(),
        }
    }

    pub(crate) fn inputs(&self, points: faer::MatRef<'_, f64>) -> faer::Mat<f64> {
        let dim = self.factors.len();
        let input = |i: usize, j: usize| {
            if j < dim {
                self.factors[j] * (2.0 * points[(i, j)] - 1.0)
            } else {
                1.0
            }
        };
        faer::Mat::from_fn(points.nrows(), dim.max(1), input)
    }

    /// Gradients in the inputs as gradients in the points, times a factor.
    pub(crate) fn outward(&self, inner: &faer::Mat<f64>, factor: f64) -> faer::Mat<f64> {
        faer::Mat::from_fn(inner.nrows(), self.factors.len(), |i, j| {
            factor * 2.0 * self.factors[j] * inner[(i, j)]
        })
    }
}

fn setting(setting: &str, value: usize, allowed: &str) -> Error {
    Error::Setting {
        setting: setting.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    }
}

fn refused(setting: &str, detail: &str) -> Error {
    Error::Setting {
        setting: setting.to_owned(),
        value: "as given".to_owned(),
        allowed: detail.to_owned(),
    }
}
