//! How the weight of the deviation changes over a study.

use std::f64::consts::PI;

use hilltop_core::{Capabilities, Error, History, Model, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::require;
use crate::named;

/// The value of `β` as a function of the trial.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// Always the same.
    Constant {
        /// `β`.
        value: f64,
    },
    /// `β_t = scale · 2 ln(d t² π² / (6 δ))`, which grows slowly for ever (Srinivas et al., 2010).
    GpUcb {
        /// The probability `δ` that the bounds fail.
        #[serde(default = "delta")]
        delta: f64,
        /// What the theory's value is multiplied by; the authors use one fifth.
        #[serde(default = "fifth")]
        scale: f64,
    },
    /// `√β_t = bound + noise · √(γ_t + 2 + 2 ln(1/δ))` with the information `γ_t = ½ ln det(I + K/λ)` that the
    /// observations gave (Phan-Trong et al., Lemma 3.5).
    Paper {
        /// `B`, a bound of the function's norm.
        #[serde(default = "one")]
        bound: f64,
        /// `R`, the deviation of the noise in units of the `√λ` that the model believes in.
        #[serde(default = "one")]
        noise: f64,
        /// The probability `δ` that the bounds fail.
        #[serde(default = "delta")]
        delta: f64,
    },
    /// From one value to another in a straight line, and then constant.
    Linear {
        /// `β` at the first trial.
        from: f64,
        /// `β` after the last.
        to: f64,
        /// Over how many trials; the study's budget where it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trials: Option<u64>,
    },
}

fn delta() -> f64 {
    0.1
}

fn one() -> f64 {
    1.0
}

fn fifth() -> f64 {
    0.2
}

/// Over how many trials a line runs where neither it nor the study says so.
const TRIALS: u64 = 100;

impl Default for Schedule {
    fn default() -> Self {
        Self::Constant { value: 4.0 }
    }
}

impl Schedule {
    /// `β` at the next trial of a history, for what this model believes.
    pub fn value(&self, history: &History, model: &dyn Model) -> Result<f64> {
        self.check()?;
        let begun = history.next_trial();
        Ok(match *self {
            Self::Constant { value } => value,
            Self::GpUcb { delta, scale } => {
                let (t, d) = ((begun + 1) as f64, history.space().unit_dim().max(1) as f64);
                (scale * 2.0 * (d * t * t * PI * PI / (6.0 * delta)).ln()).max(0.0)
            }
            Self::Paper { bound, noise, delta } => {
                let gained = information(model)?;
                (bound + noise * (gained + 2.0 + 2.0 * (1.0 / delta).ln()).sqrt()).powi(2)
            }
            Self::Linear { from, to, trials } => {
                let length = trials.or(history.budget()).unwrap_or(TRIALS).max(1);
                from + (to - from) * (begun as f64 / length as f64).min(1.0)
            }
        })
    }

    /// Refuses models that cannot say what the value depends on.
    pub(crate) fn suits(&self, capabilities: Capabilities) -> Result<()> {
        let met = capabilities.information || !matches!(self, Self::Paper { .. });
        require("beta = paper", "information", met, capabilities)
    }

    /// Refuses what gives no deviation to hope for.
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::Constant { value } => at_least_zero("value", value),
            Self::GpUcb { delta, scale } => within_one("delta", delta).and(at_least_zero("scale", scale)),
            Self::Paper { bound, noise, delta } => within_one("delta", delta)
                .and(at_least_zero("bound", bound))
                .and(at_least_zero("noise", noise)),
            Self::Linear { from, to, .. } => at_least_zero("from", from).and(at_least_zero("to", to)),
        }
    }
}

/// What the observations told a model.
fn information(model: &dyn Model) -> Result<f64> {
    let lacking = Error::Incapable {
        asker: "beta = paper",
        needed: "information",
        model: "the fitted model",
        offered: "none",
    };
    model.information().ok_or(lacking)
}

fn at_least_zero(setting: &str, value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(refused(setting, value, "a number of at least 0"))
    }
}

fn within_one(setting: &str, value: f64) -> Result<()> {
    if value > 0.0 && value < 1.0 {
        Ok(())
    } else {
        Err(refused(setting, value, "a number between 0 and 1"))
    }
}

fn refused(setting: &str, value: f64, allowed: &str) -> Error {
    Error::Setting {
        setting: format!("beta.{setting}"),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        named::deserialize(deserializer, "a schedule")
    }
}

impl<'de> named::Table<'de> for Schedule {
    fn table<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}
