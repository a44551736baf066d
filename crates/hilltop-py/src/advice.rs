//! An advisor: a method whose history is kept by another program, which tells it anew what happened.
//!
//! A suggestion depends on the statement, the trial's number and what was told, in its order, and on nothing else: an
//! advisor made anew and told the same gives the same.

use std::collections::BTreeMap;

use hilltop_core::{History, Parameters, Proposer};
use hilltop_study::{Error, Result, Statement};
use serde_json::Value;

/// A method at work on a history of somebody else's.
pub struct Advisor {
    statement: Statement,
    proposer: Box<dyn Proposer>,
    history: History,
}

/// What an advisor suggests.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Where to evaluate.
    pub parameters: Parameters,
    /// What to [remember](Advisor::remember) after a restart to save time; the suggestions are the same without it.
    pub memory: Option<Value>,
}

impl Advisor {
    /// An advisor who knows nothing yet.
    pub fn new(statement: Statement) -> Result<Self> {
        let proposer = statement.proposer()?;
        let history = empty(&statement);
        Ok(Self {
            statement,
            proposer,
            history,
        })
    }

    /// Forgets what happened, not what was computed.
    pub fn forget(&mut self) {
        let memory = self.history.memory().cloned();
        self.history = empty(&self.statement);
        memory.into_iter().for_each(|memory| self.history.remember(memory));
    }

    /// Recalls what an advisor of the same study left.
    pub fn remember(&mut self, memory: Value) {
        self.history.remember(memory);
    }

    /// Takes note of a result; false where the point is none of the space or a value is missing or not finite.
    pub fn observe(&mut self, trial: u64, parameters: &Parameters, outputs: &BTreeMap<String, f64>) -> bool {
        let value = |name: &String| outputs.get(name).copied().filter(|value| value.is_finite());
        let values: Option<Vec<f64>> = self
            .statement
            .outputs
            .iter()
            .map(|output| value(&output.name))
            .collect();
        let point = self.statement.space.encode(parameters);
        let known = point.ok().zip(values);
        if let Some((point, values)) = &known {
            self.history.observe(trial, point, values);
        }
        known.is_some()
    }

    /// Takes note of a failure; false where the point is none of the space.
    pub fn fail(&mut self, trial: u64, parameters: &Parameters, reason: &str) -> bool {
        let point = self.statement.space.encode(parameters).ok();
        point.map(|point| self.history.fail(trial, point, reason)).is_some()
    }

    /// The point of a trial, while these others are under way; what is none of the space among them is left aside.
    pub fn suggest(&mut self, trial: u64, pending: &[(u64, Parameters)]) -> Result<Advice> {
        let mut history = self.history.clone();
        for (other, parameters) in pending {
            if let Ok(point) = self.statement.space.encode(parameters) {
                history.ask(*other, point);
            }
        }
        history.turn_to(trial);
        let query = self.proposer.propose(&history, 1)?.pop();
        let query = query.ok_or_else(|| Error::Statement {
            message: "the method gave no point".to_owned(),
        })?;
        query
            .memory
            .iter()
            .for_each(|memory| self.history.remember(memory.clone()));
        Ok(Advice {
            parameters: self.statement.space.decode(&query.point),
            memory: query.memory,
        })
    }
}

fn empty(statement: &Statement) -> History {
    History::new(statement.space.clone(), statement.outputs.clone(), statement.seed)
        .with_budget(statement.budget)
        .with_noise(statement.noisy)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;
    use crate::statement::stated;

    fn advisor() -> Advisor {
        let description = json!({
            "seed": 3, "parameters": { "x": { "float": [0, 1] }, "y": { "float": [0, 1] } },
            "outputs": { "value": { "minimize": true } },
        });
        Advisor::new(stated(&description).unwrap()).unwrap()
    }

    fn told(advisor: &mut Advisor, trials: u64) {
        for trial in 0..trials {
            let (x, y) = (trial as f64 / 20.0, (trial as f64 * 0.37).fract());
            let point = Parameters::from_iter([("x", x.into()), ("y", y.into())]);
            if trial % 5 == 4 {
                assert!(advisor.fail(trial, &point, "broken"));
            } else {
                assert!(advisor.observe(trial, &point, &BTreeMap::from([("value".into(), (x - y).powi(2))])));
            }
        }
    }

    #[test]
    fn an_advisor_made_anew_suggests_the_same() {
        let (mut first, mut second) = (advisor(), advisor());
        told(&mut first, 15);
        let early = first.suggest(15, &[]).unwrap();
        told(&mut second, 15);
        assert_eq!(early, second.suggest(15, &[]).unwrap());
        let pending = [(15, early.parameters)];
        let next = first.suggest(16, &pending).unwrap().parameters;
        assert_eq!(next, second.suggest(16, &pending).unwrap().parameters);
        assert_ne!(next, pending[0].1);
        first.forget();
        told(&mut first, 15);
        assert_eq!(next, first.suggest(16, &pending).unwrap().parameters);
    }

    #[test]
    fn what_is_no_result_of_the_space_is_left_aside() {
        let mut advisor = advisor();
        let outside = Parameters::from_iter([("x", 2.0.into()), ("y", 0.0.into())]);
        let inside = Parameters::from_iter([("x", 0.5.into()), ("y", 0.0.into())]);
        let value = |value: f64| BTreeMap::from([("value".to_owned(), value)]);
        assert!(!advisor.observe(0, &outside, &value(1.0)) && !advisor.fail(0, &outside, "x"));
        assert!(!advisor.observe(0, &inside, &value(f64::NAN)) && !advisor.observe(0, &inside, &BTreeMap::new()));
        assert!(advisor.suggest(0, &[(7, outside)]).is_ok());
    }
}
