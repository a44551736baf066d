//! A proposer that follows a design and never looks at a result.

use hilltop_acquire::Design;
use hilltop_core::{History, Proposer, Query, Result};

use crate::composite::one_by_one;

/// Follows a design for as long as it is asked.
pub(crate) struct Designed(pub(crate) Design);

impl Proposer for Designed {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        one_by_one(history, count, |history| {
            self.0.propose(history, history.next_trial()).map(Query::from)
        })
    }
}
