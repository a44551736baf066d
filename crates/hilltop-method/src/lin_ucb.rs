//! `lin-ucb`: optimism with a linear model, the baseline of contextual bandits.
//!
//! Asks for one objective that is about linear in the features, on any space or among arms given with the ask.
//!
//! L. Li, W. Chu, J. Langford, R. E. Schapire, *A Contextual-Bandit Approach to Personalized News Article
//! Recommendation*, WWW 2010.
//!
//! One linear model for all arms, as in the comparison of the `NeuralUCB` paper. Departs from the paper in that values
//! are standardised and a constant is among the features.

use hilltop_acquire::{Design, Schedule, Ucb, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Linear;
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::transform::Transform;

/// The settings of `lin-ucb`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LinUcb {
    /// `α²`: the square of how many deviations are hoped for.
    pub beta: Schedule,
    /// `λ` of ridge regression.
    pub regularisation: f64,
    /// The first points of a space; with arms, how many rounds choose blindly, none where the count is left out.
    pub design: Design,
    /// How the best point of a space is found.
    pub maximiser: maximiser::Kind,
}

impl Default for LinUcb {
    fn default() -> Self {
        Self {
            beta: Schedule::Constant { value: 1.0 },
            regularisation: Linear::default().regularisation,
            design: Design::default(),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl LinUcb {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let surrogate = Linear {
            regularisation: self.regularisation,
        };
        surrogate.check()?;
        Composite::boxed(
            self.design,
            Transform::None,
            surrogate,
            Ucb { beta: self.beta },
            self.maximiser,
        )
    }
}
