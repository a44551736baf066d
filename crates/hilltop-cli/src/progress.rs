//! How a run is watched: a bar on a terminal, lines elsewhere.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hilltop_core::{Goal, Outcome, Output};
use hilltop_study::report::{short, span};
use hilltop_study::{Notice, Statement, Study};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How many failures are told one by one on a terminal.
const TOLD: u64 = 5;

/// Where the course of a run is shown.
enum Show {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

/// Whoever watches a run.
pub(crate) struct Watch {
    show: Show,
    objective: String,
    outputs: Vec<Output>,
    budget: Option<u64>,
    /// The share of trials that may break limits.
    allowance: Option<f64>,
    start: Instant,
    tally: Mutex<Tally>,
}

/// The best value in the user's direction, its rank (violation, cost) and its trial.
#[derive(Clone, Copy)]
struct Leader {
    rank: (f64, f64),
    value: f64,
    trial: u64,
}

#[derive(Default)]
struct Tally {
    settled: u64,
    here: u64,
    failed: u64,
    /// Trials that broke a limit, and trials with outputs.
    violating: u64,
    complete: u64,
    leader: Option<Leader>,
}

impl Watch {
    /// A watch over a study that may have begun.
    pub(crate) fn over(study: &Study, quiet: bool) -> hilltop_study::Result<Self> {
        let statement = study.statement();
        let trials = study.trials()?;
        let counted = trials.iter().filter(|trial| trial.state.is_settled() && !trial.added);
        let failed = trials.iter().filter(|trial| trial.reason.is_some()).count() as u64;
        let mut watch = Self {
            show: show(statement, quiet),
            objective: statement.objective().name.clone(),
            outputs: statement.outputs.to_vec(),
            budget: statement.budget,
            allowance: statement.max_violation,
            start: Instant::now(),
            tally: Mutex::default(),
        };
        let leader = study.best()?.and_then(|best| watch.leader(best.trial, &best.outputs));
        let whole = |values: &&BTreeMap<String, f64>| values.len() == statement.outputs.len();
        let complete = || trials.iter().filter_map(|trial| trial.outputs.as_ref()).filter(whole);
        watch.tally = Mutex::new(Tally {
            settled: counted.count() as u64,
            here: 0,
            failed,
            violating: complete().filter(|values| watch.violates(values)).count() as u64,
            complete: complete().count() as u64,
            leader,
        });
        watch.draw(&watch.tally());
        Ok(watch)
    }

    /// Something happened.
    pub(crate) fn notice(&self, notice: &Notice<'_>) {
        let Notice::Ended {
            trial,
            outcome,
            seconds,
            ..
        } = notice
        else {
            return;
        };
        let mut tally = self.tally();
        tally.settled += 1;
        tally.here += 1;
        match outcome {
            Outcome::Outputs(values) if values.len() < self.outputs.len() => {}
            Outcome::Outputs(values) => {
                tally.complete += 1;
                tally.violating += u64::from(self.violates(values));
                tally.consider(self.leader(*trial, values));
            }
            Outcome::Failed(_) => tally.failed += 1,
        }
        self.tell(&tally, *trial, outcome, *seconds);
        self.draw(&tally);
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        if let Show::Bar(bar) = &self.show {
            bar.finish_and_clear();
        }
    }

    fn tell(&self, tally: &Tally, trial: u64, outcome: &Outcome, seconds: f64) {
        let line = match outcome {
            Outcome::Failed(reason) => format!("trial {trial} failed: {reason}"),
            Outcome::Outputs(values) => {
                let value = |name: &String| Some(format!("{name} = {}", short(*values.get(name)?)));
                let objective = value(&self.objective);
                let shown = objective.unwrap_or_else(|| values.keys().filter_map(value).collect::<Vec<_>>().join(", "));
                let broken = self.broken(values).filter_map(|output| value(&output.name));
                let broken: Vec<String> = broken.collect();
                let beyond = match broken.as_slice() {
                    [] => String::new(),
                    broken => format!(" (beyond: {})", broken.join(", ")),
                };
                format!("trial {trial}: {shown}{beyond}, {}, {}", tally.best(), span(seconds))
            }
        };
        match &self.show {
            Show::Lines => {
                // A log that nobody can write any more does not stop a run.
                let _ = writeln!(std::io::stderr(), "{line}");
            }
            Show::Bar(bar) if matches!(outcome, Outcome::Failed(_)) && tally.failed <= TOLD => bar.println(line),
            Show::Bar(_) | Show::Nothing => {}
        }
    }

