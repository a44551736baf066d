//! What one suggestion costs after so many observations: seconds and memory, one thread.

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use hilltop_core::{History, Output, Proposer, Rng, Space};
use hilltop_problem::{Problem, registry};
use hilltop_study::evaluate::BuiltIn;
use serde_json::{Value, json};

use super::plan::Contender;

/// How many asks and tells are timed; the first one fits the model.
const ASKS: u64 = 10;

/// The cost of suggestions after so many observations.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    pub(crate) dim: usize,
    pub(crate) observations: usize,
    /// Seconds of each ask with its tell.
    pub(crate) asks: Vec<f64>,
    /// Peak memory of the process in bytes, where the system tells.
    pub(crate) memory: Option<u64>,
}

impl Cost {
    /// Times a method in this process.
    pub(crate) fn measured(contender: &Contender, dim: usize, observations: usize) -> Result<Self> {
        let problem = registry::lookup(&format!("levy-{dim}"))?;
        let space = Arc::new(Space::of_box(&problem.bounds())?);
        let outputs: Arc<[Output]> = BuiltIn::outputs_of(&*problem).into();
        let mut history = observed(contender, &space, &outputs, &*problem, observations)?;
        let mut proposer = contender.recipe.build(&space, &outputs)?;
        let asks = (0..ASKS)
            .map(|_| step(&mut *proposer, &mut history, &*problem))
            .collect::<Result<_>>()?;
        Ok(Self {
            dim,
            observations,
            asks,
            memory: peak_memory(),
        })
    }

    /// Times a method in a process of its own, so that its memory is its own.
    pub(crate) fn apart(contender: &Contender, dim: usize, observations: usize) -> Result<Self> {
        let program = std::env::current_exe().context("this program cannot be found")?;
        let (dims, sizes) = (dim.to_string(), observations.to_string());
        let arguments = [
            "bench",
            "--speed",
            "--here",
            "--json",
            "--methods",
            &contender.label,
            "--dims",
            &dims,
            "--sizes",
            &sizes,
        ];
        let output = Command::new(program)
            .args(arguments)
            .output()
            .context("the measurement could not be started")?;
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let value: Value = serde_json::from_slice(&output.stdout).context("the measurement cannot be read")?;
        let asks = value["asks"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_f64)
            .collect();
        Ok(Self {
            dim,
            observations,
            asks,
            memory: value["memory"].as_u64(),
        })
    }

    /// The mean over all asks, the fit included.
    pub(crate) fn mean(&self) -> f64 {
        self.asks.iter().sum::<f64>() / self.asks.len().max(1) as f64
    }

    /// A line of JSON.
    pub(crate) fn described(&self, method: &str) -> Value {
        json!({
            "method": method, "dimension": self.dim, "observations": self.observations,
            "mean": self.mean(), "asks": self.asks, "memory": self.memory,
        })
    }
}

/// When a study of so many observations was last asked before the measurement, as a share of them: long enough ago that
/// the first ask that is timed fits the model anew.
const LAST_ASKED: f64 = 0.85;

/// Observations as a search leaves them: half all over the box, half around the best of those; with what the method
/// carried from its earlier rounds, as a study's journal has it when a process begins.
fn observed(
    contender: &Contender,
    space: &Arc<Space>,
    outputs: &Arc<[Output]>,
    problem: &dyn Problem,
    count: usize,
) -> Result<History> {
    let asked = (LAST_ASKED * count as f64) as usize;
    let mut history = History::new(Arc::clone(space), Arc::clone(outputs), 1);
    let mut rng = Rng::new(1);
    for trial in 0..count {
        if trial == asked {
            let earlier = contender.recipe.build(space, outputs)?.propose(&history, 1)?;
            let memory = earlier.into_iter().find_map(|query| query.memory);
            memory.into_iter().for_each(|memory| history.remember(memory));
        }
        let mut point = space.sample(&mut rng)?;
        if let Some(best) = history.best().filter(|_| 2 * trial >= count) {
            let centre = history.points().row(best).to_vec();
            point = centre
                .iter()
                .map(|x| (x + 0.1 * rng.normal()).clamp(0.0, 1.0))
                .collect();
            space.project(&mut point);
        }
        tell(&mut history, problem, trial as u64, &point)?;
    }
    Ok(history)
}

fn step(proposer: &mut dyn Proposer, history: &mut History, problem: &dyn Problem) -> Result<f64> {
    let start = Instant::now();
    let trial = history.next_trial();
    let query = proposer
        .propose(history, 1)?
        .into_iter()
        .next()
        .context("the method gave no point")?;
    history.ask(trial, query.point.clone());
    query.memory.into_iter().for_each(|memory| history.remember(memory));
    tell(history, problem, trial, &query.point)?;
    Ok(start.elapsed().as_secs_f64())
}

fn tell(history: &mut History, problem: &dyn Problem, trial: u64, point: &[f64]) -> Result<()> {
    let coordinates: Vec<f64> = history
        .space()
        .decode(point)
        .iter()
        .filter_map(|(_, value)| value.number())
        .collect();
    history.observe(trial, point, &problem.evaluate(&coordinates)?);
    Ok(())
}

/// The largest memory that this process has had.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}
