//! What a benchmark compares: methods, problems, seeds, and how much each run may spend.

use std::str::FromStr;

use anyhow::{Context, Result};
use hilltop_method::Recipe;
use hilltop_problem::registry::lookup;

use crate::fault::usage;

/// A method under the name by which results mention it.
#[derive(Clone, Debug)]
pub(crate) struct Contender {
    pub(crate) label: String,
    pub(crate) recipe: Recipe,
    /// Whether it is told the equation of a problem that has one.
    pub(crate) physics: bool,
}

/// Behind the name of a method: it is told the equation of the problem.
const PHYSICS: &str = "+physics";

/// The evaluations of a run: a number, or a multiple of the dimension (`20d`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    number: u64,
    per_dimension: bool,
}

impl Budget {
    /// The evaluations on a problem of this dimension.
    pub(crate) fn on(self, dim: usize) -> u64 {
        if self.per_dimension {
            self.number.saturating_mul(dim as u64)
        } else {
            self.number
        }
    }
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, per_dimension) = text.strip_suffix('d').map_or((text, false), |digits| (digits, true));
        let number = digits.parse().ok().filter(|number| (1..=1_000_000).contains(number));
        let number = number.ok_or("a whole number from 1 to 1000000, or a multiple of the dimension such as 20d")?;
        Ok(Self { number, per_dimension })
    }
}

/// The methods of a list: names, or tables in JSON, separated by commas.
pub(crate) fn contenders(list: &str) -> Result<Vec<Contender>> {
    pieces(list).into_iter().map(contender).collect()
}

fn contender(text: &str) -> Result<Contender> {
    let (method, told) = text
        .strip_suffix(PHYSICS)
        .map_or((text, false), |method| (method, true));
    let value = if method.starts_with('{') {
        serde_json::from_str(method).map_err(|error| usage(format!("the method {method} is not JSON: {error}")))?
    } else {
        serde_json::Value::from(method)
    };
    let recipe = Recipe::parse(&value).map_err(|error| usage(error.to_string()))?;
    if told && !recipe.takes_physics() {
        return Err(usage(format!(
            "the method {} makes no use of physics: leave {PHYSICS} out",
            recipe.name()
        )));
    }
    Ok(Contender {
        label: text.to_owned(),
        physics: told || recipe.name() == "pinn-bo",
        recipe,
    })
}

/// What stands between commas; commas inside braces do not count.
fn pieces(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_i32, 0, Vec::new());
    for (at, letter) in list.char_indices() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&list[start..]);
    found
        .into_iter()
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
        .collect()
}

/// The problems of a list: names, or suites of BBOB such as `bbob:d2` and `bbob:d5:f1+3+6-8:i1-3`.
pub(crate) fn problems(list: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for piece in pieces(list) {
        match piece.strip_prefix("bbob:") {
            Some(parts) => names.extend(suite(parts).with_context(|| crate::fault::Usage(wrong_suite(piece)))?),
            None => names.push(piece.to_owned()),
        }
    }
    for name in &names {
        lookup(name).map_err(|error| usage(error.to_string()))?;
    }
    Ok(names)
}

fn wrong_suite(piece: &str) -> String {
    format!("{piece} is no suite of problems: write bbob:d2, or bbob:d5:f1+3+6-8:i1-3")
}

fn suite(parts: &str) -> Result<Vec<String>> {
    let (mut dims, mut functions, mut instances) = (Vec::new(), (1..=24).collect(), vec![1]);
    for part in parts.split(':') {
        let mut letters = part.chars();
        let kind = letters.next().unwrap_or(' ');
        let place = match kind {
            'd' => &mut dims,
            'f' => &mut functions,
            'i' => &mut instances,
            _ => return Err(usage(format!("{part:?} begins with none of d, f and i"))),
        };
        *place = numbers(letters.as_str())?;
    }
    if dims.is_empty() {
        return Err(usage("the dimension is missing"));
    }
    let mut names = Vec::new();
    for dim in &dims {
        for function in &functions {
            names.extend(
                instances
                    .iter()
                    .map(|instance| format!("bbob-f{function}-d{dim}-i{instance}")),
            );
        }
    }
    Ok(names)
}

/// `1+3+6-8` is 1, 3, 6, 7, 8.
fn numbers(text: &str) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for piece in text.split('+') {
        let (from, to) = piece.split_once('-').unwrap_or((piece, piece));
        let parsed = from.parse::<usize>().ok().zip(to.parse::<usize>().ok());
        let (from, to) = parsed
            .filter(|(from, to)| from <= to && *to < 10_000)
            .ok_or_else(|| usage(format!("{piece:?} is no number or range")))?;
        found.extend(from..=to);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_suite_is_every_function_of_a_dimension() {
        let names = problems("branin, bbob:d2").unwrap();
        assert_eq!(
            (names.len(), names[0].as_str(), names[24].as_str()),
            (25, "branin", "bbob-f24-d2-i1")
        );
        let names = problems("bbob:d3:f1+6-7:i1-2").unwrap();
        assert_eq!(
            names,
            [
                "bbob-f1-d3-i1",
                "bbob-f1-d3-i2",
                "bbob-f6-d3-i1",
                "bbob-f6-d3-i2",
                "bbob-f7-d3-i1",
                "bbob-f7-d3-i2"
            ]
        );
    }

    #[test]
    fn what_is_no_problem_is_refused() {
        for list in [
            "brainin",
            "bbob:f1",
            "bbob:d2:f25",
            "bbob:d2:x1",
            "bbob:d2:f3-1",
            "bbob:dd",
            "bbob:",
        ] {
            assert!(problems(list).is_err(), "{list}");
        }
    }

    #[test]
    fn a_method_may_be_a_table() {
        let methods = contenders(r#"auto, {"name": "neural-bo", "width": 100},random"#).unwrap();
        let names: Vec<&str> = methods.iter().map(|method| method.recipe.name()).collect();
        assert_eq!(names, ["auto", "neural-bo", "random"]);
    }

    #[test]
    fn a_budget_may_grow_with_the_dimension() {
        assert_eq!("100".parse::<Budget>().map(|budget| budget.on(5)), Ok(100));
        assert_eq!("20d".parse::<Budget>().map(|budget| budget.on(5)), Ok(100));
        assert!("d".parse::<Budget>().is_err() && "0".parse::<Budget>().is_err() && "many".parse::<Budget>().is_err());
    }
}
