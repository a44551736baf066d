//! What a proposer is shown: a history of exactly those results that its trial may depend on.
//!
//! A view is kept from one suggestion to the next and only extended, so that a suggestion after twenty thousand trials
//! does not fold twenty thousand events. What it shows is a function of the ledger, the trial and the horizon alone.

use std::borrow::Cow;

use hilltop_core::{History, Points};

use crate::ledger::Ledger;
use crate::statement::{OnFailure, Statement};
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
    /// Whether failures are learnt from.
    learns: bool,
    trial: u64,
    shown: Vec<u64>,
    pointed: usize,
}

impl View {
    pub(crate) fn new(statement: &Statement) -> Self {
        let history = History::new(statement.space.clone(), statement.outputs.clone(), statement.seed)
            .with_budget(statement.budget)
            .with_noise(statement.noisy)
            .with_contexts(statement.contexts)
            .with_allowance(statement.max_violation);
        Self {
            empty: history.clone(),
            history,
            learns: statement.on_failure != OnFailure::Ignore,
            trial: 0,
            shown: Vec::new(),
            pointed: 0,
        }
    }

    /// Offers arms for the next proposal; none for a proposal of the whole space.
    pub(crate) fn offer(&mut self, arms: Option<Points>) -> &History {
        self.history.offer(arms);
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
            show(
                &mut self.history,
                ledger,
                &ledger.trials()[*number as usize],
                self.learns,
            );
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

fn show(history: &mut History, ledger: &Ledger, trial: &Trial, learns: bool) {
    let (number, reason) = (trial.number, trial.reason.as_deref().unwrap_or_default());
    if trial.state == State::Complete {
        history.observe_some(number, &trial.point, &ledger.values(trial));
    } else if learns && !trial.accidental {
        history.fail(number, trial.point.clone(), reason);
    } else {
        history.lose(number, trial.point.clone(), reason);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use hilltop_core::{Event, FORMAT, Goal, Outcome, Output, Parameters, Space};
    use proptest::prelude::*;

    use super::*;
    use crate::statement::Method;

    fn statement() -> Statement {
        let outputs: Arc<[Output]> = [Output {
            name: "cost".into(),
            goal: Goal::Maximize,
        }]
        .into();
        Statement::new(Arc::new(Space::unit_box(1)), outputs, Method::default()).unwrap()
    }

    fn outcome(value: u8) -> Outcome {
        if value.is_multiple_of(4) {
            return Outcome::Failed("broken".into());
        }
        Outcome::Outputs(BTreeMap::from([("cost".to_owned(), f64::from(value))]))
    }

    fn parameters(value: u8) -> Parameters {
        Parameters::from_iter([("x1", (f64::from(value) / 255.0).into())])
    }

    /// An event that may follow, made of three arbitrary bytes.
    fn event(ledger: &Ledger, [kind, which, value]: [u8; 3]) -> Event {
        let pick = |state: State| {
            let open: Vec<u64> = ledger
                .open()
                .filter(|trial| trial.state == state)
                .map(|trial| trial.number)
                .collect();
            open.get(usize::from(which) % open.len().max(1)).copied()
        };
        let next = ledger.next();
        match (kind % 8, pick(State::Reserved), pick(State::Running)) {
            (0, ..) => Event::Added {
                trial: next,
                parameters: parameters(value),
                outcome: outcome(value),
            },
            (1, Some(trial), _) => Event::Adopted {
                trial,
                worker: "other".into(),
            },
            (2..4, Some(trial), _) => {
                let memory = value.is_multiple_of(3).then(|| value.into());
                Event::Asked {
                    trial,
                    parameters: parameters(value),
                    horizon: None,
                    memory,
                    choice: None,
                    outputs: Vec::new(),
                }
            }
            (4..7, _, Some(trial)) => Event::Told {
                trial,
                outcome: outcome(value),
                seconds: None,
                accidental: value.is_multiple_of(8),
            },
            _ => Event::Reserved {
                trial: next,
                worker: None,
            },
        }
    }

    fn same(left: &History, right: &History) -> bool {
        left.trials() == right.trials()
            && left.points().rows().eq(right.points().rows())
            && left.objective() == right.objective()
            && left.failures() == right.failures()
            && left.pending() == right.pending()
            && left.memory() == right.memory()
            && left.next_trial() == right.next_trial()
    }

    proptest! {
        #[test]
        fn a_view_that_follows_equals_one_folded_from_scratch(
            bytes in proptest::collection::vec(any::<[u8; 3]>(), 1..120),
            looks in proptest::collection::vec((any::<bool>(), 0_u64..6, 0_u64..3), 120),
            orderly in any::<bool>(),
        ) {
            let statement = statement();
            let mut ledger = Ledger::new(statement.space.clone(), statement.outputs.clone());
            ledger.apply(Event::Created { format: FORMAT, study: statement.description() }).unwrap();
            let (mut all, mut near) = (View::new(&statement), View::new(&statement));
            for (bytes, (look, parallel, back)) in bytes.into_iter().zip(looks) {
                ledger.apply(event(&ledger, bytes)).unwrap();
                if !look {
                    continue;
                }
                let (parallel, back) = if orderly { (2, 0) } else { (parallel, back) };
                let trial = ledger.next().saturating_sub(back);
                let sights = [None, Some((trial + 1).saturating_sub(parallel))];
                for (view, horizon) in [&mut all, &mut near].into_iter().zip(sights) {
                    let sight = Sight { trial, horizon };
                    let mut fresh = View::new(&statement);
                    prop_assert!(same(view.advance(&ledger, sight), fresh.advance(&ledger, sight)), "{sight:?}");
                }
            }
        }
    }

    #[test]
    fn a_view_below_a_horizon_hides_later_results_and_shows_their_points_as_under_way() {
        let statement = statement();
        let mut ledger = Ledger::new(statement.space.clone(), statement.outputs.clone());
        let asked = |trial| Event::Asked {
            trial,
            parameters: parameters(trial as u8),
            horizon: None,
            memory: None,
            choice: None,
            outputs: Vec::new(),
        };
        let told = |trial| Event::Told {
            trial,
            outcome: outcome(1),
            seconds: None,
            accidental: false,
        };
        let reserved = |trial| Event::Reserved { trial, worker: None };
        let mut events = vec![Event::Created {
            format: FORMAT,
            study: statement.description(),
        }];
        events.extend((0..3).flat_map(|trial| [reserved(trial), asked(trial)]));
        events.extend([told(2), told(0), told(1)]);
        events.push(Event::Added {
            trial: 3,
            parameters: parameters(9),
            outcome: outcome(1),
        });
        for event in events {
            ledger.apply(event).unwrap();
        }
        let mut view = View::new(&statement);
        let shown = |history: &History| -> (Vec<u64>, Vec<u64>) {
            (
                history.trials().to_vec(),
                history.pending().iter().map(|pending| pending.trial).collect(),
            )
        };
        let near = view.advance(
            &ledger,
            Sight {
                trial: 4,
                horizon: Some(1),
            },
        );
        assert_eq!(shown(near), (vec![0, 3], vec![1, 2]));
        let all = view.advance(
            &ledger,
            Sight {
                trial: 4,
                horizon: None,
            },
        );
        assert_eq!(shown(all), (vec![2, 0, 1, 3], vec![]));
    }
}
