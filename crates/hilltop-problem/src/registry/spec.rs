//! A problem as a study file names it: in parts, with noise.

use serde::{Deserialize, Serialize};

use super::{Fault, UnknownProblem, lookup};
use crate::noise::Noisy;
use crate::problem::Problem;

/// A problem in parts: `{ name = "ackley", dim = 10, noise = 0.05 }`, `{ name = "bbob-f8", dim = 5, instance = 2 }`.
///
/// The name may also be a full one, with dimension and instance left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemSpec {
    /// A name of the registry, with or without dimension.
    pub name: String,
    /// The dimension, where the name does not carry it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dim: Option<usize>,
    /// The instance of a BBOB function; 1 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<usize>,
    /// The deviation of the noise as a fraction of the deviation over the box.
    #[serde(default)]
    pub noise: f64,
}

impl ProblemSpec {
    /// The problem of a full name, without noise.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            dim: None,
            instance: None,
            noise: 0.0,
        }
    }

    /// The name with its parts put together: `ackley-10`, `bbob-f8-d5-i2`.
    pub fn full_name(&self) -> String {
        let bbob = self.name.starts_with("bbob");
        let dim = self
            .dim
            .map(|dim| if bbob { format!("-d{dim}") } else { format!("-{dim}") });
        let instance = self.instance.map(|instance| format!("-i{instance}"));
        [Some(self.name.clone()), dim, instance].into_iter().flatten().collect()
    }

    /// The problem, with its noise.
    pub fn problem(&self) -> Result<Noisy<Box<dyn Problem>>, UnknownProblem> {
        let name = self.full_name();
        if self.instance.is_some() && !name.starts_with("bbob") {
            return Err(UnknownProblem::new(&self.name, Fault::NoInstances));
        }
        let problem = lookup(&name)?;
        Noisy::new(problem, self.noise).map_err(|fault| UnknownProblem {
            name,
            fault,
            suggestion: None,
        })
    }
}