    fn draw(&self, tally: &Tally) {
        let Show::Bar(bar) = &self.show else { return };
        bar.set_position(tally.settled);
        let elapsed = self.start.elapsed().as_secs_f64();
        let rate = tally.here as f64 / elapsed.max(1e-3);
        let left = self
            .budget
            .map(|budget| budget.saturating_sub(tally.settled) as f64 / rate);
        let mut parts = vec![tally.best(), format!("{} failed", tally.failed)];
        parts.extend(self.violations(tally));
        if tally.here > 0 {
            parts.push(pace(rate));
            parts.extend(left.map(|left| format!("{} left", span(left))));
        }
        bar.set_message(parts.join(" · "));
    }

    /// The outputs that break their limits.
    fn broken(&self, values: &BTreeMap<String, f64>) -> impl Iterator<Item = &Output> {
        let breaks = |output: &&Output| {
            let value = values.get(&output.name);
            value.is_some_and(|value| output.goal.violation(*value) > 0.0)
        };
        self.outputs.iter().filter(breaks)
    }

    fn violates(&self, values: &BTreeMap<String, f64>) -> bool {
        self.broken(values).next().is_some()
    }

    /// How many trials broke limits, beside what was granted; nothing where there are no limits.
    fn violations(&self, tally: &Tally) -> Option<String> {
        let limited = |output: &Output| matches!(output.goal, Goal::Within { .. });
        if !self.outputs.iter().any(limited) || tally.complete == 0 {
            return None;
        }
        let share = 100.0 * tally.violating as f64 / tally.complete as f64;
        let granted = self
            .allowance
            .map(|share| format!(" of {:.0} % granted", 100.0 * share));
        Some(format!("{share:.0} % beyond limits{}", granted.unwrap_or_default()))
    }

    fn leader(&self, trial: u64, values: &BTreeMap<String, f64>) -> Option<Leader> {
        let value = *values.get(&self.objective)?;
        let mut rank = (0.0, value);
        for output in &self.outputs {
            let given = values.get(&output.name).copied()?;
            rank.0 += output.goal.violation(given).max(0.0);
            if output.goal.is_objective() {
                rank.1 = output.goal.inward(given);
            }
        }
        Some(Leader { rank, value, trial })
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tally {
    fn consider(&mut self, other: Option<Leader>) {
        let better = |a: &Leader, b: &Leader| {
            a.rank
                .0
                .total_cmp(&b.rank.0)
                .then(a.rank.1.total_cmp(&b.rank.1))
                .is_lt()
        };
        if let Some(other) = other
            && self.leader.as_ref().is_none_or(|leader| better(&other, leader))
        {
            self.leader = Some(other);
        }
    }

    fn best(&self) -> String {
        match self.leader {
            None => "no result yet".into(),
            Some(leader) if leader.rank.0 > 0.0 => "none feasible yet".into(),
            Some(leader) => format!("best {} (trial {})", short(leader.value), leader.trial),
        }
    }
}

fn pace(rate: f64) -> String {
    if rate >= 1.0 {
        format!("{rate:.1}/s")
    } else {
        format!("{:.1}/min", 60.0 * rate)
    }
}

fn show(statement: &Statement, quiet: bool) -> Show {
    if quiet {
        return Show::Nothing;
    }
    if !std::io::stderr().is_terminal() {
        return Show::Lines;
    }
    let bar = ProgressBar::with_draw_target(statement.budget, ProgressDrawTarget::stderr_with_hz(10));
    let template = if statement.budget.is_some() {
        "{pos}/{len} {wide_bar} {msg}"
    } else {
        "{spinner} {pos} {msg}"
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸─"));
    bar.enable_steady_tick(Duration::from_millis(250));
    Show::Bar(bar)
}
