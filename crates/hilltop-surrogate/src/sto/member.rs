//! A trained member as a function of points, and how a network becomes one.

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Result, Rng, Score, SmoothScore};
use hilltop_nn::{Network, Trainer};

use super::model::StoModel;
use super::{Kind, Training};
use crate::ntk::{Directional, Encoded, unusable};
use crate::process::{Field, Standard};

/// `offset + scale · amplitude · (h(x;θ) + ⟨∇h(x;θ_0), θ'_0⟩)`, where either term may be missing; as a score its negative.
pub(super) struct Member {
    pub(super) network: Option<Encoded>,
    pub(super) tangent: Option<Directional>,
    pub(super) amplitude: f64,
    pub(super) standard: Standard,
}

impl Member {
    /// Samples a network and optimises it: Algorithm 1, lines 4 to 7.
    pub(super) fn drawn(model: &StoModel, spread: f64, rng: &mut Rng) -> Result<Self> {
        let start = model.network(rng)?;
        let tangent = (model.sto.kind == Kind::Network).then(|| tangent_term(&start, rng));
        let mut targets = model.targets(spread, rng);
        if let Some(tangent) = &tangent {
            let offsets = tangent.values(model.points());
            targets
                .iter_mut()
                .zip(&offsets)
                .for_each(|(target, offset)| *target -= offset);
        }
        let network = trained(model, &start, &targets, rng)?;
        Ok(Self {
            network: Some(start.with(network)),
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
fn tangent_term(start: &Encoded, rng: &mut Rng) -> Directional {
    let network = &start.network;
    let mut direction = vec![0.0; network.parameter_count()];
    let hidden = direction.len() - network.output_weights().len();
    rng.normals(&mut direction[..hidden]);
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
        let network = self.network.as_ref();
        let parts = [
            network.map(|encoded| encoded.network.forward(encoded.inputs(points).as_ref())),
            self.tangent.as_ref().map(|tangent| tangent.values(points)),
        ];
        for part in parts.iter().flatten() {
            out.iter_mut().zip(part).for_each(|(sum, value)| *sum += value);
        }
        out.iter_mut().for_each(|value| *value = self.outward(*value));
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        Some(self)
    }
}

impl SmoothScore for Member {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        values.fill(0.0);
        gradients.fill(0.0);
        let parts = [
            self.network.as_ref().map(|network| slopes(network, points)),
            self.tangent.as_ref().map(|tangent| tangent.slopes(points)),
        ];
        for (part, part_slopes) in parts.iter().flatten() {
            values.iter_mut().zip(part).for_each(|(sum, value)| *sum += value);
            gradients += part_slopes;
        }
        gradients *= faer::Scale(-self.standard.scale * self.amplitude);
        values.iter_mut().for_each(|value| *value = self.outward(*value));
    }
}

fn slopes(encoded: &Encoded, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
    let (values, inner) = encoded.network.input_gradients(encoded.inputs(points).as_ref());
    (values, encoded.outward(&inner, 1.0))
}
