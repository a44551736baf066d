//! Every method of the registry, on a built-in problem: a run replays, and a run that was cut continues as it would have.
#![allow(clippy::unwrap_used)]

mod support;

use hilltop_core::Event;
use hilltop_study::{Statement, Stop, Store, Study, StudyFile, run, session};
use support::Watched;

fn statement(method: &str) -> Statement {
    let physics = match method {
        "pinn-bo" => "[physics]\nequation = \"d(f,x2,x2) = 2\"\npoints = 30\n",
        _ => "",
    };
    let text = format!(
        "budget = 14\nparallel = 2\nseed = 3\nmethod = \"{method}\"\n{physics}[evaluate]\nproblem = \"branin\"\n"
    );
    StudyFile::new("study.toml", text).check().unwrap()
}

fn finish(method: &str, journal: &Watched) -> Study {
    let study = Study::open(statement(method), Store::new(journal.clone())).unwrap();
    let evaluator = study.statement().evaluator().unwrap();
    run(&study, &*evaluator, 2, &|_| {}, &Stop::new()).unwrap();
    study
}

#[test]
fn every_method_replays_and_continues_as_it_would_have() {
    for method in hilltop_method::registry::methods().iter().map(|entry| entry.name) {
        let whole = Watched::default();
        let study = finish(method, &whole);
        assert_eq!(study.replay().unwrap().difference, None, "{method}");
        assert!(study.best().unwrap().is_some());
        let events = whole.events();
        let cut = events
            .iter()
            .position(|event| matches!(event, Event::Asked { trial: 11, .. }))
            .unwrap();
        let resumed = Watched::ending(&events[..cut]);
        finish(method, &resumed);
        assert_eq!(resumed.suggestions(), whole.suggestions(), "{method}");
    }
}

#[test]
fn trials_of_single_outputs_replay_and_continue_as_they_would_have() {
    for method in ["ucb-c", "admmbo"] {
        let text = format!(
            "budget = 24\nparallel = 2\nmethod = {{ name = \"{method}\", queries = \"single\" }}\n[evaluate]\nproblem = \"branin-constrained\"\n"
        );
        let finish = |journal: &Watched| {
            let statement = StudyFile::new("study.toml", text.clone()).check().unwrap();
            let study = Study::open(statement, Store::new(journal.clone())).unwrap();
            let evaluator = study.statement().evaluator().unwrap();
            run(&study, &*evaluator, 2, &|_| {}, &Stop::new()).unwrap();
            study
        };
        let whole = Watched::default();
        let study = finish(&whole);
        assert_eq!(study.replay().unwrap().difference, None, "{method}");
        let wanted = |event: &&Event| matches!(event, Event::Asked { outputs, .. } if outputs.len() == 1);
        let events = whole.events();
        assert!(events.iter().filter(wanted).count() > 5, "{method}");
        let cut = events
            .iter()
            .position(|event| matches!(event, Event::Asked { trial: 20, .. }));
        let resumed = Watched::ending(&events[..cut.unwrap()]);
        finish(&resumed);
        assert_eq!(resumed.suggestions(), whole.suggestions(), "{method}");
        let best = study.best().unwrap().unwrap();
        assert_eq!(best.outputs.len(), 2, "an answer is whole");
    }
}

#[test]
fn the_best_comes_with_what_the_model_believes_there() {
    let study = finish("auto", &Watched::default());
    let best = session::answer(&study, "{\"best\": true}");
    let (observed, predicted) = (&best["best"]["outputs"]["f"], &best["best"]["predicted"]["f"]);
    let gap = observed.as_f64().unwrap() - predicted["mean"].as_f64().unwrap();
    assert!(gap.abs() < 20.0 && predicted["sd"].as_f64().unwrap() >= 0.0, "{best}");
    let answer = study.recommend().unwrap().unwrap();
    assert!(study.statement().space.encode(&answer.parameters).is_ok());
}
