//! The sums over a kernel matrix that the likelihood's gradient is made of.
#![allow(
    clippy::inline_always,
    reason = "a loop takes the instruction set of the function it is inlined into"
)]

use faer::Mat;
use pulp::{Arch, NullaryFnOnce};

use super::profile::{Partials, Tables};

/// Sums over all entries of a symmetric matrix `P`.
pub(super) struct Sums {
    /// `Σ P_ij F_ij`.
    pub(super) value: f64,
    /// `Σ P_ij ∂F_ij/∂a_k` for the norm of every point `k`.
    pub(super) norm: Vec<f64>,
}

/// The sums for the lower triangle of `P`, which becomes `P∘∂F/∂q` strictly below the diagonal and zero on it.
pub(super) fn pull(matrix: &mut Mat<f64>, partials: &Partials, tables: &Tables) -> Sums {
    Arch::new().dispatch(Pull {
        matrix,
        partials,
        tables,
    })
}

struct Pull<'a> {
    matrix: &'a mut Mat<f64>,
    partials: &'a Partials,
    tables: &'a Tables,
}

impl NullaryFnOnce for Pull<'_> {
    type Output = Sums;

    #[inline(always)]
    fn call(self) -> Sums {
        let Self {
            matrix,
            partials,
            tables,
        } = self;
        let mut sums = Sums {
            value: 0.0,
            norm: vec![0.0; matrix.ncols()],
        };
        for j in 0..matrix.ncols() {
            let (diagonal, entries) = matrix.col_as_slice_mut(j)[j..].split_at_mut(1);
            sums.value += diagonal[0] * tables.value[j] + 2.0 * dot(entries, &partials.value.col_as_slice(j)[j + 1..]);
            let own = 2.0 * dot(entries, &partials.column.col_as_slice(j)[j + 1..]);
            let (before, after) = sums.norm.split_at_mut(j + 1);
            before[j] += diagonal[0] * tables.slope[j] + own;
            let rows = &partials.row.col_as_slice(j)[j + 1..];
            after
                .iter_mut()
                .zip(&*entries)
                .zip(rows)
                .for_each(|((sum, entry), row)| *sum += 2.0 * entry * row);
            let products = &partials.product.col_as_slice(j)[j + 1..];
            entries
                .iter_mut()
                .zip(products)
                .for_each(|(entry, product)| *entry *= product);
            diagonal[0] = 0.0;
        }
        sums
    }
}

/// An inner product in eight sums at once.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}
