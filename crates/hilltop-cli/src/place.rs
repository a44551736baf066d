//! Which study a command is about: its file, and where it is kept.

use std::path::{Path, PathBuf};

use anyhow::Result;
use hilltop_study::{Error, Statement, Store, Study};

use crate::fault::usage;

/// A study file and a store.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Place {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub(crate) study: PathBuf,
    /// Where the study is kept [default: a database file beside the study file]
    #[arg(long, value_name = "PATH_OR_URL")]
    pub(crate) store: Option<String>,
}

impl Place {
    /// What the study file means. A file that cannot be read is a mistake of the command line.
    pub(crate) fn statement(&self) -> Result<Statement> {
        Statement::load(&self.study).map_err(|error| match error {
            Error::Access { .. } => usage(error.to_string()),
            other => other.into(),
        })
    }

    /// Where the study is kept.
    pub(crate) fn path(&self) -> Result<PathBuf> {
        let Some(typed) = &self.store else {
            return Ok(Store::beside(&self.study));
        };
        match typed.split_once(':') {
            Some(("sqlite", path)) => Ok(path.strip_prefix("//").unwrap_or(path).into()),
            Some((scheme, rest)) if rest.starts_with("//") => Err(usage(format!(
                "a store of the kind {scheme} is not supported yet: give the path of a SQLite file"
            ))),
            _ if typed.is_empty() => Err(usage("--store is empty: give the path of a SQLite file")),
            _ => Ok(typed.into()),
        }
    }

    /// The study, begun where it does not exist.
    pub(crate) fn open(&self) -> Result<Study> {
        self.open_as(self.statement()?)
    }

    /// The same with a statement that has been changed by flags.
    pub(crate) fn open_as(&self, statement: Statement) -> Result<Study> {
        Ok(Study::open(statement, Store::open(self.path()?)?)?)
    }

    /// The study, which must exist.
    pub(crate) fn existing(&self) -> Result<Study> {
        let statement = self.statement()?;
        Ok(Study::open(statement, Store::existing(self.path()?)?)?)
    }

    /// A command about this study, as the user would type it.
    pub(crate) fn typed(&self, command: &str) -> String {
        let store = self
            .store
            .as_ref()
            .map(|store| format!(" --store {}", quoted(Path::new(store))))
            .unwrap_or_default();
        format!("hilltop {command} {}{store}", quoted(&self.study))
    }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+:@%,=".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
