//! The Cholesky factor of a covariance matrix, and a border of rows that came after it.
//!
//! A factor is computed in one piece; rows that come later are kept beside it (`W = L⁻¹K_be`, and the factor `T` of what is
//! left), so that a new row costs O(n²), the big factor is shared between models and never copied, and the same rows in the same
//! order give the same bits whoever computes them.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{self, factor::LltRegularization};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, MatMut, MatRef, Par, Spec};
use hilltop_core::{Error, Result};

/// A lower triangular `L` with `LLᵀ = K + λI`.
#[derive(Clone, Debug)]
pub struct Factor {
    lower: Mat<f64>,
}

impl Factor {
    /// The factor of the lower triangle of `gram` with `noise` added to its diagonal; `None` where there is none.
    pub fn exactly(mut gram: Mat<f64>, noise: f64) -> Option<Self> {
        (0..gram.nrows()).for_each(|i| gram[(i, i)] += noise);
        factorise(gram.as_mut()).then_some(Self { lower: gram })
    }

    /// The same with as much more noise as it takes; returns the noise added in all.
    pub fn nearly(gram: &Mat<f64>, noise: f64) -> Result<(Self, f64)> {
        let mean = (0..gram.nrows()).map(|i| gram[(i, i)]).sum::<f64>() / gram.nrows().max(1) as f64;
        let attempts = std::iter::once(0.0).chain((0..9).map(|power| 1e-12 * 10_f64.powi(power) * mean));
        for jitter in attempts {
            if let Some(factor) = Self::exactly(gram.clone(), noise + jitter) {
                return Ok((factor, noise + jitter));
            }
        }
        let detail = format!(
            "{0} × {0} matrix with mean variance {mean:e}, noise {noise:e}",
            gram.nrows()
        );
        Err(Error::Numerical {
            what: "the Cholesky factorisation of a kernel matrix",
            detail,
        })
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.lower.nrows()
    }

    /// `L` itself.
    pub fn lower(&self) -> MatRef<'_, f64> {
        self.lower.as_ref()
    }

    /// `L` to be updated in place.
    pub fn lower_mut(&mut self) -> MatMut<'_, f64> {
        self.lower.as_mut()
    }

    /// Replaces columns by `L⁻¹` times them.
    pub fn forward(&self, columns: MatMut<'_, f64>) {
        solve_lower_triangular_in_place(self.lower.as_ref(), columns, Par::Seq);
    }

    /// Replaces columns by `L⁻ᵀ` times them.
    pub fn backward(&self, columns: MatMut<'_, f64>) {
        solve_upper_triangular_in_place(self.lower.transpose(), columns, Par::Seq);
    }

    /// `(K + λI)⁻¹` times a vector.
    pub fn solve(&self, vector: &[f64]) -> Vec<f64> {
        solve(self.lower.as_ref(), vector)
    }

    /// Becomes the factor of what it was the factor of plus `xxᵀ`; `x` is destroyed.
    pub fn update(&mut self, x: &mut [f64]) {
        update(self.lower.as_mut(), x);
    }
}

/// The inverse of `LLᵀ` times a vector.
pub(super) fn solve(lower: MatRef<'_, f64>, vector: &[f64]) -> Vec<f64> {
    let mut column = column_of(vector);
    solve_lower_triangular_in_place(lower, column.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(lower.transpose(), column.as_mut(), Par::Seq);
    column.col_as_slice(0).to_vec()
}

/// Replaces the lower triangle of a matrix by its factor; false where there is none.
pub(super) fn factorise(mut gram: MatMut<'_, f64>) -> bool {
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(gram.nrows(), Par::Seq, Spec::default());
    let mut buffer = MemBuffer::new(scratch);
    let (stack, regular) = (MemStack::new(&mut buffer), LltRegularization::default());
    let done = llt::factor::cholesky_in_place(gram.as_mut(), regular, Par::Seq, stack, Spec::default());
    done.is_ok() && (0..gram.nrows()).all(|i| gram[(i, i)].is_finite())
}

/// Scratch memory for the inverse of a matrix with so many rows.
pub(super) fn inverse_scratch(count: usize) -> MemBuffer {
    MemBuffer::new(llt::inverse::inverse_scratch::<f64>(count, Par::Seq))
}

/// The inverse of a matrix with this factor, on and below the diagonal; what is above is left as it is.
pub(super) fn inverse_into(lower: MatRef<'_, f64>, out: MatMut<'_, f64>, scratch: &mut MemBuffer) {
    llt::inverse::inverse(out, lower, Par::Seq, MemStack::new(scratch));
}

/// A vector as a matrix of one column.
pub(super) fn column_of(vector: &[f64]) -> Mat<f64> {
    Mat::from_fn(vector.len(), 1, |i, _| vector[i])
}

/// The factor of `LLᵀ + xxᵀ` in place of `L`; `x` is destroyed.
pub(super) fn update(mut lower: MatMut<'_, f64>, x: &mut [f64]) {
    for k in 0..x.len() {
        let old = lower[(k, k)];
        let new = old.hypot(x[k]);
        let (cosine, sine) = (new / old, x[k] / old);
        lower[(k, k)] = new;
        let column = lower.as_mut().col_mut(k).subrows_mut(k + 1, x.len() - k - 1);
        for (entry, x) in column.iter_mut().zip(&mut x[k + 1..]) {
            *entry = (*entry + sine * *x) / cosine;
            *x = cosine * *x - sine * *entry;
        }
    }
}

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
    noise: f64,
}

impl Bordered {
    /// A factor without a border. `noise` is what its diagonal has beyond the kernel.
    pub fn new(base: Arc<Factor>, noise: f64) -> Self {
        let side = Mat::zeros(base.count(), 0);
        Self {
            base,
            side,
            corner: Mat::zeros(0, 0),
            extra: 0,
            noise,
        }
    }

    /// Rows of the factor and its border.
    pub fn count(&self) -> usize {
        self.base.count() + self.extra
    }

    /// Appends a row: its covariances with all rows before it, and its variance without noise.
    pub fn push(&mut self, mut covariances: MatMut<'_, f64>, variance: f64) {
        self.forward(covariances.as_mut());
        let (base, extra) = (self.base.count(), self.extra);
        let row = covariances.as_ref().col(0);
        // What is left of K + λI cannot be less than λ; below it is rounding.
        let left = (variance + self.noise - row.squared_norm_l2()).max(self.noise);
        self.reserve();
        (0..base).for_each(|i| self.side[(i, extra)] = row[i]);
        (0..extra).for_each(|j| self.corner[(extra, j)] = row[base + j]);
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

    /// The inverse of the factored matrix times a vector; a shorter one is that of the first rows alone, at least those
    /// of the base.
    pub fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let mut column = column_of(vector);
        self.forward(column.as_mut());
        self.backward(column.as_mut());
        column.col_as_slice(0).to_vec()
    }
}
