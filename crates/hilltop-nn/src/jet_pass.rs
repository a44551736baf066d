//! Power series on their way through a network and back.
//!
//! A pass works on terms × points columns: first the constant terms of all points, then the next term of all points, and so on. A layer's product
//! takes them all at once, a bias belongs to the constant term alone, and what lies between layers is [`compose`] on the way up and
//! [`decompose`] on the way down.

use crate::architecture::Layer;
use crate::columns::Columns;
use crate::forward::product;
use crate::jets::{Jets, Place, Plan};
use crate::network::{Network, matrix};
use crate::series::{compose, decompose};
use crate::{Architecture, lanes};
use faer::{Accum, MatMut, MatRef};
use std::ops::Range;

/// Columns of a pass: enough for the matrix product, few enough for the cache.
const COLUMNS: usize = 512;

/// Memory for derivatives of networks of one architecture, so that repeated calls allocate nothing of size.
#[derive(Clone, Debug)]
pub struct JetWorkspace {
    pub(crate) layers: Vec<Layer>,
    /// What enters each layer: the series of the inputs, then of every hidden layer.
    pub(crate) activations: Vec<Columns>,
    /// The series of `φ'` of every hidden layer.
    slopes: Vec<Columns>,
    /// The adjoints of every hidden layer before its activation.
    pub(crate) signals: Vec<Columns>,
    /// The series of the output, and its adjoints (a row a term).
    pub(crate) outputs: Columns,
    pub(crate) adjoints: Columns,
    /// A signal of the constant terms alone.
    back: Columns,
    below: Columns,
    /// Slopes of the output in the inputs.
    pub(crate) gradients: Columns,
    pub(crate) count: usize,
}

impl JetWorkspace {
    /// Memory for networks of an architecture.
    pub fn new(architecture: &Architecture) -> Self {
        let hidden: Vec<Columns> = architecture.heights().map(Columns::new).collect();
        let mut activations = vec![Columns::new(architecture.inputs)];
        activations.extend(hidden.iter().cloned());
        Self {
            layers: architecture.layers(),
            activations,
            slopes: hidden.clone(),
            signals: hidden,
            outputs: Columns::default(),
            adjoints: Columns::default(),
            back: Columns::default(),
            below: Columns::default(),
            gradients: Columns::default(),
            count: 0,
        }
    }

    /// How many terms of every point stand in what enters a layer.
    fn terms(&self, index: usize) -> usize {
        self.activations[index].count() / self.count.max(1)
    }

    /// Takes points and the variables of a plan: each an input, then the direction made of the coefficients of slopes.
    pub(crate) fn load(
        &mut self,
        plan: &Plan,
        points: MatRef<'_, f64>,
        range: Range<usize>,
        coefficients: Option<MatRef<'_, f64>>,
    ) {
        let (inputs, count) = (self.activations[0].rows(), range.len());
        assert_eq!(points.ncols(), inputs, "a coordinate for every input");
        self.count = count;
        let series = &mut self.activations[0];
        series.resize(plan.leading() * count);
        series.as_mut_slice()[inputs * count..].fill(0.0);
        for (column, row) in range.clone().enumerate() {
            for (k, value) in series.column_mut(column).iter_mut().enumerate() {
                *value = points[(row, k)];
            }
        }
        for (variable, &axis) in (1..).zip(&plan.axes) {
            for column in variable * count..(variable + 1) * count {
                series.column_mut(column)[axis] = 1.0;
            }
        }
        let Some(coefficients) = coefficients.filter(|_| plan.directed) else {
            return;
        };
        let first = (plan.leading() - 1) * count;
        for (which, place) in plan.places.iter().enumerate() {
            let Place::Slope(axis) = *place else { continue };
            for (column, row) in range.clone().enumerate() {
                series.column_mut(first + column)[axis] += coefficients[(row, which)];
            }
        }
    }

