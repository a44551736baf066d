//! Asks that are given up, workers that ask for their tasks, and failures known from elsewhere.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use hilltop_core::{Goal, History, MemoryJournal, Outcome, Output, Proposer, Query, Space};
use hilltop_study::{Error, Method, State, Statement, Stop, Study, Task};

/// A method that wants to be stopped while it proposes its third point.
struct Tired(Stop);

impl Proposer for Tired {
    fn propose(&mut self, history: &History, _: usize) -> hilltop_core::Result<Vec<Query>> {
        if history.next_trial() == 2 {
            self.0.request();
        }
        Ok(vec![Query::from(vec![history.next_trial() as f64 / 10.0])])
    }
}

fn study(method: Method) -> Study {
    let outputs = [Output {
        name: "cost".into(),
        goal: Goal::Minimize,
    }];
    let statement = Statement::new(Arc::new(Space::unit_box(1)), outputs.into(), method).unwrap();
    Study::open(statement.with_budget(4), MemoryJournal::default()).unwrap()
}

fn cost(value: f64) -> Outcome {
    Outcome::Outputs(BTreeMap::from([("cost".to_owned(), value)]))
}

#[test]
fn an_ask_that_is_stopped_writes_no_point_and_its_number_is_the_next_asks() {
    let stop = Stop::new();
    let heard = stop.clone();
    let study = study(Method::custom("tired", move || Ok(Tired(heard.clone()))));
    assert!(matches!(study.ask_unless(4, &stop), Err(Error::Stopped)));
    let states: Vec<State> = study.trials().unwrap().iter().map(|trial| trial.state).collect();
    assert_eq!(states, [State::Running, State::Running, State::Reserved]);
    assert!(matches!(study.ask_unless(1, &stop), Err(Error::Stopped)));
    let asked = study.ask(1).unwrap();
    assert_eq!(asked[0].trial, 2);
    assert_eq!(study.trials().unwrap().len(), 3);
}

#[test]
fn a_worker_is_told_what_to_evaluate_until_the_budget_is_spent() {
    let study = study(Method::parse("random").unwrap());
    let worker = study.enlist().unwrap();
    for expected in 0..4 {
        let Task::Evaluate { asked, again } = study.task(&worker).unwrap() else {
            panic!("a task is left")
        };
        assert_eq!((asked.trial, again), (expected, false));
        study.tell(asked.trial, &cost(1.0)).unwrap();
    }
    assert_eq!(study.task(&worker).unwrap(), Task::Done);
    assert_eq!(study.events().unwrap().len(), 1 + 4 * 3);
}

#[test]
fn a_failure_from_elsewhere_is_a_trial() {
    let study = study(Method::parse("random").unwrap());
    let point = study.statement().space.decode(&[0.5]);
    assert_eq!(study.add_failed(&point, "breaks").unwrap(), 0);
    let trial = study.trials().unwrap().remove(0);
    assert_eq!(
        (trial.state, trial.reason.as_deref(), trial.added),
        (State::Failed, Some("breaks"), true)
    );
    let outside = hilltop_core::Parameters::from_iter([("x1", 2.0.into())]);
    assert!(matches!(study.add_failed(&outside, "breaks"), Err(Error::Point(_))));
}
