//! Cumulative regret after a first phase of uniform points: the comparison of the GO-UCB paper.
//!
//! Values are observed with normal noise of deviation 0.01; the regret counts true values, in the `T` rounds that follow the
//! first `n` points.
//!
//! ```text
//! cargo run --release -p hilltop-method --example regret -- [problem] [n] [T] [seeds] [method …]
//! ```
//!
//! Seeds are a number, `5` for 0 to 4, or a range, `100..103`. A method is a name or a JSON table with a name and settings, to
//! which the first phase is added; `go-ucb-paper` and `neural-bo-paper` are the papers' own configurations.

use std::error::Error;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use hilltop_core::{Goal, History, Output, Rng, Space};
use hilltop_method::{GoUcb, NeuralBo, Recipe};
use hilltop_problem::{Problem, registry};
use serde_json::json;

const NOISE: f64 = 0.01;

/// A problem, and how many points are uniform and how many chosen.
struct Task {
    problem: Box<dyn Problem>,
    first: usize,
    rounds: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let or = |index: usize, default: &str| arguments.get(index).map_or(default, String::as_str).to_owned();
    let name = or(0, "go-ucb-f1");
    let task = Task {
        problem: registry::lookup(&name)?,
        first: or(1, "5").parse()?,
        rounds: or(2, "25").parse()?,
    };
    let seeds = range(&or(3, "5"))?;
    let given = arguments.get(4..).unwrap_or_default();
    let methods: Vec<&str> = match given {
        [] => vec!["random", "neural-bo-paper", "go-ucb-paper", "go-ucb"],
        given => given.iter().map(String::as_str).collect(),
    };
    println!(
        "{name}: {} uniform points, {} rounds, seeds {seeds:?}\n",
        task.first, task.rounds
    );
    println!("| method | mean | median | lowest | highest | seconds a run |\n|---|---|---|---|---|---|");
    for method in methods {
        println!(
            "| `{method}` | {} |",
            task.summary(&task.recipe(method)?, seeds.clone())?
        );
    }
    Ok(())
}

fn range(text: &str) -> Result<Range<u64>, std::num::ParseIntError> {
    match text.split_once("..") {
        Some((first, end)) => Ok(first.parse()?..end.parse()?),
        None => Ok(0..text.parse()?),
    }
}

impl Task {
    fn recipe(&self, method: &str) -> hilltop_core::Result<Recipe> {
        let recipe = match method {
            "go-ucb-paper" => Recipe::GoUcb(GoUcb::paper(self.rounds as u64)),
            "neural-bo-paper" => Recipe::NeuralBo(NeuralBo::paper()),
            text => Recipe::parse(&serde_json::from_str(text).unwrap_or_else(|_| json!(text)))?,
        };
        let mut table = serde_json::to_value(&recipe).unwrap_or_default();
        if table.get("design").is_some() {
            table["design"] = json!({ "kind": "uniform", "count": self.first });
        }
        Recipe::parse(&table)
    }

    fn summary(&self, recipe: &Recipe, seeds: Range<u64>) -> Result<String, Box<dyn Error>> {
        let start = Instant::now();
        let runs: Result<Vec<f64>, _> = seeds.map(|seed| self.regret(recipe, seed)).collect();
        let mut runs = runs?;
        runs.sort_by(f64::total_cmp);
        let count = runs.len();
        let mean = runs.iter().sum::<f64>() / count as f64;
        let median = 0.5 * (runs[(count - 1) / 2] + runs[count / 2]);
        let seconds = start.elapsed().as_secs_f64() / count as f64;
        let [low, high] = [runs[0], runs[count - 1]];
        Ok(format!("{mean:.1} | {median:.1} | {low:.1} | {high:.1} | {seconds:.1}"))
    }

    /// What is lost in the rounds after the first phase.
    fn regret(&self, recipe: &Recipe, seed: u64) -> Result<f64, Box<dyn Error>> {
        let bounds = self.problem.bounds();
        let space = Arc::new(Space::of_box(&bounds)?);
        let goal = Goal::Minimize;
        let outputs: Arc<[Output]> = [Output { name: "f".into(), goal }].into();
        let least = self.problem.optimum().ok_or("the optimum is not known")?.value;
        let mut proposer = recipe.build(&space, &outputs)?;
        let mut history = History::new(space, outputs, seed);
        let mut rng = Rng::keyed(seed, &[0x4e01]);
        let mut lost = 0.0;
        for trial in 0..self.first + self.rounds {
            let query = proposer.propose(&history, 1)?.remove(0);
            let value = self.problem.evaluate(&placed(&query.point, &bounds))?[0];
            query.memory.into_iter().for_each(|memory| history.remember(memory));
            history.observe(trial as u64, &query.point, &[value + NOISE * rng.normal()]);
            lost += if trial < self.first { 0.0 } else { value - least };
        }
        Ok(lost)
    }
}

fn placed(point: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
    let place = |(u, (low, high)): (&f64, &(f64, f64))| low + u * (high - low);
    point.iter().zip(bounds).map(place).collect()
}
