//! A study from file to answer: the study file, the journal on disk, asking and telling, evaluators, the run, the line
//! protocol and exports.
//!
//! A study is an append-only journal of events; everything else here is a fold over it. What was typed
//! ([`StudyFile`]) becomes what is meant ([`Statement`]) and, with a [`Store`], a [`Study`], which [`run`] evaluates
//! or a [`session`] serves.

mod error;
pub mod evaluate;
pub mod export;
mod file;
mod ledger;
pub mod report;
mod run;
pub mod session;
mod statement;
pub mod store;
mod study;
mod trial;
mod view;

pub use error::{Error, Result};
pub use evaluate::{Evaluation, Evaluator, Stop};
pub use file::{Finding, StudyFile};
pub use run::{Ended, Notice, Summary, run};
pub use statement::{Command, Evaluate, Method, OnFailure, Statement, Table};
pub use store::{Claim, SqliteJournal, Store};
pub use study::{Best, Difference, Prediction, Recommended, Replay, Study, Task};
pub use trial::{Asked, State, Trial};
