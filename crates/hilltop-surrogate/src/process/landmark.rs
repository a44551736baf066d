//! The posterior through landmarks, where observations are too many for the exact one.
//!
//! With `r` landmarks, `v(x) = L_r⁻¹ k_r(x)` and `B = λI + Σ_i v(x_i) v(x_i)ᵀ` over all observations:
//!
//! ```text
//! μ(x) = v(x)ᵀ B⁻¹ Σ_i v(x_i) y_i        σ²(x) = k(x,x) − ‖v(x)‖² + λ v(x)ᵀ B⁻¹ v(x)
//! ```
//!
//! the deterministic training conditional with the part of the variance that the landmarks cannot see kept in full: far from
//! them the model is as uncertain as it was before. A new observation is a rank-one update, O(r²); nothing that a query costs depends on the number of
//! observations. Only points are stored for these, no r × n matrix: the mean's weights take one pass over the kernel.

use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use hilltop_core::{Error, Result, Rng};

use super::condition::{Condition, Crossings};
use super::embedded::own_products;
use super::factor::{Factor, column_of, update};
use super::kernel::{Anchors, Kernel};
use super::pivot::landmarks;

/// So many observations are worked on at once.
const BATCH: usize = 512;

/// Observations seen through landmarks.
#[derive(Clone)]
pub struct Landmark {
    anchors: Arc<dyn Anchors>,
    anchor_points: Arc<Mat<f64>>,
    base_points: Arc<Mat<f64>>,
    later_points: Mat<f64>,
    root: Arc<Factor>,
    inner: Factor,
    noise: f64,
}

impl Landmark {
    /// The posterior covariance after observing points with noise of this variance, through at most `count` of them. They
    /// stand denser where the values are small.
    pub fn new(kernel: &Arc<dyn Kernel>, points: Mat<f64>, values: &[f64], noise: f64, count: usize) -> Result<Self> {
        let chosen = landmarks(kernel.as_ref(), points.as_ref(), values, count, noise);
        let anchor_points = Mat::from_fn(chosen.len(), points.ncols(), |i, j| points[(chosen[i], j)]);
        let (root, _) = Factor::nearly(&kernel.gram(anchor_points.as_ref()), 1e-10 * noise.max(1e-2))?;
        let anchors = kernel.anchors(anchor_points.as_ref());
        let inner = inner_matrix(anchors.as_ref(), &root, points.as_ref());
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
            noise,
        })
    }

    /// How many landmarks there are.
    pub fn count(&self) -> usize {
        self.anchors.count()
    }
}

/// `Σ_i v(x_i) v(x_i)ᵀ` on and below the diagonal, a batch of points at a time.
fn inner_matrix(anchors: &dyn Anchors, root: &Factor, points: MatRef<'_, f64>) -> Mat<f64> {
    let mut inner = Mat::zeros(anchors.count(), anchors.count());
    for batch in batches(points) {
        let mut cross = anchors.cross(batch);
        root.forward(cross.as_mut());
        own_products(inner.as_mut(), Accum::Add, cross.as_ref());
    }
    inner
}

fn batches(points: MatRef<'_, f64>) -> impl Iterator<Item = MatRef<'_, f64>> {
    (0..points.nrows())
        .step_by(BATCH)
        .map(move |start| points.subrows(start, BATCH.min(points.nrows() - start)))
}

impl Condition for Landmark {
    fn push(&mut self, point: MatRef<'_, f64>) {
        let mut column = self.cross(point);
        self.root.forward(column.as_mut());
        update(self.inner.lower_mut(), column.col_as_slice_mut(0));
        let (count, later) = (self.later_points.nrows(), &self.later_points);
        let row = |i, j| if i < count { later[(i, j)] } else { point[(0, j)] };
        self.later_points = Mat::from_fn(count + 1, point.ncols(), row);
    }

    fn weights(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = Mat::zeros(self.count(), 1);
        let mut rest = values;
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

    fn noise(&self) -> f64 {
        self.noise
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
    fn update(&self, drawn: &dyn Fn(MatRef<'_, f64>) -> Vec<f64>, rng: &mut Rng) -> Vec<f64> {
        let deviation = self.noise.sqrt();
        let mut weights = Mat::from_fn(self.count(), 1, |_, _| deviation * rng.normal());
        self.inner.backward(weights.as_mut());
        let mut seen = column_of(&drawn((*self.anchor_points).as_ref()));
        self.root.forward(seen.as_mut());
        weights -= &seen;
        self.root.backward(weights.as_mut());
        weights.col_as_slice(0).to_vec()
    }

    fn boxed(&self) -> Box<dyn Condition> {
        Box::new(self.clone())
    }
}
