//! From evidence to a model: the first estimate, then one observation after another.
//!
//! The estimate depends on the order in which observations came, so a model is rebuilt by replaying them. A model of the
//! first observations saves the time of replaying those, and nothing else.

use faer::MatRef;
use hilltop_core::{Error, Evidence, Result, Rng};
use hilltop_nn::Network;

use super::estimate::Estimate;
use super::family::{Family, gradients};
use super::model::{Origin, RegressionModel};
use super::oracle::{Oracle, Solution, residuals};
use super::{Regression, refused};
use crate::process::{Standard, digest};

/// The stream of initial weights.
const INITIAL_WEIGHTS: u64 = 0x5041_5200;
/// A change of the values' deviation by this factor changes the units of everything.
const CHANGE: f64 = 2.0;

/// A description with its evidence.
pub(super) struct Phases<'a> {
    regression: &'a Regression,
    evidence: Evidence<'a>,
    origin: Origin,
}

impl<'a> Phases<'a> {
    pub(super) fn new(regression: &'a Regression, evidence: &Evidence<'a>) -> Result<Self> {
        let values = evidence.values;
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let detail = format!("value {index} is {}", values[index]);
            return Err(Error::Numerical {
                what: "the evidence of a parametric model",
                detail,
            });
        }
        if evidence.space.dim() == 0 {
            return Err(refused("parameters", &0, "at least one for a parametric model"));
        }
        let first = first_phase(regression, values.len());
        let origin = Origin {
            recipe: serde_json::to_string(regression).unwrap_or_default(),
            seed: evidence.seed,
            first,
            standard: units(values, regression.first),
            digest: digest(evidence.points.matrix()),
            values: values.to_vec(),
        };
        Ok(Self {
            regression,
            evidence: *evidence,
            origin,
        })
    }

    /// The model, grown from an earlier one where that is possible.
    pub(super) fn model(self, earlier: Option<&RegressionModel>) -> Result<RegressionModel> {
        let points = self.evidence.points.matrix();
        let (family, mut estimate, done) = match earlier.filter(|earlier| earlier.grows_into(&self.origin, points)) {
            Some(earlier) => (
                earlier.family.clone(),
                earlier.estimate.clone(),
                earlier.origin.values.len(),
            ),
            None => self.first_estimate()?,
        };
        let targets = self.origin.standard.inward(self.evidence.values);
        for index in done..points.nrows() {
            let network = family.member(estimate.weights());
            let input = family.inputs(points.subrows(index, 1));
            let gradient = network.weight_gradient(input.as_ref(), &[1.0]);
            estimate.observe(&gradient, network.forward(input.as_ref())[0], targets[index])?;
        }
        Ok(RegressionModel {
            family,
            estimate,
            origin: self.origin,
            pending: false,
        })
    }

    /// The first phase: least squares, and what they say of the ellipsoid.
    fn first_estimate(&self) -> Result<(Family, Estimate, usize)> {
        let (regression, first) = (self.regression, self.origin.first);
        let family = Family::new(self.initial(0)?, self.evidence.space, regression.scale);
        let inputs = family.inputs(self.evidence.points.matrix().subrows(0, first));
        let targets = self.origin.standard.inward(&self.evidence.values[..first]);
        let network = self.least_squares(inputs.as_ref(), &targets)?;
        let mut estimate = Estimate::new(network.weights().to_vec(), regression.lambda)?;
        if regression.founded {
            let known = gradients(&network.tangent(inputs.as_ref()), network.parameter_count());
            let known: Vec<Vec<f64>> = (0..first).map(|point| known.col_as_slice(point).to_vec()).collect();
            // The first estimate has answered these already: whatever it leaves is noise.
            estimate.found(&known, &vec![0.0; first])?;
        }
        Ok((family, estimate, first))
    }

    /// The best of several descents.
    fn least_squares(&self, inputs: MatRef<'_, f64>, targets: &[f64]) -> Result<Network> {
        let oracle = Oracle {
            penalty: self.regression.penalty,
            iterations: self.regression.iterations,
        };
        let mut best: Option<Solution> = None;
        for start in 0..self.regression.restarts {
            let found = oracle.descend(self.initial(start as u64)?, inputs, targets)?;
            if best.as_ref().is_none_or(|best| found.cost < best.cost) {
                best = Some(found);
            }
        }
        let lacking = || Error::Numerical {
            what: "least squares",
            detail: "no start gave a finite loss".into(),
        };
        let best = best.filter(|best| residuals(&best.network, inputs, targets).iter().all(|r| r.is_finite()));
        best.map(|best| best.network).ok_or_else(lacking)
    }

    fn initial(&self, start: u64) -> Result<Network> {
        let shape = self.regression.shape(self.evidence.space.dim());
        let mut rng = Rng::keyed(self.origin.seed, &[INITIAL_WEIGHTS, start]);
        let unusable = |error: hilltop_nn::Error| refused("width", &self.regression.width, &error.to_string());
        Network::init(&shape, &mut rng).map_err(unusable)
    }
}

/// How many of so many observations the first estimate is made of.
fn first_phase(regression: &Regression, count: usize) -> usize {
    let mut first = regression.first.min(count);
    while regression.growth > 1.0 && first < count {
        let next = ((first as f64 * regression.growth).ceil() as usize).max(first + 1);
        if next > count {
            break;
        }
        first = next;
    }
    first
}

/// The units of the values: those of the first observations, until the deviation of all has changed by much.
fn units(values: &[f64], first: usize) -> Standard {
    let mut standard = Standard::of(&values[..first.min(values.len())]);
    for count in first + 1..=values.len() {
        let now = Standard::of(&values[..count]);
        if now.scale > CHANGE * standard.scale || CHANGE * now.scale < standard.scale {
            standard = now;
        }
    }
    standard
}
