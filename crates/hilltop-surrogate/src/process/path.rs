//! One function drawn from a posterior, by Matheron's rule.
//!
//! `f̃(x) = μ(x) + spread·[φ(x)ᵀw − k_n(x)ᵀ(K_n+λI)⁻¹(Φ_n w + ε)]`: a function of the prior, corrected at the anchors. Drawing costs one
//! solve; afterwards a point costs its covariances with the anchors and the prior function, and no solve.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Result, Rng, Score, SmoothScore};

use super::kernel::Field;
use super::posterior::{Mean, Posterior, combine, repeated};
use super::standard::Standard;

/// A drawn function; as a score its negative, because scores are maximised.
pub struct Path {
    posterior: Arc<Posterior>,
    field: Arc<dyn Field>,
    mean: Option<Arc<dyn Field>>,
    weights: Vec<f64>,
    spread: f64,
    standard: Standard,
}

/// So many points are worked on at once.
const BATCH: usize = 512;

impl Path {
    /// Draws a function whose deviation from the mean is `spread` times the posterior's.
    pub fn draw(posterior: Arc<Posterior>, standard: Standard, spread: f64, rng: &mut Rng) -> Result<Self> {
        let (field, mut weights) = posterior.draw(rng)?;
        for weight in &mut weights {
            *weight *= spread;
        }
        let mean = match &posterior.mean {
            Mean::Kernel(known) => {
                weights
                    .iter_mut()
                    .zip(known)
                    .for_each(|(weight, known)| *weight += known);
                None
            }
            Mean::Function(function) => Some(function.clone()),
        };
        Ok(Self {
            posterior,
            field,
            mean,
            weights,
            spread,
            standard,
        })
    }

    fn outward(&self, parts: [f64; 3]) -> f64 {
        let [correction, field, mean] = parts;
        -(self.standard.offset + self.standard.scale * (mean + correction + self.spread * field))
    }

    fn batch(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let correction = combine(&self.weights, self.posterior.condition.cross(points).as_ref());
        let field = self.field.values(points);
        let mean = self
            .mean
            .as_ref()
            .map_or_else(|| vec![0.0; out.len()], |mean| mean.values(points));
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = self.outward([correction[i], field[i], mean[i]]);
        }
    }
}

impl Score for Path {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        for (index, chunk) in out.chunks_mut(BATCH).enumerate() {
            self.batch(points.subrows(index * BATCH, chunk.len()), chunk);
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        Some(self)
    }
}

impl SmoothScore for Path {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let crossing = self.posterior.condition.crossing(points);
        let cross = crossing.values();
        let correction = combine(&self.weights, cross.as_ref());
        let pulled = crossing.gradients(repeated(&self.weights, cross.nrows(), points.nrows()).as_ref());
        let (field, field_slopes) = self.field.slopes(points);
        let none = || (vec![0.0; values.len()], Mat::zeros(points.nrows(), points.ncols()));
        let (mean, mean_slopes) = self.mean.as_ref().map_or_else(none, |mean| mean.slopes(points));
        for (i, slot) in values.iter_mut().enumerate() {
            *slot = self.outward([correction[i], field[i], mean[i]]);
            for j in 0..points.ncols() {
                let slope = mean_slopes[(i, j)] + pulled[(i, j)] + self.spread * field_slopes[(i, j)];
                gradients[(i, j)] = -self.standard.scale * slope;
            }
        }
    }
}
