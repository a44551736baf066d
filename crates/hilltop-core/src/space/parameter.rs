//! A parameter as a user describes it; checked when it becomes part of a space.

use serde::{Deserialize, Serialize};

use crate::expression::{Expression, ExpressionError, Value};

/// One input of the black box.
///
/// ```
/// use hilltop_core::Parameter;
/// let angle = Parameter::float("angle", 0.0, 90.0).step(0.5);
/// let steel = Parameter::choice("steel", ["s235", "s355", "duplex"]);
/// let damper = Parameter::float("damper", 0.0, 1.0).when("steel == 'duplex'")?;
/// # Ok::<(), hilltop_core::expression::ExpressionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What values it takes.
    pub kind: Kind,
    /// When it takes part at all; always where there is no condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Expression>,
}

/// What values a parameter takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// A number between bounds, both included.
    Float {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
        /// Whether equal ratios matter instead of equal differences.
        #[serde(default)]
        log: bool,
        /// Only `low`, `low + step`, `low + 2 step`, … up to `high`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<f64>,
    },
    /// A whole number between bounds, both included.
    Int {
        /// The lower bound.
        low: i64,
        /// The upper bound.
        high: i64,
        /// Whether equal ratios matter instead of equal differences.
        #[serde(default)]
        log: bool,
    },
    /// One of several options without an order.
    Choice {
        /// The options.
        options: Vec<Value>,
    },
    /// One of several options from low to high.
    Ordered {
        /// The options in their order.
        options: Vec<Value>,
    },
    /// Always the same value.
    Fixed {
        /// The value.
        value: Value,
    },
}

impl Parameter {
    fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
            when: None,
        }
    }

    /// A number between bounds.
    pub fn float(name: impl Into<String>, low: f64, high: f64) -> Self {
        Self::new(
            name,
            Kind::Float {
                low,
                high,
                log: false,
                step: None,
            },
        )
    }

    /// A number between positive bounds, searched in its logarithm.
    pub fn log_float(name: impl Into<String>, low: f64, high: f64) -> Self {
        Self::new(
            name,
            Kind::Float {
                low,
                high,
                log: true,
                step: None,
            },
        )
    }

    /// A whole number between bounds.
    pub fn int(name: impl Into<String>, low: i64, high: i64) -> Self {
        Self::new(name, Kind::Int { low, high, log: false })
    }

    /// A whole number between positive bounds, searched in its logarithm.
    pub fn log_int(name: impl Into<String>, low: i64, high: i64) -> Self {
        Self::new(name, Kind::Int { low, high, log: true })
    }

    /// One of several options without an order.
    pub fn choice<V: Into<Value>>(name: impl Into<String>, options: impl IntoIterator<Item = V>) -> Self {
        let options = options.into_iter().map(Into::into).collect();
        Self::new(name, Kind::Choice { options })
    }

    /// One of several options from low to high.
    pub fn ordered<V: Into<Value>>(name: impl Into<String>, options: impl IntoIterator<Item = V>) -> Self {
        let options = options.into_iter().map(Into::into).collect();
        Self::new(name, Kind::Ordered { options })
    }

    /// Always the same value.
    pub fn fixed(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::new(name, Kind::Fixed { value: value.into() })
    }

    /// Restricts a float to a grid that starts at its lower bound; other kinds have no step and stay as they are.
    #[must_use]
    pub fn step(mut self, size: f64) -> Self {
        if let Kind::Float { step, .. } = &mut self.kind {
            *step = Some(size);
        }
        self
    }

    /// Makes the parameter conditional: it takes part only where the condition on other parameters holds.
    pub fn when(mut self, condition: &str) -> Result<Self, ExpressionError> {
        self.when = Some(Expression::parse(condition)?);
        Ok(self)
    }
}
