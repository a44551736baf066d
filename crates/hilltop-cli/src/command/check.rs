//! `hilltop check`: what a study file means, without evaluating anything.

use std::io::Write;

use anyhow::Result;
use hilltop_core::physics::Partial;
use hilltop_core::{Kind, Parameter};
use hilltop_study::evaluate::Results;
use hilltop_study::report::{short, span, value, wanted};
use hilltop_study::{Command, Evaluate, Method, Statement};
use serde_json::{Value, json};

use crate::place::Place;
use crate::table::Table;

const EXAMPLES: &str = "\
Examples:
  hilltop check study.toml
  hilltop check study.toml --json";

/// Validates a study file and prints what would be done.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    #[command(flatten)]
    place: Place,
}

impl Check {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let statement = self.place.statement()?;
        let store = self.place.path()?;
        if json {
            let mut described = json!({ "study": statement.description(), "store": store, "exists": store.is_file() });
            described["settings"] = settings(&statement.method);
            described["warnings"] = json!(statement.warnings());
            writeln!(out, "{described}")?;
            return Ok(());
        }
        let exists = if store.is_file() {
            "exists and is continued"
        } else {
            "will be created"
        };
        general(&statement, &format!("{} ({exists})", store.display())).write(out, 0)?;
        space(&statement, out)?;
        writeln!(out, "\noutputs")?;
        let mut outputs = Table::plain();
        statement
            .outputs
            .iter()
            .for_each(|output| outputs.row([output.name.clone(), wanted(output.goal)]));
        outputs.write(out, 2)?;
        physics(&statement, out)?;
        method(&statement.method, out)?;
        for warning in statement.warnings() {
            writeln!(out, "\nwarning: {warning}")?;
        }
        Ok(())
    }
}

fn general(statement: &Statement, store: &str) -> Table {
    let mut table = Table::plain();
    table.row(["study", &statement.name]);
    let budget = statement
        .budget
        .map_or("none: ask and tell as long as you like".into(), |budget| {
            format!("{budget} evaluations")
        });
    table.row(["budget", &format!("{budget}, {} at once", statement.parallel)]);
    table.row(["seed", &statement.seed.to_string()]);
    table.row(["evaluation", &evaluation(statement)]);
    table.row(["store", store]);
    let asynchronous = "yes: suggestions use every result there is and depend on timing";
    if statement.asynchronous {
        table.row(["asynchronous", asynchronous]);
    }
    if statement.noisy {
        table.row(["noisy", "yes: a point may be suggested again"]);
    }
    table
}

fn evaluation(statement: &Statement) -> String {
    match &statement.evaluate {
        None => "by you: ask and tell".into(),
        Some(Evaluate::Problem { name, noise }) if *noise > 0.0 => {
            format!("built-in problem {name}, noise {}", short(*noise))
        }
        Some(Evaluate::Problem { name, .. }) => format!("built-in problem {name}"),
        Some(Evaluate::Command(command)) => program(command),
    }
}

fn program(command: &Command) -> String {
    let words: Vec<String> = command.command.iter().map(ToString::to_string).collect();
    let timeout = command
        .timeout
        .map(|timeout| format!(", at most {}", span(timeout.as_secs_f64())))
        .unwrap_or_default();
    let start = command.start_timeout;
    let start = start.map_or(String::new(), |limit| {
        format!(", starts within {}", span(limit.as_secs_f64()))
    });
    let retries = if command.retries > 0 {
        format!(", {} retries", command.retries)
    } else {
        String::new()
    };
    let results = match &command.results {
        Results::LastLine => ", results on the last line printed".to_owned(),
        Results::File(file) => format!(", results in {file}"),
        Results::Coupled(coupling) => format!(
            ", {} and {} in {}",
            coupling.parameters, coupling.results, coupling.work
        ),
    };
    format!("{}{timeout}{start}{retries}{results}", words.join(" "))
}

