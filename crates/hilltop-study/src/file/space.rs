//! `[parameters]`, `[candidates]` or `[contexts]`, with `[constraints]`: the space of a study.

use std::path::Path;

use hilltop_core::{Candidates, Parameter, Space, SpaceError};
use hilltop_problem::Problem;

use super::section::{Field, Section};
use super::{Source, contexts, parameter};
use crate::evaluate::BuiltIn;
use crate::statement::Table;

/// The space, and the file that it comes from where it is finite.
pub(super) fn space(root: &Section<'_>, folder: &Path, source: Source<'_>) -> Option<(Space, Option<Table>)> {
    match (&root.typed(&["parameters", "candidates", "contexts"])[..], source) {
        (["parameters"], _) => of_parameters(root).map(|space| (space, None)),
        (["candidates"], _) => of_candidates(root, folder).map(|(space, table)| (space, Some(table))),
        (["contexts"], _) => contexts::space(root).map(|space| (space, None)),
        ([], Source::Problem(problem)) => of_problem(root, problem).map(|space| (space, None)),
        ([], Source::Unknown) => None,
        ([], Source::File) => {
            root.refuse("parameters are missing: add a section [parameters], or [candidates] with a file");
            None
        }
        (several, _) => {
            let sections: Vec<String> = several.iter().map(|section| format!("[{section}]")).collect();
            root.refuse(format!("{} exclude each other", sections.join(" and ")));
            None
        }
    }
}

fn of_problem(root: &Section<'_>, problem: &dyn Problem) -> Option<Space> {
    let space = BuiltIn::space_of(problem)
        .map_err(|error| root.refuse(error.to_string()))
        .ok()?;
    let known = known(root, space.parameters());
    if known.is_empty() {
        return Some(space);
    }
    let refuse = |error: SpaceError| root.refuse(error.to_string());
    Space::new(space.parameters().to_vec(), known).map_err(refuse).ok()
}

fn of_parameters(root: &Section<'_>) -> Option<Space> {
    let section = root.field("parameters")?.table("a section of parameters")?;
    let parameters = parameter::parameters(&section);
    let known = known(root, &parameters);
    if parameters.len() < section.fields().len() || parameters.is_empty() {
        return None;
    }
    Space::new(parameters, known)
        .map_err(|error| blame(&error, root, &section).remark(error.to_string()))
        .ok()
}

fn known(root: &Section<'_>, parameters: &[Parameter]) -> Vec<hilltop_core::Expression> {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    relations(root, &names)
}

fn relations(root: &Section<'_>, names: &[&str]) -> Vec<hilltop_core::Expression> {
    let section = root.field("constraints").and_then(|field| field.table("a section"));
    section
        .map(|section| parameter::known(&section, names))
        .unwrap_or_default()
}

/// The key that an error of the whole space is about: the parameter it names, or the constraints.
fn blame<'s>(error: &SpaceError, root: &Section<'s>, parameters: &Section<'s>) -> Field<'s> {
    let constraint = matches!(
        error,
        SpaceError::Known { .. } | SpaceError::NonlinearEquality { .. } | SpaceError::Infeasible { .. }
    );
    let message = error.to_string();
    let named = parameters
        .fields()
        .iter()
        .find(|field| message.contains(&format!("`{}`", field.key)));
    let constraints = root.field("constraints").filter(|_| constraint);
    constraints
        .or_else(|| named.cloned())
        .unwrap_or_else(|| parameters.fields()[0].clone())
}

/// How long an array is in each direction.
fn extents(field: &Field<'_>) -> Option<Vec<usize>> {
    let items = field.list("a list of whole numbers such as [8, 8]")?;
    let counts = items.iter().map(|item| item.count(1));
    counts.map(|count| usize::try_from(count?).ok()).collect()
}

fn of_candidates(root: &Section<'_>, folder: &Path) -> Option<(Space, Table)> {
    let section = root.field("candidates")?.table("a section with a file")?;
    section.allow(&["file", "features", "shape"]);
    let Some(file) = section.field("file") else {
        section.refuse("candidates.file is missing: the name of a CSV file");
        return None;
    };
    let features = match section.field("features") {
        None => None,
        Some(field) => Some(
            field
                .texts("a list of column names")?
                .into_iter()
                .map(|(_, text)| text.to_owned())
                .collect(),
        ),
    };
    let name = file.text("the name of a CSV file")?;
    let path = folder.join(name);
    let unusable = |error: String| file.refuse(&format!("{} cannot be used: {error}", path.display()));
    let bytes = std::fs::read(&path).map_err(|error| unusable(error.to_string())).ok()?;
    let mut table = Table::new(name, features, &bytes);
    let all = Candidates::from_csv(bytes.as_slice(), table.features.as_deref());
    let mut all = all.map_err(|error| unusable(error.to_string())).ok()?;
    if let Some(field) = section.field("shape") {
        let shape = extents(&field)?;
        let shaped = all.with_shape(&shape);
        all = shaped.map_err(|error| field.refuse(&error.to_string())).ok()?;
        table.shape = Some(shape);
    }
    let known = relations(root, &all.columns().iter().map(String::as_str).collect::<Vec<_>>());
    table.known = known.iter().map(ToString::to_string).collect();
    let kept = all
        .satisfying(&known)
        .map_err(|error| root.refuse(error.to_string()))
        .ok()?;
    Some((Space::finite(kept), table))
}
