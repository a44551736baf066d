//! Derivatives in directions of the space of weights, and their gradients in the inputs.
//!
//! `Σ_i c_i k(x, x_i) = ⟨g(x), Σ_i c_i g(x_i)⟩` is the derivative of `h(x)` in the direction `v = Σ_i c_i g(x_i)`. So the
//! gradients in `x` that a posterior's mean and variance need are gradients of a directional derivative: a forward
//! pass that carries `(z, ż)`, then a backward pass through both (which asks for second derivatives of the activation;
//! those of the rectifier are zero almost everywhere).

use crate::columns::Columns;
use crate::convolution::fold;
use crate::direction::Direction;
use crate::forward::{CHUNK, Order, Workspace, product};
use crate::jet_tangent::JetTangent;
use crate::lanes;
use crate::network::{Network, matrix};
use crate::tangent::Tangent;
use faer::{Accum, Mat, MatRef};

/// What the forward pass leaves for the backward one.
struct Moving {
    values: Vec<f64>,
    /// `ż` of every hidden layer.
    rates: Vec<Columns>,
}

impl Network {
    /// `⟨g(x), v⟩` at every point for one direction `v` in the space of weights.
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs, or the direction not as many
    /// components as it has weights.
    pub fn jvp(&self, points: MatRef<'_, f64>, direction: &[f64]) -> Vec<f64> {
        assert_eq!(direction.len(), self.parameter_count(), "a component for every weight");
        let mut workspace = Workspace::new(self.architecture());
        let mut values = Vec::with_capacity(points.nrows());
        for start in (0..points.nrows()).step_by(CHUNK) {
            self.load(points, start..(start + CHUNK).min(points.nrows()), &mut workspace);
            self.propagate(&mut workspace, Order::Slope);
            values.extend(self.advance(&workspace, &Direction::Flat(direction)).values);
        }
        values
    }

    /// `⟨g(x), v⟩` at every point and its gradient in `x` (a row a point).
    ///
    /// # Panics
    /// As [`jvp`](Self::jvp).
    pub fn jvp_input_gradients(&self, points: MatRef<'_, f64>, direction: &[f64]) -> (Vec<f64>, Mat<f64>) {
        assert_eq!(direction.len(), self.parameter_count(), "a component for every weight");
        self.chunked_gradients(points, |workspace, _| {
            self.moving_gradients(workspace, &Direction::Flat(direction))
        })
    }

    /// `Σ_i c_ij k(x_j, x_i)` at every point `j` and its gradient in `x_j`, for data given by their features at the
    /// same weights and coefficients of every point's own (data × points).
    ///
    /// # Panics
    /// If shapes do not fit together.
    pub fn kernel_input_gradients(
        &self,
        points: MatRef<'_, f64>,
        data: &Tangent,
        coefficients: MatRef<'_, f64>,
    ) -> (Vec<f64>, Mat<f64>) {
        assert_eq!(
            coefficients.nrows(),
            data.len(),
            "a row of coefficients for every datum"
        );
        assert_eq!(
            coefficients.ncols(),
            points.nrows(),
            "a column of coefficients for every point"
        );
        self.chunked_gradients(points, |workspace, range| {
            let part = coefficients.subcols(range.start, range.len());
            self.moving_gradients(workspace, &Direction::Combination(data, part))
        })
    }

    /// `Σ_i c_ij ⟨g(x_j), ω_i⟩` at every point `j` and its gradient in `x_j`, for features of differential operators at the same
    /// weights and coefficients of every point's own (operators × points).
    ///
    /// # Panics
    /// If shapes do not fit together.
    pub fn operator_input_gradients(
        &self,
        points: MatRef<'_, f64>,
        data: &JetTangent,
        coefficients: MatRef<'_, f64>,
    ) -> (Vec<f64>, Mat<f64>) {
        let shape = (coefficients.nrows(), coefficients.ncols());
        assert_eq!(shape, (data.len(), points.nrows()), "a coefficient for every pair");
        self.chunked_gradients(points, |workspace, range| {
            let part = coefficients.subcols(range.start, range.len());
            self.moving_gradients(workspace, &Direction::Operators(data, part))
        })
    }

    /// `Σ_i c_i k(x, x_i)` at one point and its gradient in `x`.
    ///
    /// # Panics
    /// If shapes do not fit together.
    pub fn kernel_input_gradient(&self, point: &[f64], data: &Tangent, coefficients: &[f64]) -> (f64, Vec<f64>) {
        let point = MatRef::from_row_major_slice(point, 1, point.len());
        let coefficients = MatRef::from_column_major_slice(coefficients, coefficients.len(), 1);
        let (values, gradients) = self.kernel_input_gradients(point, data, coefficients);
        (values[0], gradients.row(0).iter().copied().collect())
    }

    /// `k(x, x)` at every point and its gradient in `x` (a row a point).
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs.
    pub fn diagonal_input_gradients(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let (values, mut gradients) = self.chunked_gradients(points, |workspace, _| {
            // The signals overwrite the slopes, which the passes below still need.
            let own = self.tangent_of(&mut workspace.clone());
            self.moving_gradients(workspace, &Direction::Own(&own))
        });
        // ∇ k(x, x) = 2 ∇_x ⟨g(x), v⟩ at v = g(x), by symmetry.
        gradients *= faer::Scale(2.0);
        (values, gradients)
    }

