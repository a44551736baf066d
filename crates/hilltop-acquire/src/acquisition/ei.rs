//! Expected improvement and its logarithm.
//!
//! With `z = (incumbent - mean) / deviation` the expectation of `max(incumbent - f, 0)` is `deviation · h(z)`,
//! `h(z) = zΦ(z) + φ(z)` (Jones, Schonlau and Welch, 1998). Away from the optimum it falls below what a number can
//! hold and its gradient is zero; the logarithm (Ament et al., 2023) has neither problem and the same maximiser.

use super::improvement::{Improvement, Measure};
use super::incumbent::Bar;
use super::marginal;
use crate::normal;

/// Expected improvement.
pub type Ei = Improvement<Expected>;

/// The logarithm of expected improvement.
pub type LogEi = Improvement<LogExpected>;

/// `s h(z)`.
#[derive(Debug)]
pub struct Expected(Bar);

impl Measure for Expected {
    const NAME: &'static str = "ei";
    const MARGIN: f64 = 0.0;
}

impl From<Bar> for Expected {
    fn from(bar: Bar) -> Self {
        Self(bar)
    }
}

impl marginal::Rule for Expected {
    fn value(&self, mean: f64, deviation: f64) -> f64 {
        let (z, s) = self.0.reduce(mean, deviation);
        s * normal::improvement(z)
    }

    fn slopes(&self, mean: f64, deviation: f64) -> (f64, f64) {
        let (z, _) = self.0.reduce(mean, deviation);
        (-normal::cumulative(z), normal::density(z))
    }
}

/// `ln s + ln h(z)`.
#[derive(Debug)]
pub struct LogExpected(Bar);

impl Measure for LogExpected {
    const NAME: &'static str = "log-ei";
    const MARGIN: f64 = 0.0;
}

impl From<Bar> for LogExpected {
    fn from(bar: Bar) -> Self {
        Self(bar)
    }
}

impl marginal::Rule for LogExpected {
    fn value(&self, mean: f64, deviation: f64) -> f64 {
        let (z, s) = self.0.reduce(mean, deviation);
        s.ln() + normal::log_improvement(z)
    }

    fn slopes(&self, mean: f64, deviation: f64) -> (f64, f64) {
        let (z, s) = self.0.reduce(mean, deviation);
        let (by_mean, by_deviation) = normal::improvement_ratios(z);
        (-by_mean / s, by_deviation / s)
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
    fn the_logarithm_of_ei_is_log_ei_where_ei_is_representable() {
        for mean in [-3.0, 0.0, 0.9, 1.1, 2.0, 8.0] {
            for deviation in [0.3, 1.0, 4.0] {
                let (plain, log) = (
                    Expected(BAR).value(mean, deviation),
                    LogExpected(BAR).value(mean, deviation),
                );
                assert!(
                    (log.exp() / plain - 1.0).abs() < 1e-12,
                    "{mean} {deviation}: {plain:e} {log}"
                );
            }
        }
    }

    #[test]
    fn improvement_falls_with_the_mean_and_grows_with_the_deviation() {
        for mean in [-2.0, 0.5, 1.5, 5.0, 100.0] {
            for deviation in [0.01, 0.5, 2.0] {
                let here = LogExpected(BAR).value(mean, deviation);
                assert!(LogExpected(BAR).value(mean + 0.01, deviation) < here);
                assert!(LogExpected(BAR).value(mean, deviation * 1.01) >= here);
                assert!(here.is_finite());
            }
        }
    }

    #[test]
    fn without_deviation_the_improvement_is_certain_or_none() {
        assert!((Expected(BAR).value(-1.0, 0.0) - 2.0).abs() < 1e-9);
        assert!(Expected(BAR).value(3.0, 0.0) <= 0.0);
        assert!(
            LogExpected(BAR).value(3.0, 0.0).is_finite(),
            "a log score stays comparable"
        );
    }
}
