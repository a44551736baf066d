//! A network after training: as the mean of the process, or as where its features are taken.

use faer::{Mat, MatRef};
use hilltop_core::{Result, Rng};
use hilltop_nn::{Network, Optimiser, Trainer};

use super::network::Encoded;
use super::source::unusable;
use crate::process::Field;

/// The network after descent from its initial weights on `½ Σ (h(x_i) − y_i)² + ½ penalty ‖θ − θ_0‖²`.
pub(super) fn trained(
    start: &Encoded,
    optimiser: Optimiser,
    penalty: f64,
    points: MatRef<'_, f64>,
    values: &[f64],
    rng: &mut Rng,
) -> Result<Encoded> {
    let mut network: Network = (*start.network).clone();
    if !values.is_empty() {
        let trainer = Trainer::new(optimiser).with_penalty(penalty);
        trainer
            .train(&mut network, start.inputs(points).as_ref(), values, rng)
            .map_err(unusable)?;
    }
    Ok(start.with(network))
}

/// The network's output as a function of points.
pub(super) struct Output(pub(super) Encoded);

impl Field for Output {
    fn values(&self, points: MatRef<'_, f64>) -> Vec<f64> {
        self.0.network.forward(self.0.inputs(points).as_ref())
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let (values, slopes) = self.0.network.input_gradients(self.0.inputs(points).as_ref());
        (values, self.0.outward(&slopes, 1.0))
    }
}
