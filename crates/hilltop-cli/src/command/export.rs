//! `hilltop export`: every trial, for other programs.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use hilltop_study::export;

use crate::place::Place;

const EXAMPLES: &str = "\
Examples:
  hilltop export study.toml > trials.csv
  hilltop export study.toml --format json -o trials.json
  hilltop export study.toml --format dakota -o dakota_tabular.dat";

/// Writes every trial as CSV, JSON or a table as Dakota has it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Export {
    #[command(flatten)]
    place: Place,
    /// The format [default: csv]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// The file to write; standard output when left out
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    Csv,
    Json,
    Dakota,
}

impl Export {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let format = match self.format {
            Some(Format::Json) => export::Format::Json,
            None if json => export::Format::Json,
            Some(Format::Dakota) => export::Format::Dakota,
            Some(Format::Csv) | None => export::Format::Csv,
        };
        let study = self.place.existing()?;
        match &self.output {
            None => export::export(&study, format, out)?,
            Some(path) => {
                let unwritten = || format!("{} could not be written", path.display());
                let mut file = BufWriter::new(File::create(path).with_context(unwritten)?);
                export::export(&study, format, &mut file)?;
                file.flush().with_context(unwritten)?;
            }
        }
        Ok(())
    }
}
