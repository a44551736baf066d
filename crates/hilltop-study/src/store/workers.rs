//! Who is at work on a store: a locked file each, which the system unlocks when its process dies.
//!
//! There are no heartbeats and no timeouts. A worker is alive exactly as long as nobody else can take the lock on its
//! file, so a trial of a worker whose lock can be taken is free to be taken over at once.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::{Error, Result};

/// The file whose lock those hold who propose by hand.
const HAND: &str = "hand";

/// The workers of a store.
#[derive(Clone, Debug)]
pub(crate) struct Workers {
    folder: Option<PathBuf>,
}

/// A name among the workers, held as long as this lives.
#[derive(Debug)]
pub struct Claim {
    pub(crate) name: String,
    place: Option<(PathBuf, File)>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some((path, _)) = &self.place {
            // A file that stays behind is unlocked with the handle and removed by whoever finds it.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Workers {
    /// Nobody else can work on this store.
    pub(crate) fn alone() -> Self {
        Self { folder: None }
    }

    /// The workers of a store on disk, in a folder beside it.
    pub(crate) fn of_store(store: &Path) -> Self {
        let store = store.canonicalize().unwrap_or_else(|_| store.to_owned());
        let mut name = store.file_name().unwrap_or_default().to_owned();
        name.push(".workers");
        Self {
            folder: Some(store.with_file_name(name)),
        }
    }

    /// A name of one's own, visible to all as alive.
    pub(crate) fn enlist(&self) -> Result<Claim> {
        let Some(folder) = &self.folder else {
            return Ok(Claim {
                name: unique(),
                place: None,
            });
        };
        self.sweep(folder);
        loop {
            std::fs::create_dir_all(folder).map_err(|source| access(folder, source))?;
            let name = unique();
            let path = folder.join(&name);
            let file = File::create_new(&path).map_err(|source| access(&path, source))?;
            file.lock().map_err(|source| access(&path, source))?;
            // Between creation and locking somebody may have found the file unlocked and removed it.
            if path.exists() {
                return Ok(Claim {
                    name,
                    place: Some((path, file)),
                });
            }
        }
    }

    /// Removes what dead workers left; a folder that cannot be listed is left as it is.
    fn sweep(&self, folder: &Path) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_str().filter(|name| *name != HAND) {
                self.is_alive(name);
            }
        }
    }

    /// Whether a worker is alive. What a dead one left is removed.
    pub(crate) fn is_alive(&self, name: &str) -> bool {
        let Some(folder) = &self.folder else { return false };
        let path = folder.join(name);
        let Ok(file) = OpenOptions::new().write(true).open(&path) else {
            return false;
        };
        match file.try_lock() {
            Ok(()) => {
                // Two who find the same dead worker both want the file gone.
                let _ = std::fs::remove_file(&path);
                false
            }
            Err(_) => true,
        }
    }

    /// Waits for the right to propose by hand, which one process has at a time.
    pub(crate) fn hand(&self) -> Result<Option<File>> {
        let Some((path, file)) = self.hand_file()? else {
            return Ok(None);
        };
        file.lock().map_err(|source| access(&path, source))?;
        Ok(Some(file))
    }

    /// Whether somebody proposes by hand at this moment.
    pub(crate) fn is_hand_busy(&self) -> bool {
        match self.hand_file() {
            Ok(Some((_, file))) => file.try_lock().is_err(),
            _ => false,
        }
    }

    /// This file is never removed, so that its lock means the same to everyone.
    fn hand_file(&self) -> Result<Option<(PathBuf, File)>> {
        let Some(folder) = &self.folder else { return Ok(None) };
        std::fs::create_dir_all(folder).map_err(|source| access(folder, source))?;
        let path = folder.join(HAND);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        file.map(|file| Some((path.clone(), file)))
            .map_err(|source| access(&path, source))
    }
}

/// A name that no other worker has had: the process, the time and a counter.
fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let time = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos());
    format!(
        "{}-{time:x}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
}

fn access(path: &Path, source: io::Error) -> Error {
    Error::Access {
        path: path.to_owned(),
        action: "locked",
        source,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_worker_is_alive_as_long_as_its_claim_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let (mine, theirs) = (
            Workers::of_store(&folder.path().join("a.db")),
            Workers::of_store(&folder.path().join("a.db")),
        );
        let claim = mine.enlist().unwrap();
        let name = claim.name.clone();
        assert!(theirs.is_alive(&name) && mine.is_alive(&name));
        drop(claim);
        assert!(!theirs.is_alive(&name));
    }

    #[test]
    fn the_file_of_a_worker_that_died_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let workers = Workers::of_store(&folder.path().join("a.db"));
        let mut claim = workers.enlist().unwrap();
        let (path, file) = claim.place.take().unwrap();
        drop(file);
        assert!(path.exists());
        assert!(!workers.is_alive(&claim.name));
        assert!(!path.exists());
    }

    #[test]
    fn one_hand_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let workers = Workers::of_store(&folder.path().join("a.db"));
        assert!(!workers.is_hand_busy());
        let hand = workers.hand().unwrap();
        assert!(workers.is_hand_busy());
        drop(hand);
        assert!(!workers.is_hand_busy());
    }
}
