//! A Rust closure as the black box.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use hilltop_core::{Output, Parameters};

use super::{Evaluation, Evaluator, Stop};

/// A closure from parameters to outputs. An error is a failure with that reason, and so is a panic.
pub struct Closure<F> {
    outputs: Arc<[Output]>,
    function: F,
}

impl<F> Closure<F>
where
    F: Fn(&Parameters) -> Result<BTreeMap<String, f64>, String> + Send + Sync,
{
    /// An evaluator that calls this function, which reports these outputs.
    pub fn new(outputs: Arc<[Output]>, function: F) -> Self {
        Self { outputs, function }
    }
}

impl<F> Evaluator for Closure<F>
where
    F: Fn(&Parameters) -> Result<BTreeMap<String, f64>, String> + Send + Sync,
{
    fn evaluate(&self, _trial: u64, parameters: &Parameters, _stop: &Stop) -> Option<Evaluation> {
        let start = Instant::now();
        let answer = catch_unwind(AssertUnwindSafe(|| (self.function)(parameters)));
        let seconds = start.elapsed().as_secs_f64();
        Some(match answer {
            Ok(Ok(values)) => Evaluation::of(&values, &self.outputs, seconds),
            Ok(Err(reason)) => Evaluation::failed(reason, seconds),
            Err(panic) => Evaluation::failed(format!("the function panicked: {}", message(panic.as_ref())), seconds),
        })
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use hilltop_core::{Goal, Outcome};

    use super::*;

    fn outcome(function: impl Fn(&Parameters) -> Result<BTreeMap<String, f64>, String> + Send + Sync) -> Outcome {
        let outputs = [Output {
            name: "cost".into(),
            goal: Goal::Minimize,
        }]
        .into();
        let evaluation = Closure::new(outputs, function).evaluate(0, &Parameters::default(), &Stop::new());
        evaluation.map_or(Outcome::Failed("stopped".into()), |evaluation| evaluation.outcome)
    }

    fn cost(value: f64) -> BTreeMap<String, f64> {
        BTreeMap::from([("cost".to_owned(), value), ("other".to_owned(), f64::NAN)])
    }

    #[test]
    fn values_are_outputs_and_unknown_ones_are_left_out() {
        assert_eq!(
            outcome(|_| Ok(cost(1.5))),
            Outcome::Outputs(BTreeMap::from([("cost".into(), 1.5)]))
        );
    }

    #[test]
    fn errors_panics_and_values_that_are_no_numbers_are_failures_with_their_reason() {
        let failed = |reason: &str| Outcome::Failed(reason.into());
        assert_eq!(outcome(|_| Err("diverged".into())), failed("diverged"));
        assert_eq!(outcome(|_| Ok(cost(f64::NAN))), failed("output cost is NaN"));
        assert_eq!(outcome(|_| Ok(cost(f64::NEG_INFINITY))), failed("output cost is -inf"));
        assert_eq!(outcome(|_| Ok(BTreeMap::new())), failed("output cost is missing"));
        assert_eq!(
            outcome(|_| panic!("no {}", "mesh")),
            failed("the function panicked: no mesh")
        );
    }
}
