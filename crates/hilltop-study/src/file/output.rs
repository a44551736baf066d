//! `[outputs]`: what an evaluation reports.

use hilltop_core::{Goal, Output};

use super::section::{Field, Section};

const SHAPE: &str =
    "a table: { minimize = true }, { maximize = true }, { max = 250 }, { min = 20, max = 90 } or { } to record only";

/// The outputs in the order in which they were written, one of them the objective.
pub(super) fn outputs(section: &Section<'_>) -> Vec<Output> {
    let outputs: Vec<(&Field<'_>, Output)> = section
        .fields()
        .iter()
        .filter_map(|field| Some((field, output(field)?)))
        .collect();
    let objectives: Vec<_> = outputs
        .iter()
        .filter(|(_, output)| output.goal.is_objective())
        .collect();
    if let [first, second, ..] = objectives[..] {
        let (first, second) = (&first.1.name, second);
        second.0.remark(format!(
            "{} is a second objective beside {first}: exactly one is allowed",
            second.0.path()
        ));
    }
    if objectives.is_empty() && outputs.len() == section.fields().len() {
        section.refuse("[outputs] has no objective: exactly one output needs minimize = true or maximize = true");
    }
    outputs.into_iter().map(|(_, output)| output).collect()
}

fn output(field: &Field<'_>) -> Option<Output> {
    let table = field.table(SHAPE)?;
    table.allow(&["minimize", "maximize", "min", "max"]);
    let goal = match table.typed(&["minimize", "maximize"])[..] {
        [direction] => objective(&table, direction),
        [_, ..] => {
            field.remark(format!("{} is both minimised and maximised: choose one", field.path()));
            None
        }
        [] => limits(&table),
    };
    Some(Output {
        name: field.key.to_owned(),
        goal: goal?,
    })
}

fn objective(table: &Section<'_>, direction: &str) -> Option<Goal> {
    let field = table.field(direction)?;
    if !field.flag()? {
        field.refuse("true; leave the key out otherwise");
        return None;
    }
    if !table.typed(&["min", "max"]).is_empty() {
        field.remark("an objective has no limits: report the limited quantity as an output of its own");
        return None;
    }
    Some(if direction == "minimize" {
        Goal::Minimize
    } else {
        Goal::Maximize
    })
}

fn limits(table: &Section<'_>) -> Option<Goal> {
    let limit = |key: &str| match table.field(key) {
        None => Some(None),
        Some(field) => field.number().map(Some),
    };
    let (min, max) = (limit("min")?, limit("max")?);
    if let (Some(low), Some(high)) = (min, max)
        && low > high
    {
        table.refuse(format!("min = {low} is above max = {high}: no value can keep both"));
        return None;
    }
    Some(if min.is_none() && max.is_none() {
        Goal::Observe
    } else {
        Goal::Within { min, max }
    })
}
