//! Running: trials are evaluated side by side until the budget is spent.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hilltop_core::{Outcome, Parameters};

use crate::evaluate::{Evaluation, Evaluator, Stop};
use crate::statement::OnFailure;
use crate::store::Claim;
use crate::study::{Study, Task};
use crate::trial::Asked;
use crate::{Error, Result};

/// How often to look for what other processes wrote.
const LOOK: Duration = Duration::from_millis(50);

/// Something that happened in a run, for whoever watches.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// An evaluation begins; `again` when a worker died over it before.
    Began {
        /// The trial.
        trial: u64,
        /// What is evaluated.
        parameters: &'a Parameters,
        /// Whether it was begun before.
        again: bool,
    },
    /// An evaluation ended.
    Ended {
        /// The trial.
        trial: u64,
        /// What was evaluated.
        parameters: &'a Parameters,
        /// What came of it.
        outcome: &'a Outcome,
        /// How long it took.
        seconds: f64,
    },
    /// An evaluation was given up because of a stop; it is repeated when the study continues.
    Abandoned {
        /// The trial.
        trial: u64,
    },
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The budget is spent.
    Budget,
    /// Every point of a finite space has been evaluated.
    Exhausted,
    /// Somebody wanted it to stop; the study can be continued.
    Stopped,
}

/// What a run did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Why it ended.
    pub ended: Ended,
    /// How many evaluations it finished.
    pub evaluated: u64,
    /// How many of them failed.
    pub failed: u64,
}

/// Evaluates trials, `parallel` at once, until the budget is spent, a finite space is exhausted or a stop is requested.
///
/// What dead workers left is evaluated first. A run that is stopped or killed at any moment is continued by calling
/// this again: the suggestions are those of a run that was never interrupted, unless the study is asynchronous.
pub fn run(
    study: &Study,
    evaluator: &dyn Evaluator,
    parallel: usize,
    observer: &(dyn Fn(&Notice<'_>) + Sync),
    stop: &Stop,
) -> Result<Summary> {
    evaluator.ready()?;
    let crew = Crew {
        study,
        evaluator,
        observer,
        worker: study.enlist()?,
        stop: stop.below(),
        tally: Mutex::default(),
        news: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 0..parallel.max(1) {
            scope.spawn(|| crew.work());
        }
    });
    crew.summary(stop)
}

/// The threads of a run and what they share.
struct Crew<'a> {
    study: &'a Study,
    evaluator: &'a dyn Evaluator,
    observer: &'a (dyn Fn(&Notice<'_>) + Sync),
    worker: Claim,
    stop: Stop,
    tally: Mutex<Tally>,
    news: Condvar,
}

#[derive(Default)]
struct Tally {
    evaluated: u64,
    failed: u64,
    exhausted: bool,
    error: Option<Error>,
}

impl Crew<'_> {
    fn work(&self) {
        while !self.stop.is_requested() && !self.tally().exhausted {
            match self.step() {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) if error.is_exhausted() => self.tally().exhausted = true,
                Err(error) => {
                    self.tally().error.get_or_insert(error);
                    self.stop.request();
                }
            }
        }
    }

    /// Does one thing; false when nothing is left.
    fn step(&self) -> Result<bool> {
        match self.study.task(&self.worker)? {
            Task::Evaluate { asked, again } => self.evaluate(&asked, again).map(|()| true),
            Task::Done => Ok(false),
            Task::Wait => {
                drop(self.news.wait_timeout(self.tally(), LOOK));
                Ok(true)
            }
        }
    }

    fn evaluate(&self, asked: &Asked, again: bool) -> Result<()> {
        let (trial, parameters) = (asked.trial, &asked.parameters);
        (self.observer)(&Notice::Began {
            trial,
            parameters,
            again,
        });
        let Some(evaluation) = self
            .evaluator
            .evaluate_some(trial, parameters, &asked.outputs, &self.stop)
        else {
            (self.observer)(&Notice::Abandoned { trial });
            return Ok(());
        };
        let evaluation = self.whole(evaluation, &asked.outputs);
        match self.study.tell_evaluation(trial, &evaluation) {
            // Somebody told this trial by hand; theirs was first.
            Err(Error::AlreadyTold { .. }) => return Ok(()),
            other => other?,
        }
        let Evaluation { outcome, seconds, .. } = &evaluation;
        self.count(outcome);
        (self.observer)(&Notice::Ended {
            trial,
            parameters,
            outcome,
            seconds: *seconds,
        });
        self.bear(trial, &evaluation)
    }

    /// Ends the run at a failure of the point, where the study says so.
    fn bear(&self, trial: u64, evaluation: &Evaluation) -> Result<()> {
        match &evaluation.outcome {
            Outcome::Failed(reason)
                if !evaluation.accidental && self.study.statement().on_failure == OnFailure::Abort =>
            {
                Err(Error::Aborted {
                    trial,
                    reason: reason.clone(),
                })
            }
            _ => Ok(()),
        }
    }

    /// Whatever an evaluator gives, what is told is complete or a failure.
    fn whole(&self, evaluation: Evaluation, wanted: &[String]) -> Evaluation {
        let outputs = &self.study.statement().outputs;
        match &evaluation.outcome {
            Outcome::Outputs(values) => Evaluation::of_some(values, outputs, wanted, evaluation.seconds),
            Outcome::Failed(_) => evaluation,
        }
    }

    fn count(&self, outcome: &Outcome) {
        let mut tally = self.tally();
        tally.evaluated += 1;
        tally.failed += u64::from(matches!(outcome, Outcome::Failed(_)));
        self.news.notify_all();
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn summary(self, stop: &Stop) -> Result<Summary> {
        let tally = self.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = tally.error {
            return Err(error);
        }
        let ended = match tally.exhausted {
            true => Ended::Exhausted,
            false if stop.is_requested() => Ended::Stopped,
            false => Ended::Budget,
        };
        Ok(Summary {
            ended,
            evaluated: tally.evaluated,
            failed: tally.failed,
        })
    }
}
