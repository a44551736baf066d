//! A run: reproducible whatever the timing, continued after any crash, and replayed.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use hilltop_core::{Event, Outcome, Parameters};
use hilltop_study::evaluate::Closure;
use hilltop_study::{Ended, Evaluation, Evaluator, Notice, State, Statement, Stop, Store, Study, Summary, run};
use support::{Watched, bowl, cost, outputs, witnessed};

fn finish(statement: Statement, journal: &Watched, threads: usize) -> Summary {
    let study = Study::open(statement, Store::new(journal.clone())).unwrap();
    // Evaluations of very different lengths, so that results come back in any order.
    let turn = AtomicU64::new(0);
    let evaluator = Closure::new(outputs(), |parameters| {
        std::thread::sleep(Duration::from_micros(200 * (turn.fetch_add(7, Ordering::Relaxed) % 5)));
        bowl(parameters)
    });
    run(&study, &evaluator, threads, &|_| {}, &Stop::new()).unwrap()
}

fn undisturbed(parallel: usize, threads: usize) -> Watched {
    let journal = Watched::default();
    let summary = finish(witnessed().with_budget(14).with_parallel(parallel), &journal, threads);
    assert_eq!((summary.ended, summary.evaluated), (Ended::Budget, 14));
    journal
}

#[test]
fn suggestions_do_not_depend_on_timing_nor_on_the_number_of_threads() {
    for parallel in [1, 3] {
        let first = undisturbed(parallel, parallel).suggestions();
        assert_eq!(first.len(), 14);
        for threads in [1, 2, parallel, 5] {
            assert_eq!(
                undisturbed(parallel, threads).suggestions(),
                first,
                "parallel {parallel}, {threads} threads"
            );
        }
    }
    assert_ne!(undisturbed(1, 1).suggestions(), undisturbed(3, 3).suggestions());
}

#[test]
fn a_run_that_was_killed_after_any_event_continues_as_if_it_had_not_been() {
    for parallel in [1, 3] {
        let whole = undisturbed(parallel, parallel);
        let (events, suggestions) = (whole.events(), whole.suggestions());
        for end in 0..events.len() {
            let journal = Watched::ending(&events[..end]);
            finish(witnessed().with_budget(14).with_parallel(parallel), &journal, parallel);
            assert_eq!(
                journal.suggestions(),
                suggestions,
                "parallel {parallel}, killed after {end} events"
            );
            assert_eq!(journal.events()[..end], events[..end]);
            let told = journal
                .events()
                .iter()
                .filter(|event| matches!(event, Event::Told { .. }))
                .count();
            assert_eq!(told, 14, "parallel {parallel}, killed after {end} events");
        }
    }
}

#[test]
fn an_interrupted_run_is_continued_and_what_was_under_way_is_evaluated_again() {
    /// Gives up the fourth evaluation by asking for a stop.
    struct Interrupted(AtomicUsize);
    impl Evaluator for Interrupted {
        fn evaluate(&self, _: u64, parameters: &Parameters, stop: &Stop) -> Option<Evaluation> {
            if self.0.fetch_add(1, Ordering::SeqCst) >= 3 {
                stop.request();
                return None;
            }
            Some(Evaluation {
                outcome: Outcome::Outputs(bowl(parameters).unwrap_or(cost(9.0))),
                seconds: 0.0,
                accidental: false,
            })
        }
    }
    let stop = Stop::new();
    let journal = Watched::default();
    let study = Study::open(witnessed().with_budget(6), Store::new(journal.clone())).unwrap();
    let ended = |notice: &Notice<'_>| {
        if matches!(notice, Notice::Abandoned { .. }) {
            stop.request();
        }
    };
    let summary = run(&study, &Interrupted(AtomicUsize::new(0)), 1, &ended, &stop).unwrap();
    assert_eq!((summary.ended, summary.evaluated), (Ended::Stopped, 3));
    assert_eq!(study.trials().unwrap()[3].state, State::Running);
    drop(study);
    finish(witnessed().with_budget(6), &journal, 1);
    assert!(
        journal
            .events()
            .iter()
            .any(|event| matches!(event, Event::Adopted { trial: 3, .. }))
    );
    assert_eq!(journal.suggestions().len(), 6);
}

#[test]
fn a_budget_that_grows_continues_and_one_that_is_spent_does_nothing() {
    let journal = undisturbed(1, 1);
    assert_eq!(finish(witnessed().with_budget(14), &journal, 1).evaluated, 0);
    assert_eq!(finish(witnessed().with_budget(16), &journal, 1).evaluated, 2);
}

