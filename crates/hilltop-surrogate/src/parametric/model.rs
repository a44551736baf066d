//! A fitted parametric surrogate as a model: its weights and their ellipsoid, and what these say of the function.
//!
//! Marginals and paths are those of the function linearised at the estimate, with weights of covariance `λΣ⁻¹`: prior
//! deviation one, noise of variance `λ`. The ellipsoid itself is exact.

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef, Scale};
use hilltop_core::{Beliefs, Marginals, Model, Parametric, Paths, Result, Rng, Score, Slopes, SmoothScore};
use hilltop_nn::Network;

use super::estimate::Estimate;
use super::family::{Family, gradients};
use crate::process::{Standard, digest};

/// What a model is a function of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Origin {
    pub(super) recipe: String,
    pub(super) seed: u64,
    /// Observations of the first estimate.
    pub(super) first: usize,
    pub(super) standard: Standard,
    pub(super) digest: u64,
    pub(super) values: Vec<f64>,
}

/// A fitted parametric surrogate.
#[derive(Clone, Debug)]
pub struct RegressionModel {
    pub(super) family: Family,
    pub(super) estimate: Estimate,
    pub(super) origin: Origin,
    pub(super) pending: bool,
}

/// So many points are worked on at once.
const BATCH: usize = 256;

impl RegressionModel {
    /// Whether this is a model of the first observations of another.
    pub(super) fn grows_into(&self, later: &Origin, points: MatRef<'_, f64>) -> bool {
        let Origin {
            recipe,
            seed,
            first,
            standard,
            ..
        } = &self.origin;
        let same = (recipe, seed, first, standard) == (&later.recipe, &later.seed, &later.first, &later.standard);
        let known = self.origin.values.len();
        let grown = later.values.starts_with(&self.origin.values);
        !self.pending && same && grown && self.origin.digest == digest(points.subrows(0, known))
    }

    /// The network at the estimate.
    pub fn network(&self) -> Network {
        self.family.member(self.estimate.weights())
    }

    /// `ŵ_t` and `Σ_t`, in units of standardised values.
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    fn outward(&self, value: f64) -> f64 {
        self.origin.standard.offset + self.origin.standard.scale * value
    }

    /// The squared deviations at points, in standardised units, and `Σ⁻¹g` of each as a column.
    fn variances(&self, network: &Network, inputs: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let features = gradients(&network.tangent(inputs), network.parameter_count());
        let mut solved = features.clone();
        self.estimate.information().solve(solved.as_mut());
        let lambda = self.estimate.information().lambda();
        let variance = |j: usize| lambda * (features.col(j).transpose() * solved.col(j)).max(0.0);
        ((0..features.ncols()).map(variance).collect(), solved)
    }

    /// Applies a computation to parts of the points with the weights that belong to them.
    fn each(
        &self,
        points: MatRef<'_, f64>,
        weights: MatRef<'_, f64>,
        mut call: impl FnMut(usize, &Network, MatRef<'_, f64>),
    ) {
        let inputs = self.family.inputs(points);
        let mut network = self.network();
        for index in 0..points.nrows() {
            let column = weights.col(index);
            network
                .weights_mut()
                .iter_mut()
                .zip(column.iter())
                .for_each(|(w, new)| *w = *new);
            call(index, &network, inputs.as_ref().subrows(index, 1));
        }
    }
}

impl Model for RegressionModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        Some(self)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    fn parameters(&self) -> Option<&dyn Parametric> {
        Some(self)
    }

