//! A Cholesky factor that grows by a row at a time and is shared between models.
//!
//! The rows stand in strips of a fixed height. Full strips never change, so a model that has one more observation than
//! another shares them; a new row copies the last strip at most. Where numbers lie in memory depends on how many there
//! are and on nothing else, so the same rows in the same order give the same bits.

use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, MatMut, Par};

/// Rows of a strip.
const HEIGHT: usize = 64;

/// Consecutive rows of a lower triangular matrix: what stands left of the diagonal block, and that block.
#[derive(Clone, Debug)]
struct Strip {
    left: Mat<f64>,
    corner: Mat<f64>,
}

/// `L` with `LLᵀ = K + λI`, to which rows of `K` are appended.
#[derive(Clone, Debug)]
pub(super) struct Growing {
    strips: Vec<Arc<Strip>>,
    count: usize,
    noise: f64,
}

impl Growing {
    /// No rows yet; `noise` is `λ`.
    pub(super) fn new(noise: f64) -> Self {
        Self {
            strips: Vec::new(),
            count: 0,
            noise,
        }
    }

    /// How many rows there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Appends a row: a column of covariances with the rows before it, and its variance without noise.
    pub(super) fn push(&mut self, mut covariances: MatMut<'_, f64>, variance: f64) {
        self.forward(covariances.as_mut());
        let row = covariances.as_ref().col(0);
        // What is left of K + λI cannot be less than λ; below it is rounding.
        let left = (variance + self.noise - row.squared_norm_l2()).max(self.noise);
        let (start, place) = (self.count / HEIGHT * HEIGHT, self.count % HEIGHT);
        if place == 0 {
            self.strips.push(Arc::new(Strip {
                left: Mat::zeros(HEIGHT, start),
                corner: Mat::zeros(HEIGHT, HEIGHT),
            }));
        }
        if let Some(strip) = self.strips.last_mut().map(Arc::make_mut) {
            (0..start).for_each(|j| strip.left[(place, j)] = row[j]);
            (0..place).for_each(|j| strip.corner[(place, j)] = row[start + j]);
            strip.corner[(place, place)] = left.sqrt();
        }
        self.count += 1;
    }

    /// Replaces columns by `L⁻¹` times them.
    pub(super) fn forward(&self, mut columns: MatMut<'_, f64>) {
        for (index, strip) in self.strips.iter().enumerate() {
            let start = index * HEIGHT;
            let rows = HEIGHT.min(self.count - start);
            let (above, below) = columns.as_mut().split_at_row_mut(start);
            let mut block = below.subrows_mut(0, rows);
            let left = strip.left.as_ref().subrows(0, rows);
            matmul(block.as_mut(), Accum::Add, left, above.as_ref(), -1.0, Par::Seq);
            solve_lower_triangular_in_place(strip.corner.as_ref().submatrix(0, 0, rows, rows), block, Par::Seq);
        }
    }

    /// Replaces columns by `L⁻ᵀ` times them.
    pub(super) fn backward(&self, mut columns: MatMut<'_, f64>) {
        for (index, strip) in self.strips.iter().enumerate().rev() {
            let start = index * HEIGHT;
            let rows = HEIGHT.min(self.count - start);
            let (above, below) = columns.as_mut().split_at_row_mut(start);
            let mut block = below.subrows_mut(0, rows);
            let corner = strip.corner.as_ref().submatrix(0, 0, rows, rows);
            solve_upper_triangular_in_place(corner.transpose(), block.as_mut(), Par::Seq);
            let left = strip.left.as_ref().subrows(0, rows);
            matmul(above, Accum::Add, left.transpose(), block.as_ref(), -1.0, Par::Seq);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use hilltop_core::Rng;

    use super::*;
    use crate::process::Factor;

    #[test]
    fn a_factor_grown_row_by_row_equals_one_made_in_one_piece() {
        let mut rng = Rng::new(1);
        let count = 150;
        let rows = Mat::from_fn(count, 20, |_, _| rng.normal());
        let gram = &rows * rows.transpose();
        let mut growing = Growing::new(0.5);
        for row in 0..count {
            let mut covariances = Mat::from_fn(row, 1, |i, _| gram[(i, row)]);
            growing.push(covariances.as_mut(), gram[(row, row)]);
        }
        let whole = Factor::exactly(gram, 0.5).unwrap();
        let mut columns = Mat::from_fn(count, 3, |_, _| rng.normal());
        let mut expected = columns.clone();
        growing.forward(columns.as_mut());
        whole.forward(expected.as_mut());
        assert!((&columns - &expected).norm_max() < 1e-9);
        growing.backward(columns.as_mut());
        whole.backward(expected.as_mut());
        assert!((&columns - &expected).norm_max() < 1e-9);
    }
}
