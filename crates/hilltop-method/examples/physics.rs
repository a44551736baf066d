//! Runs a method on a problem with an equation, and prints what it reaches.
//!
//! `cargo run --release -p hilltop-method --example physics -- METHOD PROBLEM BUDGET FIRST_SEED SEEDS [POINTS] [EQUATION]`
//!
//! The gap of a run is its best value less the optimum; `hit` is the evaluation that came within 1 % of the optimum. An equation given last takes
//! the place of the problem's own, to see what a wrong one does.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::sync::Arc;
use std::time::Instant;

use hilltop_core::physics::{Physics, Standing};
use hilltop_core::{Goal, History, Knowledge, Output, Space};
use hilltop_method::Recipe;
use hilltop_problem::{Problem, registry};
use serde_json::Value;

struct Outcome {
    gap: f64,
    hit: u64,
    weight: f64,
    seconds: f64,
}

fn run(recipe: &Recipe, problem: &dyn Problem, physics: &Physics, budget: u64, seed: u64) -> Outcome {
    let bounds = problem.bounds();
    let space = Arc::new(Space::of_box(&bounds).unwrap());
    let output = Output {
        name: "f".into(),
        goal: Goal::Minimize,
    };
    let knowledge: Arc<Knowledge> = Arc::new(physics.bind(&space, &output).unwrap());
    let outputs: Arc<[Output]> = Arc::new([output]);
    let optimum = problem.optimum().unwrap().value;
    // Any other method is what `pinn-bo` is compared with: it is not told the equation.
    let knowledge = Some(&knowledge).filter(|_| recipe.name() == "pinn-bo");
    let mut proposer = recipe.build_with(&space, &outputs, knowledge).unwrap();
    let mut history = History::new(space, outputs, seed).with_budget(Some(budget));
    let (mut best, mut hit) = (f64::INFINITY, 9999);
    let start = Instant::now();
    for trial in 0..budget {
        let query = proposer.propose(&history, 1).unwrap().remove(0);
        query.memory.into_iter().for_each(|memory| history.remember(memory));
        let place = query.point.iter().zip(&bounds);
        let x: Vec<f64> = place.map(|(u, (low, high))| low + u * (high - low)).collect();
        let value = problem.evaluate(&x).unwrap()[0];
        history.observe(trial, &query.point, &[value]);
        best = best.min(value);
        if hit == 9999 && best - optimum <= 0.01 * optimum.abs() {
            hit = trial + 1;
        }
        if std::env::var_os("STEPS").is_some() {
            println!("{trial} {value:.4} {best:.5} {:?}", weight(proposer.as_mut(), &history));
        }
    }
    Outcome {
        gap: best - optimum,
        hit,
        seconds: start.elapsed().as_secs_f64(),
        weight: weight(proposer.as_mut(), &history).map_or(f64::NAN, |support| support.weight),
    }
}

fn weight(proposer: &mut dyn hilltop_core::Proposer, history: &History) -> Option<Standing> {
    let model = proposer.model(history).ok().flatten()?;
    Some(model.obedience()?.standing())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u64| arguments.get(index).map_or(default, |text| text.parse().unwrap());
    let method: Value = serde_json::from_str(&arguments[0]).unwrap_or_else(|_| Value::String(arguments[0].clone()));
    let recipe = Recipe::parse(&method).unwrap();
    let problem = registry::lookup(&arguments[1]).unwrap();
    let (budget, first, seeds) = (number(2, 30), number(3, 0), number(4, 5));
    let mut physics = problem.physics().unwrap();
    physics.points = number(5, 500) as usize;
    if let Some(equation) = arguments.get(6) {
        physics.equations = vec![equation.clone()];
    }
    let mut runs: Vec<Outcome> = (first..first + seeds)
        .map(|seed| run(&recipe, problem.as_ref(), &physics, budget, seed))
        .collect();
    let shown: Vec<String> = runs
        .iter()
        .map(|run| format!("{:.1e}/{}/{:.2}", run.gap, run.hit, run.weight))
        .collect();
    let mut median = |value: &dyn Fn(&Outcome) -> f64| {
        runs.sort_by(|a, b| value(a).total_cmp(&value(b)));
        0.5 * (value(&runs[(runs.len() - 1) / 2]) + value(&runs[runs.len() / 2]))
    };
    println!(
        "{} {} T={budget} points {}: median gap {:.3e}, hit {}, {:.1} s a run  [gap/hit/weight {}]",
        recipe.name(),
        arguments[1],
        physics.points,
        median(&|run| run.gap),
        median(&|run| run.hit as f64),
        median(&|run| run.seconds),
        shown.join(" ")
    );
}
