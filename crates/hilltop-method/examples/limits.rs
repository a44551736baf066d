//! Runs a method on a problem with limits or failures, and prints what it reaches.
//!
//! `cargo run --release -p hilltop-method --example limits -- METHOD PROBLEM BUDGET NOISE FIRST_SEED SEEDS [MAX_VIOLATION]`
//!
//! The score of a run is the best true objective among points that break each limit by at most 1e-4 of its output's
//! deviation over the box, less the optimum.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use std::sync::Arc;
use std::time::Instant;

use hilltop_core::{Goal, History, Output, Rng, Space};
use hilltop_method::Recipe;
use hilltop_problem::{Noisy, Problem, deviations, registry};
use serde_json::Value;

struct Outcome {
    gap: f64,
    failures: usize,
    violating: usize,
    late: usize,
    seconds: f64,
}

fn run(recipe: &Recipe, problem: &Noisy<Box<dyn Problem>>, budget: u64, allowance: Option<f64>, seed: u64) -> Outcome {
    let bounds = problem.bounds();
    let space = Arc::new(Space::of_box(&bounds).unwrap());
    let outputs: Vec<Output> = problem
        .outputs()
        .into_iter()
        .map(|output| Output {
            name: output.name,
            goal: output.max.map_or(Goal::Minimize, |max| Goal::Within {
                min: None,
                max: Some(max),
            }),
        })
        .collect();
    let outputs: Arc<[Output]> = outputs.into();
    let (slack, optimum) = (deviations(problem), problem.optimum().unwrap().value);
    let mut proposer = recipe.build(&space, &outputs).unwrap();
    let mut history = History::new(space, outputs, seed)
        .with_budget(Some(budget))
        .with_noise(problem.fraction() > 0.0)
        .with_allowance(allowance);
    let (mut best, mut failures, mut violating, mut late) = (f64::INFINITY, 0, 0, 0);
    let start = Instant::now();
    for trial in 0..budget {
        let query = proposer.propose(&history, 1).unwrap().remove(0);
        query.memory.into_iter().for_each(|memory| history.remember(memory));
        let place = query.point.iter().zip(&bounds);
        let x: Vec<f64> = place.map(|(u, (low, high))| low + u * (high - low)).collect();
        let mut rng = Rng::keyed(seed, &[2, trial]);
        let Ok(values) = problem.observe(&x, &mut rng) else {
            failures += 1;
            history.fail(trial, query.point, "failed");
            continue;
        };
        let wanted = |k: &usize| query.outputs.is_empty() || query.outputs.contains(k);
        let seen: Vec<Option<f64>> = values
            .iter()
            .enumerate()
            .map(|(k, value)| wanted(&k).then_some(*value))
            .collect();
        let before = history.len();
        history.observe_some(trial, &query.point, &seen);
        if history.len() == before {
            continue;
        }
        let truth = problem.evaluate(&x).unwrap();
        if (1..truth.len()).all(|k| truth[k] <= 1e-4 * slack[k]) {
            best = best.min(truth[0] - optimum);
        } else {
            violating += 1;
            late += usize::from(trial + 30 >= budget);
        }
    }
    eprintln!("seed {seed}: gap {best:.3e}, {failures} failures, {violating} violating");
    Outcome {
        gap: best,
        failures,
        violating,
        late,
        seconds: start.elapsed().as_secs_f64(),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: f64| arguments.get(index).map_or(default, |text| text.parse().unwrap());
    let method: Value = serde_json::from_str(&arguments[0]).unwrap_or_else(|_| Value::String(arguments[0].clone()));
    let recipe = Recipe::parse(&method).unwrap();
    let problem = Noisy::new(registry::lookup(&arguments[1]).unwrap(), number(3, 0.0)).unwrap();
    let (budget, first, seeds) = (number(2, 60.0) as u64, number(4, 0.0) as u64, number(5, 5.0) as u64);
    let allowance = arguments.get(6).map(|text| text.parse().unwrap());
    let runs = first..first + seeds;
    let runs: Vec<Outcome> = runs
        .map(|seed| run(&recipe, &problem, budget, allowance, seed))
        .collect();
    let median = |value: &dyn Fn(&Outcome) -> f64| {
        let mut values: Vec<f64> = runs.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        0.5 * (values[(values.len() - 1) / 2] + values[values.len() / 2])
    };
    let gaps: Vec<String> = runs.iter().map(|run| format!("{:.1e}", run.gap)).collect();
    println!(
        "{} {} T={budget}: median gap {:.3e}, failures {}, violating {}, in the last 30 {}, {:.1} s a run  [{}]",
        recipe.name(),
        arguments[1],
        median(&|run| run.gap),
        median(&|run| run.failures as f64),
        median(&|run| run.violating as f64),
        median(&|run| run.late as f64),
        median(&|run| run.seconds),
        gaps.join(" ")
    );
}