#[test]
fn results_from_elsewhere_cost_no_budget_and_are_seen_at_once() {
    let journal = Watched::default();
    let statement = || witnessed().with_budget(3).with_parallel(4);
    let study = Study::open(statement(), Store::new(journal.clone())).unwrap();
    let at = |x: f64| Parameters::from_iter([("x1", x.into()), ("x2", x.into())]);
    assert_eq!(study.add(&at(0.25), &cost(1.0)).unwrap(), 0);
    assert_eq!(study.add(&at(0.5), &cost(2.0)).unwrap(), 1);
    drop(study);
    assert_eq!(finish(statement(), &journal, 4).evaluated, 3);
    let study = Study::open(statement(), Store::new(journal.clone())).unwrap();
    assert_eq!(study.trials().unwrap().len(), 5);
    let blind = Watched::default();
    finish(statement(), &blind, 4);
    assert_ne!(journal.suggestions()[&2], blind.suggestions()[&2]);
    assert_eq!(study.replay().unwrap().difference, None);
}

#[test]
fn every_suggestion_is_found_again_by_replaying() {
    let journal = undisturbed(3, 3);
    let study = Study::open(witnessed().with_parallel(3), Store::new(journal.clone())).unwrap();
    for asked in study.ask(4).unwrap().into_iter().rev().take(2) {
        study.tell(asked.trial, &Outcome::Outputs(cost(0.5))).unwrap();
    }
    study.ask(1).unwrap();
    let replay = study.replay().unwrap();
    assert_eq!((replay.checked, replay.difference), (19, None));
}

#[test]
fn a_suggestion_that_was_changed_is_found_by_replaying() {
    let mut events = undisturbed(1, 1).events();
    for event in &mut events {
        if let Event::Asked {
            trial: 5, parameters, ..
        } = event
        {
            parameters.insert("x1", 0.123.into());
        }
    }
    let study = Study::open(witnessed(), Store::new(Watched::ending(&events))).unwrap();
    assert_eq!(study.replay().unwrap().difference.unwrap().trial, 5);
}

#[test]
fn an_asynchronous_run_spends_its_budget_and_replays() {
    let journal = Watched::default();
    let mut statement = witnessed().with_budget(20).with_parallel(4);
    statement.asynchronous = true;
    finish(statement.clone(), &journal, 4);
    let study = Study::open(statement, Store::new(journal)).unwrap();
    assert_eq!(
        study
            .trials()
            .unwrap()
            .iter()
            .filter(|trial| trial.state.is_settled())
            .count(),
        20
    );
    let replay = study.replay().unwrap();
    assert_eq!((replay.checked, replay.difference), (20, None));
}

#[test]
fn an_evaluator_that_lies_or_panics_makes_failures_and_the_study_goes_on() {
    struct Liar;
    impl Evaluator for Liar {
        fn evaluate(&self, trial: u64, _: &Parameters, _: &Stop) -> Option<Evaluation> {
            let outputs = match trial {
                0 => cost(f64::NAN),
                1 => BTreeMap::new(),
                _ => cost(1.0),
            };
            Some(Evaluation {
                outcome: Outcome::Outputs(outputs),
                seconds: f64::NAN,
                accidental: false,
            })
        }
    }
    let study = Study::open(witnessed().with_budget(3), Store::new(Watched::default())).unwrap();
    let summary = run(&study, &Liar, 1, &|_| {}, &Stop::new()).unwrap();
    assert_eq!((summary.evaluated, summary.failed), (3, 2));
    let reasons: Vec<_> = study.trials().unwrap().into_iter().map(|trial| trial.reason).collect();
    assert_eq!(
        reasons,
        [
            Some("output cost is NaN".into()),
            Some("output cost is missing".into()),
            None
        ]
    );
}

#[test]
fn a_number_that_was_taken_by_hand_and_got_no_point_is_used_again() {
    let journal = Watched::default();
    let study = Study::open(witnessed(), Store::new(journal.clone())).unwrap();
    let first = study.ask(2).unwrap();
    drop(study);
    let events = journal.events();
    let killed = events
        .iter()
        .position(|event| matches!(event, Event::Asked { trial: 1, .. }))
        .unwrap();
    let study = Study::open(witnessed(), Store::new(Watched::ending(&events[..killed]))).unwrap();
    assert_eq!(study.ask(1).unwrap()[0], first[1]);
    assert_eq!(study.trials().unwrap().len(), 2);
}