    /// Adds `∇_θ Σ` of what the adjoints stand for to a flat vector.
    pub(crate) fn accumulate(&self, out: &mut [f64]) {
        for (index, signals) in self.signals.iter().enumerate() {
            let (layer, terms) = (&self.layers[index], self.terms(index));
            let (weights, biases) = out[layer.start..layer.end].split_at_mut(layer.middle - layer.start);
            let weights = MatMut::from_column_major_slice_mut(weights, layer.outputs, layer.inputs);
            let columns = 0..terms * self.count;
            product(
                weights,
                Accum::Add,
                signals.view_of(columns),
                self.activations[index].view().transpose(),
                layer.scale,
            );
            if !biases.is_empty() {
                (0..self.count).for_each(|column| lanes::add_scaled(biases, 1.0, signals.column(column)));
            }
        }
        let Some(layer) = self.layers.get(self.signals.len()) else {
            return;
        };
        let (weights, biases) = out[layer.start..layer.end].split_at_mut(layer.inputs);
        let top = &self.activations[self.signals.len()];
        for (column, adjoint) in self.adjoints.as_slice().iter().take(top.count()).enumerate() {
            lanes::add_scaled(weights, layer.scale * adjoint, top.column(column));
        }
        for bias in biases {
            *bias += self.adjoints.as_slice()[..self.count].iter().sum::<f64>();
        }
    }
}

/// Parts of so many points that a pass of a plan is neither large nor small.
pub(crate) fn parts(plan: &Plan, count: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let size = (COLUMNS / plan.set.len()).clamp(8, 256);
    (0..count)
        .step_by(size)
        .map(move |start| start..(start + size).min(count))
}

impl Network {
    /// Carries the series in the workspace up to the output.
    pub(crate) fn ascend(&self, plan: &Plan, workspace: &mut JetWorkspace) {
        let (terms, count) = (plan.set.len(), workspace.count);
        for index in 0..workspace.slopes.len() {
            let (before, after) = workspace.activations.split_at_mut(index + 1);
            let (below, values) = (&before[index], &mut after[0]);
            values.resize(terms * count);
            series_affine(self.weights(), &workspace.layers[index], below, values, count);
            let slopes = &mut workspace.slopes[index];
            slopes.resize(terms * count);
            let activation = self.architecture().activation;
            compose(activation, &plan.set, values.as_mut_slice(), slopes.as_mut_slice());
        }
        self.series_output(terms, workspace);
    }

    /// The output's series from what enters it; terms beyond that are zero.
    fn series_output(&self, terms: usize, workspace: &mut JetWorkspace) {
        let top = workspace.signals.len();
        let layer = workspace.layers.get(top);
        let columns = workspace.activations[top].as_slice();
        let live = workspace.activations[top].count();
        workspace.outputs.reshape(1, terms * workspace.count);
        let out = workspace.outputs.as_mut_slice();
        out.fill(0.0);
        lanes::column_dots(self.output_row(layer), columns, &mut out[..live]);
        let scale = self.architecture().output_scale();
        out.iter_mut().for_each(|value| *value *= scale);
        let biases = layer.map(|layer| &self.weights()[layer.middle..layer.end]);
        if let Some(bias) = biases.and_then(|biases| biases.first()) {
            out[..workspace.count].iter_mut().for_each(|value| *value += bias);
        }
    }

    fn output_row(&self, layer: Option<&Layer>) -> &[f64] {
        match layer {
            Some(layer) => &self.weights()[layer.start..layer.middle],
            None => self.signs(),
        }
    }

    /// Brings the output's adjoints in the workspace back to the first layer.
    pub(crate) fn descend(&self, plan: &Plan, workspace: &mut JetWorkspace) {
        let Some(top) = workspace.signals.len().checked_sub(1) else {
            return;
        };
        let columns = plan.set.len() * workspace.count;
        let row = self.output_row(workspace.layers.get(top + 1));
        let scale = self.architecture().output_scale();
        let signals = &mut workspace.signals[top];
        signals.resize(columns);
        for (column, adjoint) in workspace.adjoints.as_slice().iter().enumerate() {
            let factor = scale * adjoint;
            let target = signals.column_mut(column);
            target
                .iter_mut()
                .zip(row)
                .for_each(|(signal, weight)| *signal = factor * weight);
        }
        for index in (0..=top).rev() {
            let (below, above) = workspace.signals.split_at_mut(index);
            decompose(&plan.set, workspace.slopes[index].as_slice(), above[0].as_mut_slice());
            if let Some(target) = below.last_mut() {
                let layer = &workspace.layers[index];
                target.resize(columns);
                let transposed = matrix(self.weights(), layer).transpose();
                product(
                    target.view_mut(),
                    Accum::Replace,
                    transposed,
                    above[0].view(),
                    layer.scale,
                );
            }
        }
    }

