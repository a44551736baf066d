//! The parametric surrogate: the weights of a network of modest size are estimated, and known up to an ellipsoid.
//!
//! Unlike a tangent kernel, whose features stay where the weights began, the features here move with the estimate. The
//! first observations are met by non-linear least squares (`oracle`), every later one by an update in closed form
//! ([`Estimate`]) that keeps the ellipsoid of GO-UCB (Liu and Wang, 2023, eq. 3 to 6).

mod estimate;
mod family;
mod information;
mod model;
mod oracle;
mod phases;

use std::sync::Arc;

use hilltop_core::{Capabilities, Error, Evidence, Model, Previous, Result, Surrogate};
use hilltop_nn::{Activation, Architecture, Parameterisation};
use serde::{Deserialize, Serialize};

pub use estimate::Estimate;
pub use family::Family;
pub use information::Information;
pub use model::RegressionModel;

use phases::Phases;

/// The description of a parametric surrogate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Regression {
    /// Units a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers.
    pub activation: Activation,
    /// Factors and initial weights.
    pub parameterisation: Parameterisation,
    /// The deviation of the initial biases.
    pub bias: f64,
    /// What the ends of a parameter's range are to the network: `−scale` and `scale`.
    pub scale: f64,
    /// How many observations the first estimate is made of, `n`.
    pub first: usize,
    /// The first estimate is made anew of all observations when these have grown by this factor; never where it is 1.
    pub growth: f64,
    /// Whether the observations of the first estimate narrow the ellipsoid.
    pub founded: bool,
    /// `λ`, in units of standardised values.
    pub lambda: f64,
    /// What distance from the initial weights costs the first estimate.
    pub penalty: f64,
    /// From how many initial weights the first estimate is sought.
    pub restarts: usize,
    /// At most so many steps from each.
    pub iterations: usize,
}

impl Default for Regression {
    fn default() -> Self {
        Self {
            width: 25,
            depth: 1,
            activation: Activation::Sigmoid,
            parameterisation: Parameterisation::Ntk,
            bias: 1.0,
            scale: 3.0,
            first: 10,
            growth: 1.25,
            founded: true,
            lambda: 1e-4,
            penalty: 1e-4,
            restarts: 3,
            iterations: 60,
        }
    }
}

impl Regression {
    /// Whether such a surrogate can be built.
    pub fn check(&self) -> Result<()> {
        let count = |setting: &str, value: usize, low: usize, high: usize| match value {
            value if (low..=high).contains(&value) => Ok(()),
            value => Err(refused(
                setting,
                &value,
                &format!("a whole number from {low} to {high}"),
            )),
        };
        let above = |setting: &str, value: f64, least: f64, allowed: &str| {
            let sound = value.is_finite() && value >= least;
            if sound {
                Ok(())
            } else {
                Err(refused(setting, &value, allowed))
            }
        };
        count("width", self.width, 1, 100_000)?;
        count("depth", self.depth, 1, 8)?;
        count("first", self.first, 1, 1_000_000)?;
        count("restarts", self.restarts, 1, 1000)?;
        count("iterations", self.iterations, 1, 100_000)?;
        above("bias", self.bias, 0.0, "a number of at least 0")?;
        above("scale", self.scale, f64::MIN_POSITIVE, "a number above 0")?;
        above("growth", self.growth, 1.0, "a number of at least 1")?;
        above("lambda", self.lambda, f64::MIN_POSITIVE, "a number above 0")?;
        above("penalty", self.penalty, 0.0, "a number of at least 0")?;
        self.shape(1)
            .check()
            .map_err(|error| refused("width", &self.width, &error.to_string()))
    }

    /// The networks of the family on so many coordinates.
    pub fn shape(&self, inputs: usize) -> Architecture {
        let hidden = vec![self.width; self.depth];
        Architecture::new(inputs, &hidden, self.activation, self.parameterisation).with_bias(self.bias)
    }
}

impl Surrogate for Regression {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.check()?;
        let earlier = previous
            .model
            .and_then(|model| model.as_any().downcast_ref::<RegressionModel>());
        Ok(Arc::new(Phases::new(self, evidence)?.model(earlier)?))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "parametric",
            marginals: true,
            paths: true,
            weights: true,
            information: false,
            smooth: self.activation.is_smooth(),
        }
    }
}

fn refused(setting: &str, value: &dyn ToString, allowed: &str) -> Error {
    Error::Setting {
        setting: setting.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    }
}
