//! `hilltop init`: a commented study file to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::json;

const STUDY: &str = include_str!("study.toml");

/// Writes a commented study file to start from.
#[derive(clap::Args)]
#[command(after_help = "The file runs as it is, on a built-in test problem: hilltop run study.toml")]
pub(crate) struct Init {
    /// The file to write; an existing one is not touched
    #[arg(value_name = "FILE", default_value = "study.toml")]
    file: PathBuf,
}

impl Init {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let opened = OpenOptions::new().write(true).create_new(true).open(&self.file);
        let unwritten = || format!("{} could not be written", self.file.display());
        match opened {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                bail!(
                    "{} exists already and is left as it is: name another file",
                    self.file.display()
                )
            }
            opened => opened
                .with_context(unwritten)?
                .write_all(STUDY.as_bytes())
                .with_context(unwritten)?,
        }
        let file = self.file.display();
        if json {
            writeln!(out, "{}", json!({ "written": self.file }))?;
        } else {
            writeln!(out, "wrote {file}\nnext: hilltop check {file}, then hilltop run {file}")?;
        }
        Ok(())
    }
}
