//! A linear model after its observations.

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Beliefs, Evidence, Marginals, Model, Paths, Result, Rng, Score, Slopes, SmoothScore};
use hilltop_nn::Parameterisation;

use super::Linear;
use crate::accumulated::{Encoder, Primal};
use crate::process::{Standard, digest};

/// A linear model.
#[derive(Clone)]
pub struct LinearModel {
    settings: Linear,
    encoder: Encoder,
    gathered: Primal,
    weights: Vec<f64>,
    standard: Standard,
    observed: usize,
    digest: u64,
    pending: bool,
}

impl LinearModel {
    pub(super) fn new(settings: Linear, dim: usize) -> Result<Self> {
        let encoder = Encoder::new(dim, 1.0, 1.0, Parameterisation::Standard);
        Ok(Self {
            settings,
            encoder,
            gathered: Primal::new(encoder.inputs(), settings.regularisation)?,
            weights: vec![0.0; encoder.inputs()],
            standard: Standard {
                offset: 0.0,
                scale: 1.0,
            },
            observed: 0,
            digest: 0,
            pending: false,
        })
    }

    /// Whether this is the model of the first of these points.
    pub(super) fn precedes(&self, settings: Linear, evidence: &Evidence<'_>) -> bool {
        let (count, points) = (self.observed, evidence.points);
        let fits = self.settings == settings && !self.pending && (1..=points.len()).contains(&count);
        fits && self.encoder.inputs() == points.dim() + 1 && self.digest == digest(points.matrix().subrows(0, count))
    }

    /// Takes in the points that are not in yet; the weights follow from all values.
    pub(super) fn follow(&mut self, evidence: &Evidence<'_>) {
        let inputs = self.encoder.encode(evidence.points.matrix());
        for row in self.observed..inputs.nrows() {
            self.gather(inputs.as_ref().subrows(row, 1));
        }
        self.observed = inputs.nrows();
        self.digest = digest(evidence.points.matrix());
        self.standard = Standard::of(evidence.values);
        let targets = self.standard.inward(evidence.values);
        let total = |j: usize| inputs.col_as_slice(j).iter().zip(&targets).map(|(x, y)| x * y).sum();
        self.weights = self
            .gathered
            .solve(&(0..inputs.ncols()).map(total).collect::<Vec<f64>>());
    }

    fn gather(&mut self, input: MatRef<'_, f64>) {
        self.gathered
            .push(&mut input.row(0).iter().copied().collect::<Vec<f64>>());
    }

    /// `offset + scale ⟨w, x⟩` at every point.
    fn values(&self, weights: &[f64], points: MatRef<'_, f64>) -> Vec<f64> {
        let inputs = self.encoder.encode(points);
        let value = |i: usize| (0..weights.len()).map(|j| inputs[(i, j)] * weights[j]).sum::<f64>();
        (0..points.nrows())
            .map(|i| self.standard.offset + self.standard.scale * value(i))
            .collect()
    }

    /// The gradient of [`values`](Self::values), the same at every point.
    fn gradients(&self, weights: &[f64], count: usize) -> Mat<f64> {
        let repeated = Mat::from_fn(count, weights.len(), |_, j| weights[j]);
        self.encoder.outward(&repeated, self.standard.scale)
    }
}

impl Model for LinearModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        Some(self)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    fn believe(&self, pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        let mut believed = Self {
            pending: true,
            ..self.clone()
        };
        let inputs = self.encoder.encode(pending);
        (0..pending.nrows()).for_each(|row| believed.gather(inputs.as_ref().subrows(row, 1)));
        Some(Ok(Arc::new(believed)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Marginals for LinearModel {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let variances = self
            .gathered
            .variances(self.encoder.encode(points).transpose().to_owned());
        Beliefs {
            mean: self.values(&self.weights, points),
            deviation: variances
                .into_iter()
                .map(|variance| self.standard.scale * variance.sqrt())
                .collect(),
        }
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let beliefs = self.beliefs(points);
        // ∇σ = λU⁻¹x / σ.
        let pulled = self.gathered.pulled(self.encoder.encode(points).transpose().to_owned());
        let inner = Mat::from_fn(points.nrows(), pulled.nrows(), |i, j| {
            pulled[(j, i)] * self.standard.scale / beliefs.deviation[i].max(f64::MIN_POSITIVE)
        });
        let deviation = self.encoder.outward(&inner, self.standard.scale);
        let mean = self.gradients(&self.weights, points.nrows());
        Some(Slopes {
            beliefs,
            mean,
            deviation,
        })
    }

    fn noise(&self) -> f64 {
        self.standard.scale * self.settings.regularisation.sqrt()
    }
}

impl Paths for LinearModel {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let mut normals = vec![0.0; self.weights.len()];
        rng.normals(&mut normals);
        let drawn = self.gathered.draw(&normals);
        let weights = self
            .weights
            .iter()
            .zip(drawn)
            .map(|(weight, part)| weight + spread * part)
            .collect();
        Ok(Arc::new(Drawn {
            model: self.clone(),
            weights,
        }))
    }
}

/// A drawn linear function; as a score its negative.
struct Drawn {
    model: LinearModel,
    weights: Vec<f64>,
}

impl Score for Drawn {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let values = self.model.values(&self.weights, points);
        out.iter_mut().zip(values).for_each(|(out, value)| *out = -value);
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        Some(self)
    }
}

impl SmoothScore for Drawn {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        self.values(points, values);
        gradients.copy_from(self.model.gradients(&self.weights, points.nrows()));
        gradients *= faer::Scale(-1.0);
    }
}
