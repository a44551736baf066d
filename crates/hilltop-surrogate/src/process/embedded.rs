//! Points as inner-product kernels see them: scaled, with a constant coordinate.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::profile::{Profile, Tables};

/// Points as the profile sees them.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// The scaled points, a row each, with the constant last.
    pub features: Mat<f64>,
    /// What the profile knows of each by itself.
    pub tables: Tables,
}

impl Embedded {
    /// Encodes points; `weights` has one more entry than the points have coordinates.
    pub fn new(profile: &dyn Profile, points: MatRef<'_, f64>, weights: &[f64]) -> Self {
        let last = weights.len() - 1;
        let feature = |i, j| {
            if j == last {
                weights[last]
            } else {
                weights[j] * (2.0 * points[(i, j)] - 1.0)
            }
        };
        Self::of_features(profile, Mat::from_fn(points.nrows(), last + 1, feature))
    }

    /// Points that are already scaled.
    pub fn of_features(profile: &dyn Profile, features: Mat<f64>) -> Self {
        let mut norms = vec![0.0; features.nrows()];
        for column in 0..features.ncols() {
            let entries = features.col_as_slice(column);
            norms.iter_mut().zip(entries).for_each(|(norm, x)| *norm += x * x);
        }
        let tables = profile.tables(&norms);
        Self { features, tables }
    }

    /// The inner products with other points.
    pub fn products(&self, other: &Self) -> Mat<f64> {
        let mut out = Mat::zeros(self.features.nrows(), other.features.nrows());
        self.products_into(other, out.as_mut());
        out
    }

    pub(super) fn products_into(&self, other: &Self, out: MatMut<'_, f64>) {
        matmul(
            out,
            Accum::Replace,
            &self.features,
            other.features.transpose(),
            1.0,
            Par::Seq,
        );
    }

    /// The inner products with themselves, on and below the diagonal.
    pub fn own_products(&self) -> Mat<f64> {
        let count = self.features.nrows();
        let mut out = Mat::zeros(count, count);
        self.own_products_into(out.as_mut());
        out
    }

    /// The same into a place; what is above the diagonal is left as it is.
    pub fn own_products_into(&self, out: MatMut<'_, f64>) {
        own_products(out, Accum::Replace, self.features.as_ref());
    }
}

/// The inner products of rows, on and below the diagonal.
pub(super) fn own_products(out: MatMut<'_, f64>, accumulate: Accum, rows: MatRef<'_, f64>) {
    let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    triangular::matmul(
        out,
        lower,
        accumulate,
        rows,
        full,
        rows.transpose(),
        full,
        1.0,
        Par::Seq,
    );
}

/// The inner products of rows as a matrix of their own.
pub(crate) fn products_of_rows(rows: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(rows.nrows(), rows.nrows());
    own_products(out.as_mut(), Accum::Replace, rows);
    out
}
