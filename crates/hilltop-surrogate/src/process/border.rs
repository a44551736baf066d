//! A Cholesky factor and a border of rows that came after it.
//!
//! A factor is computed in one piece; rows that come later are kept beside it (`W = L⁻¹K_be`, and the factor `T` of what is
//! left), so that a new row costs O(n²), the big factor is shared between models and never copied, and the same rows in the same
//! order give the same bits whoever computes them.

use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, MatMut, Par};

use super::factor::{Factor, column_of};

/// Columns of a border are allocated so many at a time, so that where numbers lie in memory, and with it the order in which
/// they are summed, depends on how many there are and on nothing else.
const BLOCK: usize = 64;

/// A factor with a border: `[[L, 0], [Wᵀ, T]]`.
#[derive(Clone, Debug)]
pub struct Bordered {
    base: Arc<Factor>,
    side: Mat<f64>,
    corner: Mat<f64>,
    extra: usize,
}

impl Bordered {
    /// A factor without a border.
    pub fn new(base: Arc<Factor>) -> Self {
        let side = Mat::zeros(base.count(), 0);
        Self {
            base,
            side,
            corner: Mat::zeros(0, 0),
            extra: 0,
        }
    }

    /// Rows of the factor and its border.
    pub fn count(&self) -> usize {
        self.base.count() + self.extra
    }

    /// Appends a row: its covariances with all rows before it, and its variance. No less than `least` of that is left
    /// unexplained: what goes beyond is rounding, and the row is made shorter by as much.
    pub fn push(&mut self, mut covariances: MatMut<'_, f64>, variance: f64, least: f64) {
        self.forward(covariances.as_mut());
        let (base, extra) = (self.base.count(), self.extra);
        let row = covariances.as_ref().col(0);
        let (explained, most) = (row.squared_norm_l2(), variance - least);
        let shrink = if explained > most {
            (most / explained).sqrt()
        } else {
            1.0
        };
        let left = (variance - explained).max(least);
        self.reserve();
        (0..base).for_each(|i| self.side[(i, extra)] = shrink * row[i]);
        (0..extra).for_each(|j| self.corner[(extra, j)] = shrink * row[base + j]);
        self.corner[(extra, extra)] = left.sqrt();
        self.extra += 1;
    }

    fn reserve(&mut self) {
        if self.extra == self.side.ncols() {
            let (extra, more) = (self.extra, self.extra + BLOCK);
            let (side, corner) = (&self.side, &self.corner);
            let wider = Mat::from_fn(side.nrows(), more, |i, j| if j < extra { side[(i, j)] } else { 0.0 });
            let larger = Mat::from_fn(
                more,
                more,
                |i, j| if i < extra && j < extra { corner[(i, j)] } else { 0.0 },
            );
            (self.side, self.corner) = (wider, larger);
        }
    }

    /// Replaces columns by the inverse of the factor times them. Shorter columns are those of the first rows alone.
    pub fn forward(&self, columns: MatMut<'_, f64>) {
        let (mut top, mut bottom) = columns.split_at_row_mut(self.base.count());
        self.base.forward(top.as_mut());
        let extra = bottom.nrows();
        if extra > 0 {
            let side = self.side.as_ref().subcols(0, extra);
            matmul(
                bottom.as_mut(),
                Accum::Add,
                side.transpose(),
                top.as_ref(),
                -1.0,
                Par::Seq,
            );
            solve_lower_triangular_in_place(self.corner.as_ref().submatrix(0, 0, extra, extra), bottom, Par::Seq);
        }
    }

    /// Replaces columns by the inverse of the factor's transpose times them.
    pub fn backward(&self, columns: MatMut<'_, f64>) {
        let (mut top, mut bottom) = columns.split_at_row_mut(self.base.count());
        let extra = bottom.nrows();
        if extra > 0 {
            let corner = self.corner.as_ref().submatrix(0, 0, extra, extra);
            solve_upper_triangular_in_place(corner.transpose(), bottom.as_mut(), Par::Seq);
            matmul(
                top.as_mut(),
                Accum::Add,
                self.side.as_ref().subcols(0, extra),
                bottom.as_ref(),
                -1.0,
                Par::Seq,
            );
        }
        self.base.backward(top);
    }

    /// The diagonal of the factor and its border.
    pub fn diagonal(&self) -> impl Iterator<Item = f64> {
        let base = (0..self.base.count()).map(|i| self.base.lower()[(i, i)]);
        base.chain((0..self.extra).map(|j| self.corner[(j, j)]))
    }

    /// `‖L⁻¹k‖²` of every column, which becomes `L⁻¹k`.
    pub fn explained(&self, mut columns: MatMut<'_, f64>) -> Vec<f64> {
        self.forward(columns.as_mut());
        (0..columns.ncols())
            .map(|j| columns.as_ref().col(j).squared_norm_l2())
            .collect()
    }

    /// `‖L⁻¹k‖²` of every column, which becomes `(LLᵀ)⁻¹k`.
    pub fn duals(&self, mut columns: MatMut<'_, f64>) -> Vec<f64> {
        let explained = self.explained(columns.as_mut());
        self.backward(columns);
        explained
    }

    /// The diagonal of the inverse of the factored matrix at the latest rows, at most `count` of them.
    ///
    /// A column of `L⁻¹` is zero above its own row, so these need the last corner of the factor alone.
    pub fn latest_inverse(&self, count: usize) -> Vec<f64> {
        let (all, base) = (self.count(), self.base.count());
        let count = count.min(all);
        let first = all - count;
        let entry = |i: usize, j: usize| match (first + i, first + j) {
            (i, j) if i < j => 0.0,
            (i, j) if i < base => self.base.lower()[(i, j)],
            (i, j) if j < base => self.side[(j, i - base)],
            (i, j) => self.corner[(i - base, j - base)],
        };
        let corner = Mat::from_fn(count, count, entry);
        let mut inverse = Mat::identity(count, count);
        solve_lower_triangular_in_place(corner.as_ref(), inverse.as_mut(), Par::Seq);
        (0..count).map(|j| inverse.col(j).squared_norm_l2()).collect()
    }

    /// The inverse of the factored matrix times a vector; a shorter one is that of the first rows alone, at least those
    /// of the base.
    pub fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let mut column = column_of(vector);
        self.forward(column.as_mut());
        self.backward(column.as_mut());
        column.col_as_slice(0).to_vec()
    }
}
