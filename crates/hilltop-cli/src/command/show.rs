//! `hilltop show`: how a study stands, and its trials.

use std::io::Write;

use anyhow::Result;
use hilltop_study::report::{Tally, physics_verdict, short, value};
use hilltop_study::{State, Study, Trial, export};
use serde_json::{Map, Value, json};

use super::best;
use crate::place::Place;
use crate::table::{Table, cut, terminal};

/// The widest cell of a value.
const CELL: usize = 12;
/// What number and state of a trial take, and the room that is kept for reasons.
const FIXED: usize = 18;
const REASON: usize = 24;
/// How many reasons of failures are counted one by one.
const REASONS: usize = 5;

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
    let tally = Tally::of(study.statement(), trials);
    let times = |(reason, failed): &(&str, Vec<u64>)| (String::from(*reason), json!(failed.len()));
    json!({
        "study": study.statement().name,
        "budget": study.statement().budget,
        "complete": count(trials, State::Complete),
        "failed": count(trials, State::Failed),
        "running": count(trials, State::Running) + count(trials, State::Reserved),
        "feasible": tally.feasible,
        "violating": tally.violating,
        "violations": tally.violations.iter().map(|(name, times)| (String::from(*name), json!(times))).collect::<Map<_, _>>(),
        "reasons": tally.reasons.iter().map(times).collect::<Map<_, _>>(),
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
    let tally = Tally::of(statement, trials);
    if tally.divides() && tally.settled > 0 {
        writeln!(out, "{}", feasibility(statement.max_violation, &tally))?;
    }
    for (reason, times) in tally.reasons.iter().take(REASONS) {
        let line = format!(
            "{} failed: {}",
            times.len(),
            reason.split_whitespace().collect::<Vec<_>>().join(" ")
        );
        writeln!(out, "{}", cut(&line, terminal()))?;
    }
    let rest = tally.reasons.len().saturating_sub(REASONS);
    if rest > 0 {
        writeln!(out, "and for {rest} other reasons")?;
    }
    if let Some(best) = study.best()? {
        let objective = &statement.objective().name;
        let value = best.outputs.get(objective).copied().unwrap_or(f64::NAN);
        let named = match (tally.violations.is_empty(), best.feasible) {
            (true, _) => "best",
            (false, true) => "best feasible",
            (false, false) => "none feasible yet; closest to it:",
        };
        writeln!(out, "{named} {objective} {}, trial {}", short(value), best.trial)?;
    }
    if statement.knowledge.is_some()
        && let Some(verdict) = physics_verdict(study)
    {
        wrapped(&verdict, out)?;
    }
    Ok(())
}

/// A text in lines that the terminal has room for.
fn wrapped(text: &str, out: &mut dyn Write) -> Result<()> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > terminal() {
            writeln!(out, "{line}")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(out, "{line}")?;
    Ok(())
}

/// How many trials are feasible, and how often each limit was broken.
fn feasibility(granted: Option<f64>, tally: &Tally<'_>) -> String {
    let share = |count: usize, all: usize| 100.0 * count as f64 / all as f64;
    let feasible = format!("{:.0} % feasible", share(tally.feasible, tally.settled));
    let results = tally.feasible + tally.violating;
    if tally.violations.is_empty() || results == 0 {
        return feasible;
    }
    let granted = granted.map(|share| format!(" of {:.0} % granted", 100.0 * share));
    let each: Vec<String> = tally
        .violations
        .iter()
        .map(|(name, times)| format!("{name} in {times}"))
        .collect();
    format!(
        "{feasible}, {:.0} % of the results beyond limits{}: {}",
        share(tally.violating, results),
        granted.unwrap_or_default(),
        each.join(", ")
    )
}

/// Outputs and parameters, as many as the terminal has room for, and the reasons of failures.
fn listed(study: &Study, trials: &[Trial]) -> Table {
    let columns = columns(study, trials);
    let reserved = if trials.iter().any(|trial| trial.reason.is_some()) {
        REASON
    } else {
        0
    };
    let mut room = terminal().saturating_sub(FIXED + reserved);
    let fits = |column: &&Column| {
        let left = room.checked_sub(column.width() + 2);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let shown: Vec<&Column> = columns.iter().take_while(fits).collect();
    let rest = columns.len() - shown.len();
    let more = if rest > 0 {
        format!("and {rest} more")
    } else {
        String::new()
    };
    let mut header = vec!["trial", "state"];
    header.extend(shown.iter().map(|column| column.name.as_str()));
    header.push(&more);
    let mut table = Table::headed(&header);
    for (index, trial) in trials.iter().enumerate() {
        let mut row = vec![trial.number.to_string(), trial.state.word().to_owned()];
        row.extend(shown.iter().map(|column| column.cells[index].clone()));
        row.push(trial.reason.clone().unwrap_or_default());
        table.row(row);
    }
    table
}

/// The cells of an output or a parameter.
struct Column {
    name: String,
    cells: Vec<String>,
}

impl Column {
    fn new(name: &str, trials: &[Trial], cell: impl Fn(&Trial) -> Option<String>) -> Self {
        let cells = trials
            .iter()
            .map(|trial| cut(&cell(trial).unwrap_or_default(), CELL))
            .collect();
        Self {
            name: cut(name, CELL),
            cells,
        }
    }

    fn width(&self) -> usize {
        let widths = self.cells.iter().chain([&self.name]).map(|cell| cell.chars().count());
        widths.max().unwrap_or(0)
    }
}

fn columns(study: &Study, trials: &[Trial]) -> Vec<Column> {
    let statement = study.statement();
    let output = |name: &str| {
        Column::new(name, trials, |trial| {
            trial.outputs.as_ref()?.get(name).map(|value| short(*value))
        })
    };
    let parameter = |name: &str| Column::new(name, trials, |trial| trial.parameters.as_ref()?.get(name).map(value));
    let outputs = statement.outputs.iter().map(|named| output(&named.name));
    outputs
        .chain(statement.space.parameters().iter().map(|named| parameter(&named.name)))
        .collect()
}
