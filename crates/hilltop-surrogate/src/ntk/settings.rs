//! What can be chosen about a tangent-kernel surrogate.

use hilltop_core::{Error, Result};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The width of the hidden layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// The limit, whose kernel is known in closed form.
    #[default]
    Infinite,
    /// So many units.
    Finite(usize),
}

/// A number, or a word where the number is left to the surrogate.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Typed {
    Count(usize),
    Number(f64),
    Word(String),
}

impl Serialize for Width {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Infinite => serializer.serialize_str("infinite"),
            Self::Finite(width) => serializer.serialize_u64(*width as u64),
        }
    }
}

impl<'de> Deserialize<'de> for Width {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Typed::deserialize(deserializer) {
            Ok(Typed::Word(word)) if word == "infinite" => Ok(Self::Infinite),
            Ok(Typed::Count(width)) if width > 0 => Ok(Self::Finite(width)),
            _ => Err(D::Error::custom("width is \"infinite\" or a whole number above 0")),
        }
    }
}

/// A parameter that is fitted, or known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Fit {
    /// By the likelihood of the observations.
    #[default]
    Fitted,
    /// This number.
    Fixed(f64),
}

impl Serialize for Fit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fitted => serializer.serialize_str("fitted"),
            Self::Fixed(value) => serializer.serialize_f64(*value),
        }
    }
}

impl<'de> Deserialize<'de> for Fit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = match Typed::deserialize(deserializer) {
            Ok(Typed::Word(word)) if word == "fitted" => return Ok(Self::Fitted),
            Ok(Typed::Count(value)) => value as f64,
            Ok(Typed::Number(value)) => value,
            _ => f64::NAN,
        };
        let sound = value.is_finite() && value > 0.0;
        sound
            .then_some(Self::Fixed(value))
            .ok_or_else(|| D::Error::custom("\"fitted\" or a number above 0"))
    }
}

/// What is expected of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expectation {
    /// The mean of the process: what an infinitely long training of an infinitely wide network gives.
    #[default]
    Kernel,
    /// The network after training.
    Trained,
    /// The network after one pass of gradient descent over the observations in their order, without a penalty.
    OnePass,
}

/// At which weights gradients are features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Features {
    /// Those the network starts from, the same in every round.
    #[default]
    Initial,
    /// Those the network has after training.
    Current,
}

/// An error that names a setting.
pub(crate) fn refused(setting: &str, value: &dyn ToString, allowed: &str) -> Error {
    Error::Setting {
        setting: setting.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    }
}
