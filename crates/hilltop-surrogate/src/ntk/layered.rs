//! The kernels of infinitely wide networks, layer by layer.
//!
//! With `σ` the covariance of two pre-activations, a hidden layer maps it to the covariance of the activations `σ'`
//! and multiplies what the gradients have in common by `σ̇ = ∂σ'/∂σ`; the tangent kernel is `θ' = θσ̇ + σ'`, starting
//! from `σ = θ = q`. Derivatives in `q`, `a`, `b` are carried along in the same pass (forward mode).

use std::marker::PhantomData;

use faer::{MatMut, MatRef};
use pulp::Arch;

use super::sweep::{Bends, Values};

use crate::process::{Part, Partials, Profile, Tables};

/// One hidden layer of an activation, as a map of covariances.
pub(super) trait Layer: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// What is kept of a point whose pre-activations have this variance.
    fn factor(variance: f64) -> f64;
    /// The layer at a point with itself.
    fn diagonal(variance: f64) -> Diagonal;
    /// The layer at two points.
    fn step(covariance: f64, row: f64, column: f64) -> (f64, f64);
    /// The layer at two points with derivatives.
    fn bend(covariance: f64, row: f64, column: f64) -> Bend;
}

/// A layer at a point with itself: `σ'`, `σ̇` and their derivatives in `σ`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Diagonal {
    pub(super) next: f64,
    pub(super) next_slope: f64,
    pub(super) rate: f64,
    pub(super) rate_slope: f64,
}

/// A layer at two points: `σ'` and `σ̇` with derivatives in the two variances and (of `σ̇`) in the covariance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    pub(super) next: f64,
    pub(super) next_row: f64,
    pub(super) next_column: f64,
    pub(super) rate: f64,
    pub(super) rate_covariance: f64,
    pub(super) rate_row: f64,
    pub(super) rate_column: f64,
}

/// A network of infinitely wide layers of one activation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layered<L> {
    pub(super) depth: usize,
    pub(super) tangent: f64,
    pub(super) conjugate: f64,
    layer: PhantomData<L>,
}

impl<L: Layer> Layered<L> {
    /// `depth` hidden layers; the kernel is `tangent·θ + conjugate·σ` of the last.
    pub(super) fn new(depth: usize, tangent: f64, conjugate: f64) -> Self {
        Self {
            depth,
            tangent,
            conjugate,
            layer: PhantomData,
        }
    }

    /// A point's own recursion.
    fn follow(&self, norm: f64, index: usize, tables: &mut Tables) {
        let (mut sigma, mut theta, mut sigma_slope, mut theta_slope) = (norm, norm, 1.0, 1.0);
        for stage in 0..self.depth {
            tables.factors[stage][index] = L::factor(sigma);
            tables.slopes[stage][index] = sigma_slope;
            let layer = L::diagonal(sigma);
            let next_slope = layer.next_slope * sigma_slope;
            theta_slope = theta_slope * layer.rate + theta * layer.rate_slope * sigma_slope + next_slope;
            theta = theta * layer.rate + layer.next;
            (sigma, sigma_slope) = (layer.next, next_slope);
        }
        tables.value[index] = self.tangent * theta + self.conjugate * sigma;
        tables.slope[index] = self.tangent * theta_slope + self.conjugate * sigma_slope;
    }
}

impl<L: Layer> Profile for Layered<L> {
    fn tables(&self, norms: &[f64]) -> Tables {
        let row = vec![0.0; norms.len()];
        let stages = vec![row.clone(); self.depth];
        let mut tables = Tables {
            value: row.clone(),
            slope: row,
            factors: stages.clone(),
            slopes: stages,
        };
        norms
            .iter()
            .enumerate()
            .for_each(|(index, &norm)| self.follow(norm, index, &mut tables));
        tables
    }

    fn values(&self, rows: &Tables, columns: &Tables, part: Part, mut products: MatMut<'_, f64>) {
        if let Some(products) = products.as_mut().try_as_col_major_mut() {
            Arch::new().dispatch(Values {
                network: self,
                rows,
                columns,
                part,
                products,
            });
        } else {
            let mut copy = products.as_ref().to_owned();
            self.values(rows, columns, part, copy.as_mut());
            products.copy_from(&copy);
        }
    }

    fn partials(&self, rows: &Tables, columns: &Tables, part: Part, products: MatRef<'_, f64>, out: &mut Partials) {
        Arch::new().dispatch(Bends {
            network: self,
            rows,
            columns,
            part,
            products,
            out,
        });
    }
}
