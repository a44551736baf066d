//! From points to values: the forward pass and the memory it works in.

use crate::architecture::Layer;
use crate::columns::Columns;
use crate::convolution::{Convolution, unfold};
use crate::network::{Network, matrix};
use crate::{Architecture, lanes};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Points evaluated at once: enough for the matrix product, few enough for the cache.
pub(crate) const CHUNK: usize = 256;

/// Memory for passes through networks of one architecture, so that repeated calls allocate nothing.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) layers: Vec<Layer>,
    /// Which input stands where in the patches of a convolution; empty where there is none.
    pub(crate) places: Vec<usize>,
    /// What enters each layer: the inputs (or their patches), then the values of every hidden layer.
    pub(crate) activations: Vec<Columns>,
    /// Slopes of every hidden layer; after a backward pass its signals.
    pub(crate) slopes: Vec<Columns>,
    /// Curvatures of every hidden layer.
    pub(crate) curvatures: Vec<Columns>,
    /// A signal before it is multiplied by the slopes.
    pub(crate) back: Columns,
    /// Factors of the output's signal.
    pub(crate) factors: Vec<f64>,
}

/// How many derivatives of the activation a forward pass keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Value,
    Slope,
    Curvature,
}

impl Workspace {
    /// Memory for networks of an architecture.
    pub fn new(architecture: &Architecture) -> Self {
        let hidden: Vec<Columns> = architecture.heights().map(Columns::new).collect();
        let places = architecture.convolution.as_ref().map(Convolution::places);
        let mut activations = vec![Columns::new(architecture.inputs)];
        activations.extend(hidden.iter().cloned());
        Self {
            layers: architecture.layers(),
            places: places.unwrap_or_default(),
            activations,
            slopes: hidden.clone(),
            curvatures: hidden,
            back: Columns::default(),
            factors: Vec::new(),
        }
    }

    /// Takes points as the first layer sees them.
    pub(crate) fn load(&mut self, points: MatRef<'_, f64>, range: std::ops::Range<usize>) {
        if self.places.is_empty() {
            self.activations[0].load(points, range);
        } else {
            unfold(&self.places, points, range, &mut self.activations[0]);
        }
    }

    /// Number of points of the last pass.
    pub(crate) fn count(&self) -> usize {
        self.activations[0].count()
    }

    /// What enters the output.
    pub(crate) fn top(&self) -> &Columns {
        &self.activations[self.activations.len() - 1]
    }
}

impl Network {
    /// `h(x)` at every point (a row a point).
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs.
    pub fn forward(&self, points: MatRef<'_, f64>) -> Vec<f64> {
        let mut values = vec![0.0; points.nrows()];
        self.forward_into(points, &mut values, &mut Workspace::new(self.architecture()));
        values
    }

    /// `h(x)` at every point, without allocation once the workspace has been used.
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs, if there is not a place for every
    /// value, or if the workspace is of another architecture.
    pub fn forward_into(&self, points: MatRef<'_, f64>, values: &mut [f64], workspace: &mut Workspace) {
        assert_eq!(points.nrows(), values.len(), "a place for every value");
        for (start, part) in (0..).step_by(CHUNK).zip(values.chunks_mut(CHUNK)) {
            self.load(points, start..start + part.len(), workspace);
            self.propagate(workspace, Order::Value);
            self.output(workspace, part);
        }
    }

    /// Takes points into the workspace.
    pub(crate) fn load(&self, points: MatRef<'_, f64>, range: std::ops::Range<usize>, workspace: &mut Workspace) {
        assert_eq!(
            points.ncols(),
            self.architecture().inputs,
            "a coordinate for every input"
        );
        workspace.load(points, range);
    }

    /// Fills the hidden layers from the inputs in the workspace.
    pub(crate) fn propagate(&self, workspace: &mut Workspace, order: Order) {
        let (count, activation) = (workspace.count(), self.architecture().activation);
        for index in 0..workspace.slopes.len() {
            let (before, after) = workspace.activations.split_at_mut(index + 1);
            let values = &mut after[0];
            values.resize(count);
            affine(self.weights(), &workspace.layers[index], &before[index], values);
            let (slopes, curvatures) = (&mut workspace.slopes[index], &mut workspace.curvatures[index]);
            if order == Order::Value {
                activation.apply(values.as_mut_slice());
                continue;
            }
            slopes.resize(count);
            if order == Order::Slope {
                activation.slope(values.as_mut_slice(), slopes.as_mut_slice());
            } else {
                curvatures.resize(count);
                activation.curve(values.as_mut_slice(), slopes.as_mut_slice(), curvatures.as_mut_slice());
            }
        }
    }

    /// The output from the last hidden layer in the workspace.
    pub(crate) fn output(&self, workspace: &Workspace, values: &mut [f64]) {
        lanes::column_dots(self.output_of(workspace), workspace.top().as_slice(), values);
        let scale = self.architecture().output_scale();
        let bias = self.output_bias(workspace);
        for value in values.iter_mut() {
            *value = scale * *value + bias;
        }
    }

    /// The output's weights without rebuilding the layout.
    pub(crate) fn output_of(&self, workspace: &Workspace) -> &[f64] {
        match self.output_layer(workspace) {
            Some(layer) => &self.weights()[layer.start..layer.middle],
            None => self.signs(),
        }
    }

    /// The last layer, where its weights are trained.
    pub(crate) fn output_layer(&self, workspace: &Workspace) -> Option<Layer> {
        workspace.layers.get(self.architecture().hidden_count()).copied()
    }

    fn output_bias(&self, workspace: &Workspace) -> f64 {
        let biases = self
            .output_layer(workspace)
            .map(|layer| &self.weights()[layer.middle..layer.end]);
        biases.and_then(|biases| biases.first().copied()).unwrap_or(0.0)
    }
}

/// `out = s W a + b` for every column.
fn affine(weights: &[f64], layer: &Layer, activations: &Columns, out: &mut Columns) {
    let activations = activations.view_at(layer.sites);
    let biases = &weights[layer.middle..layer.end];
    if biases.is_empty() {
        product(
            out.view_at_mut(layer.sites),
            Accum::Replace,
            matrix(weights, layer),
            activations,
            layer.scale,
        );
        return;
    }
    out.as_mut_slice()
        .chunks_exact_mut(layer.outputs)
        .for_each(|column| column.copy_from_slice(biases));
    product(
        out.view_at_mut(layer.sites),
        Accum::Add,
        matrix(weights, layer),
        activations,
        layer.scale,
    );
}

/// The matrix product on one thread; everything here goes through it.
pub(crate) fn product(out: MatMut<'_, f64>, accum: Accum, lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>, factor: f64) {
    matmul(out, accum, lhs, rhs, factor, Par::Seq);
}
