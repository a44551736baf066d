//! What observations say about weights: `Σ = λI + Σ_i g_i g_iᵀ` (eq. 3), and its inverse.
//!
//! While there are fewer observations than weights everything happens in the dual,
//! `Σ⁻¹ = (I − Gᵀ(λI + GGᵀ)⁻¹G)/λ`, with one row of a Cholesky factor an observation and no matrix of the size of the
//! weights squared. From as many observations on, the primal matrix is the smaller one and takes over.

use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use hilltop_core::{Error, Result, Rng};

use crate::process::{Bordered, Factor};

/// `Σ`, growing by one observation at a time.
#[derive(Clone, Debug)]
pub struct Information {
    lambda: f64,
    size: usize,
    count: usize,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// The gradients one after the other, and the factor of `λI + GGᵀ`.
    Dual { gradients: Vec<f64>, factor: Bordered },
    /// The factor of `λI + GᵀG`.
    Primal(Factor),
}

impl Information {
    /// `λI` for so many weights.
    pub fn new(size: usize, lambda: f64) -> Result<Self> {
        let sound = lambda > 0.0 && lambda.is_finite();
        let empty = Factor::exactly(Mat::zeros(0, 0), 0.0).filter(|_| sound && size > 0);
        let empty = empty.ok_or_else(|| broken(size, 0, lambda))?;
        let factor = Bordered::new(Arc::new(empty));
        let gradients = Vec::new();
        Ok(Self {
            lambda,
            size,
            count: 0,
            form: Form::Dual { gradients, factor },
        })
    }

    /// All gradients at once, one column each.
    pub fn of(gradients: MatRef<'_, f64>, lambda: f64) -> Result<Self> {
        let (size, count) = (gradients.nrows(), gradients.ncols());
        let dual = count < size;
        let gram = if dual {
            product(gradients.transpose(), gradients)
        } else {
            product(gradients, gradients.transpose())
        };
        let factor = Factor::exactly(gram, lambda).ok_or_else(|| broken(size, count, lambda))?;
        let form = if dual {
            let columns = gradients
                .col_iter()
                .flat_map(|column| column.iter().copied().collect::<Vec<_>>());
            Form::Dual {
                gradients: columns.collect(),
                factor: Bordered::new(Arc::new(factor)),
            }
        } else {
            Form::Primal(factor)
        };
        Ok(Self {
            lambda,
            size,
            count,
            form,
        })
    }

    /// Adds an observation whose gradient in the weights this is.
    pub fn push(&mut self, gradient: &[f64]) -> Result<()> {
        self.count += 1;
        match &mut self.form {
            Form::Dual { gradients, factor } => {
                let column = MatRef::from_column_major_slice(gradient, self.size, 1);
                let known = MatRef::from_column_major_slice(gradients, self.size, self.count - 1);
                let mut covariances = product(known.transpose(), column);
                factor.push(
                    covariances.as_mut(),
                    column.squared_norm_l2() + self.lambda,
                    self.lambda,
                );
                gradients.extend_from_slice(gradient);
            }
            Form::Primal(factor) => factor.update(&mut gradient.to_vec()),
        }
        self.turn()
    }

    /// Goes over to the primal where that has become the smaller one.
    fn turn(&mut self) -> Result<()> {
        if let Form::Dual { gradients, .. } = &self.form
            && self.count >= self.size
        {
            let gradients = MatRef::from_column_major_slice(gradients, self.size, self.count);
            *self = Self::of(gradients, self.lambda)?;
        }
        Ok(())
    }

    /// How many observations there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// `λ`.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Replaces columns by `Σ⁻¹` times them.
    pub fn solve(&self, mut columns: MatMut<'_, f64>) {
        match &self.form {
            Form::Dual { gradients, factor } => {
                let gradients = MatRef::from_column_major_slice(gradients, self.size, self.count);
                let mut seen = product(gradients.transpose(), columns.as_ref());
                factor.forward(seen.as_mut());
                factor.backward(seen.as_mut());
                matmul(columns.as_mut(), Accum::Add, gradients, seen.as_ref(), -1.0, Par::Seq);
                columns *= faer::Scale(1.0 / self.lambda);
            }
            Form::Primal(factor) => {
                factor.forward(columns.as_mut());
                factor.backward(columns);
            }
        }
    }

