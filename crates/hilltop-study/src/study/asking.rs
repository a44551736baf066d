//! Asking: a number is reserved, a point is proposed, the point is written.
//!
//! Reserving is cheap and decides who proposes what; proposing may take long and depends only on the journal up to the
//! reservation; writing the point waits for nobody. So no proposal is repeated because somebody told a result
//! meanwhile.
//!
//! A batch is proposed in stretches, as long as the method has them made at once. A stretch reserves its first trial alone; the
//! others are reserved as they are written, each behind the point before it, so that the journal is that of asks in a row. Whatever
//! somebody else writes meanwhile costs the stretch all but its first point.

use hilltop_core::{Event, History, Proposer, Query};

use super::arms::Offer;
use super::writing::Footing;
use super::{Oracle, Study};
use crate::evaluate::Stop;
use crate::ledger::Ledger;
use crate::statement::Statement;
use crate::store::Claim;
use crate::trial::{Asked, State, Trial};
use crate::view::Sight;
use crate::{Error, Result};

/// What a worker should do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Evaluate this and tell what came of it.
    Evaluate {
        /// The trial and its point.
        asked: Asked,
        /// Whether somebody else began it and died.
        again: bool,
    },
    /// Wait: what may be proposed next depends on results that are not there yet.
    Wait,
    /// Nothing is left to do within the budget.
    Done,
}

/// What is asked for.
#[derive(Clone, Copy)]
struct Order<'a> {
    /// Who evaluates it; `None` by hand.
    worker: Option<&'a String>,
    offer: Option<&'a Offer>,
    /// At most so many points.
    count: usize,
}

/// Points that were proposed at once.
#[derive(Default)]
struct Stretch {
    /// Those that were written.
    asked: Vec<Asked>,
    /// How many the method was asked for.
    ordered: usize,
}

/// What a worker may propose next.
enum Turn {
    Trial(u64),
    Wait,
    Done,
}

impl Study {
    /// The next `count` points, to be evaluated and told by the caller. They depend on everything told so far.
    ///
    /// Fewer come back when a finite space ends on the way; more than such a space has is an error. The budget is a
    /// matter of `run` and not looked at here.
    pub fn ask(&self, count: usize) -> Result<Vec<Asked>> {
        self.ask_unless(count, &Stop::new())
    }

