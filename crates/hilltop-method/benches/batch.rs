//! What a batch of `sto-bnts` costs against one suggestion, measured in the same run.
//!
//! `cargo bench -p hilltop-method --bench batch -- [observations] [members] [repetitions]`. The problem is hartmann-6; half of the observations are
//! spread over the cube, half lie around its minimum, as a search leaves them. Every suggestion and every batch is asked of a proposer
//! that has not been asked before. Clock and processor time: on a machine with other work only the second says anything, and half of
//! it is what a batch takes on two free cores.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use hilltop_core::{Goal, History, Output, Rng, Space};
use hilltop_method::Recipe;
use hilltop_problem::registry;
use serde_json::{Value, json};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Seconds by the clock and of all cores together.
#[derive(Clone, Copy)]
struct Spent {
    clock: f64,
    processor: f64,
}

fn main() -> Fallible<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let or = |index: usize, default: usize| numbers.get(index).copied().unwrap_or(default);
    let (count, members, repetitions) = (or(0, 500), or(1, 64), or(2, 3).max(1));
    println!("sto-bnts, hartmann-6, {count} observations; seconds by the clock (processor seconds)");
    for (name, before) in [("parameters remembered", count), ("a fit due", count * 88 / 100)] {
        let history = remembering(count, before)?;
        for _ in 0..repetitions {
            let one = mean(&history, 1, 8)?;
            let batch = mean(&history, members, 1)?;
            println!(
                "{name}: one {:.3} ({:.3}), batch of {members} {:.2} ({:.2}): {:.1} times one by the clock, {:.1} by half of the processor time",
                one.clock,
                one.processor,
                batch.clock,
                batch.processor,
                batch.clock / one.clock,
                0.5 * batch.processor / one.processor,
            );
        }
    }
    println!("{}", memory());
    Ok(())
}

/// What is asked: `sto-bnts`, or a table of settings among the arguments.
fn recipe() -> Value {
    let given = std::env::args().find(|text| text.starts_with('{'));
    given
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_else(|| json!("sto-bnts"))
}

/// The mean cost of asking so often for so many points.
fn mean(history: &History, points: usize, asks: usize) -> Fallible<Spent> {
    let recipe = Recipe::parse(&recipe())?;
    let mut trial = history.clone();
    let (clock, processor) = (Instant::now(), processor());
    for ask in 0..asks {
        trial.turn_to((history.len() + ask) as u64);
        recipe
            .build(history.space(), history.outputs())?
            .propose(&trial, points)?;
    }
    Ok(Spent {
        clock: clock.elapsed().as_secs_f64() / asks as f64,
        processor: (self::processor() - processor) / asks as f64,
    })
}

/// A history of so many observations that remembers the parameters fitted to the first of them.
fn remembering(count: usize, before: usize) -> Fallible<History> {
    let recipe = Recipe::parse(&recipe())?;
    let mut history = observed(before)?;
    let asked = recipe.build(history.space(), history.outputs())?.propose(&history, 1)?;
    let memory = asked.into_iter().find_map(|query| query.memory);
    history = observed(count)?;
    memory.into_iter().for_each(|memory| history.remember(memory));
    Ok(history)
}

/// Every second observation anywhere, the others within a tenth of the minimum.
fn observed(count: usize) -> Fallible<History> {
    let problem = registry::lookup("hartmann-6")?;
    let centre = [0.201_69, 0.150_011, 0.476_874, 0.275_332, 0.311_652, 0.657_3];
    let outputs: Arc<[Output]> = [Output {
        name: "f".into(),
        goal: Goal::Minimize,
    }]
    .into();
    let mut history = History::new(Arc::new(Space::unit_box(6)), outputs, 1);
    let mut rng = Rng::new(7);
    for trial in 0..count {
        let near = centre.map(|c| (c + 0.1 * rng.normal()).clamp(0.0, 1.0));
        let point = if trial % 2 == 0 {
            near.map(|_| rng.uniform())
        } else {
            near
        };
        let value = problem.evaluate(&point).map_err(|failure| format!("{failure:?}"))?;
        history.observe(trial as u64, &point, &value);
    }
    Ok(history)
}

/// Processor seconds of this process so far, in the hundredths that Linux counts.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    0.01 * ticks.iter().sum::<f64>()
}

/// The most memory that this process has had.
fn memory() -> String {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    let kilobytes = line
        .split_whitespace()
        .nth(1)
        .and_then(|field| field.parse::<f64>().ok());
    kilobytes.map_or_else(String::new, |kilobytes| format!("at most {:.0} MB", kilobytes / 1024.0))
}
