//! Where studies are kept: journals on disk, and who is at work on them.

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod sqlite;
mod workers;

use std::path::{Path, PathBuf};

use hilltop_core::{Journal, MemoryJournal};

pub use sqlite::SqliteJournal;
pub(crate) use workers::{Claim, Workers};

use crate::{Error, Result};

/// A journal, and the place where those who work on it show that they are alive.
pub struct Store {
    pub(crate) journal: Box<dyn Journal>,
    pub(crate) workers: Workers,
}

impl Store {
    /// A journal that one process has to itself.
    pub fn new(journal: impl Journal + 'static) -> Self {
        Self {
            journal: Box::new(journal),
            workers: Workers::alone(),
        }
    }

    /// The `SQLite` file at this path, created where there is none; any number of processes may share it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let journal = SqliteJournal::open(path.as_ref())?;
        Ok(journal.into())
    }

    /// The `SQLite` file at this path, which must be there.
    pub fn existing(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if !path.is_file() {
            return Err(Error::NoStore { path: path.to_owned() });
        }
        Self::open(path)
    }

    /// The store beside a study file: `study.toml` has `study.db`.
    pub fn beside(study_file: impl AsRef<Path>) -> PathBuf {
        study_file.as_ref().with_extension("db")
    }
}

impl From<MemoryJournal> for Store {
    fn from(journal: MemoryJournal) -> Self {
        Self::new(journal)
    }
}

impl From<SqliteJournal> for Store {
    fn from(journal: SqliteJournal) -> Self {
        let workers = Workers::of_store(journal.path());
        Self {
            journal: Box::new(journal),
            workers,
        }
    }
}
