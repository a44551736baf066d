//! What can go wrong in a study, with what its owner needs to put it right.

use std::path::PathBuf;

use hilltop_core::JournalError;

use crate::file::Finding;

/// The result of everything fallible in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong in a study.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An evaluation failed in a study that is to end then.
    #[error("trial {trial} failed and on_failure is \"abort\": {reason}; run again to go on without it")]
    Aborted {
        /// The trial.
        trial: u64,
        /// Why it failed.
        reason: String,
    },
    /// The study file says something that is not allowed.
    #[error("{}", listed(path, findings))]
    File {
        /// Which file.
        path: PathBuf,
        /// What is wrong, in the order of the file.
        findings: Vec<Finding>,
    },
    /// A statement composed in code cannot work.
    #[error("the study cannot begin: {message}")]
    Statement {
        /// What is wrong with it.
        message: String,
    },
    /// A file could not be read or written.
    #[error("{} could not be {action}: {source}", path.display())]
    Access {
        /// Which file.
        path: PathBuf,
        /// What was tried: `read`, `written`, `locked`.
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no store where one was expected.
    #[error("there is no study at {}: `hilltop run` or `hilltop ask` begins one", path.display())]
    NoStore {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The stored study is another one than the statement describes.
    #[error("the stored study differs: {}; choose another store or restore the study file", differences.join("; "))]
    Mismatch {
        /// What differs, each in words.
        differences: Vec<String>,
    },
    /// The journal was begun by a newer version.
    #[error("the store was written in format {found}; this version reads up to {supported}: install a newer hilltop")]
    Newer {
        /// The format of the journal.
        found: u32,
        /// The newest format that is understood.
        supported: u32,
    },
    /// An event cannot follow those before it.
    #[error("event {position} contradicts the events before it: {message}")]
    Contradiction {
        /// Which event.
        position: u64,
        /// In what.
        message: String,
    },
    /// A trial was named that has not begun.
    #[error("there is no trial {trial}: {begun} have begun")]
    UnknownTrial {
        /// The number given.
        trial: u64,
        /// How many trials there are.
        begun: u64,
    },
    /// A trial was told twice.
    #[error("trial {trial} has been told already: it is {state}")]
    AlreadyTold {
        /// Which trial.
        trial: u64,
        /// What became of it.
        state: &'static str,
    },
    /// A trial was told before it had a point.
    #[error("trial {trial} has no point yet: it is still being proposed")]
    NoPoint {
        /// Which trial.
        trial: u64,
    },
    /// A result lacks an output.
    #[error("output {output} is missing; the outputs are {expected}")]
    MissingOutput {
        /// Which output.
        output: String,
        /// All of them.
        expected: String,
    },
    /// A result has an output that the study does not know.
    #[error("output {output} is unknown; the outputs are {expected}")]
    UnknownOutput {
        /// The name given.
        output: String,
        /// Those that exist.
        expected: String,
    },
    /// An output is no finite number.
    #[error("output {output} is {value}, not a finite number; tell the trial as failed instead")]
    NotFinite {
        /// Which output.
        output: String,
        /// What was given.
        value: f64,
    },
    /// A point is none of the space.
    #[error("the point is not in the space: {0}")]
    Point(hilltop_core::SpaceError),
    /// More points were asked for at once than a finite space has.
    #[error("{count} different points cannot be asked for at once: the space has {points}")]
    TooFewPoints {
        /// How many were asked for.
        count: usize,
        /// How many there are.
        points: u64,
    },
    /// A study of contexts was asked without arms.
    #[error(
        "the study has [contexts]: give the arms of the round with the ask, such as {{\"ask\": 1, \"arms\": [[…], […]]}}"
    )]
    ArmsMissing,
    /// Arms were given to a study that has a space of its own.
    #[error("the study has no [contexts]: arms cannot be given with the ask")]
    ArmsUnexpected,
    /// There are fewer arms than points asked for.
    #[error("{count} of {arms} arms cannot be chosen: give at least one arm, and ask for at most as many as there are")]
    TooFewArms {
        /// How many were asked for.
        count: usize,
        /// How many arms were given.
        arms: usize,
    },
    /// An arm has the wrong number of features.
    #[error("arm {arm} has {found} features; every arm of the study has {expected}")]
    ArmLength {
        /// Which arm, from 0.
        arm: usize,
        /// How many features it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// An arm is none of the study's.
    #[error("arm {arm} cannot be used: {source}")]
    Arm {
        /// Which arm, from 0.
        arm: usize,
        /// What is wrong with it.
        source: hilltop_core::SpaceError,
    },
    /// The program that evaluates cannot be found.
    #[error("the program {program} was not found {place}: install it or correct evaluate.command")]
    Program {
        /// As the study file names it.
        program: String,
        /// Where it was looked for.
        place: String,
    },
    /// A study that says nothing about its evaluation was to be run.
    #[error("the study has no [evaluate] section: add one, or ask and tell by `ask`, `tell` or `session`")]
    NoEvaluator,
    /// Somebody wanted it to stop.
    #[error("stopped on request; the study can be continued")]
    Stopped,
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The method failed.
    #[error(transparent)]
    Method(hilltop_core::Error),
}

impl Error {
    /// Whether the study file or the command is at fault, not the work.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::File { .. }
                | Self::Statement { .. }
                | Self::Mismatch { .. }
                | Self::Program { .. }
                | Self::NoEvaluator
                | Self::NoStore { .. }
        )
    }

    /// Whether every point of a finite space has been evaluated.
    pub fn is_exhausted(&self) -> bool {
        matches!(self, Self::Method(hilltop_core::Error::Exhausted { .. }))
    }

    pub(crate) fn statement(message: impl Into<String>) -> Self {
        Self::Statement {
            message: message.into(),
        }
    }
}

impl From<hilltop_core::Error> for Error {
    fn from(error: hilltop_core::Error) -> Self {
        match error {
            hilltop_core::Error::Journal(journal) => Self::Journal(journal),
            other => Self::Method(other),
        }
    }
}

fn listed(path: &std::path::Path, findings: &[Finding]) -> String {
    match findings {
        [only] => format!("{}: {only}", path.display()),
        many => {
            let lines: Vec<String> = many.iter().map(|finding| format!("\n  {finding}")).collect();
            format!("{} has {} errors:{}", path.display(), many.len(), lines.concat())
        }
    }
}
