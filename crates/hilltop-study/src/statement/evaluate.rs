//! How trials are evaluated, as the study file says it.

use std::path::PathBuf;
use std::time::Duration;

use hilltop_core::Space;
use hilltop_core::word::nearest;

use super::names;
use crate::evaluate::{Results, Template};

/// How trials are evaluated.
#[derive(Clone, Debug, PartialEq)]
pub enum Evaluate {
    /// By a program.
    Command(Box<Command>),
    /// By a built-in problem.
    Problem {
        /// Its name.
        name: String,
        /// The noise, as a share of the deviation that each output has over the box.
        noise: f64,
    },
}

/// What becomes of a study when an evaluation fails and the point is to blame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// Methods learn where evaluations fail, and keep away.
    #[default]
    Learn,
    /// The point is not asked again, and nothing is concluded.
    Ignore,
    /// The run ends.
    Abort,
}

impl OnFailure {
    /// What a word of the study file stands for.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        match word {
            "learn" => Some(Self::Learn),
            "ignore" => Some(Self::Ignore),
            "abort" => Some(Self::Abort),
            _ => None,
        }
    }
}

/// A program that evaluates, as the study file names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The program and its arguments.
    pub command: Vec<Template>,
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
    /// How long it may take until the program prints something.
    pub start_timeout: Option<Duration>,
    /// How often an attempt is repeated that failed for a reason other than the point.
    pub retries: u64,
    /// Where the outputs are found.
    pub results: Results,
    /// The working directory.
    pub folder: PathBuf,
}

impl Command {
    /// Refuses a placeholder that names no parameter.
    pub(crate) fn check(&self, space: &Space) -> Result<(), String> {
        let names = names(space);
        let file = match &self.results {
            Results::File(file) => Some(file),
            Results::Coupled(coupling) => Some(&coupling.work),
            Results::LastLine => None,
        };
        let unknown = self
            .command
            .iter()
            .chain(file)
            .find_map(|part| part.unknown(&names.iter().map(String::as_str)));
        match unknown {
            Some(name) => Err(unknown_placeholder(name, &names)),
            None => Ok(()),
        }
    }
}

fn unknown_placeholder(name: &str, names: &[String]) -> String {
    let near = nearest(name, names.iter().map(String::as_str));
    let hint = near.map_or(format!("the parameters are {}", names.join(", ")), |near| {
        format!("did you mean {{{near}}}?")
    });
    format!("the placeholder {{{name}}} names no parameter: {hint}")
}
