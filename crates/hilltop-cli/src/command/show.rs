//! `hilltop show`: how a study stands, and its trials.

use std::io::Write;

use anyhow::Result;
use hilltop_study::report::{short, value};
use hilltop_study::{State, Study, Trial, export};
use serde_json::{Value, json};

use super::best;
use crate::place::Place;
use crate::table::{Table, cut};

/// The widest cell of a value.
const CELL: usize = 12;
/// How many parameters have a column of their own.
const COLUMNS: usize = 5;

const EXAMPLES: &str = "\
Examples:
  hilltop show study.toml           how it stands, and the latest 20 trials
  hilltop show study.toml --last 5
  hilltop show study.toml --all";

/// Prints how a study stands, and its trials.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    #[command(flatten)]
    place: Place,
    /// How many of the latest trials to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    last: usize,
    /// List every trial
    #[arg(long, conflicts_with = "last")]
    all: bool,
}

impl Show {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let study = self.place.existing()?;
        let trials = study.trials()?;
        let from = if self.all {
            0
        } else {
            trials.len().saturating_sub(self.last)
        };
        if json {
            writeln!(out, "{}", described(&study, &trials, from))?;
            return Ok(());
        }
        standing(&study, &trials, out)?;
        let shown = &trials[from..];
        if !shown.is_empty() {
            writeln!(out)?;
            listed(&study, shown).write(out, 0)?;
        }
        Ok(())
    }
}

fn count(trials: &[Trial], state: State) -> usize {
    trials.iter().filter(|trial| trial.state == state).count()
}

fn described(study: &Study, trials: &[Trial], from: usize) -> Value {
    json!({
        "study": study.statement().name,
        "budget": study.statement().budget,
        "complete": count(trials, State::Complete),
        "failed": count(trials, State::Failed),
        "running": count(trials, State::Running) + count(trials, State::Reserved),
        "best": best::described(study)["best"],
        "trials": trials[from..].iter().map(export::described).collect::<Vec<_>>(),
    })
}

fn standing(study: &Study, trials: &[Trial], out: &mut dyn Write) -> Result<()> {
    let statement = study.statement();
    let budget = statement
        .budget
        .map(|budget| format!(" of {budget}"))
        .unwrap_or_default();
    let [complete, failed, running, reserved] =
        [State::Complete, State::Failed, State::Running, State::Reserved].map(|state| count(trials, state));
    let open = running + reserved;
    writeln!(
        out,
        "{}: {}{budget} trials, {complete} complete, {failed} failed, {open} under way",
        statement.name,
        trials.len()
    )?;
    if let Some(best) = study.best()? {
        let value = best
            .outputs
            .get(&statement.objective().name)
            .copied()
            .unwrap_or(f64::NAN);
        writeln!(
            out,
            "best {} {}, trial {}",
            statement.objective().name,
            short(value),
            best.trial
        )?;
    }
    Ok(())
}

fn listed(study: &Study, trials: &[Trial]) -> Table {
    let statement = study.statement();
    let parameters: Vec<&str> = statement
        .space
        .parameters()
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    let named = &parameters[..parameters.len().min(COLUMNS)];
    let mut header = vec!["trial".to_owned(), "state".to_owned()];
    header.extend(statement.outputs.iter().map(|output| cut(&output.name, CELL)));
    header.extend(named.iter().map(|name| cut(name, CELL)));
    header.push(if parameters.len() > COLUMNS {
        format!("and {} more", parameters.len() - COLUMNS)
    } else {
        String::new()
    });
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = Table::headed(&header);
    for trial in trials {
        let output = |name: &String| {
            trial
                .outputs
                .as_ref()
                .and_then(|values| values.get(name))
                .map(|value| short(*value))
        };
        let parameter = |name: &str| trial.parameters.as_ref().and_then(|point| point.get(name)).map(value);
        let mut row = vec![trial.number.to_string(), trial.state.word().to_owned()];
        row.extend(
            statement
                .outputs
                .iter()
                .map(|named| output(&named.name).unwrap_or_default()),
        );
        row.extend(named.iter().map(|name| cut(&parameter(name).unwrap_or_default(), CELL)));
        row.push(trial.reason.clone().unwrap_or_default());
        table.row(row);
    }
    table
}
