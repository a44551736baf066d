//! The tangent features `g(x) = ∇_θ h(x)` of points, in factors, and their kernel.
//!
//! The gradient of a layer's weights is the outer product of the signal that comes back to it and the activation that
//! enters it. So the inner product of two gradients needs neither of them (methods of Novak et al. and others):
//!
//! ```text
//! K = Σ_l s_l² (A_l A'_lᵀ) ∘ (Δ_l Δ'_lᵀ)      and biases add  Δ_l Δ'_lᵀ
//! ```
//!
//! which costs `n n' m` for a layer of width `m`, where gradient vectors would cost `n n' m²`.

use crate::columns::Columns;
use crate::forward::{Order, Workspace, product};
use crate::lanes;
use crate::network::Network;
use faer::{Accum, Mat, MatMut, MatRef};
use std::ops::Range;

/// Points whose kernel is computed at once.
const TILE: usize = 192;
/// A tile on the diagonal of a symmetric kernel is computed in strips of so many rows, each as far as the diagonal.
const STRIP: usize = 48;

/// Gradients of the output with respect to the weights at several points, as factors layer by layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tangent {
    pub(crate) factors: Vec<Factor>,
    count: usize,
}

/// One layer's part of the gradients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Factor {
    /// What enters the layer, a column a point.
    pub(crate) activations: Columns,
    /// What comes back to it, a column a point.
    pub(crate) signals: Columns,
    pub(crate) scale: f64,
    pub(crate) bias: bool,
}

impl Network {
    /// The tangent features of points (a row a point) at the network's weights.
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs.
    pub fn tangent(&self, points: MatRef<'_, f64>) -> Tangent {
        let mut workspace = Workspace::new(self.architecture());
        self.load(points, 0..points.nrows(), &mut workspace);
        self.propagate(&mut workspace, Order::Slope);
        self.tangent_of(&mut workspace)
    }

    /// The tangent features of the points in a workspace with slopes, which become signals.
    pub(crate) fn tangent_of(&self, workspace: &mut Workspace) -> Tangent {
        self.tangent_by(workspace, |columns| columns.clone())
    }

    /// The same without copies: the columns of dense layers move to the tangent until [`Workspace::take_back`].
    pub(crate) fn tangent_in(&self, workspace: &mut Workspace) -> Tangent {
        self.tangent_by(workspace, std::mem::take)
    }

    fn tangent_by(&self, workspace: &mut Workspace, take: impl Fn(&mut Columns) -> Columns) -> Tangent {
        let count = workspace.count();
        self.signals(workspace, &vec![1.0; count]);
        let mut output = Columns::filled(1, count, 1.0);
        let signals = workspace.slopes.iter_mut().chain(std::iter::once(&mut output));
        let layers = workspace.layers.iter().zip(&mut workspace.activations).zip(signals);
        let factors = layers.map(|((layer, activations), signals)| {
            if layer.sites > 1 {
                return Factor::of_sites(layer, activations, signals);
            }
            Factor {
                activations: take(activations),
                signals: take(signals),
                scale: layer.scale,
                bias: self.architecture().bias,
            }
        });
        Tangent {
            factors: factors.collect(),
            count,
        }
    }
}

impl Workspace {
    /// Takes back the columns that a tangent had.
    pub(crate) fn take_back(&mut self, tangent: Tangent) {
        let dense = self.layers.iter().zip(tangent.factors).enumerate();
        for (index, (_, factor)) in dense.filter(|(_, (layer, _))| layer.sites == 1) {
            self.activations[index] = factor.activations;
            if let Some(slopes) = self.slopes.get_mut(index) {
                *slopes = factor.signals;
            }
        }
    }
}

impl Tangent {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// `⟨g(x_i), g(x'_j)⟩` for all pairs (a row for every point here, a column for every point there).
    ///
    /// # Panics
    /// If the two belong to networks of different shapes.
    pub fn kernel(&self, other: &Self) -> Mat<f64> {
        let mut kernel = Mat::zeros(self.count, other.count);
        let mut overlaps = Overlaps::default();
        for rows in tiles(self.count) {
            for columns in tiles(other.count) {
                self.add_tile(other, &rows, &columns, &mut overlaps, &mut kernel);
            }
        }
        kernel
    }