    fn believe(&self, pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        let mut believed = Self {
            pending: true,
            ..self.clone()
        };
        let network = self.network();
        let features = gradients(
            &network.tangent(self.family.inputs(pending).as_ref()),
            network.parameter_count(),
        );
        for point in 0..pending.nrows() {
            if let Err(error) = believed.estimate.believe(features.col_as_slice(point)) {
                return Some(Err(error));
            }
        }
        Some(Ok(Arc::new(believed)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Marginals for RegressionModel {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let (network, inputs) = (self.network(), self.family.inputs(points));
        let mut beliefs = Beliefs {
            mean: Vec::new(),
            deviation: Vec::new(),
        };
        for start in (0..points.nrows()).step_by(BATCH) {
            let part = inputs.as_ref().subrows(start, BATCH.min(points.nrows() - start));
            beliefs
                .mean
                .extend(network.forward(part).into_iter().map(|value| self.outward(value)));
            let scale = self.origin.standard.scale;
            beliefs
                .deviation
                .extend(self.variances(&network, part).0.into_iter().map(|v| scale * v.sqrt()));
        }
        beliefs
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let (network, inputs) = (self.network(), self.family.inputs(points));
        let (values, inner) = network.input_gradients(inputs.as_ref());
        let (variances, solved) = self.variances(&network, inputs.as_ref());
        let (scale, lambda) = (self.origin.standard.scale, self.estimate.information().lambda());
        let mut deviation = Mat::zeros(points.nrows(), points.ncols());
        for (point, variance) in variances.iter().enumerate() {
            // ∇σ = λ ∇_x⟨g(x), v⟩ / σ at v = Σ⁻¹g(x), by symmetry.
            let row = inputs.as_ref().subrows(point, 1);
            let (_, inner) = network.jvp_input_gradients(row, solved.col_as_slice(point));
            let slope = self
                .family
                .outward(&inner, scale * lambda / variance.sqrt().max(1e-150));
            deviation.as_mut().subrows_mut(point, 1).copy_from(slope);
        }
        let beliefs = Beliefs {
            mean: values.into_iter().map(|value| self.outward(value)).collect(),
            deviation: variances.into_iter().map(|v| scale * v.sqrt()).collect(),
        };
        let smooth = network.architecture().activation.is_smooth();
        smooth.then(|| Slopes {
            beliefs,
            mean: self.family.outward(&inner, scale),
            deviation,
        })
    }

    fn noise(&self) -> f64 {
        self.origin.standard.scale * self.estimate.information().lambda().sqrt()
    }
}

impl Paths for RegressionModel {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let mut direction = self.estimate.information().draw(rng);
        for part in &mut direction {
            *part *= spread;
        }
        let (family, network) = (self.family.clone(), self.network());
        Ok(Arc::new(Linear {
            family,
            network,
            direction,
            standard: self.origin.standard,
        }))
    }
}

/// The function linearised at the estimate, at weights drawn around it; as a score its negative.
struct Linear {
    family: Family,
    network: Network,
    direction: Vec<f64>,
    standard: Standard,
}

impl Linear {
    fn outward(&self, value: f64, moved: f64) -> f64 {
        -(self.standard.offset + self.standard.scale * (value + moved))
    }
}

impl Score for Linear {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let inputs = self.family.inputs(points);
        let moved = self.network.jvp(inputs.as_ref(), &self.direction);
        let values = self.network.forward(inputs.as_ref());
        for (out, (value, moved)) in out.iter_mut().zip(values.into_iter().zip(moved)) {
            *out = self.outward(value, moved);
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        self.network.architecture().activation.is_smooth().then_some(self)
    }
}

impl SmoothScore for Linear {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let inputs = self.family.inputs(points);
        let (at, mut inner) = self.network.input_gradients(inputs.as_ref());
        let (moved, more) = self.network.jvp_input_gradients(inputs.as_ref(), &self.direction);
        inner += more;
        for (out, (value, moved)) in values.iter_mut().zip(at.into_iter().zip(moved)) {
            *out = self.outward(value, moved);
        }
        gradients.copy_from(self.family.outward(&inner, -self.standard.scale));
    }
}

impl Parametric for RegressionModel {
    fn centre(&self) -> &[f64] {
        self.estimate.weights()
    }

    fn regulariser(&self) -> f64 {
        self.estimate.information().lambda()
    }

    fn rounds(&self) -> u64 {
        (self.origin.values.len() - self.origin.first) as u64
    }

    fn values(&self, points: MatRef<'_, f64>, weights: MatRef<'_, f64>) -> Vec<f64> {
        let mut values = Vec::with_capacity(points.nrows());
        self.each(points, weights, |_, network, input| {
            values.push(self.outward(network.forward(input)[0]));
        });
        values
    }

    fn weight_slopes(&self, points: MatRef<'_, f64>, weights: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let mut values = Vec::with_capacity(points.nrows());
        let mut slopes = Mat::zeros(weights.nrows(), points.nrows());
        self.each(points, weights, |index, network, input| {
            values.push(self.outward(network.forward(input)[0]));
            slopes
                .col_as_slice_mut(index)
                .copy_from_slice(&network.weight_gradient(input, &[1.0]));
        });
        slopes *= Scale(self.origin.standard.scale);
        (values, slopes)
    }

    fn point_slopes(&self, points: MatRef<'_, f64>, weights: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let mut values = Vec::with_capacity(points.nrows());
        let mut slopes = Mat::zeros(points.nrows(), points.ncols());
        self.each(points, weights, |index, network, input| {
            let (value, inner) = network.input_gradients(input);
            values.push(self.outward(value[0]));
            let slope = self.family.outward(&inner, self.origin.standard.scale);
            slopes.as_mut().subrows_mut(index, 1).copy_from(slope);
        });
        (values, slopes)
    }

    fn solve(&self, columns: MatMut<'_, f64>) {
        self.estimate.information().solve(columns);
    }

    fn norms(&self, columns: MatRef<'_, f64>) -> Vec<f64> {
        self.estimate.information().norms(columns)
    }
}
