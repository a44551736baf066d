//! `sobol`: a scrambled Sobol sequence over the whole budget.
//!
//! Asks nothing of the problem. Spreads points more evenly than chance; beyond 256 parameters a Latin hypercube.
//!
//! I. M. Sobol, *On the distribution of points in a cube* (1967); A. B. Owen, *Scrambling Sobol' points* (1998).

use hilltop_acquire::{Design, Layout};
use serde::{Deserialize, Serialize};

/// The settings of `sobol`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sobol {}

/// What it follows.
pub(crate) const DESIGN: Design = Design {
    kind: Layout::Sobol,
    count: None,
};
