//! The Cholesky factor of a covariance matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{self, factor::LltRegularization};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, MatRef, Par, Spec};
use hilltop_core::{Error, Result};

/// The share of its variance by which a process is taken to differ from point to point: a kernel matrix is known up to
/// rounding, and its factor must not depend on that.
pub(super) const NUGGET: f64 = 1e-11;

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

    /// The same with the nugget, and with as much more noise as it takes; returns the noise added in all.
    pub fn nearly(gram: &Mat<f64>, noise: f64) -> Result<(Self, f64)> {
        let mut gram = gram.clone();
        (0..gram.nrows()).for_each(|i| gram[(i, i)] *= 1.0 + NUGGET);
        let mean = (0..gram.nrows()).map(|i| gram[(i, i)]).sum::<f64>() / gram.nrows().max(1) as f64;
        let attempts = std::iter::once(0.0).chain((0..9).map(|power| NUGGET * 10_f64.powi(power) * mean));
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
pub(crate) fn update(mut lower: MatMut<'_, f64>, x: &mut [f64]) {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_rank_one_update_equals_refactoring() {
        let mut gram = Mat::from_fn(40, 40, |i, j| {
            if i == j {
                3.0
            } else {
                1.0 / (1.0 + i.abs_diff(j) as f64)
            }
        });
        let mut factor = Factor::exactly(gram.clone(), 0.1).unwrap();
        let vector: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.7).sin()).collect();
        update(factor.lower_mut(), &mut vector.clone());
        gram += Mat::from_fn(40, 40, |i, j| vector[i] * vector[j]);
        let again = Factor::exactly(gram, 0.1).unwrap();
        let difference = |i: usize, j: usize| (factor.lower()[(i, j)] - again.lower()[(i, j)]).abs();
        assert!((0..40).all(|j| (j..40).all(|i| difference(i, j) < 1e-13)));
    }

    #[test]
    fn a_singular_matrix_gets_the_noise_it_needs_and_a_broken_one_is_refused() {
        let ones = Mat::from_fn(5, 5, |i, j| if i == j { 1.0 } else { 1.0 + 1e-10 });
        let (_, noise) = Factor::nearly(&ones, 0.0).unwrap();
        assert!(noise > 1e-11 && noise < 1e-8, "{noise}");
        assert!(Factor::nearly(&Mat::from_fn(2, 2, |_, _| f64::NAN), 1e-3).is_err());
    }
}
