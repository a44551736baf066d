//! The posterior through landmarks, where observations are too many for the exact one.
//!
//! With `r` landmarks, `v(x) = L_r⁻¹ k_r(x)`, what they leave unseen of an observation `e_i = k(x_i,x_i) − ‖v(x_i)‖²`, its share `s_i` of
//! the noise, its weight `ω_i = λ/(λs_i + e_i)` and `B = λI + Σ_i ω_i v(x_i) v(x_i)ᵀ`:
//!
//! ```text
//! μ(x) = v(x)ᵀ B⁻¹ Σ_i ω_i v(x_i) y_i        σ²(x) = k(x,x) − ‖v(x)‖² + λ v(x)ᵀ B⁻¹ v(x)
//! ```
//!
//! the fully independent training conditional (Snelson & Ghahramani, 2006). Far from the landmarks the model is as
//! uncertain as it was before. With all weights one (the deterministic training conditional) observations that the landmarks cannot represent would be
//! fitted all the same, at the cost of those they can: with little noise its mean near the best points was off by twenty deviations,
//! measured against the exact posterior. A new observation is a rank-one update, O(r²); nothing that a query costs depends on the number of
//! observations. No r × n matrix is stored: the mean's weights take one pass over the kernel.

use std::any::Any;
use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use hilltop_core::{Error, Result, Rng};

use super::condition::{Condition, Crossings};
use super::embedded::own_products;
use super::factor::{Factor, column_of, update};
use super::kernel::{Anchors, Field, Kernel, Variance};
use super::pivot::landmarks;

/// So many observations are worked on at once.
const BATCH: usize = 512;

/// Observations seen through landmarks.
#[derive(Clone)]
pub struct Landmark {
    kernel: Arc<dyn Kernel>,
    anchors: Arc<dyn Anchors>,
    anchor_points: Arc<Mat<f64>>,
    base_points: Arc<Mat<f64>>,
    later_points: Mat<f64>,
    root: Arc<Factor>,
    inner: Factor,
    weights: Vec<f64>,
    noise: f64,
}

impl Landmark {
    /// The posterior covariance after observing points with noise of this variance, through at most `count` of them. They
    /// stand denser where the values are small.
    pub fn new(kernel: &Arc<dyn Kernel>, points: Mat<f64>, values: &[f64], noise: f64, count: usize) -> Result<Self> {
        let even = vec![1.0; points.nrows()];
        Self::uneven(kernel, points, values, noise, &even, count)
    }

    /// The same where each point has a share of that variance.
    pub fn uneven(
        kernel: &Arc<dyn Kernel>,
        points: Mat<f64>,
        values: &[f64],
        noise: f64,
        shares: &[f64],
        count: usize,
    ) -> Result<Self> {
        let chosen = landmarks(kernel.as_ref(), points.as_ref(), values, count, noise);
        let anchor_points = Mat::from_fn(chosen.len(), points.ncols(), |i, j| points[(chosen[i], j)]);
        let (root, _) = Factor::nearly(&kernel.gram(anchor_points.as_ref()), 0.0)?;
        let anchors = kernel.anchors(anchor_points.as_ref());
        let parts = Parts {
            anchors: anchors.as_ref(),
            root: &root,
            noise,
        };
        let (inner, weights) = inner_matrix(kernel.as_ref(), parts, points.as_ref(), shares);
        let detail = || format!("{} landmarks, noise {noise:e}", chosen.len());
        let inner = Factor::exactly(inner, noise).ok_or_else(|| Error::Numerical {
            what: "the factorisation over landmarks",
            detail: detail(),
        })?;
        Ok(Self {
            anchors,
            anchor_points: Arc::new(anchor_points),
            later_points: Mat::zeros(0, points.ncols()),
            base_points: Arc::new(points),
            root: Arc::new(root),
            inner,
            weights,
            noise,
            kernel: kernel.clone(),
        })
    }

    /// How many landmarks there are.
    pub fn count(&self) -> usize {
        self.anchors.count()
    }
}

/// `Σ_i ω_i v(x_i) v(x_i)ᵀ` on and below the diagonal, and the weights, a batch of points at a time.
fn inner_matrix(
    kernel: &dyn Kernel,
    parts: Parts<'_>,
    points: MatRef<'_, f64>,
    shares: &[f64],
) -> (Mat<f64>, Vec<f64>) {
    let count = parts.anchors.count();
    let (mut inner, mut weights) = (Mat::zeros(count, count), Vec::with_capacity(points.nrows()));
    for (batch, shares) in batches(points).zip(shares.chunks(BATCH)) {
        let (columns, seen) = parts.seen(kernel, batch, shares);
        own_products(inner.as_mut(), Accum::Add, columns.as_ref());
        weights.extend(seen);
    }
    (inner, weights)
}

/// What observations are seen through.
#[derive(Clone, Copy)]
struct Parts<'a> {
    anchors: &'a dyn Anchors,
    root: &'a Factor,
    noise: f64,
}

