//! Directions in the space of weights: given flat, or as a combination of tangent features that is never formed.
//!
//! A directional derivative needs of a direction `V` only what each layer's part does to activations (`V a`) and to
//! signals (`Vᵀ δ`). Where `V = Σ_i c_i g(x_i)`, both follow from the factors of `g` at a cost of `n m` a point,
//! while forming `V` would cost `n m²`.

use crate::architecture::Layer;
use crate::columns::Columns;
use crate::forward::product;
use crate::jet_tangent::JetTangent;
use crate::lanes;
use crate::network::matrix;
use crate::shared::{pull_sites, push_sites};
use crate::tangent::{Factor, Tangent};
use faer::{Accum, MatRef};

/// A direction in the space of weights, one for every point of a batch (or the same for all).
pub(crate) enum Direction<'a> {
    /// The same flat vector for all points.
    Flat(&'a [f64]),
    /// `Σ_i c_ij g(x_i)` for point `j`: features of the data and their coefficients (data × points).
    Combination(&'a Tangent, MatRef<'a, f64>),
    /// The same for features of differential operators.
    Operators(&'a JetTangent, MatRef<'a, f64>),
    /// `g(x_j)` for point `j` itself.
    Own(&'a Tangent),
}

impl Direction<'_> {
    /// `s V a + v` for every column: the part of `ż` that the direction causes itself.
    pub(crate) fn push(&self, index: usize, layer: &Layer, activations: &Columns) -> Columns {
        let mut out = Columns::filled(layer.outputs * layer.sites, activations.count(), 0.0);
        if let Some(directions) = self.at_sites(index, layer) {
            push_sites(layer, &directions, activations, &mut out);
            return out;
        }
        match self {
            Self::Flat(vector) => push_flat(vector, layer, activations, &mut out),
            Self::Combination(data, coefficients) => {
                push_factor(&data.factors[index], activations, *coefficients, &mut out);
            }
            Self::Operators(data, coefficients) => {
                for factor in &data.layers[index] {
                    push_factor(factor, activations, *coefficients, &mut out);
                }
            }
            Self::Own(points) => {
                let factor = &points.factors[index];
                for column in 0..out.count() {
                    let a = factor.activations.column(column);
                    let (square, bias) = factor.weights();
                    let scale = square * lanes::dot(a, a) + bias;
                    lanes::add_scaled(out.column_mut(column), scale, factor.signals.column(column));
                }
            }
        }
        out
    }

    /// Adds `s Vᵀ δ` to every column of `out`.
    pub(crate) fn pull(&self, index: usize, layer: &Layer, signals: &Columns, out: &mut Columns) {
        if let Some(directions) = self.at_sites(index, layer) {
            pull_sites(layer, &directions, signals, out);
            return;
        }
        match self {
            Self::Flat(vector) => {
                let (transposed, signals) = (matrix(vector, layer).transpose(), signals.view_at(layer.sites));
                let out = out.view_at_mut(layer.sites);
                product(out, Accum::Add, transposed, signals, layer.scale);
            }
            Self::Combination(data, coefficients) => {
                pull_factor(&data.factors[index], signals, *coefficients, out);
            }
            Self::Operators(data, coefficients) => {
                for factor in &data.layers[index] {
                    pull_factor(factor, signals, *coefficients, out);
                }
            }
            Self::Own(points) => {
                let factor = &points.factors[index];
                for column in 0..out.count() {
                    let overlap = lanes::dot(factor.signals.column(column), signals.column(column));
                    let scale = factor.scale * factor.scale * overlap;
                    lanes::add_scaled(out.column_mut(column), scale, factor.activations.column(column));
                }
            }
        }
    }
}

impl Direction<'_> {
    /// The direction of every point (a column each) where it is made of gradients of shared weights.
    fn at_sites(&self, index: usize, layer: &Layer) -> Option<Columns> {
        if layer.sites == 1 {
            return None;
        }
        match self {
            Self::Flat(_) | Self::Operators(..) => None,
            Self::Own(points) => Some(points.factors[index].activations.clone()),
            Self::Combination(data, coefficients) => {
                let gradients = &data.factors[index].activations;
                let mut directions = Columns::filled(gradients.rows(), coefficients.ncols(), 0.0);
                let out = directions.view_mut();
                product(out, Accum::Replace, gradients.view(), *coefficients, 1.0);
                Some(directions)
            }
        }
    }
}

/// Adds what `Σ_i c_ij` of one factor does to activations.
fn push_factor(factor: &Factor, activations: &Columns, coefficients: MatRef<'_, f64>, out: &mut Columns) {
    let mut overlaps = weighted_overlaps(&factor.activations, activations, coefficients);
    let square = factor.scale * factor.scale;
    overlaps.as_mut_slice().iter_mut().for_each(|value| *value *= square);
    if factor.bias {
        add_matrix(&mut overlaps, coefficients);
    }
    product(out.view_mut(), Accum::Add, factor.signals.view(), overlaps.view(), 1.0);
}

/// Adds what the transpose of `Σ_i c_ij` of one factor does to signals.
fn pull_factor(factor: &Factor, signals: &Columns, coefficients: MatRef<'_, f64>, out: &mut Columns) {
    let overlaps = weighted_overlaps(&factor.signals, signals, coefficients);
    let square = factor.scale * factor.scale;
    product(
        out.view_mut(),
        Accum::Add,
        factor.activations.view(),
        overlaps.view(),
        square,
    );
}

fn push_flat(vector: &[f64], layer: &Layer, activations: &Columns, out: &mut Columns) {
    let biases = &vector[layer.middle..layer.end];
    if !biases.is_empty() {
        out.as_mut_slice()
            .chunks_exact_mut(layer.outputs)
            .for_each(|column| column.copy_from_slice(biases));
    }
    product(
        out.view_at_mut(layer.sites),
        Accum::Add,
        matrix(vector, layer),
        activations.view_at(layer.sites),
        layer.scale,
    );
}

/// `C ∘ (Xᵀ Y)` for columns `X` of the data and `Y` of the points.
fn weighted_overlaps(data: &Columns, points: &Columns, coefficients: MatRef<'_, f64>) -> Columns {
    let mut overlaps = Columns::filled(data.count(), points.count(), 0.0);
    product(
        overlaps.view_mut(),
        Accum::Replace,
        data.view().transpose(),
        points.view(),
        1.0,
    );
    for point in 0..points.count() {
        for (row, value) in overlaps.column_mut(point).iter_mut().enumerate() {
            *value *= coefficients[(row, point)];
        }
    }
    overlaps
}

fn add_matrix(columns: &mut Columns, matrix: MatRef<'_, f64>) {
    for index in 0..columns.count() {
        for (row, value) in columns.column_mut(index).iter_mut().enumerate() {
            *value += matrix[(row, index)];
        }
    }
}
