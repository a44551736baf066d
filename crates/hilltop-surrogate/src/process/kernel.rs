//! What a Gaussian process asks of its covariance.
//!
//! A kernel is bound to the points it will be asked about again and again ([`Anchors`]); what is asked about once comes as
//! a batch of queries, one a row. All points are encoded, in `[0,1]^D`.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Result, Rng};

/// The variance of a process before anything was observed.
pub trait Variance: Send + Sync {
    /// The variance at each point.
    fn diagonal(&self, points: MatRef<'_, f64>) -> Vec<f64>;
    /// The variance at each point, with its gradient as a row.
    fn diagonal_slopes(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>);
}

/// A covariance function.
pub trait Kernel: Variance {
    /// Binds the kernel to points.
    fn anchors(&self, points: MatRef<'_, f64>) -> Arc<dyn Anchors>;
    /// The covariance of points with each other; only the lower triangle need be filled.
    fn gram(&self, points: MatRef<'_, f64>) -> Mat<f64>;
    /// A function drawn from the centred process with this covariance.
    fn draw(&self, rng: &mut Rng) -> Result<Arc<dyn Field>>;
}

/// A kernel bound to points.
pub trait Anchors: Send + Sync {
    /// How many points there are.
    fn count(&self) -> usize;
    /// Covariances with the queries, one column each.
    fn cross_into(&self, queries: MatRef<'_, f64>, out: MatMut<'_, f64>);
    /// The same with what gradients need.
    fn crossing(&self, queries: MatRef<'_, f64>) -> Box<dyn Crossing>;

    /// Covariances with the queries as a new matrix.
    fn cross(&self, queries: MatRef<'_, f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.count(), queries.nrows());
        self.cross_into(queries, out.as_mut());
        out
    }
}

/// Covariances of anchors and queries that can be differentiated.
pub trait Crossing {
    /// The covariances, one column a query.
    fn values(&self) -> MatRef<'_, f64>;
    /// For each query `x_q` the gradient of `Σ_i C_iq k(x_i, x_q)`, as a row.
    fn gradients(&self, coefficients: MatRef<'_, f64>) -> Mat<f64>;
}

/// A smooth function of points: a draw from a process before anything was observed, or a mean.
pub trait Field: Send + Sync {
    /// Its value at each point.
    fn values(&self, points: MatRef<'_, f64>) -> Vec<f64>;
    /// Its value and gradient at each point.
    fn slopes(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>);
}
