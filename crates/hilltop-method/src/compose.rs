//! `compose`: a surrogate, an acquisition and a maximiser of the user's choice.
//!
//! For researchers: every role by its name, with its settings. What cannot work together is refused before any
//! evaluation, naming what is missing.

use std::sync::Arc;

use hilltop_acquire::{Design, LogEi, acquisition, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Kind;
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::transform::Transform;

/// A method put together from roles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Compose {
    /// Where the first points lie.
    pub design: Design,
    /// What is done to the objective's values first.
    pub transform: Transform,
    /// What is believed.
    pub surrogate: Kind,
    /// What is worth evaluating.
    pub acquisition: acquisition::Kind,
    /// How the best point is found.
    pub maximiser: maximiser::Kind,
}

impl Default for Compose {
    fn default() -> Self {
        Self {
            design: Design::default(),
            transform: Transform::default(),
            surrogate: Kind::default(),
            acquisition: acquisition::Kind::LogEi(LogEi::default()),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl Compose {
    /// The composition as a proposer.
    pub fn composite(&self) -> Result<Composite> {
        self.surrogate.check()?;
        Composite::new(
            self.design,
            self.transform,
            Arc::new(self.surrogate.clone()),
            Arc::new(self.acquisition.clone()),
            Arc::new(self.maximiser),
        )
    }

    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        Ok(Box::new(self.composite()?))
    }
}
