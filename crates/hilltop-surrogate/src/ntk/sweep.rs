//! Whole matrices through the layers of an infinitely wide network.
//!
//! Entries are worked on in short runs that stay in the first-level cache, one layer at a time, so that every loop is a
//! vector loop of the best instructions the machine has.
#![allow(
    clippy::inline_always,
    reason = "a loop takes the instruction set of the function it is inlined into"
)]

use faer::{ContiguousFwd, MatMut, MatRef};
use pulp::NullaryFnOnce;

use super::layered::{Layer, Layered};
use crate::process::{Part, Partials, Tables};

/// So many entries are worked on at once.
const RUN: usize = 128;

/// Products that become kernel values.
pub(super) struct Values<'a, L> {
    pub(super) network: &'a Layered<L>,
    pub(super) rows: &'a Tables,
    pub(super) columns: &'a Tables,
    pub(super) part: Part,
    pub(super) products: MatMut<'a, f64, usize, usize, ContiguousFwd>,
}

impl<L: Layer> NullaryFnOnce for Values<'_, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            network,
            rows,
            columns,
            part,
            mut products,
        } = self;
        for column in 0..products.ncols() {
            let first = part.first(column);
            let entries = &mut products.as_mut().col_mut(column).as_slice_mut()[first..];
            for (index, run) in entries.chunks_mut(RUN).enumerate() {
                network.run(rows, columns, (first + index * RUN, column), run);
            }
        }
    }
}

/// Products whose kernel values and derivatives are wanted.
pub(super) struct Bends<'a, L> {
    pub(super) network: &'a Layered<L>,
    pub(super) rows: &'a Tables,
    pub(super) columns: &'a Tables,
    pub(super) part: Part,
    pub(super) products: MatRef<'a, f64>,
    pub(super) out: &'a mut Partials,
}

impl<L: Layer> NullaryFnOnce for Bends<'_, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            network,
            rows,
            columns,
            part,
            products,
            out,
        } = self;
        let mut lanes = Lanes::new();
        for column in 0..products.ncols() {
            for start in (part.first(column)..products.nrows()).step_by(RUN) {
                let len = RUN.min(products.nrows() - start);
                lanes.load(products, start, column, len);
                for stage in 0..network.depth {
                    let row = &rows.factors[stage][start..start + len];
                    let row_slope = &rows.slopes[stage][start..start + len];
                    let own = (columns.factors[stage][column], columns.slopes[stage][column]);
                    lanes.advance::<L>(row, row_slope, own);
                }
                lanes.store(out, start, column, len, (network.tangent, network.conjugate));
            }
        }
    }
}

impl<L: Layer> Layered<L> {
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
}

/// A run of entries with everything that is carried from layer to layer.
struct Lanes {
    sigma: [[f64; RUN]; 4],
    theta: [[f64; RUN]; 4],
}

impl Lanes {
    fn new() -> Self {
        Self {
            sigma: [[0.0; RUN]; 4],
            theta: [[0.0; RUN]; 4],
        }
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
    fn advance<L: Layer>(&mut self, row: &[f64], row_slope: &[f64], (column, column_slope): (f64, f64)) {
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
            let (nq, na, nb) = (
                layer.rate * sq[i],
                layer.rate * sa[i] + by_row.0,
                layer.rate * sb[i] + by_column.0,
            );
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
