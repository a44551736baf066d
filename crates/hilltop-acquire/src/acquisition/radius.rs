//! How large the ellipsoid of weights is over a study.

use hilltop_core::{Error, Parametric, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::named;

/// The squared radius `β_t` of `{ w : ‖w − ŵ_t‖²_Σ <= β_t }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Radius {
    /// As many posterior deviations as given: `β = value² λ`.
    Deviations {
        /// How many.
        value: f64,
    },
    /// Always the same.
    Constant {
        /// `β`.
        value: f64,
    },
    /// `β_t = d_w³ F⁴ t / T`, as in the experiments of GO-UCB.
    Paper {
        /// `F`, a bound of the function.
        #[serde(default = "one")]
        bound: f64,
        /// `T`, the number of rounds.
        horizon: u64,
    },
    /// `β_t = d_w σ² + d_w³/μ² + d_w³ t / (μ² T)`, as in the theory of GO-UCB (eq. 7) without its logarithms.
    Theory {
        /// `σ`, the deviation of the noise.
        noise: f64,
        /// `μ`, how strongly convex the risk is at the true weights.
        convexity: f64,
        /// `T`, the number of rounds.
        horizon: u64,
    },
}

fn one() -> f64 {
    1.0
}

impl Default for Radius {
    fn default() -> Self {
        Self::Deviations { value: 0.1 }
    }
}

impl Radius {
    /// `β` of the round after those that a model has seen.
    pub fn value(&self, model: &dyn Parametric) -> Result<f64> {
        self.check()?;
        let (size, round) = (model.centre().len() as f64, (model.rounds() + 1) as f64);
        Ok(match *self {
            Self::Deviations { value } => value * value * model.regulariser(),
            Self::Constant { value } => value,
            Self::Paper { bound, horizon } => size.powi(3) * bound.powi(4) * round / horizon as f64,
            Self::Theory {
                noise,
                convexity,
                horizon,
            } => {
                let cubed = size.powi(3) / (convexity * convexity);
                size * noise * noise + cubed + cubed * round / horizon as f64
            }
        })
    }

    /// Refuses what is no radius.
    pub fn check(&self) -> Result<()> {
        let sound = |setting, value: f64| at_least(setting, value, 0.0, "a number of at least 0");
        match *self {
            Self::Deviations { value } | Self::Constant { value } => sound("value", value),
            Self::Paper { bound, horizon } => sound("bound", bound).and(rounds(horizon)),
            Self::Theory {
                noise,
                convexity,
                horizon,
            } => {
                at_least("convexity", convexity, f64::MIN_POSITIVE, "a number above 0")?;
                sound("noise", noise).and(rounds(horizon))
            }
        }
    }
}

fn rounds(horizon: u64) -> Result<()> {
    at_least("horizon", horizon as f64, 1.0, "at least one round")
}

fn at_least(setting: &str, value: f64, least: f64, allowed: &str) -> Result<()> {
    if value >= least && value.is_finite() {
        return Ok(());
    }
    let (setting, value) = (format!("beta.{setting}"), value.to_string());
    Err(Error::Setting {
        setting,
        value,
        allowed: allowed.to_owned(),
    })
}

impl Serialize for Radius {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Radius {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        named::deserialize(deserializer, "a schedule of the ellipsoid's radius")
    }
}

impl<'de> named::Table<'de> for Radius {
    fn table<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}
