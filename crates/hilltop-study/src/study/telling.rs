//! Telling: results come back, from evaluations or from elsewhere.

use std::collections::BTreeMap;

use hilltop_core::{Event, Outcome, Parameters};

use super::Study;
use crate::evaluate::Evaluation;
use crate::ledger::{Ledger, is_due};
use crate::trial::State;
use crate::{Error, Result};

impl Study {
    /// Records what became of a trial. What is not allowed changes nothing: the trial stays open.
    pub fn tell(&self, trial: u64, outcome: &Outcome) -> Result<()> {
        self.tell_after(trial, outcome, None)
    }

    /// The same with how long the evaluation took.
    pub fn tell_after(&self, trial: u64, outcome: &Outcome, seconds: Option<f64>) -> Result<()> {
        self.record(trial, outcome, seconds, false)
    }

    /// Records what an evaluator gave.
    pub(crate) fn tell_evaluation(&self, trial: u64, evaluation: &Evaluation) -> Result<()> {
        let Evaluation {
            outcome,
            seconds,
            accidental,
        } = evaluation;
        self.record(trial, outcome, Some(*seconds), *accidental)
    }

    fn record(&self, trial: u64, outcome: &Outcome, seconds: Option<f64>, accidental: bool) -> Result<()> {
        let seconds = seconds.filter(|seconds| seconds.is_finite());
        self.desk().write(|ledger| {
            let wanted = ledger
                .trial(trial)
                .map(|trial| trial.wanted.clone())
                .unwrap_or_default();
            self.admit(outcome, &wanted)?;
            expect_running(ledger, trial)?;
            Ok(vec![Event::Told {
                trial,
                outcome: outcome.clone(),
                seconds,
                accidental,
            }])
        })
    }

    /// Adds a result that is known from elsewhere as a trial of its own, and gives its number.
    pub fn add(&self, parameters: &Parameters, outputs: &BTreeMap<String, f64>) -> Result<u64> {
        self.add_outcome(parameters, &Outcome::Outputs(outputs.clone()))
    }

    /// The same for an evaluation that is known to fail.
    pub fn add_failed(&self, parameters: &Parameters, reason: &str) -> Result<u64> {
        self.add_outcome(parameters, &Outcome::Failed(reason.to_owned()))
    }

    fn add_outcome(&self, parameters: &Parameters, outcome: &Outcome) -> Result<u64> {
        self.admit(outcome, &[])?;
        self.statement.space.encode(parameters).map_err(Error::Point)?;
        let mut added = 0;
        self.desk().write(|ledger| {
            added = ledger.next();
            Ok(vec![Event::Added {
                trial: added,
                parameters: parameters.clone(),
                outcome: outcome.clone(),
            }])
        })?;
        Ok(added)
    }

    /// Whether the outputs are those of the study, all that are wanted, and finite.
    fn admit(&self, outcome: &Outcome, wanted: &[String]) -> Result<()> {
        let Outcome::Outputs(values) = outcome else {
            return Ok(());
        };
        let names: Vec<&str> = self
            .statement
            .outputs
            .iter()
            .map(|output| output.name.as_str())
            .collect();
        let expected = || names.join(", ");
        if let Some(output) = values.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(Error::UnknownOutput {
                output: output.clone(),
                expected: expected(),
            });
        }
        let mut due = names.iter().filter(|name| is_due(name, wanted));
        if let Some(output) = due.find(|name| !values.contains_key(**name)) {
            return Err(Error::MissingOutput {
                output: (*output).to_owned(),
                expected: expected(),
            });
        }
        match values.iter().find(|(_, value)| !value.is_finite()) {
            Some((output, value)) => Err(Error::NotFinite {
                output: output.clone(),
                value: *value,
            }),
            None => Ok(()),
        }
    }
}

fn expect_running(ledger: &Ledger, number: u64) -> Result<()> {
    let trial = ledger.trial(number)?;
    match trial.state {
        State::Running => Ok(()),
        State::Reserved => Err(Error::NoPoint { trial: number }),
        State::Complete | State::Failed => Err(Error::AlreadyTold {
            trial: number,
            state: trial.state.word(),
        }),
    }
}
