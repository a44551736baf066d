//! What observations explain of a process: exactly, or through landmarks where there are too many of them.

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Result, Rng};

use super::kernel::{Crossing, Field, Variance};

/// The observations of a process. Anchors are the points whose covariance with a query is all that is asked for.
pub trait Condition: Send + Sync {
    /// Observes one more point, a matrix of one row, with this share of the noise's variance.
    fn push(&mut self, point: MatRef<'_, f64>, share: f64);
    /// The weights of the anchors in the mean, given values of the observed points in their order. Points that were
    /// pushed without a value may be missing at the end.
    fn weights(&self, values: &[f64]) -> Vec<f64>;
    /// The variance before the observations.
    fn prior(&self) -> &dyn Variance;
    /// The noise variance that is in effect.
    fn noise(&self) -> f64;
    /// `½ ln det(I + K/λ)` of the observations, as far as they are seen, where that is known.
    fn information(&self) -> Option<f64> {
        None
    }
    /// Covariances of the anchors with the queries, one column a query.
    fn cross(&self, queries: MatRef<'_, f64>) -> Mat<f64>;
    /// The same with what gradients need.
    fn crossing(&self, queries: MatRef<'_, f64>) -> Crossings;
    /// How much variance the observations explain, from covariances that are destroyed.
    fn explained(&self, cross: MatMut<'_, f64>) -> Vec<f64>;
    /// How much variance the observations explain; the covariances become `β` with `∂explained = 2 Σ_i β_i ∂k_i`.
    fn duals(&self, cross: MatMut<'_, f64>) -> Vec<f64>;
    /// A function of the prior, and the weights of the anchors that turn it into a centred one of the posterior.
    fn draw(&self, rng: &mut Rng) -> Result<(Arc<dyn Field>, Vec<f64>)>;
    /// The diagonal of `(K + λI)⁻¹` at the latest anchors, at most `count` of them; empty where anchors are not the
    /// observations.
    fn latest_inverse(&self, _count: usize) -> Vec<f64> {
        Vec::new()
    }
    /// Which observations the latest anchors are, given how many there are of both.
    fn observation(&self, anchor: usize) -> usize {
        anchor
    }
    /// The condition as itself, so that whoever made it recognises it.
    fn as_any(&self) -> &dyn Any;
    /// A copy; large parts are shared.
    fn boxed(&self) -> Box<dyn Condition>;
}

/// Covariances of all anchors with queries, in the parts they are kept in.
pub struct Crossings(pub Vec<Box<dyn Crossing>>);

impl Crossings {
    /// The covariances, one column a query.
    pub fn values(&self) -> Mat<f64> {
        let queries = self.0.first().map_or(0, |part| part.values().ncols());
        let mut out = Mat::zeros(self.0.iter().map(|part| part.values().nrows()).sum(), queries);
        let mut start = 0;
        for part in &self.0 {
            let values = part.values();
            out.as_mut().subrows_mut(start, values.nrows()).copy_from(values);
            start += values.nrows();
        }
        out
    }

    /// For each query the gradient of `Σ_i C_iq k(x_i, x_q)`, as a row.
    pub fn gradients(&self, coefficients: MatRef<'_, f64>) -> Mat<f64> {
        let mut start = 0;
        let parts = self.0.iter().map(|part| {
            let rows = part.values().nrows();
            start += rows;
            part.gradients(coefficients.subrows(start - rows, rows))
        });
        parts.reduce(|sum, part| sum + part).unwrap_or_else(Mat::new)
    }
}