    /// The same, given up with [`Error::Stopped`] when a stop is requested on the way. The number that was reserved for
    /// the point that was not written is the next ask's.
    pub fn ask_unless(&self, count: usize, stop: &Stop) -> Result<Vec<Asked>> {
        self.check_count(count)?;
        let mut oracle = self.oracle();
        let _hand = self.workers.hand()?;
        let (mut reach, mut asked) = (count, Vec::new());
        while asked.len() < count {
            let wanted = reach.min(count - asked.len());
            match self.ask_by_hand(&mut oracle, None, wanted, stop) {
                Ok(next) => {
                    // Where others write all the time, long stretches are proposed in vain.
                    let whole = next.asked.len() == next.ordered;
                    reach = if whole {
                        reach.saturating_mul(2)
                    } else {
                        next.asked.len()
                    };
                    asked.extend(next.asked);
                }
                Err(error) if error.is_exhausted() && !asked.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(asked)
    }

    /// Refuses a batch that no finite space of this size can fill with different points.
    fn check_count(&self, count: usize) -> Result<()> {
        let Statement {
            noisy, contexts, space, ..
        } = &self.statement;
        match space.cardinality().filter(|_| !noisy && !contexts) {
            Some(points) if points < count as u64 => Err(Error::TooFewPoints { count, points }),
            _ => Ok(()),
        }
    }

    /// The best `count` of the arms of this round, to be tried and told by the caller: a contextual bandit. An arm is
    /// the features of one choice; the next round's may be others, in another number.
    pub fn ask_among(&self, count: usize, arms: &[Vec<f64>]) -> Result<Vec<Asked>> {
        let mut offer = Offer::new(&self.statement, arms)?;
        offer.suffices(count)?;
        let mut oracle = self.oracle();
        let _hand = self.workers.hand()?;
        let mut next = || {
            let asked = self.ask_by_hand(&mut oracle, Some(&offer), 1, &Stop::new())?.asked;
            asked
                .iter()
                .filter_map(|asked| asked.arm)
                .for_each(|arm| offer.take(arm));
            Ok(asked)
        };
        let rounds: Result<Vec<_>> = (0..count).map(|_| next()).collect();
        Ok(rounds?.into_iter().flatten().collect())
    }

    /// Nobody else proposes by hand now, so a number that was taken by hand and has no point is free. At least one point comes back.
    fn ask_by_hand(&self, oracle: &mut Oracle, offer: Option<&Offer>, count: usize, stop: &Stop) -> Result<Stretch> {
        let free = |trial: &Trial| trial.worker.as_ref().is_none_or(|name| !self.workers.is_alive(name));
        let choose = |ledger: &Ledger| Turn::Trial(vacancy(ledger, free).unwrap_or_else(|| ledger.next()));
        let worker = None;
        let stretch = self.propose(oracle, Order { worker, offer, count }, stop, choose)?;
        if stretch.asked.is_empty() {
            return Err(nothing_proposed().into());
        }
        Ok(stretch)
    }

    /// What this worker should do next: first what dead workers left, then what is new.
    pub fn task(&self, worker: &Claim) -> Result<Task> {
        let mut oracle = self.oracle();
        if let Some(asked) = self.adopt(worker)? {
            return Ok(Task::Evaluate { asked, again: true });
        }
        let mut waits = false;
        let order = Order {
            worker: Some(&worker.name),
            offer: None,
            count: 1,
        };
        let mut stretch = self.propose(&mut oracle, order, &Stop::new(), |ledger| {
            let turn = self.turn(ledger, worker);
            waits = matches!(turn, Turn::Wait);
            turn
        })?;
        Ok(match stretch.asked.pop() {
            Some(asked) => Task::Evaluate { asked, again: false },
            None if waits => Task::Wait,
            None => Task::Done,
        })
    }

    /// Takes over a point whose worker died.
    fn adopt(&self, worker: &Claim) -> Result<Option<Asked>> {
        let mut adopted = None;
        self.desk().write(|ledger| {
            let orphan = ledger
                .open()
                .find(|trial| trial.state == State::Running && self.is_orphan(trial, worker));
            adopted = orphan.and_then(|trial| {
                Some(Asked {
                    trial: trial.number,
                    parameters: trial.parameters.clone()?,
                    arm: trial.arm,
                    outputs: trial.wanted.clone(),
                })
            });
            let event = |asked: &Asked| Event::Adopted {
                trial: asked.trial,
                worker: worker.name.clone(),
            };
            Ok(adopted.iter().map(event).collect())
        })?;
        Ok(adopted)
    }

    fn is_orphan(&self, trial: &Trial, worker: &Claim) -> bool {
        trial
            .worker
            .as_ref()
            .is_some_and(|name| *name != worker.name && !self.workers.is_alive(name))
    }

    fn turn(&self, ledger: &Ledger, worker: &Claim) -> Turn {
        let free = |trial: &Trial| match &trial.worker {
            Some(name) => *name == worker.name || !self.workers.is_alive(name),
            None => !self.workers.is_hand_busy(),
        };
        let vacant = vacancy(ledger, free);
        let spent = self.statement.budget.is_some_and(|budget| ledger.begun() >= budget);
        match vacant.unwrap_or_else(|| ledger.next()) {
            _ if vacant.is_none() && spent => Turn::Done,
            trial if self.is_ready(ledger, trial) => Turn::Trial(trial),
            _ => Turn::Wait,
        }
    }

    /// Whether all that the suggestion depends on is there: the points before it, and the results below its horizon.
    /// Points that somebody evaluates by hand are not waited for.
    fn is_ready(&self, ledger: &Ledger, trial: u64) -> bool {
        let Some(horizon) = self.horizon(trial) else {
            return true;
        };
        let awaited = |other: &Trial| match other.state {
            State::Reserved => true,
            _ => other.number < horizon && other.worker.is_some(),
        };
        !ledger.open().take_while(|other| other.number < trial).any(awaited)
    }

    /// Suggestion k may use the results of trials below k + 1 − parallel: so many are there at the latest when it is
    /// its turn, whatever the timing.
    fn horizon(&self, trial: u64) -> Option<u64> {
        (!self.statement.asynchronous).then(|| (trial + 1).saturating_sub(self.statement.parallel as u64))
    }

    /// Reserves the trial of `choose`, proposes its point, and those of the trials behind it where more are ordered, and writes
    /// them; none when it is nobody's turn.
    fn propose(
        &self,
        oracle: &mut Oracle,
        order: Order<'_>,
        stop: &Stop,
        mut choose: impl FnMut(&Ledger) -> Turn,
    ) -> Result<Stretch> {
        if self.statement.contexts && order.offer.is_none() {
            return Err(Error::ArmsMissing);
        }
        loop {
            stop.check()?;
            let Some((footing, room)) = self.reserve(oracle, order, &mut choose)? else {
                return Ok(Stretch::default());
            };
            let history = oracle.view.offer(order.offer.map(Offer::points));
            let ordered = room.min(oracle.proposer.at_once(history).max(1));
            let queries = proposed(oracle.proposer.as_mut(), history, ordered)?;
            stop.check()?;
            let found = queries.into_iter().map(|query| self.found(query, order.offer));
            let found = found.collect::<Result<Vec<_>>>()?;
            let asked = self.write_points(footing, order.worker, &found)?;
            if !asked.is_empty() {
                return Ok(Stretch { asked, ordered });
            }
        }
    }

    /// Takes the trial of `choose` and shows the oracle what its point may depend on. Also says how many points may be proposed at
    /// once: numbers that are taken by others cannot be passed over.
    fn reserve(
        &self,
        oracle: &mut Oracle,
        order: Order<'_>,
        mut choose: impl FnMut(&Ledger) -> Turn,
    ) -> Result<Option<(Footing, usize)>> {
        let mut chosen = None;
        let mut desk = self.desk();
        desk.write(|ledger| {
            chosen = match choose(ledger) {
                Turn::Trial(trial) => Some(trial),
                Turn::Wait | Turn::Done => None,
            };
            let taken = chosen.map(|trial| taking(ledger, trial, order.worker));
            Ok(taken.into_iter().collect())
        })?;
        let Some(trial) = chosen else { return Ok(None) };
        let sight = Sight {
            trial,
            horizon: order.worker.and_then(|_| self.horizon(trial)),
        };
        oracle.view.advance(desk.ledger(), sight);
        let footing = Footing {
            sight,
            position: desk.ledger().position(),
            pointed: oracle.view.pointed(),
        };
        let last = trial + 1 == desk.ledger().next();
        Ok(Some((footing, if last { order.count } else { 1 })))
    }
}

/// The points of the next trials, at least one. Where a finite space ends within the stretch the next trial's alone.
fn proposed(proposer: &mut dyn Proposer, history: &History, count: usize) -> Result<Vec<Query>> {
    let mut queries = match proposer.propose(history, count) {
        Err(hilltop_core::Error::Exhausted { .. }) if count > 1 => proposer.propose(history, 1),
        other => other,
    }?;
    queries.truncate(count);
    if queries.is_empty() {
        return Err(nothing_proposed().into());
    }
    Ok(queries)
}

/// The lowest trial whose point has not been found and that is free to be proposed by somebody else.
fn vacancy(ledger: &Ledger, free: impl Fn(&Trial) -> bool) -> Option<u64> {
    ledger.reserved().find(|trial| free(trial)).map(|trial| trial.number)
}

/// The event by which a trial becomes this worker's. It also marks what the proposal may depend on: all before it.
fn taking(ledger: &Ledger, trial: u64, worker: Option<&String>) -> Event {
    let owner = ledger.trial(trial).ok().and_then(|known| known.worker.as_ref());
    match worker {
        Some(name) if ledger.trial(trial).is_ok() && owner != worker => Event::Adopted {
            trial,
            worker: name.clone(),
        },
        _ => Event::Reserved {
            trial,
            worker: worker.cloned(),
        },
    }
}

fn nothing_proposed() -> hilltop_core::Error {
    hilltop_core::Error::Numerical {
        what: "the proposal",
        detail: "the method gave no point".to_owned(),
    }
}
