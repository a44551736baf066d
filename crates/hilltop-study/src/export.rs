//! Everything that is known, for other programs: CSV for tables, JSON for all of it.
//!
//! Trials whose point is still being proposed are left out: there is nothing to say about them yet.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::{Map, Value, json};

use crate::statement::names;
use crate::study::Study;
use crate::trial::{State, Trial};
use crate::{Error, Result};

/// The formats of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A table, one row a trial.
    Csv,
    /// The study and its trials.
    Json,
    /// A table as Dakota writes it, the complete trials only.
    Dakota,
}

/// Writes every trial in the order of numbers.
pub fn export(study: &Study, format: Format, output: impl Write) -> Result<()> {
    let trials = study.trials()?;
    let trials = trials.iter().filter(|trial| trial.state != State::Reserved);
    match format {
        Format::Csv => csv(study, trials, output),
        Format::Json => json(study, trials, output),
        Format::Dakota => dakota(study, trials, output),
    }
}

/// `{"study": …, "trials": […]}`, a trial a line.
fn json<'t>(study: &Study, trials: impl Iterator<Item = &'t Trial>, mut output: impl Write) -> Result<()> {
    let mut write = |text: String| output.write_all(text.as_bytes()).map_err(unwritten);
    write(format!(
        "{{\"study\": {},\n \"trials\": [",
        study.statement().description()
    ))?;
    for (index, trial) in trials.enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write(format!("{comma}\n  {}", described(trial)))?;
    }
    write("\n ]}\n".to_owned())
}

/// `%eval_id interface x1 … f …`, columns apart by blanks.
fn dakota<'t>(study: &Study, trials: impl Iterator<Item = &'t Trial>, mut output: impl Write) -> Result<()> {
    let (parameters, outputs) = columns(study);
    let header = ["%eval_id", "interface"].map(str::to_owned);
    let mut line = |cells: Vec<String>| {
        let cell = |text: String| {
            if text.is_empty() {
                "N/A".to_owned()
            } else {
                text.replace(char::is_whitespace, "_")
            }
        };
        let cells: Vec<String> = cells.into_iter().map(cell).collect();
        writeln!(output, "{}", cells.join(" ")).map_err(unwritten)
    };
    line(
        header
            .into_iter()
            .chain(parameters.iter().chain(&outputs).cloned())
            .collect(),
    )?;
    for trial in trials.filter(|trial| trial.outputs.is_some()) {
        let mut cells = row(trial, &parameters, &outputs);
        cells.truncate(2 + parameters.len() + outputs.len());
        "NO_ID".clone_into(&mut cells[1]);
        line(cells)?;
    }
    Ok(())
}

/// A trial in JSON: number, state, and what there is of parameters, outputs, reason and seconds.
pub fn described(trial: &Trial) -> Value {
    let mut map = Map::new();
    map.insert("trial".into(), json!(trial.number));
    map.insert("state".into(), json!(trial.state.word()));
    let mut set = |key: &str, value: Option<Value>| map.extend(value.map(|value| (key.to_owned(), value)));
    set("arm", trial.arm.map(|arm| json!(arm)));
    set("reason", trial.reason.as_ref().map(|reason| json!(reason)));
    set(
        "parameters",
        trial.parameters.as_ref().map(|parameters| json!(parameters)),
    );
    set("outputs", trial.outputs.as_ref().map(|outputs| json!(outputs)));
    set("seconds", trial.seconds.map(|seconds| json!(seconds)));
    set("added", trial.added.then_some(json!(true)));
    Value::Object(map)
}

/// Number, state, a column a parameter and an output, seconds and reason. What a trial does not have is empty.
fn csv<'t>(study: &Study, trials: impl Iterator<Item = &'t Trial>, output: impl Write) -> Result<()> {
    let (parameters, outputs) = columns(study);
    let mut writer = ::csv::Writer::from_writer(output);
    writer
        .write_record(header(&parameters, &outputs))
        .map_err(|error| unwritten(error.into()))?;
    for trial in trials {
        writer
            .write_record(row(trial, &parameters, &outputs))
            .map_err(|error| unwritten(error.into()))?;
    }
    writer.flush().map_err(unwritten)
}

/// The names of parameters and outputs.
fn columns(study: &Study) -> (Vec<String>, Vec<String>) {
    let outputs = study.statement().outputs.iter();
    (
        names(&study.statement().space),
        outputs.map(|output| output.name.clone()).collect(),
    )
}

/// A name that stands twice is said to be the parameter's or the output's.
fn header(parameters: &[String], outputs: &[String]) -> Vec<String> {
    let fixed = ["trial", "state", "seconds", "reason"];
    let inputs: BTreeSet<&str> = parameters.iter().map(String::as_str).collect();
    let results: BTreeSet<&str> = outputs.iter().map(String::as_str).collect();
    let twice = |name: &str| fixed.contains(&name) || (inputs.contains(name) && results.contains(name));
    let column = |kind: &str, name: &String| {
        if twice(name) {
            format!("{kind}.{name}")
        } else {
            name.clone()
        }
    };
    let mut header = vec!["trial".to_owned(), "state".to_owned()];
    header.extend(parameters.iter().map(|name| column("parameter", name)));
    header.extend(outputs.iter().map(|name| column("output", name)));
    header.extend(["seconds".to_owned(), "reason".to_owned()]);
    header
}

fn row(trial: &Trial, parameters: &[String], outputs: &[String]) -> Vec<String> {
    let value = |name: &String| {
        trial
            .parameters
            .as_ref()
            .and_then(|point| point.get(name))
            .map(ToString::to_string)
    };
    let result = |name: &String| {
        trial
            .outputs
            .as_ref()
            .and_then(|values| values.get(name))
            .map(ToString::to_string)
    };
    let mut row = vec![trial.number.to_string(), trial.state.word().to_owned()];
    row.extend(parameters.iter().map(|name| value(name).unwrap_or_default()));
    row.extend(outputs.iter().map(|name| result(name).unwrap_or_default()));
    row.push(trial.seconds.map(|seconds| seconds.to_string()).unwrap_or_default());
    row.push(trial.reason.clone().unwrap_or_default());
    row
}

fn unwritten(source: std::io::Error) -> Error {
    Error::Access {
        path: "the export".into(),
        action: "written",
        source,
    }
}
