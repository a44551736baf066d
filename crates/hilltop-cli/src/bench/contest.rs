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
    /// The least sum of regret and violations of a point so far, after every evaluation: the papers' measure, with each term
    /// divided by the deviation that its output has over the box.
    pub(crate) sums: Vec<f64>,
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

    /// The scaled sum of regret and violations in the end.
    pub(crate) fn sum(&self) -> f64 {
        self.sums.last().copied().unwrap_or(f64::INFINITY)
    }

    /// A line of the file of runs.
    pub(crate) fn described(&self) -> Value {
        let finite = |value: f64| value.is_finite().then_some(value);
        let curve: Vec<Option<f64>> = self.gaps.iter().map(|gap| finite(gap + self.optimum)).collect();
        json!({
            "problem": self.problem, "method": self.method, "seed": self.seed, "dimension": self.dim,
            "evaluations": self.gaps.len(), "failed": self.failed, "violating": self.violating, "optimum": self.optimum,
            "best": curve.last().copied().flatten(), "gap": finite(self.gap()), "sum": finite(self.sum()), "seconds": self.seconds,
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
            sums: Vec::new(),
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
        let mut wanted: Vec<Vec<usize>> = Vec::new();
        let deviations = deviations(problem);
        for trial in 0..self.budget {
            while pending.len() >= self.parallel.max(1) {
                pending.pop_front().into_iter().for_each(|done| {
                    let (point, wanted) = (&points[done as usize], &wanted[done as usize]);
                    settle(problem, &mut history, done, point, wanted);
                });
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
            if is_whole(&history, &query.point, &query.outputs) {
                run.note(problem, &history, &query.point, &deviations);
            } else {
                run.stay();
            }
            points.push(query.point);
            wanted.push(query.outputs);
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

/// Whether all outputs of a point are known once those that are wanted have been seen.
fn is_whole(history: &History, point: &[f64], wanted: &[usize]) -> bool {
    let here = |output: usize| {
        let mut sightings = history.sightings().iter().filter(|sighting| sighting.point == point);
        sightings.any(|sighting| sighting.values[output].is_some())
    };
    wanted.is_empty() || (0..history.outputs().len()).all(|output| wanted.contains(&output) || here(output))
}

fn settle(problem: &Noisy<Box<dyn Problem>>, history: &mut History, trial: u64, point: &[f64], wanted: &[usize]) {
    let mut rng = Rng::keyed(history.seed(), &[2, trial]);
    match problem.observe(&coordinates(history, point), &mut rng) {
        Ok(values) => {
            let due = |output: usize| wanted.is_empty() || wanted.contains(&output);
            let seen = values.iter().enumerate().map(|(k, value)| due(k).then_some(*value));
            history.observe_some(trial, point, &seen.collect::<Vec<_>>());
        }
        Err(failure) => history.fail(trial, point.to_vec(), &failure.reason),
    }
}

impl Run {
    /// Takes the true values of a point into the curves.
    fn note(&mut self, problem: &Noisy<Box<dyn Problem>>, history: &History, point: &[f64], deviations: &[f64]) {
        let Ok(values) = problem.evaluate(&coordinates(history, point)) else {
            self.failed += 1;
            return self.stay();
        };
        let outputs = problem.outputs();
        let violations = outputs.iter().zip(&values).zip(deviations);
        let violations = violations.filter_map(|((output, value), deviation)| Some((value - output.max?) / deviation));
        let violations: Vec<f64> = violations.map(|violation| violation.max(0.0)).collect();
        let kept = violations.iter().all(|violation| *violation <= SLACK);
        self.violating += u64::from(!kept);
        let regret = values[0] - self.optimum;
        let sum = regret.max(0.0) / deviations[0] + violations.iter().sum::<f64>();
        self.gaps
            .push(self.gap().min(if kept { regret } else { f64::INFINITY }));
        self.sums.push(self.sum().min(sum));
    }

    /// An evaluation that changes nothing.
    fn stay(&mut self) {
        self.gaps.push(self.gap());
        self.sums.push(self.sum());
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_sum_adds_regret_and_violation_in_deviations_of_each_output() {
        let contender = Contender {
            label: "random".into(),
            physics: false,
            recipe: hilltop_method::Recipe::parse(&json!("random")).unwrap(),
        };
        let entry = Entry {
            problem: "gardner",
            contender: &contender,
            seed: 1,
            budget: 0,
            parallel: 1,
            noise: 0.0,
        };
        let mut run = entry.run().unwrap();
        let problem = Noisy::new(registry::lookup("gardner").unwrap(), 0.0).unwrap();
        let space = Arc::new(Space::of_box(&problem.bounds()).unwrap());
        let history = History::new(space, BuiltIn::outputs_of(&problem).into(), 1);
        run.note(&problem, &history, &[1.0, 1.0], &[2.0, 0.5]);
        let values = problem.evaluate(&[6.0, 6.0]).unwrap();
        let expected = (values[0] - run.optimum) / 2.0 + values[1] / 0.5;
        assert!((run.sum() - expected).abs() < 1e-12, "{run:?}");
        assert!(run.gap().is_infinite() && run.violating == 1);
        run.stay();
        assert_eq!((run.gaps.len(), run.sums.len()), (2, 2));
    }
}
