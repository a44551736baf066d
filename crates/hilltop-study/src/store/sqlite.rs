//! A journal in an `SQLite` file: one row an event, appended in transactions that survive a crash.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hilltop_core::{Event, FORMAT, Journal, JournalError};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};

/// What tells our files from those of other programs ("Hill").
const APPLICATION: i64 = 0x4869_6c6c;
/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(30);

/// A journal in an `SQLite` file that any number of processes share.
#[derive(Debug)]
pub struct SqliteJournal {
    path: PathBuf,
    connection: Connection,
}

impl SqliteJournal {
    /// Opens the file, or creates it. Files of other programs and of newer formats are refused.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, JournalError> {
        let path = path.into();
        let connection = Connection::open(&path).map_err(|error| failure(&path, &error))?;
        let journal = Self { path, connection };
        journal.claim().map_err(|refusal| match refusal {
            Refusal::Sqlite(error) => failure(&journal.path, &error),
            Refusal::Foreign(message) => store_error(&journal.path, message),
        })?;
        Ok(journal)
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks before it changes anything: a file that is not ours is left as it was, and one that is ours already.
    fn claim(&self) -> Result<(), Refusal> {
        self.connection.busy_timeout(PATIENCE)?;
        if !self.is_ours()? {
            self.wait_for_wal()?;
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            if !self.is_ours()? {
                self.connection
                    .execute_batch("CREATE TABLE events (position INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;")?;
                self.connection.pragma_update(None, "application_id", APPLICATION)?;
                self.connection.pragma_update(None, "user_version", FORMAT)?;
            }
            transaction.commit()?;
        }
        // Every commit reaches the disk before it returns.
        Ok(self.connection.pragma_update(None, "synchronous", "FULL")?)
    }

    /// Whether the file is a study; an empty one may become one, others are refused.
    fn is_ours(&self) -> Result<bool, Refusal> {
        let number = |name| {
            self.connection
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
        };
        let tables: i64 = self
            .connection
            .query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        match (number("application_id")?, number("user_version")?) {
            (APPLICATION, version) if version > i64::from(FORMAT) => Err(Refusal::Foreign(format!(
                "it was written in format {version} and this version reads up to {FORMAT}: install a newer hilltop"
            ))),
            (APPLICATION, _) => Ok(true),
            (0, _) if tables == 0 => Ok(false),
            _ => Err(Refusal::Foreign(
                "it is a database of another program, not a study: choose another path".into(),
            )),
        }
    }

    /// Changing the mode does not wait for others by itself.
    fn wait_for_wal(&self) -> Result<(), Refusal> {
        for _ in 0..1000 {
            match self.connection.pragma_update(None, "journal_mode", "wal") {
                Err(error) if is_busy(&error) => std::thread::sleep(Duration::from_millis(5)),
                other => return Ok(other?),
            }
        }
        Err(Refusal::Foreign("another process keeps it locked".into()))
    }

    fn write(&self, position: u64, bodies: &[String]) -> Result<Option<u64>, rusqlite::Error> {
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let end = transaction
            .prepare_cached("SELECT coalesce(max(position) + 1, 0) FROM events")?
            .query_row([], |row| row.get::<_, i64>(0))?;
        if end as u64 != position {
            return Ok(Some(end as u64));
        }
        for (offset, body) in bodies.iter().enumerate() {
            let at = end + offset as i64;
            transaction
                .prepare_cached("INSERT INTO events (position, body) VALUES (?1, ?2)")?
                .execute(params![at, body])?;
        }
        transaction.commit()?;
        Ok(None)
    }

    fn rows(&self, position: u64) -> Result<Vec<(u64, String)>, rusqlite::Error> {
        let from = i64::try_from(position).unwrap_or(i64::MAX);
        let mut query = self
            .connection
            .prepare_cached("SELECT position, body FROM events WHERE position >= ?1 ORDER BY position")?;
        let rows = query.query_map([from], |row| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?)))?;
        rows.collect()
    }

    fn corrupt(&self, position: u64, message: &dyn std::fmt::Display) -> JournalError {
        JournalError::Corrupt {
            store: self.path.display().to_string(),
            position,
            message: message.to_string(),
        }
    }
}

impl Journal for SqliteJournal {
    fn append(&mut self, position: u64, events: &[Event]) -> Result<(), JournalError> {
        let bodies: Result<Vec<String>, _> = events.iter().map(serde_json::to_string).collect();
        let bodies = bodies.map_err(|error| store_error(&self.path, format!("an event cannot be written: {error}")))?;
        match self.write(position, &bodies) {
            Ok(None) => Ok(()),
            Ok(Some(found)) => Err(JournalError::Conflict {
                expected: position,
                found,
            }),
            Err(error) => Err(failure(&self.path, &error)),
        }
    }

    fn read(&mut self, position: u64) -> Result<Vec<Event>, JournalError> {
        let rows = self.rows(position).map_err(|error| failure(&self.path, &error))?;
        let event = |(offset, (found, body)): (usize, (u64, String))| {
            let expected = position + offset as u64;
            if found != expected {
                return Err(self.corrupt(expected, &format!("it is missing; the next one is {found}")));
            }
            serde_json::from_str(&body).map_err(|error| self.corrupt(found, &error))
        };
        rows.into_iter().enumerate().map(event).collect()
    }
}

/// Why a file could not be made ours.
enum Refusal {
    Sqlite(rusqlite::Error),
    Foreign(String),
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

fn failure(path: &Path, error: &rusqlite::Error) -> JournalError {
    let hint = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => ": it is no SQLite file; choose another path",
        Some(ErrorCode::DatabaseCorrupt) => ": the file is damaged; restore it from a copy",
        Some(ErrorCode::CannotOpen) => ": does its folder exist and may it be written?",
        Some(ErrorCode::DiskFull) => ": the disk is full",
        Some(ErrorCode::ReadOnly) => ": the file may not be written",
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ": another process keeps it locked",
        // A row that is not as it was written.
        None if matches!(error, rusqlite::Error::InvalidColumnType(..)) => {
            ": the file is damaged; restore it from a copy"
        }
        _ => "",
    };
    store_error(path, format!("{error}{hint}"))
}

fn store_error(path: &Path, message: impl Into<String>) -> JournalError {
    JournalError::Store {
        store: path.display().to_string(),
        message: message.into(),
    }
}
