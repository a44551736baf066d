//! Derivatives of a network in its inputs, and their gradients in the weights.

use crate::jet_pass::{JetWorkspace, parts};
use crate::jets::{Jets, Plan};
use crate::network::Network;
use faer::{Mat, MatRef};
use std::ops::Range;

impl Network {
    /// The derivatives of `h` at every point (points × derivatives).
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs.
    pub fn jets(&self, points: MatRef<'_, f64>, jets: &Jets) -> Mat<f64> {
        let mut workspace = JetWorkspace::new(self.architecture());
        let mut out = Mat::zeros(points.nrows(), jets.partials().len());
        let mut row = vec![0.0; jets.partials().len()];
        for range in parts(&jets.values, points.nrows()) {
            self.rise_to_values(jets, points, range.clone(), &mut workspace);
            for (index, point) in range.enumerate() {
                jets.values.read(&workspace, index, &mut row);
                (0..row.len()).for_each(|which| out[(point, which)] = row[which]);
            }
        }
        out
    }

    /// `Σ_α c_jα ∂^α h(x_j)` at every point: an operator with coefficients of each point's own (points × derivatives).
    ///
    /// # Panics
    /// If shapes do not fit together.
    pub fn operator(&self, points: MatRef<'_, f64>, jets: &Jets, coefficients: MatRef<'_, f64>) -> Vec<f64> {
        let mut workspace = JetWorkspace::new(self.architecture());
        let mut out = vec![0.0; points.nrows()];
        for range in self.checked_parts(points, jets, coefficients) {
            self.rise_to_sums(&jets.sums, points, range.clone(), coefficients, &mut workspace);
            sums(&jets.sums, &workspace, range.clone(), coefficients, &mut out[range]);
        }
        out
    }

    /// `∇_θ Σ_j Σ_α c_jα ∂^α h(x_j)` for coefficients of each point's own (points × derivatives).
    ///
    /// # Panics
    /// If shapes do not fit together.
    pub fn jets_weight_gradient(
        &self,
        points: MatRef<'_, f64>,
        jets: &Jets,
        coefficients: MatRef<'_, f64>,
    ) -> Vec<f64> {
        let mut workspace = JetWorkspace::new(self.architecture());
        let mut gradient = vec![0.0; self.parameter_count()];
        self.operator_loss(points, jets, coefficients, &mut workspace, &mut gradient, |_, _| 1.0);
        gradient
    }

    /// Adds the gradient in the weights of a loss that depends on the derivatives at every point: `respond` is told which point it is and its
    /// derivatives, and writes the loss' slope in each of them.
    ///
    /// # Panics
    /// If shapes do not fit together.
    pub fn jets_loss(
        &self,
        points: MatRef<'_, f64>,
        jets: &Jets,
        workspace: &mut JetWorkspace,
        gradient: &mut [f64],
        mut respond: impl FnMut(usize, &[f64], &mut [f64]),
    ) {
        assert_eq!(gradient.len(), self.parameter_count(), "a slope for every weight");
        let size = jets.partials().len();
        let mut row = vec![0.0; size];
        for range in parts(&jets.values, points.nrows()) {
            self.rise_to_values(jets, points, range.clone(), workspace);
            let mut slopes = vec![0.0; size * range.len()];
            for (index, slopes) in slopes.chunks_exact_mut(size.max(1)).enumerate() {
                jets.values.read(workspace, index, &mut row);
                respond(range.start + index, &row, slopes);
            }
            let slopes = MatRef::from_row_major_slice(&slopes, range.len(), size);
            if jets.is_split() {
                let part = points.subrows(range.start, range.len());
                self.rise_to_sums(&jets.sums, part, 0..range.len(), slopes, workspace);
                self.fall(&jets.sums, slopes, |_| 1.0, workspace);
            } else {
                self.fall(&jets.values, slopes, |_| 1.0, workspace);
            }
            workspace.accumulate(gradient);
        }
    }

    /// Adds the gradient in the weights of a loss that depends on `Σ_α c_jα ∂^α h(x_j)` at every point: `respond` is told which point it is and
    /// that sum, and returns the loss' slope in it.
    ///
    /// Where an equation is linear this is cheaper than [`jets_loss`](Self::jets_loss).
    ///
    /// # Panics
    /// If shapes do not fit together.
    pub fn operator_loss(
        &self,
        points: MatRef<'_, f64>,
        jets: &Jets,
        coefficients: MatRef<'_, f64>,
        workspace: &mut JetWorkspace,
        gradient: &mut [f64],
        mut respond: impl FnMut(usize, f64) -> f64,
    ) {
        assert_eq!(gradient.len(), self.parameter_count(), "a slope for every weight");
        let mut values = Vec::new();
        for range in self.checked_parts(points, jets, coefficients) {
            self.rise_to_sums(&jets.sums, points, range.clone(), coefficients, workspace);
            values.resize(range.len(), 0.0);
            sums(&jets.sums, workspace, range.clone(), coefficients, &mut values);
            for (point, value) in range.clone().zip(&mut values) {
                *value = respond(point, *value);
            }
            let own = coefficients.subrows(range.start, range.len());
            self.fall(&jets.sums, own, |point| values[point], workspace);
            workspace.accumulate(gradient);
        }
    }

    fn checked_parts(
        &self,
        points: MatRef<'_, f64>,
        jets: &Jets,
        coefficients: MatRef<'_, f64>,
    ) -> impl Iterator<Item = Range<usize>> {
        assert_eq!(
            points.ncols(),
            self.architecture().inputs,
            "a coordinate for every input"
        );
        assert_eq!(coefficients.nrows(), points.nrows(), "coefficients for every point");
        assert_eq!(
            coefficients.ncols(),
            jets.partials().len(),
            "a coefficient for every derivative"
        );
        parts(&jets.sums, points.nrows())
    }

    fn rise_to_values(&self, jets: &Jets, points: MatRef<'_, f64>, range: Range<usize>, workspace: &mut JetWorkspace) {
        workspace.load(&jets.values, points, range, None);
        self.ascend(&jets.values, workspace);
        if jets.is_split() {
            self.series_gradients(workspace);
        }
    }

    pub(crate) fn rise_to_sums(
        &self,
        plan: &Plan,
        points: MatRef<'_, f64>,
        range: Range<usize>,
        coefficients: MatRef<'_, f64>,
        workspace: &mut JetWorkspace,
    ) {
        workspace.load(plan, points, range, Some(coefficients));
        self.ascend(plan, workspace);
    }

    /// The way back of the points in a workspace, each with its coefficients times a factor.
    pub(crate) fn fall(
        &self,
        plan: &Plan,
        coefficients: MatRef<'_, f64>,
        factor: impl Fn(usize) -> f64,
        workspace: &mut JetWorkspace,
    ) {
        plan.clear(workspace);
        for point in 0..workspace.count {
            let factor = factor(point);
            plan.write(workspace, point, |which| factor * coefficients[(point, which)]);
            if let Some(term) = plan.direction() {
                let place = term * workspace.count + point;
                workspace.adjoints.as_mut_slice()[place] += factor;
            }
        }
        self.descend(plan, workspace);
    }
}

/// `Σ_α c_jα ∂^α h(x_j)` of the points of a pass.
fn sums(plan: &Plan, workspace: &JetWorkspace, range: Range<usize>, coefficients: MatRef<'_, f64>, out: &mut [f64]) {
    for (index, (point, value)) in range.zip(out).enumerate() {
        *value = plan.sum(workspace, index, |which| coefficients[(point, which)]);
    }
}
