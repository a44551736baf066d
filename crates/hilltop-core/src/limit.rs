//! The models of a study's outputs: what is minimised, and what must stay within limits.
//!
//! An unknown constraint is the model of an output and the interval it must keep. So is the danger of failure: the model
//! of a hidden quantity that is above zero where evaluations fail. Whoever handles limits handles both.

use std::sync::Arc;

use crate::role::Model;

/// The models of a study's outputs, with pending points believed.
#[derive(Clone)]
pub struct Models {
    /// What is minimised.
    pub objective: Arc<dyn Model>,
    /// What must stay within limits, in the order of the outputs, the danger of failure last.
    pub limits: Vec<Limit>,
}

impl From<Arc<dyn Model>> for Models {
    fn from(objective: Arc<dyn Model>) -> Self {
        let limits = Vec::new();
        Self { objective, limits }
    }
}

/// A quantity that must stay within limits, as it is believed to be.
#[derive(Clone)]
pub struct Limit {
    /// The output's name; [`Limit::FAILURE`] where it is the danger of failure.
    pub name: String,
    /// What is believed of it, in units in which the limits are those below.
    pub model: Arc<dyn Model>,
    /// The smallest value allowed.
    pub low: Option<f64>,
    /// The largest value allowed.
    pub high: Option<f64>,
    /// The deviation of the observed values in these units: what violations of unlike outputs are measured by.
    pub scale: f64,
    /// What the model's deviations are multiplied by, so that they agree with observations that were held out.
    pub stretch: f64,
}

impl Limit {
    /// The name of the danger of failure, which no output can have.
    pub const FAILURE: &'static str = "(failure)";

    /// Whether this is the danger of failure rather than an output.
    pub fn is_failure(&self) -> bool {
        self.name == Self::FAILURE
    }
}
