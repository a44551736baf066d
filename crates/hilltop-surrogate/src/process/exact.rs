//! The exact posterior covariance in the dual: `σ²(x) = k(x,x) − k_n(x)ᵀ (K_n + λS)⁻¹ k_n(x)`, with the shares `S` of the noise on the
//! diagonal, one each unless they are given.

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Result, Rng};

use super::border::Bordered;
use super::condition::{Condition, Crossings};
use super::factor::{Factor, NUGGET};
use super::kernel::{Anchors, Field, Kernel, Variance};

/// Observed points and the factor of their covariance.
#[derive(Clone)]
pub struct Exact {
    kernel: Arc<dyn Kernel>,
    base: Arc<dyn Anchors>,
    base_points: Arc<Mat<f64>>,
    later: Option<Arc<dyn Anchors>>,
    later_points: Mat<f64>,
    factor: Bordered,
    noise: f64,
    shares: Vec<f64>,
}

impl Exact {
    /// The posterior covariance after observing points with noise of this variance.
    pub fn new(kernel: Arc<dyn Kernel>, points: Mat<f64>, noise: f64) -> Result<Self> {
        let even = vec![1.0; points.nrows()];
        Self::uneven(kernel, points, noise, even)
    }

    /// The same where each point has a share of that variance.
    pub fn uneven(kernel: Arc<dyn Kernel>, points: Mat<f64>, noise: f64, shares: Vec<f64>) -> Result<Self> {
        let mut gram = kernel.gram(points.as_ref());
        for (i, share) in shares.iter().enumerate() {
            gram[(i, i)] += noise * (share - 1.0);
        }
        let (factor, noise) = Factor::nearly(&gram, noise)?;
        let base = kernel.anchors(points.as_ref());
        let later_points = Mat::zeros(0, points.ncols());
        let factor = Bordered::new(Arc::new(factor));
        Ok(Self {
            kernel,
            base,
            base_points: Arc::new(points),
            later: None,
            later_points,
            factor,
            noise,
            shares,
        })
    }

    /// How many points are observed.
    pub fn count(&self) -> usize {
        self.factor.count()
    }

    fn parts(&self) -> impl Iterator<Item = &Arc<dyn Anchors>> {
        [Some(&self.base), self.later.as_ref()].into_iter().flatten()
    }
}

impl Condition for Exact {
    fn push(&mut self, point: MatRef<'_, f64>, share: f64) {
        let mut covariances = self.cross(point);
        let variance = self.kernel.diagonal(point)[0];
        let least = self.noise * share + NUGGET * variance;
        self.shares.push(share);
        self.factor.push(covariances.as_mut(), variance + least, least);
        let (count, later) = (self.later_points.nrows(), &self.later_points);
        let row = |i, j| if i < count { later[(i, j)] } else { point[(0, j)] };
        self.later_points = Mat::from_fn(count + 1, point.ncols(), row);
        self.later = Some(self.kernel.anchors(self.later_points.as_ref()));
    }

    fn weights(&self, values: &[f64]) -> Vec<f64> {
        self.factor.solve(values)
    }

    fn prior(&self) -> &dyn Variance {
        self.kernel.as_ref()
    }

    fn noise(&self) -> f64 {
        self.noise
    }

    fn information(&self) -> Option<f64> {
        let own = |share: &f64| (self.noise * share).max(f64::MIN_POSITIVE).sqrt().ln();
        let entries = self.factor.diagonal().zip(&self.shares);
        Some(entries.map(|(entry, share)| entry.ln() - own(share)).sum())
    }

    fn cross(&self, queries: MatRef<'_, f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.count(), queries.nrows());
        let mut start = 0;
        for part in self.parts() {
            part.cross_into(queries, out.as_mut().subrows_mut(start, part.count()));
            start += part.count();
        }
        out
    }

    fn crossing(&self, queries: MatRef<'_, f64>) -> Crossings {
        Crossings(self.parts().map(|part| part.crossing(queries)).collect())
    }

    fn explained(&self, cross: MatMut<'_, f64>) -> Vec<f64> {
        self.factor.explained(cross)
    }

    fn duals(&self, cross: MatMut<'_, f64>) -> Vec<f64> {
        self.factor.duals(cross)
    }

    /// Matheron's rule: `−(K + λS)⁻¹(f + ε)`.
    fn draw(&self, rng: &mut Rng) -> Result<(Arc<dyn Field>, Vec<f64>)> {
        let field = self.kernel.draw(rng)?;
        let mut values = field.values((*self.base_points).as_ref());
        if self.later.is_some() {
            values.extend(field.values(self.later_points.as_ref()));
        }
        let deviation = self.noise.sqrt();
        for (value, share) in values.iter_mut().zip(&self.shares) {
            *value = -(*value + deviation * share.sqrt() * rng.normal());
        }
        let weights = self.factor.solve(&values);
        Ok((field, weights))
    }

    fn latest_inverse(&self, count: usize) -> Vec<f64> {
        self.factor.latest_inverse(count)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn Condition> {
        Box::new(self.clone())
    }
}
