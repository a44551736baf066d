//! The kernels of infinitely wide networks, layer by layer.
//!
//! With `σ` the covariance of two pre-activations, a hidden layer maps it to the covariance of the activations `σ'`
//! and multiplies what the gradients have in common by `σ̇ = ∂σ'/∂σ`; the tangent kernel is `θ' = θσ̇ + σ'`, starting
//! from `σ = θ = q`. Derivatives in `q`, `a`, `b` are carried along in the same pass (forward mode). Entries are worked on
//! in short runs that stay in the first-level cache, one layer at a time, so that every loop is a vector loop.

use std::marker::PhantomData;

use faer::{Mat, MatMut, MatRef};
use pulp::Arch;

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

/// So many entries are worked on at once.
const RUN: usize = 128;

/// A network of infinitely wide layers of one activation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layered<L> {
    depth: usize,
    tangent: f64,
    conjugate: f64,
    layer: PhantomData<L>,
}

impl<L: Layer> Layered<L> {
    /// `depth` hidden layers; the kernel is `tangent·θ + conjugate·σ` of the last.
    pub(super) fn new(depth: usize, tangent: f64, conjugate: f64) -> Self {
        Self { depth, tangent, conjugate, layer: PhantomData }
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

    /// A run of entries of one column: products become values.
    #[inline(always)]
    fn run(&self, rows: &Tables, columns: &Tables, (start, column): (usize, usize), entries: &mut [f64]) {
        let mut thetas = [0.0; RUN];
        let theta = &mut thetas[..entries.len()];
        theta.copy_from_slice(entries);
        for stage in 0..self.depth {
            let row = &rows.factors[stage][start..start + entries.len()];
            let own = columns.factors[stage][column];
            for ((sigma, theta), &row) in entries.iter_mut().zip(theta.iter_mut()).zip(row) {
                let (next, rate) = L::step(*sigma, row, own);
                *theta = *theta * rate + next;
                *sigma = next;
            }
        }
        for (entry, theta) in entries.iter_mut().zip(theta) {
            *entry = self.tangent * *theta + self.conjugate * *entry;
        }
    }

    /// A run of entries of one column with derivatives.
    #[inline(always)]
    fn bent_run(&self, rows: &Tables, columns: &Tables, (start, column): (usize, usize), lanes: &mut Lanes, len: usize) {
        for stage in 0..self.depth {
            let row = &rows.factors[stage][start..start + len];
            let row_slope = &rows.slopes[stage][start..start + len];
            lanes.advance::<L>(row, row_slope, columns.factors[stage][column], columns.slopes[stage][column]);
        }
    }
}

impl<L: Layer> Profile for Layered<L> {
    fn tables(&self, norms: &[f64]) -> Tables {
        let (row, stages) = (vec![0.0; norms.len()], self.depth);
        let stages = vec![row.clone(); stages];
        let mut tables = Tables { value: row.clone(), slope: row, factors: stages.clone(), slopes: stages };
        norms.iter().enumerate().for_each(|(index, &norm)| self.follow(norm, index, &mut tables));
        tables
    }

    fn values(&self, rows: &Tables, columns: &Tables, part: Part, products: MatMut<'_, f64>) {
        let mut strided = Mat::new();
        let mut products = products;
        let Some(mut matrix) = products.as_mut().try_as_col_major_mut() else {
            strided.clone_from(&products.as_ref().to_owned());
            self.values(rows, columns, part, strided.as_mut());
            products.copy_from(&strided);
            return;
        };
        Arch::new().dispatch(|| {
            for column in 0..matrix.ncols() {
                let first = part.first(column);
                let entries = &mut matrix.as_mut().col_mut(column).as_slice_mut()[first..];
                for (index, run) in entries.chunks_mut(RUN).enumerate() {
                    self.run(rows, columns, (first + index * RUN, column), run);
                }
            }
        });
    }

    fn partials(&self, rows: &Tables, columns: &Tables, part: Part, products: MatRef<'_, f64>) -> Partials {
        let mut out = Partials::zeros(products.nrows(), products.ncols());
        let mut lanes = Lanes::new();
        Arch::new().dispatch(|| {
            for column in 0..products.ncols() {
                for start in (part.first(column)..products.nrows()).step_by(RUN) {
                    let len = RUN.min(products.nrows() - start);
                    lanes.load(products, start, column, len);
                    self.bent_run(rows, columns, (start, column), &mut lanes, len);
                    lanes.store(&mut out, start, column, len, (self.tangent, self.conjugate));
                }
            }
        });
        out
    }
}

/// A run of entries with everything that is carried from layer to layer.
struct Lanes {
    sigma: [[f64; RUN]; 4],
    theta: [[f64; RUN]; 4],
}

impl Lanes {
    fn new() -> Self {
        Self { sigma: [[0.0; RUN]; 4], theta: [[0.0; RUN]; 4] }
    }

    /// The state before the first layer: `σ = θ = q`, and derivative 1 in `q`.
    #[inline(always)]
    fn load(&mut self, products: MatRef<'_, f64>, start: usize, column: usize, len: usize) {
        for (k, slot) in self.sigma[0][..len].iter_mut().enumerate() {
            *slot = products[(start + k, column)];
        }
        self.sigma[1][..len].fill(1.0);
        self.sigma[2][..len].fill(0.0);
        self.sigma[3][..len].fill(0.0);
        self.theta = self.sigma;
    }

    /// One layer further.
    #[inline(always)]
    fn advance<L: Layer>(&mut self, row: &[f64], row_slope: &[f64], column: f64, column_slope: f64) {
        let len = row.len();
        let [s, sq, sa, sb] = &mut self.sigma;
        let [t, tq, ta, tb] = &mut self.theta;
        let (s, sq, sa, sb) = (&mut s[..len], &mut sq[..len], &mut sa[..len], &mut sb[..len]);
        let (t, tq, ta, tb) = (&mut t[..len], &mut tq[..len], &mut ta[..len], &mut tb[..len]);
        let row_slope = &row_slope[..len];
        for i in 0..len {
            let layer = L::bend(s[i], row[i], column);
            let by_row = (layer.next_row * row_slope[i], layer.rate_row * row_slope[i]);
            let by_column = (layer.next_column * column_slope, layer.rate_column * column_slope);
            let (nq, na, nb) = (layer.rate * sq[i], layer.rate * sa[i] + by_row.0, layer.rate * sb[i] + by_column.0);
            let curve = layer.rate_covariance;
            tq[i] = tq[i] * layer.rate + t[i] * (curve * sq[i]) + nq;
            ta[i] = ta[i] * layer.rate + t[i] * (curve * sa[i] + by_row.1) + na;
            tb[i] = tb[i] * layer.rate + t[i] * (curve * sb[i] + by_column.1) + nb;
            t[i] = t[i] * layer.rate + layer.next;
            (s[i], sq[i], sa[i], sb[i]) = (layer.next, nq, na, nb);
        }
    }

    /// The kernel and its derivatives after the last layer.
    #[inline(always)]
    fn store(&self, out: &mut Partials, start: usize, column: usize, len: usize, (tangent, conjugate): (f64, f64)) {
        let places = [&mut out.value, &mut out.product, &mut out.row, &mut out.column];
        for (place, (sigma, theta)) in places.into_iter().zip(self.sigma.iter().zip(&self.theta)) {
            let slots = &mut place.col_as_slice_mut(column)[start..start + len];
            for ((slot, sigma), theta) in slots.iter_mut().zip(sigma).zip(theta) {
                *slot = tangent * theta + conjugate * sigma;
            }
        }
    }
}
