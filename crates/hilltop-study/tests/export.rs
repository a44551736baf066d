//! Exports, and stores of released versions.
#![allow(clippy::unwrap_used)]

mod support;

use hilltop_core::{Event, MemoryJournal, Outcome, Parameters};
use hilltop_study::State::{self, Complete, Failed, Reserved, Running};
use hilltop_study::export::{Format, export};
use hilltop_study::{Store, Study, StudyFile};
use serde_json::{Value as Json, json};
use support::{Watched, cost, witnessed};

fn written(study: &Study, format: Format) -> String {
    let mut output = Vec::new();
    export(study, format, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

fn small() -> Study {
    let study = Study::open(witnessed(), MemoryJournal::default()).unwrap();
    let at = |x: f64| Parameters::from_iter([("x1", x.into()), ("x2", 0.25.into())]);
    study.add(&at(0.5), &cost(1.5)).unwrap();
    study.ask(2).unwrap();
    study
        .tell_after(1, &Outcome::Failed("no, \"never\"\nagain".into()), Some(0.5))
        .unwrap();
    study
}

#[test]
fn json_has_the_study_and_its_trials_in_order() {
    let json: Json = serde_json::from_str(&written(&small(), Format::Json)).unwrap();
    assert_eq!(json["study"]["outputs"], json!({ "cost": { "minimize": true } }));
    let trials = json["trials"].as_array().unwrap();
    let point = json!({ "x1": 0.5, "x2": 0.25 });
    let first =
        json!({ "trial": 0, "state": "complete", "parameters": point, "outputs": { "cost": 1.5 }, "added": true });
    assert_eq!(trials[0], first);
    assert_eq!(
        (&trials[1]["state"], &trials[1]["reason"]),
        (&json!("failed"), &json!("no, \"never\"\nagain"))
    );
    assert!(trials[1]["parameters"]["x1"].is_number() && trials[1].get("outputs").is_none());
    assert_eq!(
        (&trials[2]["trial"], &trials[2]["state"]),
        (&json!(2), &json!("running"))
    );
    assert_eq!(trials.len(), 3);
}

#[test]
fn csv_has_a_row_a_trial_and_reads_back() {
    let text = written(&small(), Format::Csv);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(
        reader.headers().unwrap(),
        vec!["trial", "state", "x1", "x2", "cost", "seconds", "reason"]
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows[0], vec!["0", "complete", "0.5", "0.25", "1.5", "", ""]);
    assert_eq!(
        (&rows[1][4], &rows[1][5], &rows[1][6]),
        ("", "0.5", "no, \"never\"\nagain")
    );
    assert_eq!(&rows[2][1], "running");
}

#[test]
fn an_empty_study_exports_too() {
    let study = Study::open(witnessed(), MemoryJournal::default()).unwrap();
    let json: Json = serde_json::from_str(&written(&study, Format::Json)).unwrap();
    assert_eq!(json["trials"], json!([]));
    assert_eq!(written(&study, Format::Csv), "trial,state,x1,x2,cost,seconds,reason\n");
}

/// Files of released versions stay here for ever. They are never written anew: a change that breaks this test breaks
/// the studies of users.
#[test]
fn a_store_of_format_1_is_still_understood() {
    let lines = include_str!("data/store-v1.jsonl").lines();
    let events: Vec<Event> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let statement = StudyFile::new("study.toml", include_str!("data/store-v1.toml"))
        .check()
        .unwrap();
    let study = Study::open(statement, Store::new(Watched::ending(&events))).unwrap();
    let trials = study.trials().unwrap();
    let states: Vec<State> = trials.iter().map(|trial| trial.state).collect();
    assert_eq!(states, [Complete, Failed, Complete, Running, Running, Reserved]);
    assert_eq!(study.best().unwrap().unwrap().trial, 2);
    assert_eq!(trials[1].reason.as_deref(), Some("exit code 3: no mesh"));
    assert_eq!((trials[0].seconds, trials[0].horizon), (Some(2.5), Some(0)));
    assert_eq!(trials[4].worker.as_deref(), Some("4242-1f-0"));
    assert!(trials[2].added && trials[3].worker.is_none());
    for (event, line) in events.iter().zip(include_str!("data/store-v1.jsonl").lines()) {
        assert_eq!(
            serde_json::to_value(event).unwrap(),
            serde_json::from_str::<Json>(line).unwrap()
        );
    }
}
