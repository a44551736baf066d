//! The line protocol, line by line: what is asked is answered, what is wrong is answered by an error, nothing ends it.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use hilltop_core::{Candidates, MemoryJournal, Space, Value};
use hilltop_study::{Method, Statement, Study, session};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use support::{outputs, witnessed};

fn study() -> Study {
    Study::open(witnessed(), MemoryJournal::default()).unwrap()
}

fn transcript(study: &Study, input: &[u8]) -> Vec<Json> {
    let mut output = Vec::new();
    session::serve(study, input, &mut output).unwrap();
    String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn asking_telling_adding_and_the_best() {
    let study = study();
    let answers = transcript(
        &study,
        br#"{"best": true}
{"ask": 2}

{"tell": {"trial": 0, "outputs": {"cost": 1.25}, "seconds": 2}}
{"tell": {"trial": 1, "failed": "mesh did not converge"}}
{"add": {"parameters": {"x1": 0.5, "x2": 0.25}, "outputs": {"cost": 0.5}}}
{"best": true}"#,
    );
    assert_eq!(answers[0], json!({ "best": null }));
    let trials = answers[1]["trials"].as_array().unwrap();
    assert_eq!((&trials[0]["trial"], &trials[1]["trial"]), (&json!(0), &json!(1)));
    assert!(trials[1]["parameters"]["x2"].is_f64());
    assert_eq!(answers[2], json!({ "told": { "trial": 0 } }));
    assert_eq!(answers[3], json!({ "told": { "trial": 1 } }));
    assert_eq!(answers[4], json!({ "told": { "trial": 2 } }));
    let best = json!({ "trial": 2, "parameters": { "x1": 0.5, "x2": 0.25 }, "outputs": { "cost": 0.5 } });
    assert_eq!(answers[5], json!({ "best": best }));
    assert_eq!(answers.len(), 6);
}

#[test]
fn every_wrong_line_is_answered_by_its_code_and_changes_nothing() {
    let study = study();
    transcript(
        &study,
        b"{\"ask\": 2}\n{\"tell\": {\"trial\": 0, \"outputs\": {\"cost\": 1}}}",
    );
    let before = study.trials().unwrap();
    for (line, code) in [
        ("ask", "malformed"),
        ("{\"ask\": 1", "malformed"),
        ("[1, 2]", "malformed"),
        ("null", "malformed"),
        ("{}", "malformed"),
        ("{\"ask\": 1, \"best\": true}", "malformed"),
        ("{\"ask\": 0}", "malformed"),
        ("{\"ask\": -1}", "malformed"),
        ("{\"ask\": 1.5}", "malformed"),
        ("{\"ask\": \"two\"}", "malformed"),
        ("{\"ask\": 100000000000}", "malformed"),
        ("{\"sak\": 1}", "unknown-command"),
        ("{\"best\": false}", "malformed"),
        ("{\"tell\": 1}", "malformed"),
        ("{\"tell\": {\"outputs\": {\"cost\": 1}}}", "malformed"),
        (
            "{\"tell\": {\"trial\": \"1\", \"outputs\": {\"cost\": 1}}}",
            "malformed",
        ),
        ("{\"tell\": {\"trial\": 1}}", "malformed"),
        (
            "{\"tell\": {\"trial\": 1, \"outputs\": {\"cost\": 1}, \"failed\": \"no\"}}",
            "malformed",
        ),
        ("{\"tell\": {\"trial\": 1, \"failed\": 3}}", "malformed"),
        ("{\"tell\": {\"trial\": 1, \"output\": {\"cost\": 1}}}", "malformed"),
        ("{\"tell\": {\"trial\": 1, \"outputs\": [1]}}", "bad-outputs"),
        ("{\"tell\": {\"trial\": 1, \"outputs\": {}}}", "bad-outputs"),
        (
            "{\"tell\": {\"trial\": 1, \"outputs\": {\"cost\": null}}}",
            "bad-outputs",
        ),
        (
            "{\"tell\": {\"trial\": 1, \"outputs\": {\"cost\": 1, \"heat\": 2}}}",
            "bad-outputs",
        ),
        ("{\"tell\": {\"trial\": 1, \"outputs\": {\"cost\": NaN}}}", "malformed"),
        (
            "{\"tell\": {\"trial\": 1, \"outputs\": {\"cost\": 1e999}}}",
            "malformed",
        ),
        ("{\"tell\": {\"trial\": 7, \"failed\": \"x\"}}", "unknown-trial"),
        (
            "{\"tell\": {\"trial\": 18446744073709551615, \"failed\": \"x\"}}",
            "unknown-trial",
        ),
        ("{\"tell\": {\"trial\": 0, \"failed\": \"x\"}}", "already-told"),
        (
            "{\"add\": {\"parameters\": {\"x1\": 0.5}, \"outputs\": {\"cost\": 1}}}",
            "bad-parameters",
        ),
        (
            "{\"add\": {\"parameters\": {\"x1\": 0.5, \"x2\": 7}, \"outputs\": {\"cost\": 1}}}",
            "bad-parameters",
        ),
        (
            "{\"add\": {\"parameters\": {\"x1\": [], \"x2\": 0}, \"outputs\": {\"cost\": 1}}}",
            "bad-parameters",
        ),
        (
            "{\"add\": {\"parameters\": {\"x1\": 0, \"x2\": 0, \"x3\": 0}, \"outputs\": {\"cost\": 1}}}",
            "bad-parameters",
        ),
        ("{\"add\": {\"parameters\": {\"x1\": 0.5, \"x2\": 0.5}}}", "malformed"),
    ] {
        let answer = session::answer(&study, line);
        assert_eq!(answer["error"]["code"], code, "{line} gave {answer}");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(study.trials().unwrap(), before);
}

#[test]
fn bytes_that_are_no_text_and_lines_without_end_do_not_end_the_session() {
    let study = study();
    let mut input = b"\xff\xfe{\"ask\": 1}\n".to_vec();
    input.extend(std::iter::repeat_n(b'[', 100_000));
    input.extend(b"\n");
    input.extend(std::iter::repeat_n(b' ', 17 << 20));
    input.extend(b"{\"ask\": 1}\n{\"ask\": 1}");
    let answers = transcript(&study, &input);
    assert_eq!(answers.len(), 4);
    assert!(answers[..3].iter().all(|answer| answer["error"]["code"] == "malformed"));
    assert_eq!(answers[3]["trials"][0]["trial"], 0);
}

#[test]
fn a_finite_space_gives_what_it_has_and_then_says_that_it_is_exhausted() {
    let rows: Vec<Vec<Value>> = (0..3).map(|k| vec![Value::Int(k)]).collect();
    let space = Space::finite(Candidates::from_rows(vec!["x1"], rows).unwrap());
    let statement = Statement::new(Arc::new(space), outputs(), Method::custom("rows", || Ok(Rows))).unwrap();
    let study = Study::open(statement, MemoryJournal::default()).unwrap();
    let answers = transcript(
        &study,
        b"{\"ask\": 4}\n{\"ask\": 1}\n{\"ask\": 3}\n{\"ask\": 1}\n{\"ask\": 2}\n",
    );
    let more =
        json!({ "code": "too-many", "message": "4 different points cannot be asked for at once: the space has 3" });
    assert_eq!(answers[0]["error"], more);
    assert_eq!(answers[1]["trials"].as_array().unwrap().len(), 1);
    assert_eq!(answers[2]["trials"].as_array().unwrap().len(), 2);
    assert_eq!(answers[3]["error"]["code"], "exhausted");
    assert_eq!(answers[4]["error"]["code"], "exhausted");
    let told = session::answer(&study, "{\"tell\": {\"trial\": 2, \"outputs\": {\"cost\": 1}}}");
    assert_eq!(told, json!({ "told": { "trial": 2 } }));
}

/// Takes the first row that is not known.
struct Rows;

impl hilltop_core::Proposer for Rows {
    fn propose(
        &mut self,
        history: &hilltop_core::History,
        _count: usize,
    ) -> hilltop_core::Result<Vec<hilltop_core::Query>> {
        let all = history.space().enumerate(100).unwrap_or_default();
        let exhausted = hilltop_core::Error::Exhausted {
            points: all.len() as u64,
        };
        let fresh = all
            .into_iter()
            .find(|point| !history.known_points().any(|known| known == point.as_slice()));
        Ok(vec![fresh.ok_or(exhausted)?.into()])
    }
}

proptest! {
    #[test]
    fn no_line_brings_the_session_down(
        line in prop_oneof![
            ".*",
            "\\{\"(ask|tell|add|best)\": ?[-0-9a-z\\[\\]{}\":, ]*\\}",
            "\\{\"tell\": \\{\"trial\": [0-9]{1,20}, \"outputs\": \\{\"cost\": [-0-9.e]{1,9}\\}\\}\\}",
        ]
    ) {
        let study = study();
        let answer = session::answer(&study, &line);
        prop_assert!(answer.is_object());
    }
}
