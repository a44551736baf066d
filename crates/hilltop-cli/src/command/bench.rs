//! `hilltop bench`: methods × problems × seeds, or what one suggestion costs.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use hilltop_problem::registry::lookup;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::bench::contest::{Entry, Run, hold};
use crate::bench::plan::{Budget, Contender, contenders, problems};
use crate::bench::speed::Cost;
use crate::bench::{plot, significance, standing};
use crate::fault::{usage, whole};
use crate::table::Table;

const EXAMPLES: &str = "\
Examples:
  hilltop bench --methods auto,random --problems branin,ackley-10 --budget 100
  hilltop bench --methods auto,cma-es --problems bbob:d2:i1-3 --out results
  hilltop bench --methods 'auto,{\"name\": \"neural-bo\", \"width\": 200}' --noise 0.05
  hilltop bench --speed --methods auto

Problems are names of `hilltop problems` or suites of BBOB: bbob:d2 is every function in dimension 2, instance 1; \
bbob:d5:f1+3+6-8:i1-3 chooses functions and instances. A gap is that of the best true value, without noise. \
With --out: runs.jsonl (a line a run, with its curve) and bench.html (plots).";

/// Compares methods on test problems, or times them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bench {
    /// The methods, separated by commas; a method may be a table in JSON, and NAME+physics is told the problem's equation
    #[arg(long, value_name = "LIST", default_value = "auto,random")]
    methods: String,
    /// The problems, separated by commas
    #[arg(long, value_name = "LIST", default_value = "branin,hartmann-6")]
    problems: String,
    /// Seeds 0, 1, … of each method on each problem
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole(1, 10_000), allow_negative_numbers = true)]
    seeds: u64,
    /// Evaluations of a run: a number, or a multiple of the dimension such as 20d
    #[arg(long, value_name = "N", default_value = "20d")]
    budget: Budget,
    /// Evaluations at once within a run: a suggestion does not see the results of the latest N - 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1, 1024), allow_negative_numbers = true)]
    parallel: u64,
    /// Noise, as a share of the deviation that the outputs have over the box
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    noise: f64,
    /// The folder for runs and plots
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Runs at once [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = whole(1, 1024), allow_negative_numbers = true)]
    threads: Option<u64>,
    /// Time one suggestion after so many observations instead
    #[arg(long)]
    speed: bool,
    /// With --speed: the dimensions
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "10,50",
        requires = "speed"
    )]
    dims: Vec<usize>,
    /// With --speed: the numbers of observations
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "50,200,1000,2000,10000,20000",
        requires = "speed"
    )]
    sizes: Vec<usize>,
    /// With --speed: measure in this process
    #[arg(long, hide = true, requires = "speed")]
    here: bool,
}

