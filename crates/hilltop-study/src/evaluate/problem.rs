//! A built-in test problem as the black box, with noise if wanted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use hilltop_core::{Goal, Output, Parameters, Rng, Space, Value};
use hilltop_problem::{Noisy, Problem};

use super::{Evaluation, Evaluator, Stop};
use crate::ledger::is_due;
use crate::{Error, Result};

/// A built-in problem that evaluates trials.
pub struct BuiltIn {
    problem: Noisy<Box<dyn Problem>>,
    outputs: Arc<[Output]>,
    seed: u64,
}

impl BuiltIn {
    /// The problem with noise of this fraction of the deviation that its outputs have over the box. The noise of a
    /// trial depends on the seed and the trial's number alone.
    pub fn new(problem: Box<dyn Problem>, outputs: Arc<[Output]>, noise: f64, seed: u64) -> Result<Self> {
        let problem = Noisy::new(problem, noise).map_err(|fault| Error::statement(fault.to_string()))?;
        Ok(Self { problem, outputs, seed })
    }

    /// The outputs of a problem as a study states them.
    pub fn outputs_of(problem: &dyn Problem) -> Vec<Output> {
        let goal = |max: Option<f64>| {
            max.map_or(Goal::Minimize, |max| Goal::Within {
                min: None,
                max: Some(max),
            })
        };
        problem
            .outputs()
            .into_iter()
            .map(|output| Output {
                goal: goal(output.max),
                name: output.name,
            })
            .collect()
    }

    /// The space of a problem: `x1, x2, …` within its bounds.
    pub fn space_of(problem: &dyn Problem) -> Result<Space> {
        Space::of_box(&problem.bounds()).map_err(|error| Error::statement(error.to_string()))
    }

    fn values(&self, trial: u64, parameters: &Parameters) -> Result<BTreeMap<String, f64>, String> {
        let coordinate = |k: usize| {
            let name = format!("x{}", k + 1);
            parameters
                .get(&name)
                .and_then(Value::number)
                .ok_or(format!("{name} is missing or no number"))
        };
        let point = (0..self.problem.dim())
            .map(coordinate)
            .collect::<Result<Vec<f64>, String>>()?;
        let mut rng = Rng::keyed(self.seed, &[2, trial]);
        let values = self
            .problem
            .observe(&point, &mut rng)
            .map_err(|failure| failure.to_string())?;
        Ok(self
            .problem
            .outputs()
            .into_iter()
            .map(|output| output.name)
            .zip(values)
            .collect())
    }
}

impl Evaluator for BuiltIn {
    fn evaluate(&self, trial: u64, parameters: &Parameters, stop: &Stop) -> Option<Evaluation> {
        self.evaluate_some(trial, parameters, &[], stop)
    }

    fn evaluate_some(
        &self,
        trial: u64,
        parameters: &Parameters,
        wanted: &[String],
        _stop: &Stop,
    ) -> Option<Evaluation> {
        let start = Instant::now();
        let values = self.values(trial, parameters);
        let seconds = start.elapsed().as_secs_f64();
        Some(match values {
            Ok(mut values) => {
                values.retain(|name, _| is_due(name, wanted));
                Evaluation::of_some(&values, &self.outputs, wanted, seconds)
            }
            Err(reason) => Evaluation::failed(reason, seconds),
        })
    }
}
