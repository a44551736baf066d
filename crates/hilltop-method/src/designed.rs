//! A proposer that follows a design and never looks at a result.

use hilltop_acquire::Design;
use hilltop_core::{History, Proposer, Query, Result};

use crate::arm::any_arm;
use crate::composite::one_by_one;

/// Points of a design cost next to nothing: what takes time is to write them, and that is done once for so many.
pub(crate) const STRETCH: usize = 256;

/// Follows a design for as long as it is asked.
pub(crate) struct Designed(pub(crate) Design);

impl Proposer for Designed {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        one_by_one(history, count, |history| match history.arms() {
            Some(arms) => any_arm(arms, &mut history.rng(history.next_trial())),
            None => self.0.propose(history, history.next_trial()).map(Query::from),
        })
    }

    fn at_once(&self, _history: &History) -> usize {
        STRETCH
    }

    fn chooses(&self) -> bool {
        true
    }
}
