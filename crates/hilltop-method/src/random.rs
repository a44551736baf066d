//! `random`: independent points, uniform over the feasible set.
//!
//! Asks nothing of the problem. The baseline that every model must beat, and hard to beat on functions without structure.
//!
//! J. Bergstra, Y. Bengio, *Random Search for Hyper-Parameter Optimization* (2012).

use hilltop_acquire::{Design, Layout};
use serde::{Deserialize, Serialize};

use crate::designed::Designed;

/// The settings of `random`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Random {}

impl Random {
    pub(crate) fn build(self) -> Designed {
        Designed(Design { kind: Layout::Uniform, count: None })
    }
}
