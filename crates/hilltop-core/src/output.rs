//! What an evaluation reports: one objective, and any number of outputs with limits.

use serde::{Deserialize, Serialize};

/// An output of the black box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// Its name, as evaluations report it.
    pub name: String,
    /// What is wanted of it.
    pub goal: Goal,
}

/// What is wanted of an output.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// As small as possible.
    Minimize,
    /// As large as possible.
    Maximize,
    /// Between limits, one or both: an unknown constraint.
    Within {
        /// The smallest value allowed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<f64>,
        /// The largest value allowed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<f64>,
    },
    /// Nothing: recorded only.
    Observe,
}

impl Goal {
    /// Whether this is the objective.
    pub fn is_objective(self) -> bool {
        matches!(self, Self::Minimize | Self::Maximize)
    }

    /// The value as everything inside sees it: objectives are minimised.
    pub fn inward(self, value: f64) -> f64 {
        if self == Self::Maximize { -value } else { value }
    }

    /// By how much a value breaks the limits; zero or less where it keeps them.
    pub fn violation(self, value: f64) -> f64 {
        match self {
            Self::Within { min, max } => {
                let above = max.map_or(f64::NEG_INFINITY, |max| value - max);
                let below = min.map_or(f64::NEG_INFINITY, |min| min - value);
                above.max(below)
            }
            _ => f64::NEG_INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]

    use super::*;

    #[test]
    fn a_value_between_its_limits_has_no_positive_violation() {
        let goal = Goal::Within {
            min: Some(20.0),
            max: Some(90.0),
        };
        assert!(goal.violation(50.0) < 0.0);
        assert_eq!(goal.violation(95.0), 5.0);
        assert_eq!(goal.violation(15.0), 5.0);
    }

    #[test]
    fn maximising_is_minimising_the_negative() {
        assert_eq!(Goal::Maximize.inward(3.0), -3.0);
        assert_eq!(Goal::Minimize.inward(3.0), 3.0);
    }
}
