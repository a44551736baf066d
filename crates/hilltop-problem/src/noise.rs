//! Noise: a problem observed with normal errors whose size is stated relative to the problem.

use hilltop_core::{Physics, Rng};

use crate::problem::{Failure, Optimum, Output, Problem};
use crate::registry::Fault;

/// Points of the sample from which deviations over the box are estimated.
const SAMPLE: usize = 4096;
const SAMPLE_SEED: u64 = 2009;

/// The standard deviation of every output over the box, from a fixed sample of uniform points.
///
/// Points where the evaluation fails do not count; an output without any value has deviation zero.
pub fn deviations<P: Problem + ?Sized>(problem: &P) -> Vec<f64> {
    let bounds = problem.bounds();
    let mut rng = Rng::new(SAMPLE_SEED);
    let mut sample = || {
        bounds
            .iter()
            .map(|&(low, high)| rng.between(low, high))
            .collect::<Vec<f64>>()
    };
    let values: Vec<Vec<f64>> = (0..SAMPLE).filter_map(|_| problem.evaluate(&sample()).ok()).collect();
    (0..problem.outputs().len()).map(|k| deviation(&values, k)).collect()
}

fn deviation(values: &[Vec<f64>], output: usize) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|row| row[output]).sum::<f64>() / count;
    (values.iter().map(|row| (row[output] - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// A problem whose observations carry independent normal errors.
///
/// The deviation of the error is a fraction of the deviation of the output over the box, output by output.
/// [`evaluate`](Problem::evaluate) still gives the true values, which is what results report.
pub struct Noisy<P> {
    problem: P,
    fraction: f64,
    errors: Vec<f64>,
}

impl<P: Problem> Noisy<P> {
    /// A problem with errors of the given fraction, 0.05 or 0.1 in the papers' code; zero observes exactly.
    pub fn new(problem: P, fraction: f64) -> Result<Self, Fault> {
        if !fraction.is_finite() || fraction < 0.0 {
            return Err(Fault::Noise { noise: fraction });
        }
        let spread = if fraction > 0.0 {
            deviations(&problem)
        } else {
            vec![0.0; problem.outputs().len()]
        };
        let errors = spread.iter().map(|deviation| fraction * deviation).collect();
        Ok(Self {
            problem,
            fraction,
            errors,
        })
    }

    /// The values at a point with errors drawn from the generator.
    ///
    /// One normal is drawn for every output, also where the deviation is zero and where the evaluation fails, so that the
    /// state of the generator afterwards does not depend on the outcome.
    pub fn observe(&self, x: &[f64], rng: &mut Rng) -> Result<Vec<f64>, Failure> {
        let errors: Vec<f64> = self.errors.iter().map(|deviation| deviation * rng.normal()).collect();
        let values = self.problem.evaluate(x)?;
        Ok(values.iter().zip(errors).map(|(value, error)| value + error).collect())
    }

    /// The fraction it was made with.
    pub fn fraction(&self) -> f64 {
        self.fraction
    }

    /// The deviation of the error of every output.
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }
}

impl<P: Problem> Problem for Noisy<P> {
    fn name(&self) -> &str {
        self.problem.name()
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.problem.bounds()
    }

    fn dim(&self) -> usize {
        self.problem.dim()
    }

    fn outputs(&self) -> Vec<Output> {
        self.problem.outputs()
    }

    fn evaluate(&self, x: &[f64]) -> Result<Vec<f64>, Failure> {
        self.problem.evaluate(x)
    }

    fn optimum(&self) -> Option<Optimum> {
        self.problem.optimum()
    }

    fn about(&self) -> &str {
        self.problem.about()
    }

    fn physics(&self) -> Option<Physics> {
        self.problem.physics()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::registry::lookup;

    #[test]
    fn errors_have_the_stated_deviation_and_no_bias() {
        let noisy = Noisy::new(lookup("rastrigin-3").unwrap(), 0.1).unwrap();
        let x = [0.3, -1.2, 4.0];
        let truth = noisy.evaluate(&x).unwrap()[0];
        let mut rng = Rng::new(3);
        let errors: Vec<f64> = (0..20_000)
            .map(|_| noisy.observe(&x, &mut rng).unwrap()[0] - truth)
            .collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let spread = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        assert!(mean.abs() < 0.03 * noisy.errors()[0], "{mean}");
        assert!((spread / noisy.errors()[0] - 1.0).abs() < 0.03, "{spread}");
    }

    #[test]
    fn the_deviation_over_the_box_is_that_of_the_formula() {
        // x1 + x2 on the unit square has variance 1/6.
        let estimate = deviations(&lookup("gramacy").unwrap())[0];
        assert!((estimate / (1.0_f64 / 6.0).sqrt() - 1.0).abs() < 0.03, "{estimate}");
    }

    #[test]
    fn every_constraint_gets_an_error_of_its_own_size() {
        let noisy = Noisy::new(lookup("speed-reducer").unwrap(), 0.05).unwrap();
        assert_eq!(noisy.errors().len(), 12);
        assert!(noisy.errors().iter().all(|error| *error > 0.0));
    }

    #[test]
    fn without_noise_an_observation_is_the_truth_and_a_failure_stays_one() {
        let exact = Noisy::new(lookup("crash-corner").unwrap(), 0.0).unwrap();
        let mut rng = Rng::new(0);
        assert_eq!(exact.observe(&[0.5, 0.5], &mut rng), exact.evaluate(&[0.5, 0.5]));
        assert!(
            exact
                .observe(&[0.1, 0.1], &mut rng)
                .unwrap_err()
                .reason
                .contains("crashed")
        );
    }

    #[test]
    fn a_negative_or_undefined_fraction_is_refused() {
        for fraction in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(Noisy::new(lookup("branin").unwrap(), fraction).is_err());
        }
    }
}