    /// The kernel of the points among themselves, symmetric to the last bit.
    pub fn gram(&self) -> Mat<f64> {
        let mut kernel = Mat::zeros(self.count, self.count);
        self.gram_into(&mut kernel);
        for j in 0..self.count {
            for i in 0..j {
                kernel[(i, j)] = kernel[(j, i)];
            }
        }
        kernel
    }

    /// The lower triangle of the kernel of the points among themselves; what stands above it is of no meaning.
    pub(crate) fn gram_into(&self, kernel: &mut Mat<f64>) {
        kernel.fill(0.0);
        let mut overlaps = Overlaps::default();
        for (rows, columns) in lower_tiles(self.count) {
            self.add_tile(self, &rows, &columns, &mut overlaps, kernel);
        }
    }

    /// `⟨g(x_i), g(x_i)⟩` for every point.
    pub fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.count];
        for factor in &self.factors {
            for (index, value) in diagonal.iter_mut().enumerate() {
                let (a, d) = (factor.activations.column(index), factor.signals.column(index));
                let (square, bias) = factor.weights();
                *value += (square * lanes::dot(a, a) + bias) * lanes::dot(d, d);
            }
        }
        diagonal
    }

    /// The features of some of the points, in the order given.
    ///
    /// # Panics
    /// If an index is not below the number of points.
    #[must_use]
    pub fn select(&self, points: &[usize]) -> Self {
        Self {
            factors: self.factors.iter().map(|factor| factor.select(points)).collect(),
            count: points.len(),
        }
    }

    /// Adds the features of more points behind these.
    ///
    /// # Panics
    /// If the two belong to networks of different shapes.
    pub fn append(&mut self, other: &Self) {
        for (factor, more) in self.factors.iter_mut().zip(&other.factors) {
            factor.activations.append(&more.activations);
            factor.signals.append(&more.signals);
        }
        self.count += other.count;
    }

    /// `Σ_i c_i g(x_i)`, a direction in the space of weights.
    ///
    /// # Panics
    /// If there is not a coefficient for every point.
    pub fn combination(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.factors.iter().map(Factor::weight_count).sum()];
        self.combination_into(coefficients, &mut Columns::default(), &mut out);
        out
    }

    /// The same into memory that is given.
    pub(crate) fn combination_into(&self, coefficients: &[f64], weighted: &mut Columns, out: &mut [f64]) {
        assert_eq!(coefficients.len(), self.count, "a coefficient for every point");
        let mut rest = out;
        for factor in &self.factors {
            let (part, behind) = rest.split_at_mut(factor.weight_count());
            factor.combination(coefficients, weighted, part);
            rest = behind;
        }
    }

    /// `⟨g(x_i), v⟩` for every point, the derivative along a direction of the weights.
    ///
    /// # Panics
    /// If the direction does not have a component for every weight.
    pub fn along(&self, direction: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.len()];
        self.along_into(direction, &mut Columns::default(), &mut values);
        values
    }

    /// The same into memory that is given.
    pub(crate) fn along_into(&self, direction: &[f64], pushed: &mut Columns, values: &mut [f64]) {
        values.fill(0.0);
        let mut start = 0;
        for factor in &self.factors {
            let end = start + factor.weight_count();
            factor.add_along(&direction[start..end], pushed, values);
            start = end;
        }
        assert_eq!(start, direction.len(), "a component for every weight");
    }

    /// `g(x_i)` itself, of the length of all weights: for tests and small networks.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn gradient_vector(&self, point: usize) -> Vec<f64> {
        self.select(&[point]).combination(&[1.0])
    }

    /// Adds the layers' parts of one tile of the kernel.
    fn add_tile(
        &self,
        other: &Self,
        rows: &Range<usize>,
        columns: &Range<usize>,
        overlaps: &mut Overlaps,
        kernel: &mut Mat<f64>,
    ) {
        assert_eq!(self.factors.len(), other.factors.len(), "features of one network");
        for (here, there) in self.factors.iter().zip(&other.factors) {
            here.add_tile(there, (rows, columns), overlaps, kernel);
        }
    }
}

/// Memory for the two products of a tile.
#[derive(Default)]
pub(crate) struct Overlaps {
    inner: Columns,
    outer: Columns,
}

impl Factor {
    /// What `AAᵀ` is multiplied by and what is added to it before it meets `ΔΔᵀ`: `s²`, and one where there are biases.
    pub(crate) fn weights(&self) -> (f64, f64) {
        (self.scale * self.scale, if self.bias { 1.0 } else { 0.0 })
    }