fn space(statement: &Statement, out: &mut dyn Write) -> Result<()> {
    match statement.space.candidates() {
        Some(candidates) if candidates.shape().is_some() => {
            let extents = candidates.shape().unwrap_or_default().iter().map(ToString::to_string);
            let shape = extents.collect::<Vec<_>>().join(" × ");
            writeln!(
                out,
                "\ncandidates: {} rows, each an array of {shape} numbers",
                candidates.len()
            )?;
            return Ok(());
        }
        Some(candidates) => {
            let columns = candidates.feature_names().join(", ");
            writeln!(out, "\ncandidates: {} rows, features {columns}", candidates.len())?;
        }
        None if statement.contexts => writeln!(out, "\ncontexts: arms are given with each ask, with the features")?,
        None => writeln!(out, "\nparameters")?,
    }
    let mut table = Table::plain();
    statement
        .space
        .parameters()
        .iter()
        .for_each(|parameter| table.row(row(parameter)));
    table.write(out, 2)?;
    if !statement.space.known().is_empty() {
        writeln!(out, "\nknown constraints, never violated")?;
        for constraint in statement.space.known() {
            writeln!(out, "  {constraint}")?;
        }
    }
    Ok(())
}

/// The equations as they were understood.
fn physics(statement: &Statement, out: &mut dyn Write) -> Result<()> {
    let Some(knowledge) = &statement.knowledge else {
        return Ok(());
    };
    let (points, collocation) = (knowledge.points, knowledge.collocation.name());
    writeln!(out, "\nphysics, {points} {collocation} points for each equation")?;
    let mut table = Table::plain();
    for alike in knowledge.equations.chunk_by(|a, b| a.text() == b.text()) {
        let linear = if alike.iter().all(|one| one.is_linear()) {
            "linear"
        } else {
            "not linear"
        };
        let orders = alike.iter().flat_map(|one| one.partials().iter().map(Partial::order));
        let order = match orders.max().unwrap_or(0) {
            0 => "no derivative".to_owned(),
            order => format!("order {order}"),
        };
        let count = match alike.len() {
            1 => String::new(),
            count => format!("{count} equations, "),
        };
        table.row([alike[0].text(), format!("{count}{linear}, {order}")]);
    }
    table.write(out, 2)?;
    Ok(())
}

fn row(parameter: &Parameter) -> [String; 3] {
    let scale = |log: bool| if log { ", logarithmic" } else { "" };
    let listed = |options: &[hilltop_core::Value]| options.iter().map(value).collect::<Vec<_>>().join(", ");
    let (kind, values) = match &parameter.kind {
        Kind::Float { low, high, log, step } => {
            let step = step
                .map(|step| format!(", in steps of {}", short(step)))
                .unwrap_or_default();
            (
                "float",
                format!("{} to {}{}{step}", short(*low), short(*high), scale(*log)),
            )
        }
        Kind::Int { low, high, log } => ("int", format!("{low} to {high}{}", scale(*log))),
        Kind::Choice { options } => ("choice", listed(options)),
        Kind::Ordered { options } => ("ordered", listed(options)),
        Kind::Fixed { value: given } => ("fixed", value(given)),
    };
    let when = parameter
        .when
        .as_ref()
        .map(|when| format!(", when {when}"))
        .unwrap_or_default();
    [parameter.name.clone(), kind.to_owned(), format!("{values}{when}")]
}

fn method(method: &Method, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "\nmethod {}", method.name())?;
    let mut table = Table::plain();
    for (name, value) in settings(method)
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, value)| *name != "name" && !value.is_null())
    {
        table.row([
            name.clone(),
            value.as_str().map_or_else(|| inline(value), str::to_owned),
        ]);
    }
    if !table.is_empty() {
        table.write(out, 2)?;
    }
    Ok(())
}

/// A value as the study file writes it.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let given = table.iter().filter(|(_, value)| !value.is_null());
            let pairs: Vec<String> = given
                .map(|(name, value)| format!("{name} = {}", inline(value)))
                .collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(inline).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Every setting of a method, those that were left out with their defaults.
fn settings(method: &Method) -> Value {
    match method {
        Method::Recipe { recipe, .. } => serde_json::to_value(recipe).unwrap_or_default(),
        Method::Custom { name, .. } => json!({ "name": name }),
    }
}
