//! `random`: independent points, uniform over the feasible set.
//!
//! Asks nothing of the problem. The baseline that every model must beat, and hard to beat on functions without structure.
//!
//! J. Bergstra, Y. Bengio, *Random Search for Hyper-Parameter Optimization* (2012).

use hilltop_acquire::{Design, Layout};
use serde::{Deserialize, Serialize};

/// The settings of `random`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Random {}

/// What it follows.
pub(crate) const DESIGN: Design = Design {
    kind: Layout::Uniform,
    count: None,
};
