//! A study: trials are asked for, evaluated and told, and all of it is kept in a journal.

mod answer;
mod arms;
mod asking;
mod desk;
mod replay;
mod telling;
mod writing;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hilltop_core::{Event, History, Proposer};

pub use answer::{Best, Prediction, Recommended};
pub use asking::Task;
pub use replay::{Difference, Replay};

use crate::Result;
use crate::ledger::Ledger;
use crate::statement::Statement;
use crate::store::{Claim, Store, Workers};
use crate::trial::Trial;
use crate::view::View;
use desk::Desk;

/// A study that is open. Every method takes `&self`: threads share it.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::Arc;
/// use hilltop_core::{Goal, MemoryJournal, Outcome, Output, Space};
/// use hilltop_study::{Method, Statement, Study};
///
/// let outputs: Arc<[Output]> = [Output { name: "cost".into(), goal: Goal::Minimize }].into();
/// let statement = Statement::new(Arc::new(Space::unit_box(2)), outputs, Method::parse("random")?)?;
/// let study = Study::open(statement, MemoryJournal::default())?;
/// for asked in study.ask(3)? {
///     let cost = asked.trial as f64;
///     study.tell(asked.trial, &Outcome::Outputs(BTreeMap::from([("cost".into(), cost)])))?;
/// }
/// assert_eq!(study.best()?.map(|best| best.trial), Some(0));
/// # Ok::<(), hilltop_study::Error>(())
/// ```
pub struct Study {
    statement: Statement,
    workers: Workers,
    // Whoever holds both took the oracle first.
    oracle: Mutex<Oracle>,
    desk: Mutex<Desk>,
}

/// Who makes suggestions, one at a time.
struct Oracle {
    proposer: Box<dyn Proposer>,
    view: View,
}

impl Study {
    /// Opens the study in this store, or begins it there. A stored study that differs in what suggestions depend on is
    /// refused; the budget, the number of parallel evaluations and how they are made may change.
    pub fn open(statement: Statement, store: impl Into<Store>) -> Result<Self> {
        let Store { journal, workers } = store.into();
        let proposer = statement.proposer()?;
        let oracle = Oracle {
            proposer,
            view: View::new(&statement),
        };
        let desk = Desk::open(journal, &statement)?;
        Ok(Self {
            statement,
            workers,
            oracle: Mutex::new(oracle),
            desk: Mutex::new(desk),
        })
    }

    /// What the study is about.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Every trial in the order of numbers.
    pub fn trials(&self) -> Result<Vec<Trial>> {
        let mut desk = self.desk();
        desk.catch_up()?;
        Ok(desk.ledger().trials().to_vec())
    }

    /// How many trials have begun; results from elsewhere are not counted.
    pub fn begun(&self) -> Result<u64> {
        let mut desk = self.desk();
        desk.catch_up()?;
        Ok(desk.ledger().begun())
    }

    /// Everything told so far, in the order told, as methods see it.
    pub fn history(&self) -> Result<History> {
        let mut desk = self.desk();
        desk.catch_up()?;
        Ok(desk.overview().clone())
    }

    /// Every event of the journal: all there is to know about the study.
    pub fn events(&self) -> Result<Vec<Event>> {
        Ok(self.desk().journal().read(0)?)
    }

    /// A name of this process's own among those who work on the store; with it, [`Study::task`] says what to do next.
    pub fn enlist(&self) -> Result<Claim> {
        self.workers.enlist()
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn oracle(&self) -> MutexGuard<'_, Oracle> {
        self.oracle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh_proposer(&self) -> Result<Box<dyn Proposer>> {
        self.statement.proposer()
    }

    fn fresh_ledger(&self) -> Ledger {
        Ledger::new(Arc::clone(&self.statement.space), Arc::clone(&self.statement.outputs))
    }
}
