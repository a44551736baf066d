//! Bayesian linear regression: weights `N(0, I/α)`, noise of precision `β`, both of greatest likelihood.

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Error, Lbfgs, Result, Rng};

use crate::process::Factor;

/// What is believed about the weights of features: `N(mean, (αI + βΦᵀΦ)⁻¹)`.
#[derive(Clone, Debug)]
pub struct Head {
    mean: Vec<f64>,
    factor: Factor,
    noise: f64,
}

/// The logarithms of both precisions lie within this of zero.
const RANGE: (f64, f64) = (-12.0, 16.0);

impl Head {
    /// The regression of targets on features, one row an observation.
    pub fn fit(features: MatRef<'_, f64>, targets: &[f64]) -> Result<Self> {
        let data = Data::new(features, targets);
        let low = [RANGE.0; 2];
        let objective = |logs: &[f64], slope: &mut [f64]| data.evidence(logs, slope).unwrap_or(f64::INFINITY);
        let found = Lbfgs::default().minimise(&[0.0, 6.0], &low, &[RANGE.1; 2], objective);
        let (prior, noise) = (found.point[0].exp(), found.point[1].exp());
        data.posterior(prior, noise)
            .map(|(factor, mean)| Self { mean, factor, noise })
            .ok_or_else(broken)
    }

    /// The mean of the weights.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The deviation of an observation around its line.
    pub fn noise(&self) -> f64 {
        self.noise.sqrt().recip()
    }

    /// The variance of each feature vector's value, the columns of which become covariances with the weights.
    pub fn variances(&self, mut columns: MatMut<'_, f64>) -> Vec<f64> {
        let before = columns.as_ref().to_owned();
        self.factor.forward(columns.as_mut());
        self.factor.backward(columns.as_mut());
        (0..before.ncols())
            .map(|j| (before.col(j).transpose() * columns.as_ref().col(j)).max(0.0))
            .collect()
    }

    /// Weights drawn around the mean, `spread` times as far.
    pub fn draw(&self, spread: f64, rng: &mut Rng) -> Vec<f64> {
        let mut column = Mat::from_fn(self.mean.len(), 1, |_, _| spread * rng.normal());
        self.factor.backward(column.as_mut());
        self.mean
            .iter()
            .zip(column.col_as_slice(0))
            .map(|(mean, away)| mean + away)
            .collect()
    }

    /// The same after observations at these features whose outcome is not known: the mean stays.
    #[must_use]
    pub fn believe(&self, features: MatRef<'_, f64>) -> Self {
        let mut believed = self.clone();
        for row in 0..features.nrows() {
            let mut scaled: Vec<f64> = features.row(row).iter().map(|x| x * self.noise.sqrt()).collect();
            believed.factor.update(&mut scaled);
        }
        believed
    }
}

/// Sums over the observations that the likelihood is made of.
struct Data {
    gram: Mat<f64>,
    moment: Vec<f64>,
    square: f64,
    count: f64,
}

impl Data {
    fn new(features: MatRef<'_, f64>, targets: &[f64]) -> Self {
        let target = Mat::from_fn(targets.len(), 1, |i, _| targets[i]);
        let moment = features.transpose() * &target;
        Self {
            gram: features.transpose() * features,
            moment: (0..features.ncols()).map(|i| moment[(i, 0)]).collect(),
            square: targets.iter().map(|y| y * y).sum(),
            count: targets.len() as f64,
        }
    }

    fn posterior(&self, prior: f64, noise: f64) -> Option<(Factor, Vec<f64>)> {
        let precision = &self.gram * faer::Scale(noise);
        let factor = Factor::exactly(precision, prior)?;
        let mean = factor.solve(&self.moment).into_iter().map(|w| noise * w).collect();
        Some((factor, mean))
    }

