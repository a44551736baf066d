//! Bayesian linear regression: the surrogate of `LinUCB` and of linear Thompson sampling.
//!
//! Features are the coordinates in `[-1,1]` and a constant; `σ²(x) = λ xᵀU⁻¹x` with `U = λI + Σ_i x_i x_iᵀ`, and the mean
//! is ridge regression on standardised values. All of it d × d, whatever the number of observations.

mod model;

use std::sync::Arc;

use hilltop_core::{Capabilities, Evidence, Model, Previous, Result, Surrogate};
use serde::{Deserialize, Serialize};

use crate::accumulated::positive;
pub use model::LinearModel;

/// The description of a linear model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Linear {
    /// `λ`.
    pub regularisation: f64,
}

impl Default for Linear {
    fn default() -> Self {
        Self { regularisation: 1.0 }
    }
}

impl Linear {
    /// Whether such a surrogate can be built.
    pub fn check(&self) -> Result<()> {
        positive("regularisation", self.regularisation)
    }
}

impl Surrogate for Linear {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.check()?;
        let earlier = previous
            .model
            .and_then(|model| model.as_any().downcast_ref::<LinearModel>());
        let mut model = match earlier.filter(|model| model.precedes(*self, evidence)) {
            Some(model) => model.clone(),
            None => LinearModel::new(*self, evidence.points.dim())?,
        };
        model.follow(evidence);
        Ok(Arc::new(model))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "linear",
            marginals: true,
            paths: true,
            weights: false,
            information: false,
            smooth: true,
        }
    }
}
