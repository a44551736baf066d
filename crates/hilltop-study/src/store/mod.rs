//! Where studies are kept: journals on disk, and who is at work on them.

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod sqlite;
mod workers;

use std::path::{Path, PathBuf};

use hilltop_core::{Journal, MemoryJournal};

pub use sqlite::SqliteJournal;
pub use workers::Claim;
pub(crate) use workers::Workers;

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::PathBuf;

    use hilltop_core::{Event, JournalError};
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_journal_in_memory_conforms() {
        conformance::all(&|| Box::new(|| Box::new(MemoryJournal::default())), false);
    }

    #[test]
    fn a_journal_in_sqlite_conforms() {
        let folder = tempfile::tempdir().unwrap();
        let count = std::cell::Cell::new(0);
        let fresh = || -> Box<dyn Fn() -> Box<dyn Journal> + Sync> {
            count.set(count.get() + 1);
            let path = folder.path().join(format!("{}.db", count.get()));
            Box::new(move || Box::new(SqliteJournal::open(&path).unwrap()))
        };
        conformance::all(&fresh, true);
    }

    fn study_with(change: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.db");
        let mut journal = SqliteJournal::open(&path).unwrap();
        let events: Vec<Event> = (0..3).map(|trial| Event::Reserved { trial, worker: None }).collect();
        journal.append(0, &events).unwrap();
        drop(journal);
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        (folder, path)
    }

    #[test]
    fn files_of_other_programs_are_refused_and_left_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        Connection::open(&path)
            .unwrap()
            .execute_batch("CREATE TABLE notes (text TEXT)")
            .unwrap();
        let before = std::fs::read(&path).unwrap();
        let message = SqliteJournal::open(&path).unwrap_err().to_string();
        assert!(message.contains("another program"), "{message}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        let path = folder.path().join("notes.txt");
        std::fs::write(
            &path,
            "buy milk, and then some more text so that this is no empty file\n".repeat(50),
        )
        .unwrap();
        let message = SqliteJournal::open(&path).unwrap_err().to_string();
        assert!(message.contains("no SQLite file"), "{message}");
    }

    #[test]
    fn a_newer_format_is_refused_by_name() {
        let (_folder, path) = study_with("PRAGMA user_version = 7");
        let message = SqliteJournal::open(&path).unwrap_err().to_string();
        assert!(
            message.contains("format 7") && message.contains("newer hilltop"),
            "{message}"
        );
    }

    #[test]
    fn an_event_that_cannot_be_read_is_named_by_its_position() {
        for (change, position) in [
            ("UPDATE events SET body = '{\"event\": \"reser' WHERE position = 1", 1),
            (
                "UPDATE events SET body = '{\"event\": \"dreamt\"}' WHERE position = 2",
                2,
            ),
            ("DELETE FROM events WHERE position = 0", 0),
            ("DELETE FROM events WHERE position = 1", 1),
        ] {
            let (_folder, path) = study_with(change);
            let error = SqliteJournal::open(&path).unwrap().read(0).unwrap_err();
            let JournalError::Corrupt { position: found, .. } = error else {
                panic!("{error}")
            };
            assert_eq!(found, position, "{change}");
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_and_not_a_panic() {
        let (_folder, path) = study_with("PRAGMA wal_checkpoint(TRUNCATE)");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[100..].fill(0xa5);
        std::fs::write(&path, &bytes).unwrap();
        let (_other, odd) = study_with(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_master SET sql = 'CREATE TABLE events (position INTEGER PRIMARY KEY, body)';
             PRAGMA writable_schema = RESET;
             UPDATE events SET body = NULL WHERE position = 1;",
        );
        for path in [&path, &odd] {
            let outcome = SqliteJournal::open(path).and_then(|mut journal| journal.read(0));
            let message = outcome.unwrap_err().to_string();
            assert!(message.contains("damaged"), "{message}");
        }
    }

    #[test]
    fn a_store_that_must_exist_and_does_not_is_not_created() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent.db");
        assert!(matches!(Store::existing(&path), Err(Error::NoStore { .. })));
        assert!(!path.exists());
        let message = Store::open(folder.path().join("no/such/folder/a.db"))
            .err()
            .unwrap()
            .to_string();
        assert!(message.contains("does its folder exist"), "{message}");
    }
}