    /// The negative logarithm of the targets' likelihood, with a weak prior on both precisions, and its slope in their
    /// logarithms.
    fn evidence(&self, logs: &[f64], slope: &mut [f64]) -> Option<f64> {
        let (prior, noise, size) = (logs[0].exp(), logs[1].exp(), self.moment.len());
        let (factor, mean) = self.posterior(prior, noise)?;
        let fitted: f64 = self.moment.iter().zip(&mean).map(|(m, w)| m * w).sum();
        let weights: f64 = mean.iter().map(|w| w * w).sum();
        let mut inverse = Mat::identity(size, size);
        factor.forward(inverse.as_mut());
        let trace = inverse.squared_norm_l2();
        let half_log: f64 = (0..size).map(|i| factor.lower()[(i, i)].ln()).sum();
        let away = [logs[0] / 3.0, (logs[1] - 6.0) / 3.0];
        // ½(β‖y‖² − m·βΦᵀy) is ½(β‖y − Φm‖² + α‖m‖²).
        let value =
            0.5 * noise * (self.square - fitted) + half_log - 0.5 * size as f64 * logs[0] - 0.5 * self.count * logs[1]
                + 0.5 * (away[0] * away[0] + away[1] * away[1]);
        slope[0] = 0.5 * prior * (weights + trace) - 0.5 * size as f64 + away[0] / 3.0;
        // ‖y − Φm‖² from the identity above, and tr(A⁻¹βΦᵀΦ) = size − α tr(A⁻¹).
        let misfit = noise * (self.square - fitted) - prior * weights;
        slope[1] = 0.5 * misfit + 0.5 * (size as f64 - prior * trace) - 0.5 * self.count + away[1] / 3.0;
        value.is_finite().then_some(value)
    }
}

fn broken() -> Error {
    Error::Numerical {
        what: "the linear head of a network",
        detail: "features that are not finite".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn data() -> (Mat<f64>, Vec<f64>) {
        let mut rng = Rng::new(6);
        let features = Mat::from_fn(40, 5, |_, j| if j == 4 { 1.0 } else { rng.normal() });
        let targets = (0..40)
            .map(|i| features[(i, 0)] - 0.5 * features[(i, 2)] + 0.1 * rng.normal())
            .collect();
        (features, targets)
    }

    #[test]
    fn the_slope_of_the_likelihood_is_its_derivative() {
        let (features, targets) = data();
        let data = Data::new(features.as_ref(), &targets);
        let at = |logs: [f64; 2]| data.evidence(&logs, &mut [0.0; 2]).unwrap();
        for logs in [[0.0, 4.0], [1.5, 2.0], [-2.0, 6.0]] {
            let mut slope = [0.0; 2];
            data.evidence(&logs, &mut slope).unwrap();
            for axis in 0..2 {
                let moved = |by: f64| {
                    let mut moved = logs;
                    moved[axis] += by;
                    at(moved)
                };
                let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!(
                    (slope[axis] - difference).abs() < 1e-5 * (1.0 + difference.abs()),
                    "{logs:?} {axis}"
                );
            }
        }
    }

    #[test]
    fn weights_and_noise_are_found() {
        let (features, targets) = data();
        let head = Head::fit(features.as_ref(), &targets).unwrap();
        for (found, expected) in head.mean().iter().zip([1.0, 0.0, -0.5, 0.0, 0.0]) {
            assert!((found - expected).abs() < 0.06, "{:?}", head.mean());
        }
        assert!((head.noise() - 0.1).abs() < 0.04, "{}", head.noise());
    }

    #[test]
    fn belief_shrinks_the_variance_and_keeps_the_mean() {
        let (features, targets) = data();
        let head = Head::fit(features.as_ref(), &targets).unwrap();
        let later = head.believe(features.as_ref().subrows(0, 2));
        let at = |head: &Head| head.variances(features.as_ref().subrows(0, 1).transpose().to_owned().as_mut())[0];
        assert!(at(&later) < at(&head));
        assert_eq!(later.mean(), head.mean());
    }
}
