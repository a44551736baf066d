//! Stationary kernels as functions of the inner product and the norms: `r² = a + b − 2q`.

use faer::{MatMut, MatRef};
use hilltop_core::{Result, Rng};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::waves::Waves;
use crate::process::{Field, Part, Partials, Profile, Source, Tables};

/// How smooth a process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Squared exponential: infinitely often differentiable, as in the papers.
    SquaredExponential,
    /// Matérn with `ν = 5/2`: twice differentiable.
    #[default]
    Matern,
}

impl Family {
    /// The correlation at a squared distance, and its derivative in it.
    fn at(self, squared: f64) -> (f64, f64) {
        match self {
            Self::SquaredExponential => {
                let value = (-0.5 * squared).exp();
                (value, -0.5 * value)
            }
            Self::Matern => {
                let s = (5.0 * squared).sqrt();
                let decay = (-s).exp();
                ((1.0 + s + s * s / 3.0) * decay, -5.0 / 6.0 * (1.0 + s) * decay)
            }
        }
    }

    /// A frequency of the spectral density, in as many dimensions as there are places.
    pub(super) fn frequency(self, place: &mut [f64], rng: &mut Rng) {
        rng.normals(place);
        if self == Self::Matern {
            // Student's distribution with 2ν = 5 degrees of freedom.
            let mut normals = [0.0; 5];
            rng.normals(&mut normals);
            let chi = normals.iter().map(|x| x * x).sum::<f64>();
            place.iter_mut().for_each(|x| *x *= (5.0 / chi).sqrt());
        }
    }
}

/// The squared norms are all that a stationary kernel wants to find again of a point.
impl Profile for Family {
    fn tables(&self, norms: &[f64]) -> Tables {
        Tables {
            value: vec![1.0; norms.len()],
            slope: vec![0.0; norms.len()],
            factors: vec![norms.to_vec()],
            slopes: Vec::new(),
        }
    }

    fn values(&self, rows: &Tables, columns: &Tables, part: Part, mut products: MatMut<'_, f64>) {
        let (rows, columns) = (&rows.factors[0], &columns.factors[0]);
        for column in 0..products.ncols() {
            for row in part.first(column)..products.nrows() {
                let squared = (rows[row] + columns[column] - 2.0 * products[(row, column)]).max(0.0);
                products[(row, column)] = self.at(squared).0;
            }
        }
    }

    fn partials(&self, rows: &Tables, columns: &Tables, part: Part, products: MatRef<'_, f64>, out: &mut Partials) {
        let (rows, columns) = (&rows.factors[0], &columns.factors[0]);
        for column in 0..products.ncols() {
            for row in part.first(column)..products.nrows() {
                let squared = (rows[row] + columns[column] - 2.0 * products[(row, column)]).max(0.0);
                let (value, slope) = self.at(squared);
                out.value[(row, column)] = value;
                out.product[(row, column)] = -2.0 * slope;
                out.row[(row, column)] = slope;
                out.column[(row, column)] = slope;
            }
        }
    }
}

impl Source for Family {
    fn draw(&self, weights: &[f64], rng: &mut Rng) -> Result<Arc<dyn Field>> {
        Ok(Arc::new(Waves::drawn(*self, weights, rng)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_derivative_is_the_slope_of_the_correlation() {
        for family in [Family::SquaredExponential, Family::Matern] {
            assert!((family.at(0.0).0 - 1.0).abs() < 1e-15);
            for squared in [0.01, 0.3, 1.0, 7.0] {
                let step = 1e-6;
                let slope = (family.at(squared + step).0 - family.at(squared - step).0) / (2.0 * step);
                assert!((family.at(squared).1 - slope).abs() < 1e-8, "{family:?} {squared}");
            }
        }
    }
}
