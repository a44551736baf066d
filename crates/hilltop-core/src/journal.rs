//! The journal: what a study is. Everything else, the best trial, the plots, the next suggestion, is a fold over it.
//!
//! A journal has two operations, *append at a position* and *read from a position*. Whoever appends says where it
//! believes the end to be; when somebody else was quicker the append is refused, nothing is written, and the writer
//! reads on and decides anew. That is the whole protocol by which workers share a study.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::space::Parameters;

/// The version of the event format that this library writes. Every older one stays readable.
pub const FORMAT: u32 = 1;

/// Something that happened in a study. Events are immutable; their JSON form is the file format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The study came into being; always the first event.
    Created {
        /// [`FORMAT`] of the writer.
        format: u32,
        /// The study's description as its owner wrote it, in JSON.
        study: serde_json::Value,
    },
    /// A trial number was taken. The point follows when it is found.
    Reserved {
        /// The trial's number.
        trial: u64,
        /// Who took it; absent when the trial is evaluated by hand.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worker: Option<String>,
    },
    /// A reserved trial got its point.
    Asked {
        /// The trial's number.
        trial: u64,
        /// What to evaluate.
        parameters: Parameters,
        /// The results that the proposer saw: those of trials below this number, or all told before when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        horizon: Option<u64>,
        /// What the proposer carries from round to round, such as fitted parameters, so that a restart goes on exactly
        /// where it stopped without repeating every fit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        memory: Option<serde_json::Value>,
        /// The arms that it was chosen among, where they were given with the ask.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        choice: Option<Choice>,
        /// The outputs that are wanted, where not all are.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outputs: Vec<String>,
    },
    /// A trial whose worker died was taken over by another.
    Adopted {
        /// The trial's number.
        trial: u64,
        /// Who evaluates it now.
        worker: String,
    },
    /// A trial ended.
    Told {
        /// The trial's number.
        trial: u64,
        /// What came of it.
        outcome: Outcome,
        /// How long the evaluation took, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<f64>,
        /// Whether it failed for a reason that says nothing about the point.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        accidental: bool,
    },
    /// A result known from elsewhere was added as a trial of its own.
    Added {
        /// The trial's number.
        trial: u64,
        /// Where.
        parameters: Parameters,
        /// What came of it.
        outcome: Outcome,
    },
}

/// A round of a contextual bandit: what there was to choose, and what was chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The features of each arm, as they were given.
    pub arms: Vec<Vec<f64>>,
    /// Which of them was chosen, from 0.
    pub arm: usize,
    /// Those that trials of the same ask had chosen before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<usize>,
}

/// What an evaluation came to. Failure is data: it has a reason and is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The outputs, all finite, in the user's own direction and units.
    Outputs(BTreeMap<String, f64>),
    /// Why there are none.
    Failed(String),
}

/// Why a journal could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Somebody appended first; read from the expected position and decide anew.
    #[error("the journal has grown: expected its end at {expected}, found it at {found}")]
    Conflict {
        /// Where the writer believed the end to be.
        expected: u64,
        /// Where it is.
        found: u64,
    },
    /// The store itself failed.
    #[error("the store {store} failed: {message}")]
    Store {
        /// Which store.
        store: String,
        /// What it said.
        message: String,
    },
    /// An event could not be understood.
    #[error("event {position} of {store} cannot be read: {message}")]
    Corrupt {
        /// Which store.
        store: String,
        /// Which event.
        position: u64,
        /// Why.
        message: String,
    },
}

/// An append-only list of events, shared by all who work on a study.
pub trait Journal: Send {
    /// Appends the events if the journal's end is at `position`, all of them or none, durably.
    fn append(&mut self, position: u64, events: &[Event]) -> Result<(), JournalError>;
    /// The events from `position` on.
    fn read(&mut self, position: u64) -> Result<Vec<Event>, JournalError>;
}

/// A journal that lives as long as the process.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal {
    events: Vec<Event>,
}

impl Journal for MemoryJournal {
    fn append(&mut self, position: u64, events: &[Event]) -> Result<(), JournalError> {
        let found = self.events.len() as u64;
        if position != found {
            return Err(JournalError::Conflict {
                expected: position,
                found,
            });
        }
        self.events.extend_from_slice(events);
        Ok(())
    }

    fn read(&mut self, position: u64) -> Result<Vec<Event>, JournalError> {
        Ok(self.events.get(position as usize..).unwrap_or_default().to_vec())
    }
}
