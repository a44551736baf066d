//! Weights that are used at many sites: the tangent features of a convolution and directions made of them.
//!
//! The gradient of shared weights is a sum over sites, `G = Σ_p δ_p a_pᵀ`, and no outer product. But it is small, so it is
//! formed for every point: as the *activations* of a factor whose signal is one, so that kernels, combinations and selections of
//! tangent features need not know the difference. Biases stand behind the weights, divided by the layer's factor, which the
//! factor puts back.

use crate::architecture::Layer;
use crate::columns::Columns;
use crate::forward::product;
use crate::lanes;
use crate::tangent::Factor;
use faer::{Accum, MatMut, MatRef};

impl Factor {
    /// The gradients of a shared layer's weights at every point.
    pub(crate) fn of_sites(layer: &Layer, activations: &Columns, signals: &Columns) -> Self {
        let (size, count) = (layer.outputs * layer.inputs, activations.count());
        let mut gradients = Columns::filled(layer.end - layer.start, count, 0.0);
        for point in 0..count {
            let (weights, biases) = gradients.column_mut(point).split_at_mut(size);
            let signal = layer.at_sites(signals.column(point), layer.outputs);
            let patches = layer.at_sites(activations.column(point), layer.inputs);
            let weights = MatMut::from_column_major_slice_mut(weights, layer.outputs, layer.inputs);
            product(weights, Accum::Replace, signal, patches.transpose(), 1.0);
            for site in signals
                .column(point)
                .chunks_exact(layer.outputs)
                .filter(|_| layer.has_bias())
            {
                lanes::add_scaled(biases, layer.scale.recip(), site);
            }
        }
        Self {
            activations: gradients,
            signals: Columns::filled(1, count, 1.0),
            scale: layer.scale,
            bias: false,
        }
    }
}

impl Layer {
    pub(crate) fn has_bias(&self) -> bool {
        self.end > self.middle
    }

    /// A point's column as a matrix of a column for every site.
    fn at_sites<'a>(&self, column: &'a [f64], rows: usize) -> MatRef<'a, f64> {
        MatRef::from_column_major_slice(column, rows, self.sites)
    }
}

/// `s V a + v` at every site, for a direction `V` of its own for every point, over the layer's factor (a column each).
pub(crate) fn push_sites(layer: &Layer, directions: &Columns, activations: &Columns, out: &mut Columns) {
    let (size, square) = (layer.outputs * layer.inputs, layer.scale * layer.scale);
    for point in 0..out.count() {
        let (weights, biases) = directions.column(point).split_at(size);
        let weights = MatRef::from_column_major_slice(weights, layer.outputs, layer.inputs);
        let patches = layer.at_sites(activations.column(point), layer.inputs);
        let target = MatMut::from_column_major_slice_mut(out.column_mut(point), layer.outputs, layer.sites);
        product(target, Accum::Replace, weights, patches, square);
        if layer.has_bias() {
            for site in out.column_mut(point).chunks_exact_mut(layer.outputs) {
                lanes::add_scaled(site, layer.scale, biases);
            }
        }
    }
}

/// Adds `s Vᵀ δ` at every site, for a direction `V` of its own for every point, over the layer's factor.
pub(crate) fn pull_sites(layer: &Layer, directions: &Columns, signals: &Columns, out: &mut Columns) {
    let (size, square) = (layer.outputs * layer.inputs, layer.scale * layer.scale);
    for point in 0..out.count() {
        let weights = &directions.column(point)[..size];
        let weights = MatRef::from_column_major_slice(weights, layer.outputs, layer.inputs);
        let signal = layer.at_sites(signals.column(point), layer.outputs);
        let target = MatMut::from_column_major_slice_mut(out.column_mut(point), layer.inputs, layer.sites);
        product(target, Accum::Add, weights.transpose(), signal, square);
    }
}
