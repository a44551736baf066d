//! A folder of its own, and the binary in it.

#![allow(clippy::unwrap_used, dead_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A study with one parameter, told by hand.
pub(crate) const PLAIN: &str = "\
budget = 5
method = \"random\"
[parameters]
x = { float = [0, 1] }
[outputs]
cost = { minimize = true }
";

/// A folder in which commands are typed.
pub(crate) struct Desk {
    folder: TempDir,
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    /// Standard output, of a command that must have succeeded.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// Standard output as JSON, of a command that must have succeeded.
    pub(crate) fn json(self) -> Value {
        let text = self.ok();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A folder with a study file.
    pub(crate) fn with(study: &str) -> Self {
        let desk = Self::new();
        desk.write("study.toml", study);
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The binary in this folder, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hilltop"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("COLUMNS", "80");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Types a command.
    pub(crate) fn hilltop(&self, arguments: &[&str]) -> Said {
        said(self.command(arguments).output().unwrap())
    }

    /// Types a command that reads.
    pub(crate) fn feed(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Said {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_ref()).unwrap();
        said(child.wait_with_output().unwrap())
    }

    /// The trials of the study, as exported.
    pub(crate) fn trials(&self) -> Vec<Value> {
        let exported = self.hilltop(&["export", "study.toml", "--format", "json"]).json();
        exported["trials"].as_array().unwrap().clone()
    }
}

fn said(output: std::process::Output) -> Said {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Said {
        code: output.status.code().unwrap_or(-1),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}
