//! `hilltop report`: everything that is known, as one HTML file.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::json;

use crate::place::Place;

const EXAMPLES: &str = "\
Examples:
  hilltop report study.toml -o report.html

The file needs nothing else and opens without a network: the course of the best result, every parameter against the \
objective, parallel coordinates, importances, what the model believes, and the failures.";

/// Writes a report with plots, one self-contained HTML file.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Report {
    #[command(flatten)]
    place: Place,
    /// The file to write
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
}

impl Report {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let html = hilltop_study::report::html(&self.place.existing()?)?;
        std::fs::write(&self.output, &html)
            .with_context(|| format!("{} could not be written", self.output.display()))?;
        if json {
            writeln!(out, "{}", json!({ "report": self.output, "bytes": html.len() }))?;
        } else {
            writeln!(
                out,
                "wrote {} ({:.1} MB)",
                self.output.display(),
                html.len() as f64 / 1e6
            )?;
        }
        Ok(())
    }
}
