//! Networks on arrays: the finite network with a convolution, and how its parameters are found.
//!
//! All places share one input scale, and biases take the place of the constant input. There is no closed form of infinite width to fit
//! parameters to, and none is needed: signal and noise follow from the eigenvalues of the network's own kernel, the scale is
//! the best of a few.

use faer::{Mat, MatRef};
use hilltop_core::{Error, Result, Space};
use hilltop_nn::Architecture;

use super::finite::Finite;
use super::fit::initial;
use super::network::Encoded;
use super::spectrum::Spectrum;
use super::{Fit, Ntk};
use crate::process::{Fitted, Grouping, Hyperparameters, Kernel, Refit, Standard, Variance, subset};

/// The scales that are tried, times the median of what is believed beforehand.
const SCALES: [f64; 4] = [0.5, 1.0, 2.0, 4.0];
/// Points whose mean variance is the kernel's unit.
const UNIT: usize = 256;

/// A surrogate's networks on the arrays of a space.
pub(super) struct Arrays {
    architecture: Architecture,
    signal: Fit,
    scales: Fit,
    seed: u64,
}

impl Arrays {
    /// The networks of a description, where it asks for a convolution.
    pub(super) fn new(ntk: &Ntk, space: &Space, seed: u64) -> Result<Option<Self>> {
        let Some(network) = &ntk.convolution else {
            return Ok(None);
        };
        let shape = space.shape().ok_or_else(|| Error::Setting {
            setting: "convolution".into(),
            value: "on".into(),
            allowed: "only candidates with a shape are arrays".into(),
        })?;
        Ok(Some(Self {
            architecture: network.architecture(shape, ntk.activation, ntk.parameterisation)?,
            signal: ntk.signal,
            scales: ntk.scales,
            seed,
        }))
    }

    /// One scale for all places.
    pub(super) fn grouping(&self) -> Grouping {
        Grouping {
            group: vec![0; self.architecture.inputs],
            base: vec![1.0; self.architecture.inputs],
            count: 1,
        }
    }

    /// The network, with biases that start from the constant's scale.
    pub(super) fn architecture(&self, parameters: &Hyperparameters) -> Architecture {
        self.architecture.clone().with_bias(parameters.constant)
    }

    /// What the kernel is divided by before the signal multiplies it: the mean variance at the first points, or where the
    /// signal is given the divisor of the paper.
    pub(super) fn unit(&self, network: &Encoded, points: MatRef<'_, f64>) -> f64 {
        if matches!(self.signal, Fit::Fixed(_)) {
            return network.network.architecture().kernel_divisor();
        }
        let first = points.subrows(0, points.nrows().min(UNIT));
        let variances = own(network).diagonal(first);
        let mean = variances.iter().sum::<f64>() / variances.len().max(1) as f64;
        if mean > 0.0 { mean } else { 1.0 }
    }

    /// The parameters as of the schedule's last fit; a memory of that fit saves it.
    pub(super) fn follow(
        &self,
        refit: &Refit,
        points: MatRef<'_, f64>,
        values: &[f64],
        memory: Option<&serde_json::Value>,
    ) -> Result<Fitted> {
        let Some(&count) = refit.schedule.between(None, values.len()).last() else {
            return Ok(refit.start());
        };
        let recalled = memory.and_then(|memory| refit.recall(memory, values.len()));
        if let Some(fitted) = recalled.filter(|fitted| fitted.count == Some(count)) {
            return Ok(fitted);
        }
        let parameters = self.fit(refit, points.subrows(0, count), &values[..count])?;
        Ok(Fitted {
            count: Some(count),
            parameters,
        })
    }

    fn fit(&self, refit: &Refit, points: MatRef<'_, f64>, values: &[f64]) -> Result<Hyperparameters> {
        let chosen = subset(values, refit.limit);
        let standardised = Standard::of(values).inward(values);
        let values: Vec<f64> = chosen.iter().map(|&i| standardised[i]).collect();
        let inputs = Mat::from_fn(chosen.len(), points.ncols(), |i, j| points[(chosen[i], j)]);
        let mut best: Option<(Hyperparameters, f64)> = None;
        for factor in self.scale_factors() {
            let mut parameters = refit.priors.medians(1);
            parameters.scales[0] *= factor;
            let weights = refit.grouping.weights(&parameters);
            let network = initial(&self.architecture(&parameters), &weights, self.seed)?;
            let unit = self.unit(&network, points);
            let mut gram = own(&network).gram(inputs.as_ref());
            gram *= faer::Scale(unit.recip());
            let spectrum = Spectrum::new(&gram, &values)?;
            let ((signal, noise), cost) = spectrum.maximise(refit.priors.signal, refit.priors.noise);
            let cost = cost + refit.priors.scales.cost(parameters.scales[0].ln()).0;
            (parameters.signal, parameters.noise) = (signal, noise);
            if best.as_ref().is_none_or(|(_, least)| cost < *least) {
                best = Some((parameters, cost));
            }
        }
        Ok(best.map_or_else(|| refit.priors.medians(1), |(parameters, _)| parameters))
    }

    fn scale_factors(&self) -> &'static [f64] {
        match self.scales {
            Fit::Fitted => &SCALES,
            Fit::Fixed(_) => &[1.0],
        }
    }
}

/// The network's kernel as it is.
fn own(network: &Encoded) -> Finite {
    Finite {
        encoded: network.clone(),
        factor: 1.0,
    }
}
