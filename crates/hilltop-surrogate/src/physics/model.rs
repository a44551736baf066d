//! A process with equations as a model: the process, and what evidence there is for the equations.

use std::any::Any;
use std::sync::Arc;

use faer::MatRef;
use hilltop_core::{HeldOut, Marginals, Model, Paths, Result};
use serde::{Deserialize, Serialize};

use super::parameters::Found;
use crate::process::ProcessModel;

/// How much the equations are believed, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The probability that the equations hold, given how well observations that were held out are expected with and without
    /// them.
    pub weight: f64,
    /// The mean logarithm of the density of observations that were held out, with the equations.
    pub with: f64,
    /// The same without.
    pub without: f64,
    /// At how many points equations are asked for.
    pub rows: usize,
    /// At how many more points a coefficient has no value.
    pub dropped: usize,
}

/// What is remembered of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// The parameters with equations.
    pub(super) informed: Found,
    /// The same without.
    pub(super) plain: Found,
}

/// A fitted process with equations.
#[derive(Clone)]
pub struct PhysicsModel {
    /// With the equations.
    pub(super) informed: ProcessModel,
    /// Without them.
    pub(super) plain: ProcessModel,
    pub(super) evidence: Evidence,
    pub(super) memory: Memory,
    /// Whether the covariance of the laws may be taken over by a later fit.
    pub(super) linear: bool,
}

impl PhysicsModel {
    /// What speaks for the equations.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The model that evidence favours.
    pub fn favoured(&self) -> &ProcessModel {
        if self.evidence.weight >= 0.5 {
            &self.informed
        } else {
            &self.plain
        }
    }

    /// The model without the equations, whether evidence favours it or not.
    pub fn plain(&self) -> &ProcessModel {
        &self.plain
    }

    /// The model with the equations, whether evidence favours it or not.
    pub fn informed(&self) -> &ProcessModel {
        &self.informed
    }
}

impl Model for PhysicsModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        self.favoured().marginals()
    }

    fn paths(&self) -> Option<&dyn Paths> {
        self.favoured().paths()
    }

    fn believe(&self, pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        self.favoured().believe(pending)
    }

    fn memory(&self) -> Option<serde_json::Value> {
        serde_json::to_value(&self.memory).ok()
    }

    fn held_out(&self) -> Vec<HeldOut> {
        self.favoured().held_out()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
