//! A value of a parameter, as users type it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value of a parameter: a truth, a whole number, a number or a text.
///
/// ```
/// use hilltop_core::Value;
/// assert_eq!(Value::Float(0.1).to_string(), "0.1");
/// assert_eq!(Value::Float(20.0).to_string(), "20.0");
/// assert_eq!(Value::from("duplex").to_string(), "duplex");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    fn whole_and_real_of_one_size_mean_the_same() {
        assert!(Value::Int(3).same(&Value::Float(3.0)));
        assert!(!Value::Int(3).same(&Value::from("3")));
        assert!(!Value::Int(1).same(&Value::Bool(true)));
    }
}
