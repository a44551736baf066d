//! `hilltop run`: evaluates until the budget is spent.

use std::io::Write;
use std::time::Instant;

use anyhow::{Result, anyhow};
use hilltop_study::report::span;
use hilltop_study::{Ended, Stop, Study, Summary, run};
use serde_json::json;

use super::best;
use crate::fault::whole;
use crate::place::Place;
use crate::progress::Watch;

const EXAMPLES: &str = "\
Examples:
  hilltop run study.toml                 until the budget is spent; again to continue
  hilltop run study.toml --budget 300    with a budget other than the study file's
  hilltop run study.toml --store /data/compressor.db

Ctrl-C, a crash or kill -9 leave a study that continues: at most the evaluations under way are repeated.";

/// Evaluates until the budget is spent; continues a study that exists.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Run {
    #[command(flatten)]
    place: Place,
    /// Evaluations to spend, instead of the study file's budget
    #[arg(long, value_name = "N", value_parser = whole(1, u64::MAX), allow_negative_numbers = true)]
    budget: Option<u64>,
    /// Evaluations at once, instead of the study file's
    #[arg(long, value_name = "N", value_parser = whole(1, 1024), allow_negative_numbers = true)]
    parallel: Option<u64>,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
}

impl Run {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let mut statement = self.place.statement()?;
        statement.budget = self.budget.or(statement.budget);
        statement.parallel = self.parallel.map_or(statement.parallel, |parallel| parallel as usize);
        let evaluator = statement.evaluator()?;
        evaluator.ready()?;
        let parallel = statement.parallel;
        let study = self.place.open_as(statement)?;
        let (stop, start) = (interruptible()?, Instant::now());
        let watch = Watch::over(&study, self.quiet)?;
        let summary = run(&study, &*evaluator, parallel, &|notice| watch.notice(notice), &stop);
        watch.end();
        let summary = summary?;
        if json {
            writeln!(out, "{}", described(&study, summary))?;
        } else {
            self.answer(&study, summary, start.elapsed().as_secs_f64(), out)?;
        }
        out.flush()?;
        self.verdict(&study, summary)
    }

    fn answer(&self, study: &Study, summary: Summary, seconds: f64, out: &mut dyn Write) -> Result<()> {
        let settled = study.trials()?.iter().filter(|trial| trial.state.is_settled()).count();
        let why = match summary.ended {
            Ended::Budget if summary.evaluated == 0 => "the budget is spent already",
            Ended::Budget => "the budget is spent",
            Ended::Exhausted => "every point has been evaluated",
            Ended::Stopped => "stopped",
        };
        let Summary { evaluated, failed, .. } = summary;
        let evaluations = counted(evaluated, "evaluation");
        let all = counted(settled as u64, "trial");
        writeln!(
            out,
            "{why}: {evaluations} in {}, {failed} failed, {all} in all",
            span(seconds)
        )?;
        if study.best()?.is_none() {
            return Ok(());
        }
        writeln!(out)?;
        best::write(study, out)?;
        writeln!(out, "\nreport:   {} -o report.html", self.place.typed("report"))?;
        if summary.ended == Ended::Budget {
            let more = 2 * study.statement().budget.unwrap_or(50);
            writeln!(out, "go on:    {} --budget {more}", self.place.typed("run"))?;
        }
        Ok(())
    }

    /// Whether there is an answer, and the run came to its end.
    fn verdict(&self, study: &Study, summary: Summary) -> Result<()> {
        if summary.ended == Ended::Stopped {
            let again = self.place.typed("run");
            return Err(anyhow!(
                "stopped before the budget was spent; nothing is lost\n  continue with: {again}"
            ));
        }
        if study.best()?.is_some() {
            return Ok(());
        }
        let trials = study.trials()?;
        let reason = trials.iter().rev().find_map(|trial| trial.reason.clone());
        let failed = match trials.len() {
            1 => "the only evaluation failed".to_owned(),
            many => format!("all {many} evaluations failed"),
        };
        Err(anyhow!("{}", reason.unwrap_or_default()).context(failed))
    }
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn described(study: &Study, summary: Summary) -> serde_json::Value {
    let ended = match summary.ended {
        Ended::Budget => "budget",
        Ended::Exhausted => "exhausted",
        Ended::Stopped => "stopped",
    };
    let best = best::described(study)["best"].take();
    json!({ "ended": ended, "evaluated": summary.evaluated, "failed": summary.failed, "best": best })
}

/// A wish to stop that Ctrl-C and a request to terminate express; the second one ends the process where it is.
fn interruptible() -> Result<Stop> {
    let stop = Stop::new();
    let wish = stop.clone();
    let handler = move || {
        if wish.is_requested() {
            std::process::exit(130);
        }
        wish.request();
    };
    ctrlc::set_handler(handler).map_err(|error| anyhow!("{error}").context("Ctrl-C cannot be watched"))?;
    Ok(stop)
}
