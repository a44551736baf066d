//! `hilltop best`: the best trial so far.

use std::io::Write;

use anyhow::{Result, bail};
use hilltop_core::{Goal, Output};
use hilltop_study::report::{short, value};
use hilltop_study::{Best as Found, Study, Trial};
use serde_json::Value;

use crate::place::Place;
use crate::table::Table;

const EXAMPLES: &str = "\
Examples:
  hilltop best study.toml
  hilltop best study.toml --json      {\"best\": {\"trial\": 12, \"parameters\": {…}, …}}";

/// Prints the best trial so far.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Best {
    #[command(flatten)]
    place: Place,
}

impl Best {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let study = self.place.existing()?;
        if json {
            writeln!(out, "{}", described(&study))?;
        } else if !write(&study, out)? {
            bail!("no trial has been evaluated yet: {}", self.place.typed("run"));
        }
        Ok(())
    }
}

/// The answer of the line protocol.
pub(super) fn described(study: &Study) -> Value {
    hilltop_study::session::answer(study, r#"{"best": true}"#)
}

/// The best trial as a table; false when there is none.
pub(super) fn write(study: &Study, out: &mut dyn Write) -> Result<bool> {
    let Some(best) = study.best()? else { return Ok(false) };
    // A model that cannot be fitted takes nothing away from what was observed.
    let predicted = study.predict(&best.parameters).ok().flatten();
    writeln!(out, "best: trial {}", best.trial)?;
    if !best.feasible {
        writeln!(out, "  no trial keeps every limit; this one breaks them least")?;
        if let Some(conflict) = conflict(study)? {
            writeln!(out, "  {conflict}")?;
        }
    }
    let mut table = Table::plain();
    for output in study.statement().outputs.iter() {
        let given = best
            .outputs
            .get(&output.name)
            .map(|value| short(*value))
            .unwrap_or_default();
        let expected = predicted.filter(|_| output.goal.is_objective());
        let expected = expected.map(|p| format!("the model expects {} ± {}", short(p.mean), short(p.deviation)));
        table.row([output.name.clone(), given, expected.unwrap_or_default()]);
    }
    let numbers = array(study);
    for (name, given) in best.parameters.iter() {
        if !numbers.iter().any(|number| number == name) {
            table.row([name.to_owned(), value(given), String::new()]);
        }
    }
    table.write(out, 2)?;
    if !numbers.is_empty() {
        writeln!(out, "  and the {} numbers of its array: --json", numbers.len())?;
    }
    if numbers.is_empty() {
        prefer(study, &best, out)?;
    }
    Ok(true)
}

/// Amid noise the best result is mostly a lucky one: what the method would choose instead, where it would.
fn prefer(study: &Study, best: &Found, out: &mut dyn Write) -> Result<()> {
    let chosen = study.preferred().filter(|(chosen, _)| *chosen != best.parameters);
    let Some((parameters, expected)) = chosen else {
        return Ok(());
    };
    let (mean, deviation) = (short(expected.mean), short(expected.deviation));
    writeln!(out, "\nthe model's choice amid noise, {mean} ± {deviation} expected:")?;
    let mut table = Table::plain();
    for (name, given) in parameters.iter() {
        table.row([name.to_owned(), value(given)]);
    }
    table.write(out, 2)?;
    Ok(())
}

/// What stands in the way where no trial keeps every limit: limits that none keeps, or two that none keeps together.
fn conflict(study: &Study) -> Result<Option<String>> {
    let trials = study.trials()?;
    let kept = |output: &Output, trial: &Trial| {
        let value = trial.outputs.as_ref().and_then(|values| values.get(&output.name));
        value.is_some_and(|value| output.goal.violation(*value) <= 0.0)
    };
    let limits = study.statement().outputs.iter();
    let limits: Vec<&Output> = limits
        .filter(|output| matches!(output.goal, Goal::Within { .. }))
        .collect();
    let never = limits
        .iter()
        .filter(|limit| !trials.iter().any(|trial| kept(limit, trial)));
    let never: Vec<&str> = never.map(|limit| limit.name.as_str()).collect();
    if !never.is_empty() {
        let names = never.join(", ");
        return Ok(Some(format!(
            "{names}: kept by no trial; the limit may be out of reach"
        )));
    }
    let pairs = limits
        .iter()
        .enumerate()
        .flat_map(|(k, a)| limits[k + 1..].iter().map(move |b| (a, b)));
    let mut apart = pairs.filter(|(a, b)| !trials.iter().any(|trial| kept(a, trial) && kept(b, trial)));
    let told = |(a, b): (&&Output, &&Output)| {
        format!(
            "{} and {}: each kept by some trial, both by none; they may contradict each other",
            a.name, b.name
        )
    };
    Ok(apart.next().map(told))
}

/// The names of the numbers of an array, where candidates have a label to be known by.
fn array(study: &Study) -> &[String] {
    let space = &study.statement().space;
    let table = space.candidates().filter(|table| table.columns().len() > table.dim());
    match (table, space.shape()) {
        (Some(table), Some(_)) => table.feature_names(),
        _ => &[],
    }
}
