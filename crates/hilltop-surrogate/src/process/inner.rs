//! Kernels of scaled inner products: `k(x,x') = v·F(⟨x̃,x̃'⟩, ‖x̃‖², ‖x̃'‖²)`.
//!
//! The encoder maps a coordinate `z` of `[0,1]` to `w(2z−1)` with its own weight `w` and appends a constant coordinate, so that
//! `⟨x̃,x̃'⟩ = Σ_j w_j² x_j x'_j + w_0²` with `x` in `[-1,1]`. The sum is not divided by the number of coordinates; the weights carry that.

use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use hilltop_core::{Result, Rng};

use super::embedded::Embedded;
use super::kernel::{Anchors, Crossing, Field, Kernel, Variance};
use super::profile::{Part, Partials, Profile};

/// Where functions of a kernel come from before anything was observed.
pub trait Source: Send + Sync {
    /// A function whose covariance over draws is the profile at these weights; the last is the constant's.
    fn draw(&self, weights: &[f64], rng: &mut Rng) -> Result<Arc<dyn Field>>;
}

/// A kernel of scaled inner products.
#[derive(Clone)]
pub struct Inner {
    profile: Arc<dyn Profile>,
    source: Arc<dyn Source>,
    weights: Vec<f64>,
    signal: f64,
}

impl Inner {
    /// A profile at these weights, the last of which is the constant's, times the signal variance.
    pub fn new(profile: Arc<dyn Profile>, source: Arc<dyn Source>, weights: Vec<f64>, signal: f64) -> Self {
        Self {
            profile,
            source,
            weights,
            signal,
        }
    }

    fn embed(&self, points: MatRef<'_, f64>) -> Embedded {
        Embedded::new(self.profile.as_ref(), points, &self.weights)
    }
}

impl Variance for Inner {
    fn diagonal(&self, points: MatRef<'_, f64>) -> Vec<f64> {
        self.embed(points)
            .tables
            .value
            .iter()
            .map(|value| self.signal * value)
            .collect()
    }

    fn diagonal_slopes(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let Embedded { features, tables } = self.embed(points);
        let values = tables.value.iter().map(|value| self.signal * value).collect();
        let slope = |i: usize, j| 4.0 * self.signal * tables.slope[i] * self.weights[j] * features[(i, j)];
        (values, Mat::from_fn(points.nrows(), points.ncols(), slope))
    }
}

impl Kernel for Inner {
    fn anchors(&self, points: MatRef<'_, f64>) -> Arc<dyn Anchors> {
        Arc::new(InnerAnchors {
            kernel: self.clone(),
            points: self.embed(points),
        })
    }

    fn gram(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        let embedded = self.embed(points);
        let mut gram = embedded.own_products();
        self.profile
            .values(&embedded.tables, &embedded.tables, Part::Lower, gram.as_mut());
        for column in 0..gram.ncols() {
            gram.col_as_slice_mut(column)[column..]
                .iter_mut()
                .for_each(|entry| *entry *= self.signal);
            gram[(column, column)] = self.signal * embedded.tables.value[column];
        }
        gram
    }

    fn draw(&self, rng: &mut Rng) -> Result<Arc<dyn Field>> {
        let drawn = self.source.draw(&self.weights, rng)?;
        Ok(Arc::new(Louder {
            drawn,
            factor: self.signal.sqrt(),
        }))
    }
}

/// Points of an inner-product kernel.
struct InnerAnchors {
    kernel: Inner,
    points: Embedded,
}

impl Anchors for InnerAnchors {
    fn count(&self) -> usize {
        self.points.features.nrows()
    }

    fn cross_into(&self, queries: MatRef<'_, f64>, mut out: MatMut<'_, f64>) {
        let queries = self.kernel.embed(queries);
        self.points.products_into(&queries, out.as_mut());
        self.kernel
            .profile
            .values(&self.points.tables, &queries.tables, Part::Full, out.as_mut());
        for column in 0..out.ncols() {
            out.as_mut()
                .col_mut(column)
                .iter_mut()
                .for_each(|entry| *entry *= self.kernel.signal);
        }
    }

    fn crossing(&self, queries: MatRef<'_, f64>) -> Box<dyn Crossing> {
        let queries = self.kernel.embed(queries);
        let products = self.points.products(&queries);
        let profile = &self.kernel.profile;
        let mut partials = Partials::zeros(products.nrows(), products.ncols());
        profile.partials(
            &self.points.tables,
            &queries.tables,
            Part::Full,
            products.as_ref(),
            &mut partials,
        );
        for matrix in [&mut partials.value, &mut partials.product, &mut partials.column] {
            *matrix *= faer::Scale(self.kernel.signal);
        }
        let features = self.points.features.clone();
        Box::new(InnerCrossing {
            partials,
            anchors: features,
            queries,
            weights: self.kernel.weights.clone(),
        })
    }
}

/// Covariances of an inner-product kernel with their derivatives.
struct InnerCrossing {
    partials: Partials,
    anchors: Mat<f64>,
    queries: Embedded,
    weights: Vec<f64>,
}

impl Crossing for InnerCrossing {
    fn values(&self) -> MatRef<'_, f64> {
        self.partials.value.as_ref()
    }

    fn gradients(&self, coefficients: MatRef<'_, f64>) -> Mat<f64> {
        let (count, dim) = (coefficients.ncols(), self.weights.len() - 1);
        let mut pulled = Mat::zeros(coefficients.nrows(), count);
        let mut own = vec![0.0; count];
        for query in 0..count {
            let (product, column) = (self.partials.product.col(query), self.partials.column.col(query));
            for i in 0..coefficients.nrows() {
                let coefficient = coefficients[(i, query)];
                pulled[(i, query)] = coefficient * product[i];
                own[query] += coefficient * column[i];
            }
        }
        let mut out = Mat::zeros(count, dim);
        let anchors = self.anchors.as_ref().subcols(0, dim);
        matmul(&mut out, Accum::Replace, pulled.transpose(), anchors, 1.0, Par::Seq);
        for (j, &weight) in self.weights[..dim].iter().enumerate() {
            for query in 0..count {
                let own = 2.0 * own[query] * self.queries.features[(query, j)];
                out[(query, j)] = 2.0 * weight * (out[(query, j)] + own);
            }
        }
        out
    }
}

/// A drawn function times a factor.
struct Louder {
    drawn: Arc<dyn Field>,
    factor: f64,
}

impl Field for Louder {
    fn values(&self, points: MatRef<'_, f64>) -> Vec<f64> {
        let mut values = self.drawn.values(points);
        for value in &mut values {
            *value *= self.factor;
        }
        values
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let (mut values, mut slopes) = self.drawn.slopes(points);
        for value in &mut values {
            *value *= self.factor;
        }
        slopes *= faer::Scale(self.factor);
        (values, slopes)
    }
}