    /// `‖v‖²_Σ` of each column.
    pub fn norms(&self, columns: MatRef<'_, f64>) -> Vec<f64> {
        let (seen, share) = match &self.form {
            Form::Dual { gradients, .. } => {
                let gradients = MatRef::from_column_major_slice(gradients, self.size, self.count);
                (product(gradients.transpose(), columns), self.lambda)
            }
            Form::Primal(factor) => (transposed_times(factor.lower(), columns), 0.0),
        };
        let norm = |j: usize| share * columns.col(j).squared_norm_l2() + seen.col(j).squared_norm_l2();
        (0..columns.ncols()).map(norm).collect()
    }

    /// `Σ⁻¹ Σ_i g_i c_i`, from the coefficients `c` and from the sum itself.
    pub fn pulled(&self, coefficients: &[f64], sum: &[f64]) -> Vec<f64> {
        match &self.form {
            Form::Dual { gradients, factor } => {
                // Gᵀ(λI + GGᵀ)⁻¹c: no difference of nearly equal vectors.
                let dual = factor.solve(coefficients);
                let mut out = vec![0.0; self.size];
                for (gradient, weight) in gradients.chunks_exact(self.size).zip(dual) {
                    add_scaled(&mut out, weight, gradient);
                }
                out
            }
            Form::Primal(factor) => factor.solve(sum),
        }
    }

    /// A vector of the normal distribution with covariance `λΣ⁻¹`.
    pub fn draw(&self, rng: &mut Rng) -> Vec<f64> {
        let mut drawn = vec![0.0; self.size];
        rng.normals(&mut drawn);
        match &self.form {
            Form::Dual { gradients, factor } => {
                // Matheron's rule: w − Gᵀ(λI + GGᵀ)⁻¹(Gw + ε).
                let rows = gradients.chunks_exact(self.size);
                let noisy = |row: &[f64], rng: &mut Rng| dot(row, &drawn) + self.lambda.sqrt() * rng.normal();
                let seen: Vec<f64> = rows.clone().map(|row| noisy(row, rng)).collect();
                let dual = factor.solve(&seen);
                rows.zip(dual)
                    .for_each(|(row, weight)| add_scaled(&mut drawn, -weight, row));
            }
            Form::Primal(factor) => {
                let mut column = Mat::from_fn(self.size, 1, |i, _| self.lambda.sqrt() * drawn[i]);
                factor.backward(column.as_mut());
                drawn.copy_from_slice(column.col_as_slice(0));
            }
        }
        drawn
    }
}

fn product(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(left.nrows(), right.ncols());
    matmul(&mut out, Accum::Replace, left, right, 1.0, Par::Seq);
    out
}

/// `Lᵀ` times columns, where what stands above the diagonal of `L` does not count.
fn transposed_times(lower: MatRef<'_, f64>, columns: MatRef<'_, f64>) -> Mat<f64> {
    let size = lower.nrows();
    let clean = Mat::from_fn(size, size, |i, j| if i >= j { lower[(i, j)] } else { 0.0 });
    product(clean.transpose(), columns)
}

/// `Σ_i a_i b_i`.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `out += factor · vector`.
pub(super) fn add_scaled(out: &mut [f64], factor: f64, vector: &[f64]) {
    out.iter_mut().zip(vector).for_each(|(out, x)| *out += factor * x);
}

fn broken(size: usize, count: usize, lambda: f64) -> Error {
    Error::Numerical {
        what: "the information of a parametric model",
        detail: format!("{count} gradients in {size} weights, regulariser {lambda:e}"),
    }
}
