//! The fold over observations: each adds its gradient at the weights before it, and now and then the network is trained.

use std::sync::Arc;

use faer::MatRef;
use hilltop_core::{Error, Evidence, Result, Rng};
use hilltop_nn::{Architecture, Network, Trainer};

use super::Accumulated;
use super::covariance::{Covariance, Gathered};
use super::encoder::Encoder;
use crate::process::{Standard, digest};

/// Tells the initial weights from other random numbers of the same seed.
const INITIAL_WEIGHTS: u64 = 0xacc0;
/// The same for the order of examples in trainings.
const TRAINING: u64 = 0xacc1;

/// A network in the course of a study.
#[derive(Clone, Debug)]
pub(super) struct Course {
    settings: Accumulated,
    seed: u64,
    /// The initial weights, which the penalty pulls towards.
    anchor: Arc<Vec<f64>>,
    pub(super) encoder: Encoder,
    pub(super) network: Arc<Network>,
    pub(super) standard: Standard,
    pub(super) gathered: Gathered,
    observed: usize,
    trained: usize,
    /// Of the observed points and values.
    digests: (u64, u64),
}

impl Course {
    /// The state before the first observation.
    pub(super) fn new(settings: &Accumulated, evidence: &Evidence<'_>) -> Result<Self> {
        let dim = evidence.points.dim();
        let encoder = Encoder::new(dim, settings.scale(), settings.constant, settings.parameterisation);
        let hidden = vec![settings.width(); settings.depth];
        let form = settings.parameterisation;
        let architecture = Architecture::new(encoder.inputs(), &hidden, settings.activation(), form);
        let mut rng = Rng::keyed(evidence.seed, &[INITIAL_WEIGHTS]);
        let network = Network::init(&architecture, &mut rng).map_err(unusable)?;
        Ok(Self {
            settings: settings.clone(),
            seed: evidence.seed,
            anchor: Arc::new(network.weights().to_vec()),
            encoder,
            gathered: Gathered::new(settings.covariance, &network, settings.ridge())?,
            network: Arc::new(network),
            standard: Standard {
                offset: 0.0,
                scale: 1.0,
            },
            observed: 0,
            trained: 0,
            digests: digests(evidence, 0),
        })
    }

    /// Whether this is the state after the first of these observations.
    pub(super) fn precedes(&self, settings: &Accumulated, evidence: &Evidence<'_>) -> bool {
        self.settings == *settings
            && self.seed == evidence.seed
            && self.observed <= evidence.points.len()
            && self.digests == digests(evidence, self.observed)
    }

    /// Takes in the observations that are not in yet, one after another.
    pub(super) fn follow(&mut self, evidence: &Evidence<'_>) -> Result<()> {
        while self.observed < evidence.points.len() {
            let point = MatRef::from_row_major_slice(evidence.points.row(self.observed), 1, evidence.points.dim());
            self.gather(point)?;
            self.observed += 1;
            if self.is_due() {
                self.train(evidence)?;
            } else if self.settings.recursive && self.settings.covariance == Covariance::Exact {
                self.follow_one(point, evidence.values[self.observed - 1])?;
            }
        }
        self.digests = digests(evidence, self.observed);
        Ok(())
    }

    /// Adds the gradient of a point at the current weights.
    pub(super) fn gather(&mut self, point: MatRef<'_, f64>) -> Result<()> {
        let features = self.network.tangent(self.encoder.encode(point).as_ref());
        self.gathered.push(&features)
    }

    /// Moves the weights by `U⁻¹ g (y − h)`: to where the linearised network would be after training on this observation too.
    fn follow_one(&mut self, point: MatRef<'_, f64>, value: f64) -> Result<()> {
        let input = self.encoder.encode(point);
        let missing = self.standard.inward(&[value])[0] - self.network.forward(input.as_ref())[0];
        let pulled = self.gathered.pulled(&self.network.tangent(input.as_ref()));
        let step = missing / self.settings.ridge();
        let weights = self.network.weights().iter().zip(&pulled);
        let moved = weights.map(|(weight, part)| weight + step * part).collect();
        self.network = Arc::new(self.network.with_weights(moved).map_err(unusable)?);
        Ok(())
    }

    fn is_due(&self) -> bool {
        let pause = (self.settings.growth() * self.trained as f64).floor().max(1.0);
        self.observed as f64 >= self.trained as f64 + pause
    }

    /// Trains on everything in so far: `½ Σ (h − y)² + ½ λ D ‖θ − θ_0‖²`, `D` what the form divides its kernel by.
    fn train(&mut self, evidence: &Evidence<'_>) -> Result<()> {
        let count = self.observed;
        self.standard = Standard::of(&evidence.values[..count]);
        let targets = self.standard.inward(&evidence.values[..count]);
        let inputs = self.encoder.encode(evidence.points.matrix().subrows(0, count));
        let penalty = self.settings.ridge() * self.network.architecture().kernel_divisor();
        let trainer = Trainer::new(self.settings.training).with_penalty(penalty);
        let mut rng = Rng::keyed(self.seed, &[TRAINING, count as u64]);
        let mut network = (*self.network).clone();
        if !self.settings.warm {
            network.weights_mut().copy_from_slice(&self.anchor);
        }
        trainer
            .train_towards(&mut network, &self.anchor, inputs.as_ref(), &targets, &mut rng)
            .map_err(unusable)?;
        self.network = Arc::new(network);
        self.trained = count;
        Ok(())
    }

    /// The deviation of an observation in standardised units.
    pub(super) fn noise(&self) -> f64 {
        self.settings.ridge().sqrt()
    }
}

fn digests(evidence: &Evidence<'_>, count: usize) -> (u64, u64) {
    let values = MatRef::from_column_major_slice(&evidence.values[..count], count, 1);
    (digest(evidence.points.matrix().subrows(0, count)), digest(values))
}

fn unusable(error: impl std::fmt::Display) -> Error {
    Error::Numerical {
        what: "a network with accumulated features",
        detail: error.to_string(),
    }
}
