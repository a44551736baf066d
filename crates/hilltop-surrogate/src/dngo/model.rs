//! A trained network with its Bayesian head as a model.

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Beliefs, Marginals, Model, Paths, Result, Rng, Score, Slopes, SmoothScore};
use hilltop_nn::Network;

use super::Encoder;
use super::head::Head;
use crate::process::Standard;

/// A fitted [`Dngo`](super::Dngo).
#[derive(Clone, Debug)]
pub struct DngoModel {
    pub(super) encoder: Encoder,
    pub(super) network: Network,
    pub(super) head: Head,
    pub(super) standard: Standard,
}

/// The values of the last hidden layer and a constant, one row a point.
pub(super) fn features(network: &Network, inputs: MatRef<'_, f64>) -> Mat<f64> {
    let hidden = network.features(inputs);
    let width = hidden.ncols();
    Mat::from_fn(
        hidden.nrows(),
        width + 1,
        |i, j| if j < width { hidden[(i, j)] } else { 1.0 },
    )
}

impl DngoModel {
    /// The sum of each point's features with coefficients, the same for all.
    fn sums(&self, inputs: MatRef<'_, f64>, coefficients: &[f64]) -> Vec<f64> {
        let features = features(&self.network, inputs);
        let sum = |i: usize| features.row(i).iter().zip(coefficients).map(|(x, c)| x * c).sum();
        (0..features.nrows()).map(sum).collect()
    }

    /// The gradients of such sums in the points, times a factor.
    fn slopes_of(&self, inputs: MatRef<'_, f64>, coefficients: MatRef<'_, f64>, factor: f64) -> Mat<f64> {
        // The constant does not move.
        let moving = coefficients.subcols(0, coefficients.ncols() - 1);
        self.encoder
            .outward(&self.network.feature_gradients(inputs, moving), factor)
    }

    fn smooth(&self) -> bool {
        self.network.architecture().activation.is_smooth()
    }
}

impl Model for DngoModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        Some(self)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    fn believe(&self, pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        let features = features(&self.network, self.encoder.inputs(pending).as_ref());
        Some(Ok(Arc::new(Self {
            head: self.head.believe(features.as_ref()),
            ..self.clone()
        })))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Marginals for DngoModel {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let inputs = self.encoder.inputs(points);
        let Standard { offset, scale } = self.standard;
        let means = self.sums(inputs.as_ref(), self.head.mean());
        let mut columns = features(&self.network, inputs.as_ref()).transpose().to_owned();
        let variances = self.head.variances(columns.as_mut());
        Beliefs {
            mean: means.into_iter().map(|mean| offset + scale * mean).collect(),
            deviation: variances.into_iter().map(|variance| scale * variance.sqrt()).collect(),
        }
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let inputs = self.encoder.inputs(points);
        let scale = self.standard.scale;
        let (count, size) = (points.nrows(), self.head.mean().len());
        let mean = Mat::from_fn(count, size, |_, j| self.head.mean()[j]);
        let mut columns = features(&self.network, inputs.as_ref()).transpose().to_owned();
        let variances = self.head.variances(columns.as_mut());
        // ∇σ = ∇φᵀ S φ / σ.
        let pull = Mat::from_fn(count, size, |i, j| columns[(j, i)] / variances[i].sqrt().max(1e-150));
        self.smooth().then(|| Slopes {
            beliefs: self.beliefs(points),
            mean: self.slopes_of(inputs.as_ref(), mean.as_ref(), scale),
            deviation: self.slopes_of(inputs.as_ref(), pull.as_ref(), scale),
        })
    }

    fn noise(&self) -> f64 {
        self.standard.scale * self.head.noise()
    }
}

impl Paths for DngoModel {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        Ok(Arc::new(Line {
            model: self.clone(),
            weights: self.head.draw(spread, rng),
        }))
    }
}

/// The network with a drawn head; as a score its negative.
struct Line {
    model: DngoModel,
    weights: Vec<f64>,
}

impl Score for Line {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let inputs = self.model.encoder.inputs(points);
        let Standard { offset, scale } = self.model.standard;
        for (out, sum) in out.iter_mut().zip(self.model.sums(inputs.as_ref(), &self.weights)) {
            *out = -(offset + scale * sum);
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        self.model.smooth().then_some(self)
    }
}

impl SmoothScore for Line {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        self.values(points, values);
        let weights = Mat::from_fn(points.nrows(), self.weights.len(), |_, j| self.weights[j]);
        let inputs = self.model.encoder.inputs(points);
        gradients.copy_from(
            self.model
                .slopes_of(inputs.as_ref(), weights.as_ref(), -self.model.standard.scale),
        );
    }
}
