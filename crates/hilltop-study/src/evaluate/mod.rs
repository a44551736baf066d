//! Evaluators: what turns the parameters of a trial into outputs, or into a failure with its reason.

mod answer;
mod braces;
mod closure;
mod coupling;
mod mishap;
mod number;
mod problem;
mod program;
#[cfg_attr(not(unix), path = "signal_other.rs")]
mod signal;
mod tail;
mod template;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hilltop_core::{Outcome, Output, Parameters};

use crate::ledger::is_due;

pub use closure::Closure;
pub use coupling::{Coupling, Format as CouplingFormat, Keep};
pub use problem::BuiltIn;
pub use program::{Program, Results};
pub use template::Template;

/// The black box of a study.
pub trait Evaluator: Send + Sync {
    /// What becomes of a trial. `None` when the stop came first: the trial stays open and is evaluated again later.
    fn evaluate(&self, trial: u64, parameters: &Parameters, stop: &Stop) -> Option<Evaluation>;

    /// The same for some outputs, where it can leave out the others; what it gives beyond them is kept.
    fn evaluate_some(
        &self,
        trial: u64,
        parameters: &Parameters,
        _wanted: &[String],
        stop: &Stop,
    ) -> Option<Evaluation> {
        self.evaluate(trial, parameters, stop)
    }

    /// Whether it could evaluate at all, asked once before any budget is spent.
    fn ready(&self) -> crate::Result<()> {
        Ok(())
    }
}

/// What an evaluation came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The outputs, or the reason why there are none.
    pub outcome: Outcome,
    /// How long it took, all attempts together.
    pub seconds: f64,
    /// Whether it failed for a reason that says nothing about the point: a signal from outside, exit code 75, a program
    /// that did not start. Nothing is learnt from it.
    pub accidental: bool,
}

impl Evaluation {
    /// An evaluation that failed.
    pub fn failed(reason: impl Into<String>, seconds: f64) -> Self {
        Self {
            outcome: Outcome::Failed(reason.into()),
            seconds,
            accidental: false,
        }
    }

    /// An evaluation that failed for a reason that says nothing about the point.
    pub fn accident(reason: impl Into<String>, seconds: f64) -> Self {
        Self {
            accidental: true,
            ..Self::failed(reason, seconds)
        }
    }

    /// An evaluation that gave these values; one that is missing or no finite number makes it a failure. Values that
    /// the study does not know are left out.
    pub fn of(values: &BTreeMap<String, f64>, outputs: &[Output], seconds: f64) -> Self {
        Self::of_some(values, outputs, &[], seconds)
    }

    /// The same where not all outputs are wanted: the others are kept where they are there.
    pub fn of_some(values: &BTreeMap<String, f64>, outputs: &[Output], wanted: &[String], seconds: f64) -> Self {
        match complete(values, outputs, wanted) {
            Ok(values) => Self {
                outcome: Outcome::Outputs(values),
                seconds,
                accidental: false,
            },
            Err(reason) => Self::failed(reason, seconds),
        }
    }
}

/// The values of these outputs, all finite and all there that are wanted, or what is wrong with them.
fn complete(
    values: &BTreeMap<String, f64>,
    outputs: &[Output],
    wanted: &[String],
) -> Result<BTreeMap<String, f64>, String> {
    let there = |output: &&Output| is_due(&output.name, wanted) || values.contains_key(&output.name);
    let value = |output: &Output| match values.get(&output.name) {
        None => Err(format!("output {} is missing", output.name)),
        Some(value) if !value.is_finite() => Err(format!("output {} is {value}", output.name)),
        Some(value) => Ok((output.name.clone(), *value)),
    };
    outputs.iter().filter(there).map(value).collect()
}

/// A wish to stop, shared by whoever expresses it and whoever obeys.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    own: Arc<AtomicBool>,
    above: Option<Arc<AtomicBool>>,
}

impl Stop {
    /// Nobody wants to stop yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A wish that is also expressed whenever this one is, and not the other way round.
    pub(crate) fn below(&self) -> Self {
        Self {
            own: Arc::default(),
            above: Some(Arc::clone(&self.own)),
        }
    }

    /// Asks everyone to stop; evaluations under way are abandoned.
    pub fn request(&self) {
        self.own.store(true, Ordering::SeqCst);
    }

    /// An error when somebody asked.
    pub(crate) fn check(&self) -> crate::Result<()> {
        if self.is_requested() {
            return Err(crate::Error::Stopped);
        }
        Ok(())
    }

    /// Whether somebody asked.
    pub fn is_requested(&self) -> bool {
        let asked = |flag: &Arc<AtomicBool>| flag.load(Ordering::SeqCst);
        asked(&self.own) || self.above.as_ref().is_some_and(asked)
    }
}
