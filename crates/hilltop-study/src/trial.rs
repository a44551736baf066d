//! A trial as its owner sees it.

use std::collections::BTreeMap;

use hilltop_core::{Outcome, Parameters};

/// How far a trial has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Its number is taken; its point is being proposed.
    Reserved,
    /// Its point is being evaluated.
    Running,
    /// Its outputs are known.
    Complete,
    /// Its evaluation failed.
    Failed,
}

impl State {
    /// The word for it in exports and messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Failed => "failed",
        }
    }

    /// Whether nothing more will become of it.
    pub fn is_settled(self) -> bool {
        self >= Self::Complete
    }
}

/// What is known of a trial.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trial {
    /// Its number, from 0.
    pub number: u64,
    /// How far it has come.
    pub state: State,
    /// What is evaluated; `None` as long as it is only reserved.
    pub parameters: Option<Parameters>,
    /// What the evaluation reported.
    pub outputs: Option<BTreeMap<String, f64>>,
    /// Why the evaluation failed.
    pub reason: Option<String>,
    /// Whether it failed for a reason that says nothing about the point.
    pub accidental: bool,
    /// How long the evaluation took, where known.
    pub seconds: Option<f64>,
    /// Who evaluates it; `None` by hand.
    pub worker: Option<String>,
    /// Whether it is a result from elsewhere.
    pub added: bool,
    /// The results that its proposer saw: those of trials below this number, or all when absent.
    pub horizon: Option<u64>,
    /// Which of the arms given with the ask it is, from 0.
    pub arm: Option<usize>,
    /// The outputs that were asked for, where not all were.
    pub wanted: Vec<String>,
    /// The point, encoded.
    pub(crate) point: Vec<f64>,
}

impl Trial {
    pub(crate) fn reserved(number: u64, worker: Option<String>) -> Self {
        Self {
            number,
            state: State::Reserved,
            parameters: None,
            outputs: None,
            reason: None,
            accidental: false,
            seconds: None,
            worker,
            added: false,
            horizon: None,
            arm: None,
            wanted: Vec::new(),
            point: Vec::new(),
        }
    }

    pub(crate) fn settle(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Outputs(outputs) => {
                self.state = State::Complete;
                self.outputs = Some(outputs);
            }
            Outcome::Failed(reason) => {
                self.state = State::Failed;
                self.reason = Some(reason);
            }
        }
    }
}

/// A point that wants to be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The trial's number.
    pub trial: u64,
    /// What to evaluate.
    pub parameters: Parameters,
    /// Which of the arms given with the ask it is, from 0.
    pub arm: Option<usize>,
    /// The outputs that are wanted, where not all are. More may be told.
    pub outputs: Vec<String>,
}

impl Asked {
    /// In JSON, as `ask` answers: number, arm where there are any, parameters, outputs where not all are wanted.
    pub fn described(&self) -> serde_json::Value {
        let mut described = serde_json::json!({ "trial": self.trial });
        if let Some(arm) = self.arm {
            described["arm"] = arm.into();
        }
        described["parameters"] = serde_json::json!(self.parameters);
        if !self.outputs.is_empty() {
            described["outputs"] = serde_json::json!(self.outputs);
        }
        described
    }
}
