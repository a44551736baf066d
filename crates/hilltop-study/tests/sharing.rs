//! Several processes on one store: no trial is lost, none is handed out twice, the dead are succeeded.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use hilltop_core::{Event, Journal, Outcome, Parameters};
use hilltop_study::evaluate::Closure;
use hilltop_study::{Error, Evaluation, Evaluator, Notice, SqliteJournal, State, Stop, Store, Study, run};
use support::{bowl, cost, outputs, witnessed};

fn open(path: &Path) -> Study {
    Study::open(witnessed().with_budget(40).with_parallel(4), Store::open(path).unwrap()).unwrap()
}

fn asked(path: &Path) -> Vec<(u64, Parameters)> {
    let events = SqliteJournal::open(path).unwrap().read(0).unwrap();
    let point = |event| match event {
        Event::Asked { trial, parameters, .. } => Some((trial, parameters)),
        _ => None,
    };
    let mut asked: Vec<_> = events.into_iter().filter_map(point).collect();
    asked.sort_by_key(|(trial, _)| *trial);
    asked
}

#[test]
fn eight_who_ask_and_tell_by_hand_never_clash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let handles = [open(&path), open(&path)];
    let seen = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for hand in 0..8 {
            let (study, seen) = (&handles[hand % 2], &seen);
            scope.spawn(move || {
                for _ in 0..25 {
                    let asked = study.ask(1).unwrap().remove(0);
                    study
                        .tell(asked.trial, &Outcome::Outputs(cost(asked.trial as f64)))
                        .unwrap();
                    seen.lock().unwrap().push(asked.trial);
                }
            });
        }
    });
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, (0..200).collect::<Vec<_>>());
    let trials = handles[0].trials().unwrap();
    assert!(
        trials
            .iter()
            .all(|trial| trial.outputs == Some(cost(trial.number as f64)))
    );
    assert_eq!(handles[1].replay().unwrap().difference, None);
}

#[test]
fn two_runs_on_one_store_share_its_budget_and_suggest_what_one_would_have() {
    let folder = tempfile::tempdir().unwrap();
    let (alone, shared) = (folder.path().join("alone.db"), folder.path().join("shared.db"));
    let evaluate = |parameters: &Parameters| {
        std::thread::sleep(Duration::from_millis(2));
        bowl(parameters)
    };
    let finish = |path: &Path| {
        let study = open(path);
        run(&study, &Closure::new(outputs(), evaluate), 4, &|_| {}, &Stop::new())
            .unwrap()
            .evaluated
    };
    assert_eq!(finish(&alone), 40);
    let counts = std::thread::scope(|scope| {
        let others = [scope.spawn(|| finish(&shared)), scope.spawn(|| finish(&shared))];
        others.map(|other| other.join().unwrap())
    });
    assert_eq!(counts[0] + counts[1], 40);
    assert_eq!(asked(&shared), asked(&alone));
}

#[test]
fn the_trial_of_a_living_worker_is_left_alone_and_that_of_a_dead_one_is_taken_over() {
    /// Evaluates until it is told to give up.
    struct Endless;
    impl Evaluator for Endless {
        fn evaluate(&self, _: u64, _: &Parameters, stop: &Stop) -> Option<Evaluation> {
            while !stop.is_requested() {
                std::thread::sleep(Duration::from_millis(1));
            }
            None
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let single = || Study::open(witnessed().with_budget(1), Store::open(&path).unwrap()).unwrap();
    let again = |study: &Study| {
        let taken = Mutex::new(None);
        let watch = |notice: &Notice<'_>| {
            if let Notice::Began { again, .. } = notice {
                *taken.lock().unwrap() = Some(*again);
            }
        };
        run(study, &Closure::new(outputs(), bowl), 1, &watch, &Stop::new()).unwrap();
        taken.into_inner().unwrap()
    };
    let (first, second, stop) = (single(), single(), Stop::new());
    std::thread::scope(|scope| {
        scope.spawn(|| run(&first, &Endless, 1, &|_| {}, &stop).unwrap());
        while first
            .trials()
            .unwrap()
            .first()
            .is_none_or(|trial| trial.state != State::Running)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(again(&second), None);
        stop.request();
    });
    let point = second.trials().unwrap()[0].parameters.clone();
    assert_eq!(again(&second), Some(true));
    let trial = &second.trials().unwrap()[0];
    assert!(trial.state.is_settled());
    assert_eq!(trial.parameters, point);
    let left = std::fs::read_dir(folder.path().join("a.db.workers")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "files of workers stayed behind");
}

#[test]
fn a_study_that_differs_from_the_stored_one_is_refused_with_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    open(&path).ask(1).unwrap();
    let refused = |statement| match Study::open(statement, Store::open(&path).unwrap()) {
        Err(Error::Mismatch { differences }) => differences.join("; "),
        Err(other) => panic!("{other}"),
        Ok(_) => String::new(),
    };
    assert_eq!(refused(witnessed().with_seed(3)), "seed is 0 in the store and 3 now");
    let mut other = witnessed();
    other.space = std::sync::Arc::new(hilltop_core::Space::of_box(&[(0.0, 1.0), (0.0, 2.0), (0.0, 1.0)]).unwrap());
    let message = refused(other);
    assert!(
        message.contains("parameters.x2 is") && message.contains("parameters.x3 is absent in the store"),
        "{message}"
    );
    assert_eq!(refused(witnessed().with_budget(3).with_parallel(9)), "");
}

#[test]
fn what_is_told_wrongly_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let study = open(&folder.path().join("a.db"));
    study.ask(2).unwrap();
    let tell = |trial, outputs: &[(&str, f64)]| {
        let outputs = outputs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect();
        study.tell(trial, &Outcome::Outputs(outputs))
    };
    assert!(matches!(
        tell(9, &[("cost", 1.0)]),
        Err(Error::UnknownTrial { trial: 9, begun: 2 })
    ));
    assert!(matches!(tell(0, &[]), Err(Error::MissingOutput { .. })));
    assert!(matches!(
        tell(0, &[("cost", 1.0), ("heat", 1.0)]),
        Err(Error::UnknownOutput { .. })
    ));
    assert!(matches!(tell(0, &[("cost", f64::NAN)]), Err(Error::NotFinite { .. })));
    assert!(matches!(
        tell(0, &[("cost", f64::INFINITY)]),
        Err(Error::NotFinite { .. })
    ));
    assert_eq!(study.trials().unwrap()[0].state, State::Running);
    tell(0, &[("cost", 1.0)]).unwrap();
    assert!(matches!(
        tell(0, &[("cost", 2.0)]),
        Err(Error::AlreadyTold {
            trial: 0,
            state: "complete"
        })
    ));
    study.tell(1, &Outcome::Failed("no".into())).unwrap();
    assert!(matches!(
        tell(1, &[("cost", 2.0)]),
        Err(Error::AlreadyTold {
            trial: 1,
            state: "failed"
        })
    ));
    let outside = Parameters::from_iter([("x1", 2.0.into()), ("x2", 0.5.into())]);
    assert!(matches!(study.add(&outside, &cost(1.0)), Err(Error::Point(_))));
    assert_eq!(study.trials().unwrap().len(), 2);
}
