//! Ending a program with everything it started, by its process group.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process_group};

/// Lets the program lead a group of its own, which what it starts joins.
pub(super) fn lead_group(command: &mut Command) {
    command.process_group(0);
}

/// Asks the whole group to end.
pub(super) fn terminate(child: &mut Child) {
    send(child, Signal::TERM);
}

/// Ends the whole group.
pub(super) fn kill(child: &mut Child) {
    send(child, Signal::KILL);
}

/// A group that no longer exists is what was wanted, so errors mean nothing here.
fn send(child: &Child, signal: Signal) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
}

/// The signal that ended a program.
pub(super) fn ended_by(status: ExitStatus) -> Option<i32> {
    status.signal()
}
