//! A trained member as a function of points, and how a network becomes one.

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Result, Rng, Score, SmoothScore};
use hilltop_nn::{Memory, Network, Tilt, Trainer};
use std::cell::Cell;

use super::model::StoModel;
use super::{Kind, Training};
use crate::ntk::{Directional, Encoded, unusable};
use crate::process::{Field, Standard};

/// `offset + scale · amplitude · (a h(x;θ) + ⟨∇h(x;θ_0), v⟩)`, where either term may be missing; as a score its negative.
pub(super) struct Member {
    pub(super) network: Option<(f64, Encoded)>,
    pub(super) tangent: Option<Directional>,
    pub(super) amplitude: f64,
    pub(super) standard: Standard,
}

/// A network with fresh weights and what it is trained on: Algorithm 1, lines 4 to 6.
pub(super) struct Sampled {
    start: Encoded,
    /// What the trained network is multiplied by.
    factor: f64,
    tangent: Option<Directional>,
    /// In units of the network's output, the tangent term still in them.
    targets: Vec<f64>,
}

impl Sampled {
    pub(super) fn new(model: &StoModel, spread: f64, rng: &mut Rng) -> Result<Self> {
        let start = model.network(rng)?;
        let (factor, tangent) = match model.sto.kind {
            Kind::Network => (model.sto.laziness, Some(tangent_term(&start, model.sto.laziness, rng))),
            _ => (1.0, None),
        };
        let mut targets = model.targets(spread, rng);
        targets.iter_mut().for_each(|target| *target /= factor);
        Ok(Self {
            start,
            factor,
            tangent,
            targets,
        })
    }

    /// The targets without the tangent term.
    fn own_targets(&self, points: MatRef<'_, f64>) -> Vec<f64> {
        let mut targets = self.targets.clone();
        if let Some(tangent) = &self.tangent {
            let offsets = tangent.values(points);
            let off = |(target, offset): (&mut f64, &f64)| *target -= offset / self.factor;
            targets.iter_mut().zip(&offsets).for_each(off);
        }
        targets
    }

    /// The tangent term as the trained network meets it.
    fn tilt(&self) -> Option<Tilt<'_>> {
        self.tangent.as_ref().map(|tangent| Tilt {
            direction: &tangent.direction,
            factor: self.factor.recip(),
        })
    }

    /// The member with its trained network.
    fn member(self, network: Network, model: &StoModel, spread: f64) -> Member {
        Member {
            network: Some((self.factor, self.start.with(network))),
            tangent: self.tangent,
            amplitude: model.amplitude(spread),
            standard: model.standard,
        }
    }
}

impl Member {
    /// Samples networks, one from each generator, and optimises them together: Algorithm 1, lines 4 to 7.
    pub(super) fn drawn(model: &StoModel, spread: f64, rngs: &mut [Rng]) -> Result<Vec<Self>> {
        let sampled = rngs.iter_mut().map(|rng| Sampled::new(model, spread, rng));
        let sampled = sampled.collect::<Result<Vec<_>>>()?;
        let networks = trained(model, &sampled, rngs)?;
        let pairs = sampled.into_iter().zip(networks);
        Ok(pairs
            .map(|(sampled, network)| sampled.member(network, model, spread))
            .collect())
    }

    fn outward(&self, value: f64) -> f64 {
        -(self.standard.offset + self.standard.scale * self.amplitude * value)
    }
}

/// `⟨∇h(x;θ_0), θ'_0⟩` with `θ'_0` as random as `θ_0` but zero in the last layer, whose part `h(x;θ_0)` plays itself.
///
/// A lazy network is `h(x;θ_0) + a (h(x;θ) − h(x;θ_0))`. As `h` is linear in its last layer, `(1 − a) h(x;θ_0)` is the derivative along
/// `1 − a` times that layer's weights: it joins the direction. The output's bias, where there is one, does not start with
/// a deviation of one, which is what the kernel has for it: the direction makes it a fresh normal.
fn tangent_term(start: &Encoded, laziness: f64, rng: &mut Rng) -> Directional {
    let network = &start.network;
    let bias = network.layer_biases(network.layer_count() - 1);
    let mut direction = vec![0.0; network.parameter_count()];
    let top = direction.len() - network.output_weights().len() - bias.len();
    let (hidden, last) = direction.split_at_mut(top);
    rng.normals(hidden);
    let own = last.iter_mut().zip(network.output_weights());
    own.for_each(|(part, weight)| *part = (1.0 - laziness) * weight);
    let free = last.iter_mut().rev().zip(bias);
    free.for_each(|(part, bias)| *part = rng.normal() - laziness * bias);
    Directional {
        encoded: start.clone(),
        direction,
    }
}

