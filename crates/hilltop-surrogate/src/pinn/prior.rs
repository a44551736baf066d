//! What a network makes of derivatives before it is trained.

use faer::{Mat, MatRef};
use hilltop_core::physics::Partial;
use hilltop_nn::{Jets, Network, Result};

/// Points at which the prior deviations of derivatives are taken.
const PROBES: usize = 16;

/// The prior deviations of derivatives of a network.
pub(super) struct Prior<'a> {
    pub(super) network: &'a Network,
    /// That of the value.
    pub(super) value: f64,
}

impl<'a> Prior<'a> {
    /// Those of a network at its initial weights.
    pub(super) fn new(network: &'a Network, inputs: MatRef<'_, f64>) -> Self {
        let diagonal = network.value_tangent(probes(inputs).as_ref()).diagonal();
        Self {
            network,
            value: root_mean(&diagonal),
        }
    }

    /// That of a derivative.
    pub(super) fn deviation(&self, partial: &Partial, inputs: MatRef<'_, f64>) -> Result<f64> {
        let jets = Jets::new(self.network.architecture(), std::slice::from_ref(partial))?;
        let inputs = probes(inputs);
        let one = Mat::full(inputs.nrows(), 1, 1.0);
        let tangent = self.network.jet_tangent(inputs.as_ref(), &jets, one.as_ref());
        Ok(root_mean(&tangent.diagonal()))
    }
}

fn probes(inputs: MatRef<'_, f64>) -> Mat<f64> {
    inputs.subrows(0, PROBES.min(inputs.nrows())).to_owned()
}

fn root_mean(squares: &[f64]) -> f64 {
    (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt()
}