impl Parts<'_> {
    /// `√ω_i v(x_i)` of points as columns, and `ω_i`.
    fn seen(&self, kernel: &dyn Kernel, points: MatRef<'_, f64>, shares: &[f64]) -> (Mat<f64>, Vec<f64>) {
        let mut columns = self.anchors.cross(points);
        self.root.forward(columns.as_mut());
        let variances = kernel.diagonal(points);
        let weight = |(i, variance): (usize, &f64)| {
            let unseen = (variance - columns.col(i).squared_norm_l2()).max(0.0);
            self.noise / (self.noise * shares[i] + unseen)
        };
        let weights: Vec<f64> = variances.iter().enumerate().map(weight).collect();
        for (i, weight) in weights.iter().enumerate() {
            columns
                .col_as_slice_mut(i)
                .iter_mut()
                .for_each(|entry| *entry *= weight.sqrt());
        }
        (columns, weights)
    }
}

fn batches(points: MatRef<'_, f64>) -> impl Iterator<Item = MatRef<'_, f64>> {
    (0..points.nrows())
        .step_by(BATCH)
        .map(move |start| points.subrows(start, BATCH.min(points.nrows() - start)))
}

impl Condition for Landmark {
    fn push(&mut self, point: MatRef<'_, f64>, share: f64) {
        let parts = Parts {
            anchors: self.anchors.as_ref(),
            root: &self.root,
            noise: self.noise,
        };
        let (mut column, weight) = parts.seen(self.kernel.as_ref(), point, &[share]);
        self.weights.extend(weight);
        update(self.inner.lower_mut(), column.col_as_slice_mut(0));
        let (count, later) = (self.later_points.nrows(), &self.later_points);
        let row = |i, j| if i < count { later[(i, j)] } else { point[(0, j)] };
        self.later_points = Mat::from_fn(count + 1, point.ncols(), row);
    }

    fn weights(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = Mat::zeros(self.count(), 1);
        let weighed: Vec<f64> = values
            .iter()
            .zip(&self.weights)
            .map(|(value, weight)| value * weight)
            .collect();
        let mut rest = weighed.as_slice();
        for batch in batches((*self.base_points).as_ref()).chain(batches(self.later_points.as_ref())) {
            let (head, tail) = rest.split_at(batch.nrows().min(rest.len()));
            let batch = batch.subrows(0, head.len());
            let column = MatRef::from_column_major_slice(head, head.len(), 1);
            matmul(&mut sums, Accum::Add, self.anchors.cross(batch), column, 1.0, Par::Seq);
            rest = tail;
        }
        self.root.forward(sums.as_mut());
        self.inner.forward(sums.as_mut());
        self.inner.backward(sums.as_mut());
        self.root.backward(sums.as_mut());
        sums.col_as_slice(0).to_vec()
    }

    fn prior(&self) -> &dyn Variance {
        self.kernel.as_ref()
    }

    fn noise(&self) -> f64 {
        self.noise
    }

    fn information(&self) -> Option<f64> {
        let (own, lower) = (self.noise.max(f64::MIN_POSITIVE).sqrt().ln(), self.inner.lower());
        Some((0..lower.nrows()).map(|i| lower[(i, i)].ln() - own).sum())
    }

    fn cross(&self, queries: MatRef<'_, f64>) -> Mat<f64> {
        self.anchors.cross(queries)
    }

    fn crossing(&self, queries: MatRef<'_, f64>) -> Crossings {
        Crossings(vec![self.anchors.crossing(queries)])
    }

    fn explained(&self, mut cross: MatMut<'_, f64>) -> Vec<f64> {
        self.root.forward(cross.as_mut());
        let mut left = cross.to_owned();
        self.inner.forward(left.as_mut());
        let explained = |j| cross.as_ref().col(j).squared_norm_l2() - self.noise * left.col(j).squared_norm_l2();
        (0..left.ncols()).map(explained).collect()
    }

    fn duals(&self, mut cross: MatMut<'_, f64>) -> Vec<f64> {
        self.root.forward(cross.as_mut());
        let mut left = cross.to_owned();
        self.inner.forward(left.as_mut());
        let explained = |j| cross.as_ref().col(j).squared_norm_l2() - self.noise * left.col(j).squared_norm_l2();
        let explained = (0..left.ncols()).map(explained).collect();
        self.inner.backward(left.as_mut());
        cross -= faer::Scale(self.noise) * &left;
        self.root.backward(cross);
        explained
    }

    /// The landmarks' weights are drawn from their posterior, and the prior function is taken off at the landmarks:
    /// what is left of it has the covariance that they cannot see.
    fn draw(&self, rng: &mut Rng) -> Result<(Arc<dyn Field>, Vec<f64>)> {
        let field = self.kernel.draw(rng)?;
        let deviation = self.noise.sqrt();
        let mut weights = Mat::from_fn(self.count(), 1, |_, _| deviation * rng.normal());
        self.inner.backward(weights.as_mut());
        let mut seen = column_of(&field.values((*self.anchor_points).as_ref()));
        self.root.forward(seen.as_mut());
        weights -= &seen;
        self.root.backward(weights.as_mut());
        Ok((field, weights.col_as_slice(0).to_vec()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn Condition> {
        Box::new(self.clone())
    }
}
