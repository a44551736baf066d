//! `[evaluate]`: how trials are evaluated.

use std::path::Path;

use hilltop_problem::Problem;

use super::section::{Field, Section};
use super::{coupling, duration};
use crate::evaluate::{Results, Template};
use crate::statement::{Command, Evaluate, OnFailure};

const KEYS: [&str; 9] = [
    "command",
    "timeout",
    "start_timeout",
    "retries",
    "results",
    "coupling",
    "problem",
    "noise",
    "on_failure",
];

/// What `[evaluate]` says; the problem itself comes along, because it knows its parameters and outputs.
pub(super) fn evaluate(section: &Section<'_>, folder: &Path) -> Option<(Evaluate, Option<Box<dyn Problem>>)> {
    section.allow(&KEYS);
    match section.typed(&["command", "problem"])[..] {
        ["command"] => command(section, folder).map(|command| (Evaluate::Command(Box::new(command)), None)),
        ["problem"] => problem(section),
        [] => {
            section.refuse("[evaluate] needs a command or a problem; leave the section out to ask and tell yourself");
            None
        }
        _ => {
            section.refuse("[evaluate] has a command and a problem: one of them is allowed");
            None
        }
    }
}

/// What `on_failure` says; learning where it says nothing.
pub(super) fn on_failure(section: &Section<'_>) -> OnFailure {
    let allowed = "\"learn\", \"ignore\" or \"abort\"";
    let Some(field) = section.field("on_failure") else {
        return OnFailure::default();
    };
    let meant = field.text(allowed).map(OnFailure::parse);
    if meant == Some(None) {
        field.refuse(allowed);
    }
    meant.flatten().unwrap_or_default()
}

fn command(section: &Section<'_>, folder: &Path) -> Option<Command> {
    exclude(section, &["noise"], "a problem");
    let typed = section.field("command")?;
    let words = typed.texts("a list of texts, the program first: [\"python3\", \"simulate.py\", \"{length}\"]")?;
    let templates: Vec<Template> = words.iter().filter_map(|(field, text)| template(field, text)).collect();
    let span = |key: &str| match section.field(key) {
        None => Some(None),
        Some(field) => timeout(&field).map(Some),
    };
    let (timeout, start_timeout) = (span("timeout")?, span("start_timeout")?);
    let retries = section.field("retries").map_or(Some(0), |field| field.count(0))?;
    let results = match (section.field("results"), section.field("coupling")) {
        (None, None) => Results::LastLine,
        (Some(field), None) => results(&field)?,
        (None, Some(field)) => Results::Coupled(coupling::coupling(&field)?),
        (Some(_), Some(field)) => {
            field.remark(
                "evaluate.coupling and evaluate.results exclude each other: a coupling has a results file of its own",
            );
            return None;
        }
    };
    let complete = templates.len() == words.len();
    complete.then(|| Command {
        command: templates,
        timeout,
        start_timeout,
        retries,
        results,
        folder: folder.to_owned(),
    })
}

pub(super) fn template(field: &Field<'_>, text: &str) -> Option<Template> {
    Template::parse(text).map_err(|reason| field.refuse(&reason)).ok()
}

fn timeout(field: &Field<'_>) -> Option<std::time::Duration> {
    let duration = if field.is_text() {
        duration::parse(field.text(duration::ALLOWED)?)
    } else {
        duration::seconds(field.number()?)
    };
    if duration.is_none() {
        field.refuse(duration::ALLOWED);
    }
    duration
}

fn results(field: &Field<'_>) -> Option<Results> {
    let allowed = "a table { file = \"results.json\" }";
    let table = field.table(allowed)?;
    table.allow(&["file"]);
    let Some(file) = table.field("file") else {
        field.refuse(allowed);
        return None;
    };
    template(&file, file.text("the name of a file")?).map(Results::File)
}

fn problem(section: &Section<'_>) -> Option<(Evaluate, Option<Box<dyn Problem>>)> {
    exclude(
        section,
        &["timeout", "start_timeout", "retries", "results", "coupling"],
        "a command",
    );
    let field = section.field("problem")?;
    let name = field.text("the name of a built-in problem, see `hilltop problems`")?;
    let problem = hilltop_problem::registry::lookup(name)
        .map_err(|fault| field.refuse(&fault.to_string()))
        .ok()?;
    let noise = section.field("noise").map_or(Some(0.0), |field| noise(&field))?;
    Some((
        Evaluate::Problem {
            name: name.to_owned(),
            noise,
        },
        Some(problem),
    ))
}

fn noise(field: &Field<'_>) -> Option<f64> {
    let noise = field.number()?;
    if noise < 0.0 {
        field.refuse("a number from 0 on, the share of the output's own deviation");
        return None;
    }
    Some(noise)
}

fn exclude(section: &Section<'_>, keys: &[&str], owner: &str) {
    for field in keys.iter().filter_map(|key| section.field(key)) {
        field.remark(format!("{} belongs to {owner}: leave it out", field.path()));
    }
}
