//! Ending a program where there are no process groups: the program alone is ended.

use std::process::{Child, Command, ExitStatus};

pub(super) fn lead_group(_command: &mut Command) {}

pub(super) fn terminate(child: &mut Child) {
    kill(child);
}

/// A program that has ended by itself is what was wanted, so errors mean nothing here.
pub(super) fn kill(child: &mut Child) {
    let _ = child.kill();
}

pub(super) fn ended_by(_status: ExitStatus) -> Option<i32> {
    None
}
