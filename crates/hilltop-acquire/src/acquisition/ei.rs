//! Expected improvement and its logarithm.
//!
//! With `z = (incumbent - mean) / deviation` the expectation of `max(incumbent - f, 0)` is `deviation · h(z)`,
//! `h(z) = zΦ(z) + φ(z)` (Jones, Schonlau and Welch, 1998). Away from the optimum it falls below what a number can
//! hold and its gradient is zero; the logarithm (Ament et al., 2023) has neither problem and the same maximiser.

use std::sync::Arc;

use hilltop_core::{Acquisition, Capabilities, Context, Models, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::incumbent::{Bar, Incumbent};
use super::{marginal, require};
use crate::normal;

/// Expected improvement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ei {
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
    /// How many deviations of the observed values an improvement must exceed.
    pub margin: f64,
}

/// The logarithm of expected improvement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LogEi {
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
    /// How many deviations of the observed values an improvement must exceed.
    pub margin: f64,
}

impl Acquisition for Ei {
    fn bind(&self, models: &Models, context: &Context<'_>, _rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let bar = self.incumbent.bar("ei", self.margin, &*models.objective, context)?;
        marginal::bind("ei", Expected(bar), models, context)
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        require("ei", "marginals", capabilities.marginals, capabilities)
    }

    fn is_smooth(&self) -> bool {
        true
    }
}

impl Acquisition for LogEi {
    fn bind(&self, models: &Models, context: &Context<'_>, _rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let bar = self.incumbent.bar("log-ei", self.margin, &*models.objective, context)?;
        marginal::bind("log-ei", LogExpected(bar), models, context)
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        require("log-ei", "marginals", capabilities.marginals, capabilities)
    }

    fn is_smooth(&self) -> bool {
        true
    }
}

/// `s h(z)`.
pub(super) struct Expected(pub(super) Bar);

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
pub(super) struct LogExpected(pub(super) Bar);

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
