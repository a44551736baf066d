//! What the tests share: a proposer that shows every difference in what it was shown, and small studies.

#![allow(dead_code, clippy::unwrap_used, missing_docs, unreachable_pub)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use hilltop_core::{
    Event, Goal, History, Journal, JournalError, MemoryJournal, Output, Parameters, Proposer, Query, Rng, Space, Value,
};
use hilltop_study::{Method, Statement};

/// Proposes a point that depends on every bit of the history: results, failures, points under way, their orders.
pub struct Witness;

impl Proposer for Witness {
    fn propose(&mut self, history: &History, count: usize) -> hilltop_core::Result<Vec<Query>> {
        assert_eq!(count, 1);
        let mut seen: Vec<u64> = vec![history.next_trial(), u64::MAX];
        for index in 0..history.len() {
            seen.push(history.trials()[index]);
            seen.extend(history.points().row(index).iter().map(|x| x.to_bits()));
            seen.push(history.objective()[index].to_bits());
        }
        seen.push(u64::MAX - 1);
        seen.extend(history.failures().iter().map(|failure| failure.trial));
        seen.push(u64::MAX - 2);
        seen.extend(history.pending().iter().map(|pending| pending.trial));
        let mut rng = Rng::keyed(history.seed(), &seen);
        let memory = serde_json::json!({ "trial": history.next_trial() });
        Ok(vec![Query {
            point: history.space().sample(&mut rng)?,
            memory: Some(memory),
            outputs: Vec::new(),
        }])
    }
}

pub fn outputs() -> Arc<[Output]> {
    [Output {
        name: "cost".into(),
        goal: Goal::Minimize,
    }]
    .into()
}

pub fn witnessed() -> Statement {
    let space = Arc::new(Space::unit_box(2));
    Statement::new(space, outputs(), Method::custom("witness", || Ok(Witness))).unwrap()
}

pub fn cost(value: f64) -> BTreeMap<String, f64> {
    BTreeMap::from([("cost".to_owned(), value)])
}

/// A smooth function that fails in a corner.
pub fn bowl(parameters: &Parameters) -> Result<BTreeMap<String, f64>, String> {
    let x = |name| parameters.get(name).and_then(Value::number).unwrap();
    if x("x1") > 0.8 {
        return Err("too far".into());
    }
    Ok(cost((x("x1") - 0.3).powi(2) + (x("x2") - 0.6).powi(2)))
}

/// A journal in memory that a test keeps its eyes on.
#[derive(Clone, Default)]
pub struct Watched(pub Arc<Mutex<MemoryJournal>>);

impl Watched {
    /// A journal that ends after these events.
    pub fn ending(events: &[Event]) -> Self {
        let journal = Self::default();
        journal.0.lock().unwrap().append(0, events).unwrap();
        journal
    }

    pub fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap().read(0).unwrap()
    }

    /// The suggestions by trial.
    pub fn suggestions(&self) -> BTreeMap<u64, Parameters> {
        let suggestion = |event| match event {
            Event::Asked { trial, parameters, .. } => Some((trial, parameters)),
            _ => None,
        };
        self.events().into_iter().filter_map(suggestion).collect()
    }
}

impl Journal for Watched {
    fn append(&mut self, position: u64, events: &[Event]) -> Result<(), JournalError> {
        self.0.lock().unwrap().append(position, events)
    }

    fn read(&mut self, position: u64) -> Result<Vec<Event>, JournalError> {
        self.0.lock().unwrap().read(position)
    }
}
