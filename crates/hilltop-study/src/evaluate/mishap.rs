//! Why a program gave no outputs, and whether trying again may help.

use std::process::ExitStatus;

use super::signal;
use super::tail::{Tail, last_line};
use crate::file::shortened;

/// The exit code by which a program says that trying again may help (`EX_TEMPFAIL`).
const TRY_AGAIN: i32 = 75;

/// What an attempt to evaluate gave.
pub(super) type Attempt<T> = std::result::Result<T, Mishap>;

/// Why an attempt gave no outputs.
pub(super) struct Mishap {
    pub(super) reason: String,
    /// Whether the point has nothing to do with it.
    pub(super) transient: bool,
}

impl Mishap {
    pub(super) fn lasting(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            transient: false,
        }
    }

    pub(super) fn transient(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            transient: true,
        }
    }
}

/// Whether a program that ended by itself succeeded; if not, what it said last.
pub(super) fn exited(status: ExitStatus, complained: &Tail) -> Attempt<()> {
    if status.success() {
        return Ok(());
    }
    let said = complained.text();
    let because = last_line(&said)
        .map(|line| format!(": {}", shortened(line, 200)))
        .unwrap_or_default();
    Err(match (signal::ended_by(status), status.code()) {
        (Some(signal), _) => Mishap::transient(format!("killed by signal {signal}{because}")),
        (None, Some(TRY_AGAIN)) => Mishap::transient(format!("exit code {TRY_AGAIN}{because}")),
        (None, Some(code)) => Mishap::lasting(format!("exit code {code}{because}")),
        (None, None) => Mishap::transient(format!("ended without an exit code{because}")),
    })
}
