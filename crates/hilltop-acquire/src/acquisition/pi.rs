//! Probability of improvement and its logarithm: `Φ(z)`, `z = (incumbent - mean) / deviation` (Kushner, 1964).
//!
//! Without a margin it prefers a certain small improvement to any chance of a large one, so the margin is not zero
//! by default.

use std::sync::Arc;

use hilltop_core::{Acquisition, Capabilities, Context, Models, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::incumbent::{Bar, Incumbent};
use super::{marginal, require};
use crate::normal;

/// Probability of improvement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pi {
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
    /// How many deviations of the observed values an improvement must exceed.
    pub margin: f64,
}

impl Default for Pi {
    fn default() -> Self {
        Self {
            incumbent: Incumbent::default(),
            margin: 0.01,
        }
    }
}

/// The logarithm of the probability of improvement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LogPi {
    /// What an improvement is measured against.
    pub incumbent: Incumbent,
    /// How many deviations of the observed values an improvement must exceed.
    pub margin: f64,
}

impl Default for LogPi {
    fn default() -> Self {
        Self {
            incumbent: Incumbent::default(),
            margin: 0.01,
        }
    }
}

impl Acquisition for Pi {
    fn bind(&self, models: &Models, context: &Context<'_>, _rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let bar = self.incumbent.bar("pi", self.margin, &*models.objective, context)?;
        marginal::bind("pi", Probable(bar), models, context)
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        require("pi", "marginals", capabilities.marginals, capabilities)
    }

    fn is_smooth(&self) -> bool {
        true
    }
}

impl Acquisition for LogPi {
    fn bind(&self, models: &Models, context: &Context<'_>, _rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let bar = self.incumbent.bar("log-pi", self.margin, &*models.objective, context)?;
        marginal::bind("log-pi", LogProbable(bar), models, context)
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        require("log-pi", "marginals", capabilities.marginals, capabilities)
    }

    fn is_smooth(&self) -> bool {
        true
    }
}

/// `Φ(z)`.
pub(super) struct Probable(pub(super) Bar);

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
pub(super) struct LogProbable(pub(super) Bar);

impl marginal::Rule for LogProbable {
    fn value(&self, mean: f64, deviation: f64) -> f64 {
        normal::log_cumulative(self.0.reduce(mean, deviation).0)
    }

    fn slopes(&self, mean: f64, deviation: f64) -> (f64, f64) {
        let (z, s) = self.0.reduce(mean, deviation);
        let slope = normal::hazard(z) / s;
        (-slope, -slope * z)
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