    /// Runs a computation of values and gradients over points in parts.
    fn chunked_gradients(
        &self,
        points: MatRef<'_, f64>,
        compute: impl Fn(&Workspace, std::ops::Range<usize>) -> (Vec<f64>, Columns),
    ) -> (Vec<f64>, Mat<f64>) {
        let mut workspace = Workspace::new(self.architecture());
        let mut values = Vec::with_capacity(points.nrows());
        let mut gradients = Mat::zeros(points.nrows(), points.ncols());
        for start in (0..points.nrows()).step_by(CHUNK) {
            let range = start..(start + CHUNK).min(points.nrows());
            self.load(points, range.clone(), &mut workspace);
            self.propagate(&mut workspace, Order::Curvature);
            let (part, columns) = compute(&workspace, range.clone());
            values.extend(part);
            gradients
                .as_mut()
                .subrows_mut(start, range.len())
                .copy_from(columns.view().transpose());
        }
        (values, gradients)
    }

    fn moving_gradients(&self, workspace: &Workspace, direction: &Direction<'_>) -> (Vec<f64>, Columns) {
        let moving = self.advance(workspace, direction);
        let gradients = self.retreat(workspace, direction, &moving.rates);
        (moving.values, gradients)
    }

    /// Carries `ż` forward: `ż = s (V a + W ȧ) + v`, `ȧ = φ'(z) ∘ ż`.
    fn advance(&self, workspace: &Workspace, direction: &Direction<'_>) -> Moving {
        let mut rates: Vec<Columns> = Vec::with_capacity(workspace.slopes.len());
        let mut moved: Option<Columns> = None;
        for (index, slopes) in workspace.slopes.iter().enumerate() {
            let layer = &workspace.layers[index];
            let mut rate = direction.push(index, layer, &workspace.activations[index]);
            if let Some(below) = &moved {
                product(
                    rate.view_mut(),
                    Accum::Add,
                    matrix(self.weights(), layer),
                    below.view(),
                    layer.scale,
                );
            }
            let mut above = rate.clone();
            lanes::multiply(above.as_mut_slice(), slopes.as_slice());
            rates.push(rate);
            moved = Some(above);
        }
        Moving {
            values: self.output_rate(workspace, direction, moved),
            rates,
        }
    }

    fn output_rate(&self, workspace: &Workspace, direction: &Direction<'_>, moved: Option<Columns>) -> Vec<f64> {
        let mut values = vec![0.0; workspace.count()];
        if let Some(moved) = moved {
            lanes::column_dots(self.output_of(workspace), moved.as_slice(), &mut values);
            let scale = self.architecture().output_scale();
            for value in &mut values {
                *value *= scale;
            }
        }
        if let Some(layer) = self.output_layer(workspace) {
            let index = workspace.layers.len() - 1;
            let own = direction.push(index, &layer, workspace.top());
            lanes::add_scaled(&mut values, 1.0, own.as_slice());
        }
        values
    }

    /// Brings the adjoints of `a` and `ȧ` back to the inputs.
    fn retreat(&self, workspace: &Workspace, direction: &Direction<'_>, rates: &[Columns]) -> Columns {
        let (mut of_value, mut of_rate) = self.output_adjoints(workspace, direction);
        for index in (0..rates.len()).rev() {
            let layer = &workspace.layers[index];
            let slopes = workspace.slopes[index].as_slice();
            // z̄ = ā ∘ φ' + ǡ ∘ φ'' ∘ ż  and  ż̄ = ǡ ∘ φ'
            let mut bend = workspace.curvatures[index].clone();
            lanes::multiply(bend.as_mut_slice(), rates[index].as_slice());
            lanes::multiply(of_value.as_mut_slice(), slopes);
            lanes::add_product(of_value.as_mut_slice(), 1.0, of_rate.as_slice(), bend.as_slice());
            lanes::multiply(of_rate.as_mut_slice(), slopes);
            let transposed = matrix(self.weights(), layer).transpose();
            let mut below = Columns::filled(layer.inputs * layer.sites, workspace.count(), 0.0);
            product(
                below.view_at_mut(layer.sites),
                Accum::Replace,
                transposed,
                of_value.view_at(layer.sites),
                layer.scale,
            );
            direction.pull(index, layer, &of_rate, &mut below);
            of_value = below;
            if index > 0 {
                let mut below = Columns::filled(layer.inputs, workspace.count(), 0.0);
                product(
                    below.view_mut(),
                    Accum::Replace,
                    transposed,
                    of_rate.view(),
                    layer.scale,
                );
                of_rate = below;
            }
        }
        if workspace.places.is_empty() {
            return of_value;
        }
        fold(&workspace.places, self.architecture().inputs, &of_value)
    }

    /// Adjoints of `a` and `ȧ` at the last hidden layer.
    fn output_adjoints(&self, workspace: &Workspace, direction: &Direction<'_>) -> (Columns, Columns) {
        let (rows, count) = (workspace.top().rows(), workspace.count());
        let mut of_value = Columns::filled(rows, count, 0.0);
        if let Some(layer) = self.output_layer(workspace) {
            let ones = Columns::filled(1, count, 1.0);
            direction.pull(workspace.layers.len() - 1, &layer, &ones, &mut of_value);
        }
        let mut of_rate = Columns::filled(rows, count, 1.0);
        let factors = vec![self.architecture().output_scale(); count];
        lanes::scale_outer(of_rate.as_mut_slice(), self.output_of(workspace), &factors);
        (of_value, of_rate)
    }
}
