//! How an instance of a BBOB function gets its minimiser, its least value and its rotations.
//!
//! The suite fixed its own generator in 2009 so that instance 3 of function 8 is the same function in every language: the
//! minimal standard congruential generator (multiplier 16807 modulo 2³¹ − 1) behind a shuffle table of 32 entries.
//! Every draw starts it anew from a seed made of the function's and the instance's number.

use super::matrix::Matrix;

const MODULUS: i64 = 2_147_483_647;
const MULTIPLIER: i64 = 16_807;
/// What the suite writes in place of an exact zero, which it avoids.
const TINY: f64 = 1e-99;

/// `count` numbers of the open unit interval.
pub(super) fn uniforms(count: usize, seed: i64) -> Vec<f64> {
    let mut state = seed.abs().max(1);
    let mut next = || {
        state = state * MULTIPLIER % MODULUS;
        state
    };
    (0..8).for_each(|_| {
        next();
    });
    let mut table = [0_i64; 32];
    table.iter_mut().rev().for_each(|entry| *entry = next());
    let mut current = table[0];
    let mut draw = || {
        let slot = (current / 67_108_865) as usize;
        current = std::mem::replace(&mut table[slot], next());
        non_zero(current as f64 / MODULUS as f64)
    };
    (0..count).map(|_| draw()).collect()
}

/// `count` standard normals, by Box and Muller from twice as many uniforms.
pub(super) fn normals(count: usize, seed: i64) -> Vec<f64> {
    let u = uniforms(2 * count, seed);
    let normal = |i: usize| (-2.0 * u[i].ln()).sqrt() * (std::f64::consts::TAU * u[count + i]).cos();
    (0..count).map(|i| non_zero(normal(i))).collect()
}

fn non_zero(value: f64) -> f64 {
    if value == 0.0 { TINY } else { value }
}

/// The random choices of one instance: a seed and a dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    pub(super) seed: i64,
    pub(super) dim: usize,
}

impl Draw {
    /// The choices of a function and an instance. Two functions share those of a sibling, as the suite has it.
    pub(super) fn new(function: usize, instance: usize, dim: usize) -> Self {
        let sibling = match function {
            4 => 3,
            18 => 17,
            other => other,
        };
        Self {
            seed: (sibling + 10_000 * instance) as i64,
            dim,
        }
    }

    /// The usual minimiser: on a grid of 8·10⁻⁴ in `[-4, 4]`, and never exactly zero.
    pub(super) fn minimiser(&self) -> Vec<f64> {
        self.minimiser_from(self.seed)
    }

    /// The usual minimiser, drawn from the seed of the rotation `R`.
    pub(super) fn minimiser_of_rotation(&self) -> Vec<f64> {
        self.minimiser_from(self.seed + 1_000_000)
    }

    fn minimiser_from(&self, seed: i64) -> Vec<f64> {
        let on_grid = |u: f64| 8.0 * (1e4 * u).floor() / 1e4 - 4.0;
        let shifted = |u: f64| if on_grid(u) == 0.0 { -1e-5 } else { on_grid(u) };
        uniforms(self.dim, seed).into_iter().map(shifted).collect()
    }

    /// The least value: a Cauchy variate rounded to hundredths, within ±1000.
    pub(super) fn least_value(&self) -> f64 {
        let (numerator, denominator) = (normals(1, self.seed)[0], normals(1, self.seed + 1)[0]);
        ((1e4 * numerator / denominator + 0.5).floor() / 100.0).clamp(-1000.0, 1000.0)
    }

    /// The rotation that the definitions call `R`.
    pub(super) fn rotation_r(&self) -> Matrix {
        rotation(self.dim, self.seed + 1_000_000)
    }

    /// The rotation that the definitions call `Q`.
    pub(super) fn rotation_q(&self) -> Matrix {
        rotation(self.dim, self.seed)
    }

    /// `R Λ Q` with `Λ` of the given condition number: the linear map of most rotated functions.
    pub(super) fn conditioned_map(&self, condition: f64) -> Matrix {
        let mut scaled = self.rotation_q();
        for i in 0..self.dim {
            let factor = condition.powf(0.5 * super::transform::rate(i, self.dim));
            scaled.row_mut(i).iter_mut().for_each(|entry| *entry *= factor);
        }
        self.rotation_r().product(&scaled)
    }
}

/// A random rotation: Gram and Schmidt on the columns of a matrix of normals, filled column by column.
fn rotation(dim: usize, seed: i64) -> Matrix {
    let mut columns: Vec<Vec<f64>> = normals(dim * dim, seed)
        .chunks_exact(dim)
        .map(<[f64]>::to_vec)
        .collect();
    for i in 0..dim {
        let (done, rest) = columns.split_at_mut(i);
        let column = &mut rest[0];
        for earlier in done.iter() {
            let overlap = dot(column, earlier);
            column
                .iter_mut()
                .zip(earlier)
                .for_each(|(entry, e)| *entry -= overlap * e);
        }
        let length = dot(column, column).sqrt();
        for entry in column.iter_mut() {
            *entry /= length;
        }
    }
    Matrix::from_columns(&columns)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniforms_lie_in_the_unit_interval_and_a_longer_draw_begins_like_a_shorter_one() {
        let long = uniforms(1000, 10_001);
        assert!(long.iter().all(|u| *u > 0.0 && *u < 1.0));
        assert_eq!(long[..10], uniforms(10, 10_001));
    }

    #[test]
    fn a_rotation_has_orthonormal_rows_and_columns() {
        let r = rotation(7, 42);
        for i in 0..7 {
            for j in 0..7 {
                let unit = f64::from(u8::from(i == j));
                let columns: f64 = (0..7).map(|k| r.row(k)[i] * r.row(k)[j]).sum();
                assert!((dot(r.row(i), r.row(j)) - unit).abs() < 1e-13);
                assert!((columns - unit).abs() < 1e-13);
            }
        }
    }
}
