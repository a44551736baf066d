//! The estimate of the weights as observations come in, in closed form (eq. 4 and 5).
//!
//! With `c_i = g_iᵀ(ŵ_i − ŵ_0) + y_i − f_i` the estimate is `ŵ_t = ŵ_0 + Σ_t⁻¹ Σ_i g_i c_i`: each observation is a linear
//! equation in the weights, taken down at the estimate of its own round.

use hilltop_core::Result;

use super::information::{Information, add_scaled, dot};

/// `ŵ_t` and what it is made of.
#[derive(Clone, Debug)]
pub struct Estimate {
    start: Vec<f64>,
    weights: Vec<f64>,
    information: Information,
    shifts: Vec<f64>,
    sum: Vec<f64>,
}

impl Estimate {
    /// `ŵ_0` before any observation of the second phase, with the regulariser `λ`.
    pub fn new(start: Vec<f64>, lambda: f64) -> Result<Self> {
        let information = Information::new(start.len(), lambda)?;
        let sum = vec![0.0; start.len()];
        Ok(Self {
            weights: start.clone(),
            start,
            information,
            shifts: Vec::new(),
            sum,
        })
    }

    /// Takes in an observation `y` where the function at the present estimate is `value`, with this gradient.
    pub fn observe(&mut self, gradient: &[f64], value: f64, y: f64) -> Result<()> {
        let moved: Vec<f64> = self
            .weights
            .iter()
            .zip(&self.start)
            .map(|(w, start)| w - start)
            .collect();
        self.record(gradient, dot(gradient, &moved) + y - value)?;
        self.settle();
        Ok(())
    }

    /// Takes in observations that the first estimate was made of: their gradients at `ŵ_0` and what it leaves of them.
    pub fn found(&mut self, gradients: &[Vec<f64>], residuals: &[f64]) -> Result<()> {
        for (gradient, residual) in gradients.iter().zip(residuals) {
            self.record(gradient, *residual)?;
        }
        self.settle();
        Ok(())
    }

    fn record(&mut self, gradient: &[f64], shift: f64) -> Result<()> {
        self.information.push(gradient)?;
        self.shifts.push(shift);
        add_scaled(&mut self.sum, shift, gradient);
        Ok(())
    }

    fn settle(&mut self) {
        let step = self.information.pulled(&self.shifts, &self.sum);
        self.weights.clone_from(&self.start);
        add_scaled(&mut self.weights, 1.0, &step);
    }

    /// Takes in a point that is under way: the estimate stays, the ellipsoid shrinks.
    pub fn believe(&mut self, gradient: &[f64]) -> Result<()> {
        self.information.push(gradient)
    }

    /// `ŵ_t`.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// `Σ_t`.
    pub fn information(&self) -> &Information {
        &self.information
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use faer::Mat;
    use faer::linalg::solvers::Solve;
    use hilltop_core::Rng;

    use super::*;

    /// Rounds of a function that is not linear in its weights: `f(w) = sin(aᵀw)`, with `a` of the round.
    fn rounds(size: usize, count: usize) -> (Estimate, Mat<f64>, Vec<f64>) {
        let mut rng = Rng::new(5);
        let start: Vec<f64> = (0..size).map(|_| rng.normal()).collect();
        let lambda = 0.05;
        let mut estimate = Estimate::new(start.clone(), lambda).unwrap();
        let mut sigma = Mat::<f64>::identity(size, size) * faer::Scale(lambda);
        let mut right: Vec<f64> = start.iter().map(|w| lambda * w).collect();
        for _ in 0..count {
            let a: Vec<f64> = (0..size).map(|_| 0.5 * rng.normal()).collect();
            let (y, angle) = (rng.normal(), dot(&a, estimate.weights()));
            let gradient: Vec<f64> = a.iter().map(|a| a * angle.cos()).collect();
            // Eq. (3) and (5) as they stand.
            let target = dot(&gradient, estimate.weights()) + y - angle.sin();
            (0..size).for_each(|i| right[i] += gradient[i] * target);
            sigma += Mat::from_fn(size, size, |i, j| gradient[i] * gradient[j]);
            estimate.observe(&gradient, angle.sin(), y).unwrap();
        }
        (estimate, sigma, right)
    }

    #[test]
    fn the_dual_and_the_primal_are_equations_three_and_five() {
        for (size, count) in [(40, 0), (40, 1), (40, 25), (40, 39), (40, 40), (12, 60)] {
            let (estimate, sigma, right) = rounds(size, count);
            let llt = sigma.llt(faer::Side::Lower).unwrap();
            let expected = llt.solve(Mat::from_fn(size, 1, |i, _| right[i]));
            for i in 0..size {
                let error = (estimate.weights()[i] - expected[(i, 0)]).abs();
                assert!(error < 1e-8, "{size} weights, {count} rounds: off by {error:e}");
            }
            let mut rng = Rng::new(9);
            let columns = Mat::from_fn(size, 3, |_, _| rng.normal());
            let (mut ours, theirs) = (columns.clone(), llt.solve(&columns));
            estimate.information().solve(ours.as_mut());
            assert!((&ours - &theirs).norm_max() < 1e-8 * theirs.norm_max());
            let product = &sigma * &columns;
            for (j, norm) in estimate.information().norms(columns.as_ref()).into_iter().enumerate() {
                let expected: f64 = (0..size).map(|i| columns[(i, j)] * product[(i, j)]).sum();
                assert!((norm - expected).abs() < 1e-8 * expected);
            }
        }
    }

    #[test]
    fn a_point_that_is_believed_moves_the_ellipsoid_and_not_its_middle() {
        let (mut estimate, _, _) = rounds(30, 10);
        let (before, gradient) = (estimate.weights().to_vec(), vec![0.3; 30]);
        let column = Mat::from_fn(30, 1, |i, _| gradient[i]);
        let norm = estimate.information().norms(column.as_ref())[0];
        estimate.believe(&gradient).unwrap();
        assert_eq!(estimate.weights(), before);
        let later = estimate.information().norms(column.as_ref())[0];
        assert!((later - norm - dot(&gradient, &gradient).powi(2)).abs() < 1e-9);
    }

    #[test]
    fn draws_have_the_covariance_of_the_inverse() {
        for (size, count) in [(6, 3), (6, 9)] {
            let (estimate, _, _) = rounds(size, count);
            let information = estimate.information();
            let mut expected = Mat::<f64>::identity(size, size) * faer::Scale(information.lambda());
            information.solve(expected.as_mut());
            let (mut rng, draws) = (Rng::new(2), 20_000);
            let mut found = Mat::<f64>::zeros(size, size);
            for _ in 0..draws {
                let drawn = information.draw(&mut rng);
                found += Mat::from_fn(size, size, |i, j| drawn[i] * drawn[j] / f64::from(draws));
            }
            assert!((found - expected).norm_max() < 0.03, "{count}");
        }
    }
}
