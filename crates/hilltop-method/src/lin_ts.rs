//! `lin-ts`: Thompson sampling with a linear model.
//!
//! Asks for one objective that is about linear in the features, on any space or among arms given with the ask.
//!
//! S. Agrawal, N. Goyal, *Thompson Sampling for Contextual Bandits with Linear Payoffs*, ICML 2013.
//!
//! Follows the paper (Algorithm 1): weights from `N(ŵ, ν² λU⁻¹)`, the best arm for them. Departs from it in that values
//! are standardised and a constant is among the features.

use hilltop_acquire::{Design, Path, maximiser};
use hilltop_core::{Proposer, Result};
use hilltop_surrogate::Linear;
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::neural_ts::check_spread;
use crate::transform::Transform;

/// The settings of `lin-ts`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LinTs {
    /// `ν`: how far draws stray from the mean, in deviations.
    pub spread: f64,
    /// `λ` of ridge regression.
    pub regularisation: f64,
    /// The first points of a space; with arms, how many rounds choose blindly, none where the count is left out.
    pub design: Design,
    /// How the best point of a space is found.
    pub maximiser: maximiser::Kind,
}

impl Default for LinTs {
    fn default() -> Self {
        Self {
            spread: 1.0,
            regularisation: Linear::default().regularisation,
            design: Design::default(),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl LinTs {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        check_spread(self.spread)?;
        let surrogate = Linear {
            regularisation: self.regularisation,
        };
        surrogate.check()?;
        Composite::boxed(
            self.design,
            Transform::None,
            surrogate,
            Path { spread: self.spread },
            self.maximiser,
        )
    }
}
