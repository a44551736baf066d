//! A trained member as a function of points, and how a network becomes one.

use faer::{MatMut, MatRef};
use hilltop_core::{Result, Rng, Score, SmoothScore};
use hilltop_nn::{Network, Trainer};

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

impl Member {
    /// Samples a network and optimises it: Algorithm 1, lines 4 to 7.
    pub(super) fn drawn(model: &StoModel, spread: f64, rng: &mut Rng) -> Result<Self> {
        let start = model.network(rng)?;
        let (factor, tangent) = match model.sto.kind {
            Kind::Network => (model.sto.laziness, Some(tangent_term(&start, model.sto.laziness, rng))),
            _ => (1.0, None),
        };
        let mut targets = model.targets(spread, rng);
        if let Some(tangent) = &tangent {
            let offsets = tangent.values(model.points());
            let inward = |(target, offset): (&mut f64, &f64)| *target = (*target - offset) / factor;
            targets.iter_mut().zip(&offsets).for_each(inward);
        }
        let network = trained(model, &start, &targets, rng)?;
        Ok(Self {
            network: Some((factor, start.with(network))),
            tangent,
            amplitude: model.amplitude(spread),
            standard: model.standard,
        })
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

/// The network after training from its initial weights on `Σ (y − h)² + λ ‖θ − θ_0‖²`.
fn trained(model: &StoModel, start: &Encoded, targets: &[f64], rng: &mut Rng) -> Result<Network> {
    let mut network = (*start.network).clone();
    let (inputs, penalty) = (start.inputs(model.points()), model.penalty());
    match model.sto.training {
        Training::Newton(newton) => newton
            .train(&mut network, inputs.as_ref(), targets, penalty)
            .map(drop)
            .map_err(unusable)?,
        Training::Descent(optimiser) => Trainer::new(optimiser)
            .with_penalty(penalty)
            .train(&mut network, inputs.as_ref(), targets, rng)
            .map(drop)
            .map_err(unusable)?,
    }
    Ok(network)
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
