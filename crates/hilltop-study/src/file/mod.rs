//! The study file: what was typed ([`StudyFile`]) and, once checked, what it means ([`Statement`]).

mod contexts;
mod coupling;
mod duration;
mod evaluate;
mod output;
mod parameter;
mod physics;
mod section;
mod sheet;
mod space;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hilltop_core::{Goal, Output};
use hilltop_method::Recipe;
use hilltop_problem::Problem;
use toml::de::DeTable;

pub use sheet::Finding;
pub(crate) use sheet::shortened;

use crate::evaluate::BuiltIn;
use crate::statement::{Evaluate, Method, Statement};
use crate::{Error, Result};
use section::Section;
use sheet::Sheet;

const KEYS: [&str; 14] = [
    "name",
    "seed",
    "budget",
    "parallel",
    "method",
    "noisy",
    "asynchronous",
    "parameters",
    "candidates",
    "contexts",
    "outputs",
    "constraints",
    "physics",
    "evaluate",
];

/// A study file as it was typed.
#[derive(Clone, Debug)]
pub struct StudyFile {
    path: PathBuf,
    text: String,
}

impl StudyFile {
    /// Reads a file.
    pub fn read(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        match std::fs::read(&path).map(String::from_utf8) {
            Ok(Ok(text)) => Ok(Self { path, text }),
            Ok(Err(error)) => Err(not_text(path, &error)),
            Err(source) => Err(Error::Access {
                path,
                action: "read",
                source,
            }),
        }
    }

    /// A file whose text is at hand; paths in it are relative to the folder of `path`.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }

    /// What the file means, or everything that is wrong with it.
    pub fn check(&self) -> Result<Statement> {
        let sheet = Sheet::new(&self.text);
        let (table, errors) = DeTable::parse_recoverable(&self.text);
        // What follows the first error of syntax is mostly its echo.
        let place = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
        if let Some(error) = errors.iter().min_by_key(|error| place(error)) {
            sheet.report(place(error), "", error.message().replace('\n', ", "));
        }
        let statement = if sheet.is_clean() {
            self.statement(&Section::root(&sheet, table.get_ref()))
        } else {
            None
        };
        match statement {
            Some(statement) if sheet.is_clean() => Ok(statement),
            _ => Err(Error::File {
                path: self.path.clone(),
                findings: sheet.findings(),
            }),
        }
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }

    /// Every part is read before any is missed, so that all that is wrong is told together.
    fn statement(&self, root: &Section<'_>) -> Option<Statement> {
        root.allow(&KEYS);
        let section = |key: &str| root.field(key).and_then(|field| field.table("a section"));
        let on_failure = section("evaluate").map(|table| evaluate::on_failure(&table));
        let evaluate = section("evaluate").and_then(|table| evaluate::evaluate(&table, self.folder()));
        let problem = match (&evaluate, section("evaluate")) {
            (Some((_, Some(problem))), _) => Source::Problem(problem.as_ref()),
            (None, Some(table)) if table.field("problem").is_some() => Source::Unknown,
            _ => Source::File,
        };
        let (space, outputs) = (space::space(root, self.folder(), problem), outputs(root, problem));
        let (name, method, numbers) = (self.name(root), method(root), Numbers::read(root));
        let physics = match (&space, &outputs, section("physics")) {
            (Some((space, _)), Some(outputs), Some(table)) => physics::physics(&table, space, outputs, problem),
            _ => None,
        };
        let (space, table) = space?;
        let mut statement = Statement::draft(Arc::new(space), outputs?.into(), method?);
        (statement.physics, statement.knowledge) = physics.unzip();
        statement.name = name?;
        statement.candidates = table;
        statement.on_failure = on_failure.unwrap_or_default();
        statement.max_violation = section("constraints").and_then(|table| max_violation(&table, &statement.outputs));
        statement.evaluate = evaluate.map(|(evaluate, _)| evaluate);
        numbers.set(&mut statement);
        statement.contexts = root.field("contexts").is_some();
        statement.noisy |= statement.contexts;
        settle(root, statement)
    }

    fn name(&self, root: &Section<'_>) -> Option<String> {
        match root.field("name") {
            Some(field) => field.text("a text").map(str::to_owned),
            None => Some(
                self.path
                    .file_stem()
                    .map_or("study".into(), |stem| stem.to_string_lossy().into_owned()),
            ),
        }
    }
}

fn not_text(path: PathBuf, error: &std::string::FromUtf8Error) -> Error {
    let valid = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
    let sheet = Sheet::new(&text);
    sheet.report(valid, "", "a byte that is not UTF-8: save the file as UTF-8 text");
    Error::File {
        path,
        findings: sheet.findings(),
    }
}

