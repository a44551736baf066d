//! A proposer that follows a design and never looks at a result.

use hilltop_acquire::Design;
use hilltop_core::{History, Proposer, Query, Result};

use crate::arm::any_arm;
use crate::composite::one_by_one;

/// Follows a design for as long as it is asked.
pub(crate) struct Designed(pub(crate) Design);

impl Proposer for Designed {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        one_by_one(history, count, |history| match history.arms() {
            Some(arms) => any_arm(arms, &mut history.rng(history.next_trial())),
            None => self.0.propose(history, history.next_trial()).map(Query::from),
        })
    }

    fn chooses(&self) -> bool {
        true
    }
}
