//! Why a name is not the name of a problem, and what was probably meant.

use std::cmp::Reverse;

use hilltop_core::word::edits;

use super::family::{FAMILIES, Family};
use crate::bbob::{FUNCTIONS, MAX_INSTANCE};

/// What is wrong with a name or a setting of a problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// No family has this name.
    #[error("there is no such problem")]
    Unknown,
    /// The family exists in many dimensions and none is given.
    #[error("it needs a dimension, {least} to {most}")]
    DimensionMissing {
        /// The least dimension of the family.
        least: usize,
        /// The largest.
        most: usize,
    },
    /// The dimension is outside the family's range.
    #[error("dimension {dim} is not within {least} to {most}")]
    Dimension {
        /// The dimension asked for.
        dim: usize,
        /// The least dimension of the family.
        least: usize,
        /// The largest.
        most: usize,
    },
    /// The family has one dimension, and it is another.
    #[error("its dimension is {only}, not {dim}")]
    FixedDimension {
        /// The dimension asked for.
        dim: usize,
        /// The one there is.
        only: usize,
    },
    /// A name beginning with `bbob` that does not follow the grammar.
    #[error("a BBOB problem is written bbob-f<function>-d<dimension>-i<instance>")]
    BbobForm,
    /// No such BBOB function.
    #[error("BBOB has functions 1 to {FUNCTIONS}, not {function}")]
    Function {
        /// The number asked for.
        function: usize,
    },
    /// No such instance.
    #[error("instances are 1 to {MAX_INSTANCE}, not {instance}")]
    Instance {
        /// The number asked for.
        instance: usize,
    },
    /// An instance was given for a problem that has none.
    #[error("only BBOB problems have instances")]
    NoInstances,
    /// The noise is not a fraction.
    #[error("noise is a fraction of the deviation over the box, 0 or more, not {noise}")]
    Noise {
        /// The value given.
        noise: f64,
    },
}

/// A name that is not the name of a problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("problem `{name}`: {fault}; {}", self.advice())]
pub struct UnknownProblem {
    /// The name as it was given.
    pub name: String,
    /// What is wrong with it.
    pub fault: Fault,
    /// A name near to it that exists.
    pub suggestion: Option<String>,
}

impl UnknownProblem {
    pub(super) fn new(name: &str, fault: Fault) -> Self {
        let suggestion = nearest(name);
        Self {
            name: name.into(),
            fault,
            suggestion,
        }
    }

    fn advice(&self) -> String {
        match &self.suggestion {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`hilltop problems` lists what there is".into(),
        }
    }
}

/// The existing name next to a mistyped one, with the dimension that was given where the family has it.
fn nearest(name: &str) -> Option<String> {
    let typed = name.trim().to_lowercase().replace(['_', ' '], "-");
    if typed.starts_with("bbob") {
        return Some(nearest_bbob(&typed));
    }
    let dim = typed.rsplit('-').next().and_then(super::number);
    let starts = || {
        typed
            .match_indices('-')
            .map(|(end, _)| &typed[..end])
            .chain([typed.as_str()])
    };
    let distance = |family: &Family| starts().map(|start| edits(family.name, start)).min();
    let ranked = FAMILIES
        .iter()
        .map(|family| (distance(family), Reverse(family.name.len()), family));
    let (edits, _, family) = ranked.min_by_key(|(edits, length, _)| (*edits, *length))?;
    (edits? * 3 <= family.name.len()).then(|| family.example(dim))
}

/// The numbers of a mistyped BBOB name in their places, where they are possible.
fn nearest_bbob(typed: &str) -> String {
    let mut numbers = typed.split(|c: char| !c.is_ascii_digit()).filter_map(super::number);
    let mut next = |most: usize, least: usize, usual: usize| {
        numbers
            .next()
            .filter(|number| (least..=most).contains(number))
            .unwrap_or(usual)
    };
    let (function, dim, instance) = (
        next(FUNCTIONS, 1, 8),
        next(crate::bbob::MAX_DIM, 2, 5),
        next(MAX_INSTANCE, 1, 1),
    );
    format!("bbob-f{function}-d{dim}-i{instance}")
}
