//! Problems by name.
//!
//! ```text
//! name      = family                                 branin, hartmann-6, drop-wave, …: the dimension is fixed
//!           | family "-" dimension                   ackley-10, levy-50, …: the dimension is free
//!           | "bbob-f" function "-d" dimension [ "-i" instance ]        bbob-f8-d5-i1; instance 1 when left out
//! ```
//!
//! `bbob-8-d5-i1` is understood too; [`Problem::name`] always has the `f`.
//!
//! In a study file the parts can stand apart, and noise can be added: `{ name = "ackley", dim = 10, noise = 0.05 }`
//! ([`ProblemSpec`]).

mod family;
mod fault;
mod spec;

pub use fault::{Fault, UnknownProblem};
pub use spec::ProblemSpec;

use serde::Serialize;

use crate::bbob::{self, Bbob};
use crate::problem::Problem;
use family::{FAMILIES, Family};

/// The problem of a name.
pub fn lookup(name: &str) -> Result<Box<dyn Problem>, UnknownProblem> {
    let found = match name.strip_prefix("bbob") {
        Some(rest) => bbob_of(rest).and_then(|(function, dim, instance)| {
            Bbob::new(function, dim, instance).map(|problem| Box::new(problem) as Box<dyn Problem>)
        }),
        None => family_of(name).and_then(|(family, dim)| family.problem(dim)),
    };
    found.map_err(|fault| UnknownProblem::new(name, fault))
}

/// The family of a name and the dimension written behind it.
fn family_of(name: &str) -> Result<(&'static Family, Option<usize>), Fault> {
    let family = |name: &str| FAMILIES.iter().find(|family| family.name == name);
    if let Some(whole) = family(name) {
        return Ok((whole, None));
    }
    let (stem, digits) = name.rsplit_once('-').ok_or(Fault::Unknown)?;
    let found = family(stem).ok_or(Fault::Unknown)?;
    Ok((found, Some(number(digits).ok_or(Fault::Unknown)?)))
}

/// Function, dimension and instance from what follows `bbob` in a name.
fn bbob_of(rest: &str) -> Result<(usize, usize, usize), Fault> {
    let parts: Vec<&str> = rest.split('-').collect();
    let labelled = |part: &str, label: char| part.strip_prefix(label).and_then(number);
    let (function, dim, instance) = match parts[..] {
        ["", function, dim] => (function, dim, "i1"),
        ["", function, dim, instance] => (function, dim, instance),
        _ => return Err(Fault::BbobForm),
    };
    let function = labelled(function, 'f').or_else(|| number(function));
    let instance = labelled(instance, 'i');
    function
        .zip(labelled(dim, 'd'))
        .zip(instance)
        .map(|((f, d), i)| (f, d, i))
        .ok_or(Fault::BbobForm)
}

/// A number written in digits alone; one too large for the machine stays too large for every problem.
fn number(digits: &str) -> Option<usize> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// A row of the table of problems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// How the name is written: `ackley-<dim>`.
    pub name: String,
    /// A name that can be looked up: `ackley-10`.
    pub example: String,
    /// The dimensions there are.
    pub dimensions: String,
    /// The box.
    pub bounds: &'static str,
    /// The number of unknown constraints.
    pub constraints: usize,
    /// The least value and where it is taken.
    pub optimum: &'static str,
    /// One line about the problem.
    pub about: &'static str,
    /// Where it is defined or used.
    pub source: &'static str,
}

/// The table of all problems: the classic ones, the constrained ones, the 24 functions of BBOB.
pub fn all() -> Vec<Row> {
    FAMILIES
        .iter()
        .map(Family::row)
        .chain((1..=bbob::FUNCTIONS).map(bbob_row))
        .collect()
}

fn bbob_row(function: usize) -> Row {
    Row {
        name: format!("bbob-f{function}-d<dim>-i<instance>"),
        example: format!("bbob-f{function}-d5-i1"),
        dimensions: format!("2 to {}", bbob::MAX_DIM),
        bounds: "[-5, 5]",
        constraints: 0,
        optimum: "drawn with the instance",
        about: bbob::about(function),
        source: "BBOB, Finck et al. 2009",
    }
}