    /// Slopes of the output in all inputs, from the constant terms of the pass in the workspace.
    pub(crate) fn series_gradients(&self, workspace: &mut JetWorkspace) {
        let (count, hidden) = (workspace.count, workspace.signals.len());
        let scale = self.architecture().output_scale();
        let row = self.output_row(workspace.layers.get(hidden));
        let back = &mut workspace.back;
        back.reshape(row.len(), count);
        for column in 0..count {
            let target = back.column_mut(column);
            target
                .iter_mut()
                .zip(row)
                .for_each(|(signal, weight)| *signal = scale * weight);
        }
        for index in (0..hidden).rev() {
            let layer = &workspace.layers[index];
            let constants = layer.outputs * count;
            lanes::multiply(
                workspace.back.as_mut_slice(),
                &workspace.slopes[index].as_slice()[..constants],
            );
            workspace.below.reshape(layer.inputs, count);
            let transposed = matrix(self.weights(), layer).transpose();
            let (below, back) = (workspace.below.view_mut(), workspace.back.view());
            product(below, Accum::Replace, transposed, back, layer.scale);
            std::mem::swap(&mut workspace.back, &mut workspace.below);
        }
        std::mem::swap(&mut workspace.gradients, &mut workspace.back);
    }
}

/// `out = s W a` for every term, and `b` added to the constant one.
fn series_affine(weights: &[f64], layer: &Layer, below: &Columns, out: &mut Columns, count: usize) {
    let live = below.count() * layer.outputs;
    out.as_mut_slice()[live..].fill(0.0);
    let target = MatMut::from_column_major_slice_mut(&mut out.as_mut_slice()[..live], layer.outputs, below.count());
    product(
        target,
        Accum::Replace,
        matrix(weights, layer),
        below.view(),
        layer.scale,
    );
    let biases = &weights[layer.middle..layer.end];
    if !biases.is_empty() {
        (0..count).for_each(|column| lanes::add_scaled(out.column_mut(column), 1.0, biases));
    }
}

impl Plan {
    /// The derivatives of one point of a pass.
    pub(crate) fn read(&self, workspace: &JetWorkspace, point: usize, out: &mut [f64]) {
        for (value, place) in out.iter_mut().zip(&self.places) {
            *value = match *place {
                Place::Term(term, factor) => factor * workspace.outputs.as_slice()[term * workspace.count + point],
                Place::Slope(axis) => workspace.gradients.column(point)[axis],
            };
        }
    }

    /// The sum of the derivatives of one point of a pass with coefficients, of which the direction already has its own.
    pub(crate) fn sum(&self, workspace: &JetWorkspace, point: usize, coefficients: impl Fn(usize) -> f64) -> f64 {
        let output = |term: usize| workspace.outputs.as_slice()[term * workspace.count + point];
        let inside = self.places.iter().enumerate().map(|(which, place)| match *place {
            Place::Term(term, factor) => coefficients(which) * factor * output(term),
            Place::Slope(_) => 0.0,
        });
        inside.sum::<f64>() + self.direction().map_or(0.0, output)
    }

    /// Adds what a point's coefficients make of the output's adjoints.
    pub(crate) fn write(&self, workspace: &mut JetWorkspace, point: usize, coefficients: impl Fn(usize) -> f64) {
        let count = workspace.count;
        let adjoints = workspace.adjoints.as_mut_slice();
        for (which, place) in self.places.iter().enumerate() {
            if let Place::Term(term, factor) = *place {
                adjoints[term * count + point] += factor * coefficients(which);
            }
        }
    }

    /// Adjoints of zero for all terms.
    pub(crate) fn clear(&self, workspace: &mut JetWorkspace) {
        workspace.adjoints.reshape(1, self.set.len() * workspace.count);
        workspace.adjoints.as_mut_slice().fill(0.0);
    }

    /// The term of the direction of every point's own.
    pub(crate) fn direction(&self) -> Option<usize> {
        self.directed.then(|| self.leading() - 1)
    }
}

impl Jets {
    /// Whether the values need a pass of their own, because sums go another way.
    pub(crate) fn is_split(&self) -> bool {
        self.values.has_slopes()
    }
}