impl Bench {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let contenders = contenders(&self.methods)?;
        if contenders.is_empty() {
            return Err(usage("--methods names no method: `hilltop methods` lists them"));
        }
        if self.speed {
            self.timed(&contenders, json, out)
        } else {
            self.compared(&contenders, json, out)
        }
    }

    fn compared(&self, contenders: &[Contender], json: bool, out: &mut dyn Write) -> Result<()> {
        let problems = problems(&self.problems)?;
        if problems.is_empty() {
            return Err(usage("--problems names no problem: `hilltop problems` lists them"));
        }
        if !(self.noise.is_finite() && self.noise >= 0.0) {
            return Err(usage(format!(
                "--noise {} is not allowed: a number from 0 on",
                self.noise
            )));
        }
        let entries = self.entries(contenders, &problems)?;
        let runs = self.held(&entries)?;
        if json {
            runs.iter().try_for_each(|run| writeln!(out, "{}", run.described()))?;
        } else {
            standing::gaps(&runs).write(out, 0)?;
            let solved = standing::solved(&runs);
            if !solved.is_empty() {
                writeln!(out)?;
                solved.write(out, 0)?;
            }
            let tests = significance::tests(&runs);
            if !tests.is_empty() {
                writeln!(out)?;
                tests.write(out, 0)?;
            }
        }
        if let Some(folder) = &self.out {
            let path = folder.join("bench.html");
            std::fs::write(&path, plot::page(&runs, &self.about())).with_context(|| unwritten(&path))?;
        }
        out.flush()?;
        verdict(&runs)
    }

    fn entries<'p>(&self, contenders: &'p [Contender], problems: &'p [String]) -> Result<Vec<Entry<'p>>> {
        let mut entries = Vec::new();
        for problem in problems {
            let budget = self.budget.on(lookup(problem)?.dim());
            for contender in contenders {
                let entry = |seed| Entry {
                    problem,
                    contender,
                    seed,
                    budget,
                    parallel: self.parallel as usize,
                    noise: self.noise,
                };
                entries.extend((0..self.seeds).map(entry));
            }
        }
        Ok(entries)
    }

    /// Makes the runs; each is written as soon as it is there.
    fn held(&self, entries: &[Entry<'_>]) -> Result<Vec<Run>> {
        let file = self.out.as_deref().map(runs_file).transpose()?.map(Mutex::new);
        let bar = bar(entries.len() as u64);
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let runs = hold(
            entries,
            self.threads.map_or(cores, |threads| threads as usize),
            &|run| {
                bar.inc(1);
                match &file {
                    Some(file) => {
                        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                        writeln!(file, "{}", run.described()).context("the runs could not be written")
                    }
                    None => Ok(()),
                }
            },
        );
        bar.finish_and_clear();
        runs
    }

    fn about(&self) -> String {
        let noise = if self.noise > 0.0 {
            format!(", noise {}", self.noise)
        } else {
            String::new()
        };
        format!(
            "{} on {}: {} seeds, {} at once{noise}.",
            self.methods, self.problems, self.seeds, self.parallel
        )
    }

    fn timed(&self, contenders: &[Contender], json: bool, out: &mut dyn Write) -> Result<()> {
        let mut table = Table::headed(&[
            "method",
            "dimension",
            "observations",
            "seconds/ask",
            "first",
            "slowest after",
            "peak memory",
        ]);
        for contender in contenders {
            for &dim in &self.dims {
                for &size in &self.sizes {
                    let cost = if self.here {
                        Cost::measured(contender, dim, size)?
                    } else {
                        Cost::apart(contender, dim, size)?
                    };
                    if json {
                        writeln!(out, "{}", cost.described(&contender.label))?;
                        out.flush()?;
                    }
                    table.row(timed_row(&contender.label, &cost));
                }
            }
        }
        if !json {
            table.write(out, 0)?;
            writeln!(
                out,
                "\nseconds/ask: the mean of ten asks with their tells, one thread; the first of them starts from the journal and fits the model"
            )?;
        }
        Ok(())
    }
}

fn timed_row(method: &str, cost: &Cost) -> [String; 7] {
    let first = cost.asks.first().copied().unwrap_or(f64::NAN);
    let slowest = cost.asks.iter().skip(1).copied().fold(0.0, f64::max);
    let memory = cost
        .memory
        .map_or("–".into(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6));
    let [mean, first, slowest] = [cost.mean(), first, slowest].map(|seconds| format!("{seconds:.4}"));
    [
        method.to_owned(),
        cost.dim.to_string(),
        cost.observations.to_string(),
        mean,
        first,
        slowest,
        memory,
    ]
}

fn runs_file(folder: &Path) -> Result<File> {
    std::fs::create_dir_all(folder).with_context(|| format!("the folder {} could not be made", folder.display()))?;
    let path = folder.join("runs.jsonl");
    File::create(&path).with_context(|| unwritten(&path))
}

fn unwritten(path: &Path) -> String {
    format!("{} could not be written", path.display())
}

fn bar(length: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(4));
    let style = ProgressStyle::with_template("{pos}/{len} runs {wide_bar} {eta} left");
    bar.set_style(
        style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸─"),
    );
    bar
}

fn verdict(runs: &[Run]) -> Result<()> {
    let failed: Vec<&Run> = runs.iter().filter(|run| run.error.is_some()).collect();
    match failed[..] {
        [] => Ok(()),
        [first, ..] => bail!(
            "{} of {} runs ended early; the first, {} on {} with seed {}: {}",
            failed.len(),
            runs.len(),
            first.method,
            first.problem,
            first.seed,
            first.error.as_deref().unwrap_or_default()
        ),
    }
}
