//! `coupling` of `[evaluate]`: the files by which a program and a trial talk.

use super::evaluate::template;
use super::section::{Field, Section};
use crate::evaluate::{Coupling, CouplingFormat, Keep};

const ALLOWED: &str = "\"dakota\", or a table { name = \"dakota\", format = \"json\", … }";
const KEYS: [&str; 8] = [
    "name",
    "format",
    "parameters",
    "results",
    "work",
    "keep",
    "copy",
    "templates",
];

/// What was typed, with the defaults of what was not.
pub(super) fn coupling(field: &Field<'_>) -> Option<Coupling> {
    if field.is_text() {
        named(field)?;
        return Some(Coupling::default());
    }
    let table = field.table(ALLOWED)?;
    table.allow(&KEYS);
    let Some(name) = table.field("name") else {
        field.refuse(ALLOWED);
        return None;
    };
    named(&name)?;
    let mut coupling = Coupling::default();
    coupling.format = one_of(&table, "format", &CouplingFormat::NAMED, coupling.format)?;
    coupling.keep = one_of(&table, "keep", &Keep::NAMED, coupling.keep)?;
    coupling.parameters = file_name(&table, "parameters", coupling.parameters)?;
    coupling.results = file_name(&table, "results", coupling.results)?;
    if let Some(work) = table.field("work") {
        let typed = template(&work, work.text("a folder with {trial} in its name")?)?;
        if !typed.placeholders().any(|name| name == "trial") {
            work.refuse("a folder with {trial} in its name: every trial has a directory of its own");
            return None;
        }
        coupling.work = typed;
    }
    if let Some(copy) = table.field("copy") {
        let files = copy.texts("a list of files beside the study file: [\"mesh.dat\"]")?;
        coupling.copy = files.into_iter().map(|(_, file)| file.to_owned()).collect();
    }
    if let Some(templates) = table.field("templates") {
        coupling.templates = forms(&templates)?;
    }
    distinct(field, &coupling)?;
    Some(coupling)
}

fn named(field: &Field<'_>) -> Option<()> {
    let known = field.text(ALLOWED)? == "dakota";
    if !known {
        field.refuse(ALLOWED);
    }
    known.then_some(())
}

fn one_of<T: Copy>(table: &Section<'_>, key: &str, choices: &[(&str, T)], default: T) -> Option<T> {
    let Some(field) = table.field(key) else {
        return Some(default);
    };
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    let allowed = names.join(", ");
    let typed = field.text(&allowed)?;
    let found = choices
        .iter()
        .find(|(name, _)| *name == typed)
        .map(|(_, choice)| *choice);
    if found.is_none() {
        field.refuse(&allowed);
    }
    found
}

fn file_name(table: &Section<'_>, key: &str, default: String) -> Option<String> {
    table
        .field(key)
        .map_or(Some(default), |field| plain(&field).map(str::to_owned))
}

/// The name of a file in the work directory itself.
fn plain<'s>(field: &Field<'s>) -> Option<&'s str> {
    let allowed = "the name of a file, without a folder";
    let name = field.text(allowed)?;
    let sound = is_plain(name);
    if !sound {
        field.refuse(allowed);
    }
    sound.then_some(name)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && ![".", ".."].contains(&name) && !name.contains(['/', '\\', '\0'])
}

fn forms(field: &Field<'_>) -> Option<Vec<(String, String)>> {
    let allowed = "a table of files to write and the templates they come from: { \"input.dat\" = \"template.in\" }";
    let table = field.table(allowed)?;
    let form = |typed: &Field<'_>| {
        if !is_plain(typed.key) {
            typed.remark(format!(
                "{} is written into the work directory: a name without a folder",
                typed.key
            ));
            return None;
        }
        Some((
            typed.key.to_owned(),
            typed.text("the template, a file beside the study file")?.to_owned(),
        ))
    };
    let forms: Vec<_> = table.fields().iter().filter_map(form).collect();
    (forms.len() == table.fields().len()).then_some(forms)
}

/// Every file of the work directory has a name of its own.
fn distinct(field: &Field<'_>, coupling: &Coupling) -> Option<()> {
    let copied = coupling
        .copy
        .iter()
        .map(|file| file.rsplit(['/', '\\']).next().unwrap_or(file));
    let written = coupling.templates.iter().map(|(to, _)| to.as_str());
    let mut names: Vec<&str> = copied
        .chain(written)
        .chain([coupling.parameters.as_str(), &coupling.results])
        .collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    if let Some(name) = twice {
        field.remark(format!("{name} names two files of the work directory"));
    }
    twice.is_none().then_some(())
}