/// Where parameters and outputs come from that the file does not name.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// From nowhere: the file has to name them.
    File,
    /// From a built-in problem.
    Problem(&'a dyn Problem),
    /// From a problem that does not exist, which has been said.
    Unknown,
}

fn outputs(root: &Section<'_>, source: Source<'_>) -> Option<Vec<Output>> {
    let offered = match source {
        Source::Problem(problem) => Some(BuiltIn::outputs_of(problem)),
        Source::File | Source::Unknown => None,
    };
    let Some(field) = root.field("outputs") else {
        if matches!(source, Source::File) {
            root.refuse("outputs are missing: add a section [outputs] with cost = { minimize = true }");
        }
        return offered;
    };
    let section = field.table("a section of outputs")?;
    let outputs = output::outputs(&section);
    let names: Option<Vec<String>> = offered.map(|all| all.into_iter().map(|output| output.name).collect());
    for (field, names) in section.fields().iter().zip(std::iter::repeat(&names)) {
        if let Some(names) = names
            .as_ref()
            .filter(|names| !names.iter().any(|name| name == field.key))
        {
            field.remark(format!(
                "the problem has no output {}: it has {}",
                field.key,
                names.join(", ")
            ));
        }
    }
    Some(outputs)
}

/// The share of trials that may break limits, where there are any to break.
fn max_violation(section: &Section<'_>, outputs: &[Output]) -> Option<f64> {
    let field = section.field("max_violation")?;
    let share = field.number()?;
    if !(0.0..=1.0).contains(&share) {
        field.refuse("a share of the trials, from 0 to 1");
        return None;
    }
    let limited = |output: &Output| matches!(output.goal, Goal::Within { min, max } if min.or(max).is_some());
    if !outputs.iter().any(limited) {
        field.remark("constraints.max_violation has nothing to watch: no output has min or max");
    }
    Some(share)
}

fn method(root: &Section<'_>) -> Option<Method> {
    let Some(field) = root.field("method") else {
        return Some(Method::default());
    };
    let typed = field.json()?;
    match Recipe::parse(&typed) {
        Ok(recipe) => Some(Method::Recipe {
            typed,
            recipe: Box::new(recipe),
        }),
        Err(error) => {
            field.remark(error.to_string());
            None
        }
    }
}

/// The keys at the top of a file that are numbers or switches.
struct Numbers {
    seed: u64,
    budget: Option<u64>,
    parallel: usize,
    noisy: bool,
    asynchronous: bool,
}

impl Numbers {
    fn read(root: &Section<'_>) -> Self {
        let count = |key: &str, least: u64| root.field(key).and_then(|field| field.count(least));
        let flag = |key: &str| root.field(key).and_then(|field| field.flag()).unwrap_or(false);
        let parallel = count("parallel", 1).unwrap_or(1) as usize;
        if let Some(field) = root.field("parallel").filter(|_| parallel > 1024) {
            field.refuse("a whole number from 1 to 1024");
        }
        if root.field("evaluate").is_some() && root.field("budget").is_none() {
            root.refuse("budget is missing: the number of evaluations that `hilltop run` may spend");
        }
        Self {
            seed: count("seed", 0).unwrap_or(0),
            budget: count("budget", 1),
            parallel,
            noisy: flag("noisy"),
            asynchronous: flag("asynchronous"),
        }
    }

    fn set(self, statement: &mut Statement) {
        statement.seed = self.seed;
        statement.budget = self.budget;
        statement.parallel = self.parallel;
        statement.noisy = self.noisy;
        statement.asynchronous = self.asynchronous;
    }
}

/// What can be said only about the whole, each at the key that is nearest to it.
fn settle(root: &Section<'_>, statement: Statement) -> Option<Statement> {
    let nearest = |key: &str| root.field(key);
    // A method that does not fit outputs of which something is wrong is no news.
    if root.is_clean()
        && let Err(error) = statement.check_method()
    {
        match nearest("method") {
            Some(field) => field.remark(error.to_string()),
            None => root.refuse(error.to_string()),
        }
    }
    if let Some(Evaluate::Command(command)) = &statement.evaluate
        && let Err(message) = command.check(&statement.space)
        && let Some(field) = nearest("evaluate")
    {
        let section = field.table("a section")?;
        section.field("command").unwrap_or(field).remark(message);
    }
    if let Some(Evaluate::Problem { name, .. }) = &statement.evaluate
        && let Err(message) = statement.fits(name)
        && let Some(field) = nearest("parameters").or(nearest("candidates"))
    {
        field.remark(message);
    }
    Some(statement)
}
