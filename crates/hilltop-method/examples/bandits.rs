//! The contextual bandits of the `NeuralUCB` paper: cumulative regret of every method that chooses among arms.
//!
//! Contexts are uniform on the unit sphere of 20 dimensions, four independent ones a round; the reward of an arm `x` is
//! `10(xᵀa)²`, `cos(3xᵀa)` or `xᵀAᵀAx` for a hidden unit vector `a` or a hidden matrix `A`, with normal noise of deviation 1.
//!
//! ```text
//! cargo run --release -p hilltop-method --example bandits -- [rounds] [seeds] [method …]
//! ```
//!
//! Seeds are a number, `5` for 0 to 4, or a range, `100..103` for 100 to 102. A method is a name or a JSON table with a name and settings. Without any, the table of docs/bandits.md.

use std::error::Error;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use hilltop_core::{Goal, History, Output, Points, Rng, Space};
use hilltop_method::Recipe;
use serde_json::{Value, json};

const FEATURES: usize = 20;
const ARMS: usize = 4;

/// The reward of an arm.
type Reward = fn(&Hidden, &[f64]) -> f64;

const REWARDS: [(&str, Reward); 3] = [
    ("10(xᵀa)²", |hidden, arm| 10.0 * product(arm, &hidden.vector).powi(2)),
    ("cos(3xᵀa)", |hidden, arm| (3.0 * product(arm, &hidden.vector)).cos()),
    ("xᵀAᵀAx", |hidden, arm| {
        hidden.matrix.iter().map(|row| product(row, arm).powi(2)).sum()
    }),
];

/// What the rewards of a seed are made of.
struct Hidden {
    /// `a`, of length 1.
    vector: Vec<f64>,
    /// The rows of `A`, standard normal.
    matrix: Vec<Vec<f64>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments.next().map_or(Ok(2000), |text| text.parse())?;
    let seeds = arguments.next().map_or(Ok(0..5), |text| range(&text))?;
    let given: Vec<String> = arguments.collect();
    let methods = if given.is_empty() {
        every_method()
    } else {
        given.iter().map(|text| parsed(text)).collect()
    };
    println!(
        "cumulative regret after {rounds} rounds: median (lowest to highest) and mean of seeds {seeds:?}, seconds a run\n"
    );
    println!(
        "| method | {} |\n|---|---|---|---|",
        REWARDS.map(|(name, _)| name).join(" | ")
    );
    for method in methods {
        let recipe = Recipe::parse(&method)?;
        let cells: Result<Vec<String>, _> = REWARDS
            .iter()
            .map(|(_, reward)| summary(&recipe, *reward, rounds, seeds.clone()))
            .collect();
        println!("| {} | {} |", named(&method), cells?.join(" | "));
    }
    Ok(())
}

fn range(text: &str) -> Result<Range<u64>, std::num::ParseIntError> {
    match text.split_once("..") {
        Some((first, end)) => Ok(first.parse()?..end.parse()?),
        None => Ok(0..text.parse()?),
    }
}

fn every_method() -> Vec<Value> {
    let diagonal = |name: &str| json!({ "name": name, "covariance": "diagonal" });
    vec![
        json!("random"),
        json!("lin-ucb"),
        json!("lin-ts"),
        json!("neural-ucb"),
        diagonal("neural-ucb"),
        json!("neural-ts"),
        diagonal("neural-ts"),
    ]
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn named(method: &Value) -> String {
    let Some(table) = method.as_object() else {
        return format!("`{}`", method.as_str().unwrap_or_default());
    };
    let settings = table
        .iter()
        .filter(|(key, _)| *key != "name")
        .map(|(key, value)| format!("{key} = {value}"));
    format!(
        "`{}`, {}",
        table["name"].as_str().unwrap_or_default(),
        settings.collect::<Vec<_>>().join(", ")
    )
}

fn summary(recipe: &Recipe, reward: Reward, rounds: u64, seeds: Range<u64>) -> hilltop_core::Result<String> {
    let start = Instant::now();
    let runs: hilltop_core::Result<Vec<f64>> = seeds.map(|seed| regret(recipe, reward, rounds, seed)).collect();
    let mut regrets = runs?;
    regrets.sort_by(f64::total_cmp);
    let (Some(low), Some(high)) = (regrets.first(), regrets.last()) else {
        return Ok("–".into());
    };
    let count = regrets.len();
    let middle = 0.5 * (regrets[(count - 1) / 2] + regrets[count / 2]);
    let seconds = start.elapsed().as_secs_f64() / count as f64;
    let mean = regrets.iter().sum::<f64>() / count as f64;
    Ok(format!(
        "{middle:.1} ({low:.0} to {high:.0}), mean {mean:.1}, {seconds:.1} s"
    ))
}

/// What is lost over all rounds against always choosing the best arm, without noise.
fn regret(recipe: &Recipe, reward: Reward, rounds: u64, seed: u64) -> hilltop_core::Result<f64> {
    let space = Arc::new(Space::of_box(&[(-1.0, 1.0); FEATURES])?);
    let outputs: Arc<[Output]> = [Output {
        name: "reward".into(),
        goal: Goal::Maximize,
    }]
    .into();
    let mut proposer = recipe.build(&space, &outputs)?;
    let mut history = History::new(space, outputs, seed).with_noise(true);
    let mut rng = Rng::keyed(seed, &[0xba4d]);
    let hidden = Hidden {
        vector: on_sphere(&mut rng),
        matrix: matrix(&mut Rng::keyed(seed, &[0xba4e])),
    };
    let mut lost = 0.0;
    for trial in 0..rounds {
        let arms: Vec<Vec<f64>> = (0..ARMS).map(|_| on_sphere(&mut rng)).collect();
        let rewards: Vec<f64> = arms.iter().map(|arm| reward(&hidden, arm)).collect();
        let encoded: Vec<Vec<f64>> = arms
            .iter()
            .map(|arm| arm.iter().map(|x| 0.5 * (x + 1.0)).collect())
            .collect();
        history.offer(Some(Points::from_rows(FEATURES, encoded.iter().map(Vec::as_slice))));
        history.turn_to(trial);
        let chosen = proposer.propose(&history, 1)?.remove(0).point;
        let arm = encoded.iter().position(|point| *point == chosen).unwrap_or_default();
        lost += rewards.iter().fold(f64::MIN, |best, reward| best.max(*reward)) - rewards[arm];
        history.observe(trial, &chosen, &[rewards[arm] + rng.normal()]);
    }
    Ok(lost)
}

fn on_sphere(rng: &mut Rng) -> Vec<f64> {
    let mut vector = vec![0.0; FEATURES];
    rng.normals(&mut vector);
    let norm = product(&vector, &vector).sqrt();
    vector.iter().map(|x| x / norm).collect()
}

fn matrix(rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut row = || {
        let mut row = vec![0.0; FEATURES];
        rng.normals(&mut row);
        row
    };
    (0..FEATURES).map(|_| row()).collect()
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
