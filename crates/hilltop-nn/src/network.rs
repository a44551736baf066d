//! A network: an architecture and its weights in one flat vector.

use crate::architecture::{Architecture, Initial, Layer, Parameterisation};
use crate::{Error, Result};
use faer::MatRef;
use hilltop_core::Rng;

/// A network with one output: dense layers, with a convolution before them where the architecture has one.
///
/// The weights stand layer by layer from the input on: the matrix `W` (outputs × inputs, column by column), then the
/// biases where there are any.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    architecture: Architecture,
    weights: Vec<f64>,
    /// The fixed signs of the antisymmetric form; empty in the others.
    signs: Vec<f64>,
}

impl Network {
    /// A network with random initial weights, as its parameterisation prescribes.
    pub fn init(architecture: &Architecture, rng: &mut Rng) -> Result<Self> {
        architecture.check()?;
        let mut weights = vec![0.0; architecture.parameter_count()];
        for (index, layer) in architecture.layers().iter().enumerate() {
            draw_layer(architecture, index, layer, &mut weights[layer.start..layer.end], rng);
        }
        let signs = draw_signs(architecture, rng);
        Ok(Self {
            architecture: architecture.clone(),
            weights,
            signs,
        })
    }

    /// A network of known weights, and in the antisymmetric form of known signs (otherwise none).
    pub fn from_parts(architecture: &Architecture, weights: Vec<f64>, signs: Vec<f64>) -> Result<Self> {
        architecture.check()?;
        let expected = architecture.parameter_count();
        if weights.len() != expected {
            return Err(Error::WeightCount {
                expected,
                found: weights.len(),
            });
        }
        let mirrored = architecture.parameterisation == Parameterisation::Antisymmetric;
        let expected = if mirrored { architecture.width() } else { 0 };
        if signs.len() != expected {
            return Err(Error::Shape {
                what: "fixed signs of the output",
                expected,
                found: signs.len(),
            });
        }
        Ok(Self {
            architecture: architecture.clone(),
            weights,
            signs,
        })
    }

    /// The same function class at other weights.
    pub fn with_weights(&self, weights: Vec<f64>) -> Result<Self> {
        let expected = self.weights.len();
        if weights.len() != expected {
            return Err(Error::WeightCount {
                expected,
                found: weights.len(),
            });
        }
        Ok(Self {
            weights,
            ..self.clone()
        })
    }

    /// What the network looks like.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// All weights, `θ`.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// All weights, to be changed.
    pub fn weights_mut(&mut self) -> &mut [f64] {
        &mut self.weights
    }

    /// Number of weights, `p`.
    pub fn parameter_count(&self) -> usize {
        self.weights.len()
    }

    /// Number of layers with trained weights.
    pub fn layer_count(&self) -> usize {
        self.architecture.hidden_count() + usize::from(self.signs.is_empty())
    }

    /// The matrix of a layer counted from 0 (outputs × inputs), without its factor.
    ///
    /// # Panics
    /// If there is no such layer.
    pub fn layer_weights(&self, index: usize) -> MatRef<'_, f64> {
        let layer = self.architecture.layers()[index];
        matrix(&self.weights, &layer)
    }

    /// The biases of a layer counted from 0; empty where there are none.
    ///
    /// # Panics
    /// If there is no such layer.
    pub fn layer_biases(&self, index: usize) -> &[f64] {
        let layer = self.architecture.layers()[index];
        &self.weights[layer.middle..layer.end]
    }

    /// The fixed signs of the antisymmetric form; empty in the others.
    pub(crate) fn signs(&self) -> &[f64] {
        &self.signs
    }

    /// What the output sums the last hidden layer with, before its factor: weights or fixed signs.
    pub fn output_weights(&self) -> &[f64] {
        match self.architecture.layers().last() {
            Some(layer) if self.signs.is_empty() => &self.weights[layer.start..layer.middle],
            _ => &self.signs,
        }
    }
}

/// A layer's matrix in a flat vector of weights.
pub(crate) fn matrix<'a>(weights: &'a [f64], layer: &Layer) -> MatRef<'a, f64> {
    MatRef::from_column_major_slice(&weights[layer.start..layer.middle], layer.outputs, layer.inputs)
}

fn draw_layer(architecture: &Architecture, index: usize, layer: &Layer, out: &mut [f64], rng: &mut Rng) {
    let (weights, biases) = out.split_at_mut(layer.inputs * layer.outputs);
    if architecture.parameterisation == Parameterisation::Antisymmetric {
        draw_mirrored(architecture, index, layer, weights, rng);
    } else {
        let deviation = deviation(architecture, index, layer);
        for weight in weights.iter_mut() {
            *weight = deviation * rng.normal();
        }
    }
    let half = biases.len() / 2;
    for bias in biases.iter_mut() {
        *bias = architecture.bias_deviation * rng.normal();
    }
    if architecture.parameterisation == Parameterisation::Antisymmetric {
        biases.copy_within(..half, half);
    }
}

/// The deviation of a layer's initial weights in the standard and the ntk form.
fn deviation(architecture: &Architecture, index: usize, layer: &Layer) -> f64 {
    let last = index == architecture.hidden_count();
    let width = if last { layer.inputs } else { layer.outputs } as f64;
    match (architecture.parameterisation, architecture.initial) {
        (Parameterisation::Standard, Initial::Everywhere) => width.recip().sqrt(),
        (Parameterisation::Standard, Initial::ZeroLast) if last => 0.0,
        (Parameterisation::Standard, Initial::ZeroLast) => (2.0 / width).sqrt(),
        _ => 1.0,
    }
}

/// `[Ψ; Ψ]` in the first layer, `[[Ψ, 0], [0, Ψ]]` in the others; behind a convolution such a block for every site.
fn draw_mirrored(architecture: &Architecture, index: usize, layer: &Layer, weights: &mut [f64], rng: &mut Rng) {
    let (rows, half) = (layer.outputs, layer.outputs / 2);
    if index == 0 {
        for column in weights.chunks_exact_mut(rows) {
            rng.normals(&mut column[..half]);
            column.copy_within(..half, half);
        }
        return;
    }
    let filters = architecture
        .convolution
        .filter(|_| index == 1)
        .map(|convolution| convolution.filters);
    for block in weights.chunks_exact_mut(rows * filters.unwrap_or(layer.inputs)) {
        let (left, right) = block.split_at_mut(block.len() / 2);
        for (upper, lower) in left.chunks_exact_mut(rows).zip(right.chunks_exact_mut(rows)) {
            rng.normals(&mut upper[..half]);
            lower[half..].copy_from_slice(&upper[..half]);
        }
    }
}

fn draw_signs(architecture: &Architecture, rng: &mut Rng) -> Vec<f64> {
    if architecture.parameterisation != Parameterisation::Antisymmetric {
        return Vec::new();
    }
    let mut signs = vec![1.0; architecture.width()];
    for block in signs.chunks_exact_mut(architecture.top_units()) {
        let (half, mirrored) = block.split_at_mut(block.len() / 2);
        for (sign, opposite) in half.iter_mut().zip(mirrored) {
            *sign = if rng.uniform() < 0.5 { -1.0 } else { 1.0 };
            *opposite = -*sign;
        }
    }
    signs
}
