//! What a proposer is shown: a history of exactly those results that its trial may depend on.
//!
//! A view is kept from one suggestion to the next and only extended, so that a suggestion after twenty thousand trials
//! does not fold twenty thousand events. What it shows is a function of the ledger, the trial and the horizon alone.

use std::borrow::Cow;

use hilltop_core::History;

use crate::ledger::Ledger;
use crate::statement::Statement;
use crate::trial::{State, Trial};

/// What may be known when a trial is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sight {
    /// The trial.
    pub(crate) trial: u64,
    /// Results of trials below this number count, in the order of numbers; all, in the order told, where there is none.
    pub(crate) horizon: Option<u64>,
}

impl Sight {
    /// Results from elsewhere count as soon as they are there: nobody waits for them.
    fn shows(self, trial: &Trial) -> bool {
        let near = |horizon| trial.number < horizon || (trial.added && trial.number < self.trial);
        trial.state.is_settled() && self.horizon.is_none_or(near)
    }
}

/// A history that follows a ledger.
#[derive(Clone, Debug)]
pub(crate) struct View {
    empty: History,
    history: History,
    trial: u64,
    shown: Vec<u64>,
    pointed: usize,
}

impl View {
    pub(crate) fn new(statement: &Statement) -> Self {
        let history = History::new(statement.space.clone(), statement.outputs.clone(), statement.seed)
            .with_budget(statement.budget)
            .with_noise(statement.noisy);
        Self {
            empty: history.clone(),
            history,
            trial: 0,
            shown: Vec::new(),
            pointed: 0,
        }
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// How many points the view knows, by [`Ledger::pointed`].
    pub(crate) fn pointed(&self) -> usize {
        self.pointed
    }

    /// Follows the ledger to what this sight shows.
    pub(crate) fn advance(&mut self, ledger: &Ledger, sight: Sight) -> &History {
        let visible = visible(ledger, sight);
        if !visible.starts_with(&self.shown) || sight.trial < self.trial {
            self.start_over();
        }
        self.await_points(ledger, sight);
        for number in &visible[self.shown.len()..] {
            show(&mut self.history, ledger, &ledger.trials()[*number as usize]);
        }
        self.shown.extend_from_slice(&visible[self.shown.len()..]);
        if let Some(memory) = ledger.memory_before(sight.trial)
            && self.history.memory() != Some(memory)
        {
            self.history.remember(memory.clone());
        }
        self.trial = sight.trial;
        self.history.turn_to(sight.trial);
        &self.history
    }

    fn start_over(&mut self) {
        self.history = self.empty.clone();
        self.shown.clear();
        self.pointed = 0;
    }

    /// Points that are known and whose results are not shown are under way.
    fn await_points(&mut self, ledger: &Ledger, sight: Sight) {
        for number in &ledger.pointed()[self.pointed..] {
            let trial = &ledger.trials()[*number as usize];
            if !sight.shows(trial) {
                self.history.ask(trial.number, trial.point.clone());
            }
        }
        self.pointed = ledger.pointed().len();
    }
}

fn visible(ledger: &Ledger, sight: Sight) -> Cow<'_, [u64]> {
    if sight.horizon.is_none() {
        return Cow::Borrowed(ledger.settled());
    }
    let shown = ledger.trials().iter().filter(|trial| sight.shows(trial));
    Cow::Owned(shown.map(|trial| trial.number).collect())
}

fn show(history: &mut History, ledger: &Ledger, trial: &Trial) {
    if trial.state == State::Complete {
        history.observe(trial.number, &trial.point, &ledger.values(trial));
    } else {
        history.fail(
            trial.number,
            trial.point.clone(),
            trial.reason.as_deref().unwrap_or_default(),
        );
    }
}