/// Trainings on more observations than this begin with fresh memory. Finding it is a sixth of the time of one at 500 observations, but what would be
/// kept grows with the square of their number, on every thread; the members of a group share it anyway.
const KEPT: usize = 256;

thread_local! {
    /// What the last training on this thread worked in.
    static MEMORY: Cell<Memory> = Cell::default();
}

/// Lends the thread's memory to a training on so many observations.
fn with_memory<T>(count: usize, train: impl FnOnce(&mut Memory) -> T) -> T {
    let mut memory = MEMORY.take();
    let trained = train(&mut memory);
    if count <= KEPT {
        MEMORY.set(memory);
    }
    trained
}

/// The networks after training from their initial weights on `Σ (y − h)² + λ ‖θ − θ_0‖²`.
fn trained(model: &StoModel, sampled: &[Sampled], rngs: &mut [Rng]) -> Result<Vec<Network>> {
    let Some(first) = sampled.first() else {
        return Ok(Vec::new());
    };
    let (inputs, penalty) = (first.start.inputs(model.points()), model.penalty());
    let mut networks: Vec<Network> = sampled.iter().map(|one| (*one.start.network).clone()).collect();
    match model.sto.training {
        Training::Newton(newton) => {
            let targets = Mat::from_fn(inputs.nrows(), sampled.len(), |i, k| sampled[k].targets[i]);
            let tilts: Vec<Tilt<'_>> = sampled.iter().filter_map(Sampled::tilt).collect();
            with_memory(inputs.nrows(), |memory| {
                newton.train_members(
                    &mut networks,
                    inputs.as_ref(),
                    targets.as_ref(),
                    penalty,
                    &tilts,
                    memory,
                )
            })
            .map_err(unusable)?;
        }
        // Each has an order of examples of its own.
        Training::Descent(optimiser) => {
            let trainer = Trainer::new(optimiser).with_penalty(penalty);
            for ((network, one), rng) in networks.iter_mut().zip(sampled).zip(rngs) {
                trainer
                    .train(network, inputs.as_ref(), &one.own_targets(model.points()), rng)
                    .map_err(unusable)?;
            }
        }
    }
    Ok(networks)
}

impl Score for Member {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        out.fill(0.0);
        if let Some((factor, encoded)) = &self.network {
            let values = encoded.network.forward(encoded.inputs(points).as_ref());
            out.iter_mut()
                .zip(&values)
                .for_each(|(sum, value)| *sum += factor * value);
        }
        if let Some(tangent) = &self.tangent {
            let values = tangent.values(points);
            out.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
        }
        for value in out.iter_mut() {
            *value = self.outward(*value);
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        Some(self)
    }
}

impl SmoothScore for Member {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        values.fill(0.0);
        gradients.fill(0.0);
        if let Some((factor, encoded)) = &self.network {
            let (part, slopes) = encoded.network.input_gradients(encoded.inputs(points).as_ref());
            values
                .iter_mut()
                .zip(&part)
                .for_each(|(sum, value)| *sum += factor * value);
            gradients += encoded.outward(&slopes, *factor);
        }
        if let Some(tangent) = &self.tangent {
            let (part, slopes) = tangent.slopes(points);
            values.iter_mut().zip(&part).for_each(|(sum, value)| *sum += value);
            gradients += slopes;
        }
        gradients *= faer::Scale(-self.standard.scale * self.amplitude);
        for value in values.iter_mut() {
            *value = self.outward(*value);
        }
    }
}
