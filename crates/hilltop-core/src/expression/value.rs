//! A value of a parameter, as users type it.

use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize};

/// A value of a parameter: a truth, a whole number, a number or a text.
///
/// ```
/// use hilltop_core::Value;
/// assert_eq!(Value::Float(0.1).to_string(), "0.1");
/// assert_eq!(Value::Float(20.0).to_string(), "20.0");
/// assert_eq!(Value::from("duplex").to_string(), "duplex");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number; prints with the fewest digits that read back as the same number.
    Float(f64),
    /// A text.
    Text(String),
}

impl Value {
    /// The number, where it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Int(whole) => Some(*whole as f64),
            Self::Float(number) => Some(*number),
            Self::Bool(_) | Self::Text(_) => None,
        }
    }

    /// The text, where it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether both mean the same: `3` and `3.0` do.
    #[expect(clippy::float_cmp, reason = "options are met exactly or not at all")]
    pub fn same(&self, other: &Self) -> bool {
        match (self.number(), other.number()) {
            (Some(left), Some(right)) => left == right,
            _ => self == other,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(truth) => write!(f, "{truth}"),
            Self::Int(whole) => write!(f, "{whole}"),
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(whole: i64) -> Self {
        Self::Int(whole)
    }
}

impl From<i32> for Value {
    fn from(whole: i32) -> Self {
        Self::Int(whole.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

/// Reads whichever kind of value stands there.
struct AnyValue;

impl Visitor<'_> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, true or false")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Bool(truth))
    }

    fn visit_i64<E>(self, whole: i64) -> Result<Value, E> {
        Ok(Value::Int(whole))
    }

    fn visit_u64<E>(self, whole: u64) -> Result<Value, E> {
        Ok(i64::try_from(whole).map_or(Value::Float(whole as f64), Value::Int))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Value, E> {
        if number.is_finite() {
            Ok(Value::Float(number))
        } else {
            Err(E::custom("a number must be finite"))
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn json_keeps_the_difference_between_whole_numbers_and_numbers() {
        for value in [
            Value::Int(3),
            Value::Float(3.0),
            Value::Float(1e-7),
            Value::Bool(true),
            Value::from("3"),
        ] {
            let text = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value, "{text}");
        }
    }

    #[test]
    fn what_is_no_value_is_refused_in_words() {
        for (text, found) in [("null", "null"), ("[1]", "sequence"), ("{}", "map")] {
            let error = serde_json::from_str::<Value>(text).unwrap_err().to_string();
            let expected = format!("invalid type: {found}, expected a number, a text, true or false");
            assert!(error.starts_with(&expected), "{error}");
        }
        assert_eq!(
            serde_json::from_str::<Value>("18446744073709551615").unwrap(),
            Value::Float(1.844_674_407_370_955_2e19)
        );
    }

    #[test]
    fn whole_and_real_of_one_size_mean_the_same() {
        assert!(Value::Int(3).same(&Value::Float(3.0)));
        assert!(!Value::Int(3).same(&Value::from("3")));
        assert!(!Value::Int(1).same(&Value::Bool(true)));
    }
}