    /// The same for two terms of a layer: a bias belongs to those that both have it.
    pub(crate) fn meeting(&self, other: &Self) -> (f64, f64) {
        (self.scale * self.scale, if self.bias && other.bias { 1.0 } else { 0.0 })
    }

    /// Adds one tile of the kernel with another factor of the same layer.
    pub(crate) fn add_tile(
        &self,
        other: &Self,
        (rows, columns): (&Range<usize>, &Range<usize>),
        Overlaps { inner, outer }: &mut Overlaps,
        kernel: &mut Mat<f64>,
    ) {
        overlap(&self.activations, &other.activations, rows, columns, inner);
        overlap(&self.signals, &other.signals, rows, columns, outer);
        for (index, column) in columns.clone().enumerate() {
            let out = &mut kernel.col_as_slice_mut(column)[rows.clone()];
            lanes::add_affine_product(out, self.meeting(other), inner.column(index), outer.column(index));
        }
    }

    /// The factors of some of the points, in the order given.
    pub(crate) fn select(&self, points: &[usize]) -> Self {
        let gathered = |columns: &Columns| {
            let mut out = Columns::default();
            out.gather(columns, points);
            out
        };
        Self {
            activations: gathered(&self.activations),
            signals: gathered(&self.signals),
            ..*self
        }
    }

    /// Adds `s δ_iᵀ V a_i` to every value, and `δ_iᵀ v` where there are biases.
    pub(crate) fn add_along(&self, direction: &[f64], pushed: &mut Columns, values: &mut [f64]) {
        let (outputs, inputs) = (self.signals.rows(), self.activations.rows());
        let (weights, biases) = direction.split_at(outputs * inputs);
        pushed.reshape(outputs, self.signals.count());
        let weights = MatRef::from_column_major_slice(weights, outputs, inputs);
        product(
            pushed.view_mut(),
            Accum::Replace,
            weights,
            self.activations.view(),
            self.scale,
        );
        for (index, value) in values.iter_mut().enumerate() {
            let signal = self.signals.column(index);
            *value += lanes::dot(signal, pushed.column(index));
            if self.bias {
                *value += lanes::dot(signal, biases);
            }
        }
    }

    /// Weights of the layer, biases included.
    pub(crate) fn weight_count(&self) -> usize {
        self.signals.rows() * (self.activations.rows() + usize::from(self.bias))
    }

    /// `s Δ diag(c) Aᵀ`, then `Δ c` where there are biases.
    fn combination(&self, coefficients: &[f64], weighted: &mut Columns, out: &mut [f64]) {
        let (outputs, inputs) = (self.signals.rows(), self.activations.rows());
        let (weights, biases) = out.split_at_mut(outputs * inputs);
        weighted.reshape(outputs, self.signals.count());
        lanes::scale_columns(weighted.as_mut_slice(), self.signals.as_slice(), coefficients);
        let target = MatMut::from_column_major_slice_mut(weights, outputs, inputs);
        product(
            target,
            Accum::Replace,
            weighted.view(),
            self.activations.view().transpose(),
            self.scale,
        );
        if self.bias {
            biases.fill(0.0);
            lanes::add_columns(biases, self.signals.as_slice(), coefficients);
        }
    }
}

/// `out = A[rows]ᵀ A'[columns]`.
fn overlap(here: &Columns, there: &Columns, rows: &Range<usize>, columns: &Range<usize>, out: &mut Columns) {
    out.reshape(rows.len(), columns.len());
    let transposed = here.view_of(rows.clone()).transpose();
    product(
        out.view_mut(),
        Accum::Replace,
        transposed,
        there.view_of(columns.clone()),
        1.0,
    );
}

/// Rows and columns of tiles that cover the lower triangle of a square. Those on the diagonal are strips, of which little lies above it.
pub(crate) fn lower_tiles(count: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    tiles(count).flat_map(|rows| {
        let strips = rows.clone().step_by(STRIP);
        let (first, end) = (rows.start, rows.end);
        // Tiles start where other tiles do, so these end where the diagonal begins.
        let below = tiles(first).map(move |columns| (rows.clone(), columns));
        below.chain(strips.map(move |start| {
            let strip = start..(start + STRIP).min(end);
            (strip.clone(), first..strip.end)
        }))
    })
}

pub(crate) fn tiles(count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count)
        .step_by(TILE)
        .map(move |start| start..(start + TILE).min(count))
}
