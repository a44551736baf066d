//! The `hilltop` command. `main` parses and reports, nothing else; a command is a file.

mod bench;
mod command;
mod fault;
mod place;
mod progress;
mod table;

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;

use command::Command;

/// Finds the best input of a black box that is expensive to evaluate, with neural networks as the surrogate.
#[derive(Parser)]
#[command(name = "hilltop", version, propagate_version = true, max_term_width = 100, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  hilltop init                                write study.toml to start from
  hilltop run study.toml                      evaluate, or continue
  hilltop report study.toml -o report.html    everything that is known

Exit codes: 0 done, 1 the work failed, 2 the command line or the study file is wrong.";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let done = arguments.command.execute(arguments.json, &mut out);
    match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fault::report(&error),
    }
}
