//! How weights are moved: the optimisers and their settings.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A way down the loss, with its settings.
///
/// Gradient descent follows the gradient of the whole objective `½ Σ (h − y)² + ½ penalty ‖θ − θ_0‖²`, as the theory
/// states it. The two stochastic ones follow the gradient of the objective divided by the number of examples, estimated
/// on a batch, so that a good rate does not depend on how many examples there are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Optimiser {
    /// Stochastic gradient descent.
    Sgd {
        /// Step size.
        rate: f64,
        /// Examples in a step.
        batch: usize,
        /// Passes over the examples.
        epochs: usize,
        /// Factor of the rate from one pass to the next.
        #[serde(default = "one")]
        decay: f64,
        /// Whether every pass takes the examples in an order of its own; otherwise in the order given.
        #[serde(default = "yes")]
        shuffle: bool,
    },
    /// Adam, with the moments' usual decays 0.9 and 0.999 and `ε` = 1e-8.
    Adam {
        /// Step size.
        rate: f64,
        /// Examples in a step.
        batch: usize,
        /// Passes over the examples.
        epochs: usize,
        /// Factor of the rate from one pass to the next.
        #[serde(default = "one")]
        decay: f64,
        /// Whether every pass takes the examples in an order of its own; otherwise in the order given.
        #[serde(default = "yes")]
        shuffle: bool,
    },
    /// Gradient descent on all examples at once.
    GradientDescent {
        /// Step size.
        rate: f64,
        /// Number of steps.
        steps: usize,
    },
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

/// What the loop over the examples needs to know of an optimiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Schedule {
    pub(crate) rate: f64,
    pub(crate) batch: usize,
    pub(crate) epochs: usize,
    pub(crate) decay: f64,
    pub(crate) shuffle: bool,
    /// Whether steps follow the objective divided by the number of examples.
    pub(crate) mean: bool,
    pub(crate) adaptive: bool,
}

impl Optimiser {
    /// Stochastic gradient descent with a constant rate.
    pub fn sgd(rate: f64, batch: usize, epochs: usize) -> Self {
        Self::Sgd {
            rate,
            batch,
            epochs,
            decay: 1.0,
            shuffle: true,
        }
    }

    /// Adam with a constant rate.
    pub fn adam(rate: f64, batch: usize, epochs: usize) -> Self {
        Self::Adam {
            rate,
            batch,
            epochs,
            decay: 1.0,
            shuffle: true,
        }
    }

    /// One pass of stochastic gradient descent over the examples in their order, one at a time: a stream.
    pub fn one_pass(rate: f64) -> Self {
        Self::Sgd {
            rate,
            batch: 1,
            epochs: 1,
            decay: 1.0,
            shuffle: false,
        }
    }

    /// Whether every example is seen once, alone and in its order.
    pub fn is_one_pass(&self) -> bool {
        matches!(
            self,
            Self::Sgd {
                batch: 1,
                epochs: 1,
                shuffle: false,
                ..
            }
        )
    }

    /// Gradient descent on all examples at once.
    pub fn gradient_descent(rate: f64, steps: usize) -> Self {
        Self::GradientDescent { rate, steps }
    }

    /// Whether the settings are in their ranges.
    pub fn check(&self) -> Result<()> {
        let schedule = self.schedule(1);
        positive("rate", schedule.rate)?;
        positive("decay", schedule.decay)?;
        if schedule.batch == 0 {
            return Err(Error::Setting {
                setting: "batch",
                value: 0.0,
                allowed: "it must be at least 1",
            });
        }
        Ok(())
    }

    pub(crate) fn schedule(&self, examples: usize) -> Schedule {
        match *self {
            Self::Sgd {
                rate,
                batch,
                epochs,
                decay,
                shuffle,
            }
            | Self::Adam {
                rate,
                batch,
                epochs,
                decay,
                shuffle,
            } => Schedule {
                rate,
                batch,
                epochs,
                decay,
                shuffle,
                mean: true,
                adaptive: matches!(self, Self::Adam { .. }),
            },
            Self::GradientDescent { rate, steps } => Schedule {
                rate,
                batch: examples.max(1),
                epochs: steps,
                decay: 1.0,
                shuffle: false,
                mean: false,
                adaptive: false,
            },
        }
    }
}

fn positive(setting: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Setting {
        setting,
        value,
        allowed: "it must be positive and finite",
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn settings_outside_their_range_are_refused_by_name() {
        let refused = |optimiser: Optimiser| match optimiser.check() {
            Err(Error::Setting { setting, .. }) => setting,
            _ => "",
        };
        assert_eq!(refused(Optimiser::sgd(0.0, 5, 1)), "rate");
        assert_eq!(refused(Optimiser::adam(f64::NAN, 5, 1)), "rate");
        assert_eq!(refused(Optimiser::sgd(0.1, 0, 1)), "batch");
        assert_eq!(refused(Optimiser::gradient_descent(-1.0, 3)), "rate");
        assert!(Optimiser::gradient_descent(0.1, 0).check().is_ok());
    }

    #[test]
    fn an_optimiser_is_written_with_its_name_and_may_leave_defaults_out() {
        let text = r#"{"name": "sgd", "rate": 0.001, "batch": 50, "epochs": 50}"#;
        assert_eq!(
            serde_json::from_str::<Optimiser>(text).unwrap(),
            Optimiser::sgd(0.001, 50, 50)
        );
        let descent = Optimiser::gradient_descent(0.1, 7);
        let text = serde_json::to_string(&descent).unwrap();
        assert_eq!(serde_json::from_str::<Optimiser>(&text).unwrap(), descent);
        assert!(
            serde_json::from_str::<Optimiser>(r#"{"name": "sgd", "rate": 1, "batch": 1, "epochs": 1, "x": 1}"#)
                .is_err()
        );
    }
}
