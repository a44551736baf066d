//! The commands, one a file.

mod ask;
mod bench;
mod best;
mod check;
mod export;
mod init;
mod methods;
mod problems;
mod report;
mod run;
mod session;
mod show;
mod tell;

use std::io::Write;

use anyhow::Result;

/// What to do.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Evaluate until the budget is spent; continues a study that exists
    Run(run::Run),
    /// Validate a study file and print what would be done
    Check(check::Check),
    /// Write a commented study file to start from
    Init(init::Init),
    /// Suggest points, to be evaluated and told by you
    Ask(ask::Ask),
    /// Tell what became of a trial
    Tell(tell::Tell),
    /// Serve the line protocol on standard input and output
    Session(session::Session),
    /// Print the best trial so far
    Best(best::Best),
    /// Print how a study stands, and its trials
    Show(show::Show),
    /// Write every trial as CSV or JSON
    Export(export::Export),
    /// Write a report with plots, one self-contained HTML file
    Report(report::Report),
    /// List the methods
    Methods(methods::Methods),
    /// List the built-in test problems
    Problems(problems::Problems),
    /// Compare methods on test problems, or time them
    Bench(bench::Bench),
}

impl Command {
    /// Does it; what is asked for goes to `out`, as JSON where wanted.
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        match self {
            Self::Run(run) => run.execute(json, out),
            Self::Check(check) => check.execute(json, out),
            Self::Init(init) => init.execute(json, out),
            Self::Ask(ask) => ask.execute(json, out),
            Self::Tell(tell) => tell.execute(json, out),
            Self::Session(session) => session.execute(out),
            Self::Best(best) => best.execute(json, out),
            Self::Show(show) => show.execute(json, out),
            Self::Export(export) => export.execute(json, out),
            Self::Report(report) => report.execute(json, out),
            Self::Methods(methods) => methods.execute(json, out),
            Self::Problems(problems) => problems.execute(json, out),
            Self::Bench(bench) => bench.execute(json, out),
        }
    }
}
