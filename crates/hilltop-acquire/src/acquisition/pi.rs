//! Probability of improvement and its logarithm: `Φ(z)`, `z = (incumbent - mean) / deviation` (Kushner, 1964).
//!
//! Without a margin it prefers a certain small improvement to any chance of a large one, so the margin is not zero
//! by default.

use super::improvement::{Improvement, Measure};
use super::incumbent::Bar;
use super::marginal;
use crate::normal;

/// Probability of improvement.
pub type Pi = Improvement<Probable>;

/// The logarithm of the probability of improvement.
pub type LogPi = Improvement<LogProbable>;

/// `Φ(z)`.
#[derive(Debug)]
pub struct Probable(Bar);

impl Measure for Probable {
    const NAME: &'static str = "pi";
    const MARGIN: f64 = 0.01;
}

impl From<Bar> for Probable {
    fn from(bar: Bar) -> Self {
        Self(bar)
    }
}

impl marginal::Rule for Probable {
    fn value(&self, mean: f64, deviation: f64) -> f64 {
        normal::cumulative(self.0.reduce(mean, deviation).0)
    }

    fn slopes(&self, mean: f64, deviation: f64) -> (f64, f64) {
        let (z, s) = self.0.reduce(mean, deviation);
        let slope = normal::density(z) / s;
        (-slope, -slope * z)
    }
}

/// `ln Φ(z)`.
#[derive(Debug)]
pub struct LogProbable(Bar);

impl Measure for LogProbable {
    const NAME: &'static str = "log-pi";
    const MARGIN: f64 = 0.01;
}

impl From<Bar> for LogProbable {
    fn from(bar: Bar) -> Self {
        Self(bar)
    }
}

impl marginal::Rule for LogProbable {
    fn value(&self, mean: f64, deviation: f64) -> f64 {
        normal::log_cumulative(self.0.reduce(mean, deviation).0)
    }

    fn slopes(&self, mean: f64, deviation: f64) -> (f64, f64) {
        let (z, s) = self.0.reduce(mean, deviation);
        let slope = normal::hazard(z) / s;
        (-slope, -slope * z)
    }

    fn is_logarithmic(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::marginal::Rule;
    use super::*;

    const BAR: Bar = Bar {
        height: 1.0,
        floor: 1e-12,
    };

    #[test]
    fn the_logarithm_agrees_with_the_probability() {
        for (mean, deviation) in [(0.0, 1.0), (1.0, 0.2), (4.0, 0.5), (-3.0, 2.0)] {
            let (plain, log) = (
                Probable(BAR).value(mean, deviation),
                LogProbable(BAR).value(mean, deviation),
            );
            assert!(
                (log.exp() - plain).abs() < 1e-14 * plain.max(1e-3),
                "{mean} {deviation}"
            );
        }
    }

    #[test]
    fn at_the_bar_an_improvement_is_as_likely_as_not() {
        assert!((Probable(BAR).value(1.0, 0.7) - 0.5).abs() < 1e-15);
    }
}
