//! From values back to weights and inputs: gradients by one backward pass.

use crate::columns::Columns;
use crate::convolution::fold;
use crate::forward::{CHUNK, Order, Workspace, product};
use crate::lanes;
use crate::network::{Network, matrix};
use faer::{Accum, Mat, MatMut, MatRef};

impl Network {
    /// `h(x)` and `∂h/∂x` at every point (a row a point).
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs.
    pub fn input_gradients(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let mut workspace = Workspace::new(self.architecture());
        let mut values = vec![0.0; points.nrows()];
        let mut gradients = Mat::zeros(points.nrows(), points.ncols());
        for (start, part) in (0..).step_by(CHUNK).zip(values.chunks_mut(CHUNK)) {
            self.load(points, start..start + part.len(), &mut workspace);
            self.propagate(&mut workspace, Order::Slope);
            self.output(&workspace, part);
            self.signals(&mut workspace, &vec![1.0; part.len()]);
            let rows = gradients.as_mut().subrows_mut(start, part.len());
            self.input_signal(&mut workspace, rows.transpose_mut());
        }
        (values, gradients)
    }

    /// `∇_θ Σ_i c_i h(x_i)`, a vector-Jacobian product.
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs, or not as many rows as there are
    /// coefficients.
    pub fn weight_gradient(&self, points: MatRef<'_, f64>, coefficients: &[f64]) -> Vec<f64> {
        assert_eq!(points.nrows(), coefficients.len(), "a coefficient for every point");
        let mut workspace = Workspace::new(self.architecture());
        let mut gradient = vec![0.0; self.parameter_count()];
        for (start, part) in (0..).step_by(CHUNK).zip(coefficients.chunks(CHUNK)) {
            self.load(points, start..start + part.len(), &mut workspace);
            self.propagate(&mut workspace, Order::Slope);
            self.signals(&mut workspace, part);
            workspace.accumulate(Accum::Add, part, &mut gradient);
        }
        gradient
    }

    /// `½ Σ_i (h(x_i) − y_i)²` and its gradient in the weights.
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs, or not as many rows as there are
    /// targets.
    pub fn squared_loss(&self, points: MatRef<'_, f64>, targets: &[f64]) -> (f64, Vec<f64>) {
        assert_eq!(points.nrows(), targets.len(), "a target for every point");
        let residuals: Vec<f64> = self
            .forward(points)
            .iter()
            .zip(targets)
            .map(|(value, target)| value - target)
            .collect();
        let loss = 0.5 * lanes::dot(&residuals, &residuals);
        (loss, self.weight_gradient(points, &residuals))
    }

    /// Turns the slopes in the workspace into signals `c_j ∂h(x_j)/∂z`.
    pub(crate) fn signals(&self, workspace: &mut Workspace, coefficients: &[f64]) {
        let Some(top) = workspace.slopes.len().checked_sub(1) else {
            return;
        };
        let scale = self.architecture().output_scale();
        workspace.factors.clear();
        workspace.factors.extend(coefficients.iter().map(|c| scale * c));
        let weights = self.output_of(workspace);
        lanes::scale_outer(workspace.slopes[top].as_mut_slice(), weights, &workspace.factors);
        self.lower_signals(workspace);
    }

    /// Turns the slopes below the last hidden layer into signals, from the signals there.
    pub(crate) fn lower_signals(&self, workspace: &mut Workspace) {
        let count = workspace.count();
        for index in (1..workspace.slopes.len()).rev() {
            let layer = workspace.layers[index];
            workspace.back.reshape(layer.inputs, count);
            let (below, above) = workspace.slopes.split_at_mut(index);
            let weights = matrix(self.weights(), &layer).transpose();
            product(
                workspace.back.view_mut(),
                Accum::Replace,
                weights,
                above[0].view(),
                layer.scale,
            );
            lanes::multiply(below[index - 1].as_mut_slice(), workspace.back.as_slice());
        }
    }

    /// The signal at the inputs (inputs × points), from the signals in the workspace made with coefficients of one.
    pub(crate) fn input_signal(&self, workspace: &mut Workspace, mut out: MatMut<'_, f64>) {
        if let Some(signals) = workspace.slopes.first() {
            let layer = workspace.layers[0];
            let transposed = matrix(self.weights(), &layer).transpose();
            if workspace.places.is_empty() {
                product(out, Accum::Replace, transposed, signals.view(), layer.scale);
                return;
            }
            let (back, signals) = (&mut workspace.back, signals.view_at(layer.sites));
            back.reshape(layer.inputs * layer.sites, out.ncols());
            product(
                back.view_at_mut(layer.sites),
                Accum::Replace,
                transposed,
                signals,
                layer.scale,
            );
            out.copy_from(fold(&workspace.places, self.architecture().inputs, back).view());
            return;
        }
        let scale = self.architecture().output_scale();
        for (row, weight) in self.output_weights().iter().enumerate() {
            out.as_mut().row_mut(row).fill(scale * weight);
        }
    }
}

impl Workspace {
    /// Adds `∇_θ Σ_j c_j h(x_j)` to a flat vector (or replaces it), from the activations and the signals made with the
    /// same coefficients.
    pub(crate) fn accumulate(&self, accum: Accum, coefficients: &[f64], out: &mut [f64]) {
        for ((layer, signals), activations) in self.layers.iter().zip(&self.slopes).zip(&self.activations) {
            let (weights, biases) = out[layer.start..layer.end].split_at_mut(layer.middle - layer.start);
            let weights = MatMut::from_column_major_slice_mut(weights, layer.outputs, layer.inputs);
            product(
                weights,
                accum,
                signals.view_at(layer.sites),
                activations.view_at(layer.sites).transpose(),
                layer.scale,
            );
            clear_if_replaced(accum, biases);
            add_all(biases, signals);
        }
        let Some(layer) = self.layers.get(self.slopes.len()) else {
            return;
        };
        let (weights, biases) = out[layer.start..layer.end].split_at_mut(layer.inputs);
        clear_if_replaced(accum, weights);
        for (column, coefficient) in coefficients.iter().enumerate() {
            lanes::add_scaled(weights, layer.scale * coefficient, self.top().column(column));
        }
        clear_if_replaced(accum, biases);
        for bias in biases.iter_mut() {
            *bias += coefficients.iter().sum::<f64>();
        }
    }
}

fn clear_if_replaced(accum: Accum, values: &mut [f64]) {
    if matches!(accum, Accum::Replace) {
        values.fill(0.0);
    }
}

/// `out += Σ_j column_j`, where there is anything to add to.
fn add_all(out: &mut [f64], columns: &Columns) {
    if !out.is_empty() {
        columns
            .as_slice()
            .chunks_exact(out.len())
            .for_each(|column| lanes::add_scaled(out, 1.0, column));
    }
}
