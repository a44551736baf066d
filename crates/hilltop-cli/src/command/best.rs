//! `hilltop best`: the best trial so far.

use std::io::Write;

use anyhow::{Result, bail};
use hilltop_study::Study;
use hilltop_study::report::{short, value};
use serde_json::Value;

use crate::place::Place;
use crate::table::Table;

const EXAMPLES: &str = "\
Examples:
  hilltop best study.toml
  hilltop best study.toml --json      {\"best\": {\"trial\": 12, \"parameters\": {…}, \"outputs\": {…}, \"predicted\": {…}}}";

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
    Ok(true)
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
