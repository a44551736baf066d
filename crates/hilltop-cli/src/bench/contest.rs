//! One run of a method on a problem, and many of them in threads.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Result;
use hilltop_core::{History, Output, Rng, Space};
use hilltop_problem::{Noisy, Problem, deviations, registry};
use hilltop_study::evaluate::BuiltIn;
use serde_json::{Value, json};

use super::plan::Contender;

/// A limit counts as kept when it is broken by at most this share of the deviation that the output has over the box.
const SLACK: f64 = 1e-4;

/// A run that is to be made.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'p> {
    pub(crate) problem: &'p str,
    pub(crate) contender: &'p Contender,
    pub(crate) seed: u64,
    pub(crate) budget: u64,
    pub(crate) parallel: usize,
    pub(crate) noise: f64,
}

/// A run that was made.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) problem: String,
    pub(crate) method: String,
    pub(crate) seed: u64,
    pub(crate) dim: usize,
    /// The gap between the best true value so far and the least value, after every evaluation; infinite before a
    /// point was found that keeps every limit, but for 1e-4 of its output's deviation over the box.
    pub(crate) gaps: Vec<f64>,
    pub(crate) optimum: f64,
    pub(crate) failed: u64,
    /// How many evaluations broke a limit.
    pub(crate) violating: u64,
    /// Whether the problem has limits.
    pub(crate) limited: bool,
    /// Seconds spent in suggestions.
    pub(crate) seconds: f64,
    /// Why the run ended early.
    pub(crate) error: Option<String>,
}

impl Run {
    /// The gap in the end.
    pub(crate) fn gap(&self) -> f64 {
        self.gaps.last().copied().unwrap_or(f64::INFINITY)
    }

    /// A line of the file of runs.
    pub(crate) fn described(&self) -> Value {
        let finite = |value: f64| value.is_finite().then_some(value);
        let curve: Vec<Option<f64>> = self.gaps.iter().map(|gap| finite(gap + self.optimum)).collect();
        json!({
            "problem": self.problem, "method": self.method, "seed": self.seed, "dimension": self.dim,
            "evaluations": self.gaps.len(), "failed": self.failed, "violating": self.violating, "optimum": self.optimum,
            "best": curve.last().copied().flatten(), "gap": finite(self.gap()), "seconds": self.seconds,
            "error": self.error, "curve": curve,
        })
    }
}

impl Entry<'_> {
    /// Makes the run. What goes wrong in the method ends it early and is part of the result.
    pub(crate) fn run(&self) -> Result<Run> {
        let problem = registry::lookup(self.problem)?;
        let dim = problem.dim();
        let optimum = problem.optimum().map_or(0.0, |optimum| optimum.value);
        let mut run = Run {
            problem: self.problem.to_owned(),
            method: self.contender.label.clone(),
            seed: self.seed,
            dim,
            gaps: Vec::new(),
            optimum,
            failed: 0,
            violating: 0,
            limited: problem.outputs().len() > 1,
            seconds: 0.0,
            error: None,
        };
        if let Err(error) = self.fill(&Noisy::new(problem, self.noise)?, &mut run) {
            run.error = Some(error.to_string());
        }
        Ok(run)
    }

    /// Suggestion k sees the results of trials below k + 1 − parallel, as in a study.
    fn fill(&self, problem: &Noisy<Box<dyn Problem>>, run: &mut Run) -> Result<()> {
        let space = Arc::new(Space::of_box(&problem.bounds())?);
        let outputs: Arc<[Output]> = BuiltIn::outputs_of(problem).into();
        let physics = problem.physics().filter(|_| self.contender.physics);
        let knowledge = physics
            .map(|physics| physics.bind(&space, &outputs[0]))
            .transpose()?
            .map(Arc::new);
        let mut proposer = self.contender.recipe.build_with(&space, &outputs, knowledge.as_ref())?;
        let mut history = History::new(space, outputs, self.seed)
            .with_budget(Some(self.budget))
            .with_noise(self.noise > 0.0);
        let mut pending: VecDeque<u64> = VecDeque::new();
        let mut points: Vec<Vec<f64>> = Vec::new();
        let slack: Vec<f64> = deviations(problem).iter().map(|deviation| SLACK * deviation).collect();
        for trial in 0..self.budget {
            while pending.len() >= self.parallel.max(1) {
                pending
                    .pop_front()
                    .into_iter()
                    .for_each(|done| settle(problem, &mut history, done, &points[done as usize]));
            }
            history.turn_to(trial);
            let start = Instant::now();
            let query = proposer.propose(&history, 1)?.into_iter().next();
            run.seconds += start.elapsed().as_secs_f64();
            let Some(query) = query else {
                anyhow::bail!("the method gave no point")
            };
            history.ask(trial, query.point.clone());
            query.memory.into_iter().for_each(|memory| history.remember(memory));
            run.note(problem, &history, &query.point, &slack);
            points.push(query.point);
            pending.push_back(trial);
        }
        Ok(())
    }
}

/// The named values of a point, as the problem takes them.
fn coordinates(history: &History, point: &[f64]) -> Vec<f64> {
    let decoded = history.space().decode(point);
    decoded.iter().filter_map(|(_, value)| value.number()).collect()
}

fn settle(problem: &Noisy<Box<dyn Problem>>, history: &mut History, trial: u64, point: &[f64]) {
    let mut rng = Rng::keyed(history.seed(), &[2, trial]);
    match problem.observe(&coordinates(history, point), &mut rng) {
        Ok(values) => history.observe(trial, point, &values),
        Err(failure) => history.fail(trial, point.to_vec(), &failure.reason),
    }
}

impl Run {
    /// Takes the true value of a point into the curve.
    fn note(&mut self, problem: &Noisy<Box<dyn Problem>>, history: &History, point: &[f64], slack: &[f64]) {
        let so_far = self.gap();
        let Ok(values) = problem.evaluate(&coordinates(history, point)) else {
            self.failed += 1;
            self.gaps.push(so_far);
            return;
        };
        let limits = problem.outputs();
        let kept = limits
            .iter()
            .zip(&values)
            .zip(slack)
            .all(|((output, value), slack)| output.max.is_none_or(|max| *value <= max + slack));
        self.violating += u64::from(!kept);
        let value = if kept { values[0] - self.optimum } else { f64::INFINITY };
        self.gaps.push(so_far.min(value));
    }
}

/// Makes all runs, so many at once; `finished` hears of each, the results come back in the order of the entries.
pub(crate) fn hold(
    entries: &[Entry<'_>],
    threads: usize,
    finished: &(dyn Fn(&Run) -> Result<()> + Sync),
) -> Result<Vec<Run>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Result<Run>>>> = Mutex::new(entries.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, entries.len().max(1)) {
            scope.spawn(|| {
                while let Some((index, entry)) = take(entries, &next) {
                    let run = entry.run().and_then(|run| finished(&run).map(|()| run));
                    results.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(run);
                }
            });
        }
    });
    results
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .into_iter()
        .flatten()
        .collect()
}

fn take<'e, 'p>(entries: &'e [Entry<'p>], next: &AtomicUsize) -> Option<(usize, &'e Entry<'p>)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    entries.get(index).map(|entry| (index, entry))
}
