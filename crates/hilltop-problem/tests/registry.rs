//! Names of problems: what resolves, to what, and what is said of the others.
#![allow(clippy::unwrap_used)]

use hilltop_problem::{Problem, ProblemSpec, registry};

fn message(name: &str) -> String {
    registry::lookup(name)
        .err()
        .map_or_else(|| panic!("{name} should be refused"), |error| error.to_string())
}

#[test]
fn every_row_of_the_table_has_a_name_that_resolves_to_itself() {
    let rows = registry::all();
    assert_eq!(rows.len(), 25 + 24);
    for row in rows {
        let problem = registry::lookup(&row.example).unwrap();
        assert_eq!(problem.name(), row.example);
        assert_eq!(problem.about(), row.about);
        assert_eq!(problem.outputs().len(), row.constraints + 1);
        assert_eq!(problem.bounds().len(), problem.dim());
        for text in [row.bounds, row.optimum, row.about, row.source, &row.dimensions] {
            assert!(!text.is_empty(), "{}", row.name);
        }
    }
}

#[test]
fn names_differ_from_row_to_row() {
    let names: std::collections::BTreeSet<_> = registry::all().into_iter().map(|row| row.name).collect();
    assert_eq!(names.len(), registry::all().len());
}

#[test]
fn a_dimension_behind_the_name_is_the_dimension_of_the_problem() {
    for (name, dim) in [
        ("ackley-100", 100),
        ("levy-1", 1),
        ("michalewicz-30", 30),
        ("hartmann-6", 6),
        ("go-ucb-f1", 20),
    ] {
        assert_eq!(registry::lookup(name).unwrap().dim(), dim);
    }
    assert_eq!(registry::lookup("branin-2").unwrap().name(), "branin");
}

#[test]
fn bbob_names_carry_function_dimension_and_instance() {
    let full = |name: &str| registry::lookup(name).unwrap().name().to_owned();
    assert_eq!(full("bbob-f8-d5-i3"), "bbob-f8-d5-i3");
    assert_eq!(full("bbob-8-d5-i3"), "bbob-f8-d5-i3");
    assert_eq!(full("bbob-f24-d40"), "bbob-f24-d40-i1");
    let value = |name: &str| registry::lookup(name).unwrap().optimum().unwrap().value;
    assert!((value("bbob-f8-d5-i1") - value("bbob-f8-d5-i2")).abs() > 0.01);
}

#[test]
fn a_malformed_name_says_what_is_wrong_and_what_was_meant() {
    let cases = [
        (
            "akley-10",
            "problem `akley-10`: there is no such problem; did you mean `ackley-10`?",
        ),
        (
            "Ackley-10",
            "problem `Ackley-10`: there is no such problem; did you mean `ackley-10`?",
        ),
        (
            "styblinski_tang_10",
            "there is no such problem; did you mean `styblinski-tang-10`?",
        ),
        ("hartmann", "there is no such problem; did you mean `hartmann-6`?"),
        ("hartmann-3", "there is no such problem; did you mean `hartmann-6`?"),
        ("ackley", "it needs a dimension, 1 to 10000; did you mean `ackley-10`?"),
        ("ackley-", "there is no such problem; did you mean `ackley-10`?"),
        ("ackley-ten", "there is no such problem; did you mean `ackley-10`?"),
        ("ackley-0", "dimension 0 is not within 1 to 10000"),
        ("ackley--3", "there is no such problem; did you mean `ackley-3`?"),
        (
            "ackley-99999999999999999999999",
            "is not within 1 to 10000; did you mean `ackley-10`?",
        ),
        (
            "ackley-constrained-3",
            "its dimension is 5, not 3; did you mean `ackley-constrained`?",
        ),
        ("drop-wave-3", "its dimension is 2, not 3; did you mean `drop-wave`?"),
        (
            "bbob",
            "a BBOB problem is written bbob-f<function>-d<dimension>-i<instance>; did you mean `bbob-f8-d5-i1`?",
        ),
        ("bbob-f3", "did you mean `bbob-f3-d5-i1`?"),
        (
            "bbob-f3-5-i1",
            "is written bbob-f<function>-d<dimension>-i<instance>; did you mean `bbob-f3-d5-i1`?",
        ),
        ("bbob-f25-d5-i1", "BBOB has functions 1 to 24, not 25"),
        ("bbob-f0-d5-i1", "BBOB has functions 1 to 24, not 0"),
        ("bbob-f3-d1-i1", "dimension 1 is not within 2 to 1000"),
        ("bbob-f3-d5-i0", "instances are 1 to 100000, not 0"),
        (
            "bbob-f3-d5-i1-x",
            "is written bbob-f<function>-d<dimension>-i<instance>",
        ),
        ("bbobf3-d5-i1", "is written bbob-f<function>-d<dimension>-i<instance>"),
        (
            "compressor",
            "there is no such problem; `hilltop problems` lists what there is",
        ),
        ("", "there is no such problem; `hilltop problems` lists what there is"),
        ("-", "there is no such problem; `hilltop problems` lists what there is"),
        (
            "ä-ö-ü",
            "there is no such problem; `hilltop problems` lists what there is",
        ),
    ];
    for (name, expected) in cases {
        assert!(message(name).contains(expected), "{name}: {}", message(name));
    }
}

#[test]
fn every_suggestion_is_a_name_that_resolves() {
    for name in [
        "akley-3",
        "levi-0",
        "bbob-f99-d1-i0",
        "bbob 3 d 7",
        "Branin_2",
        "gramacy-x",
        "go-ucb-f1-0",
        "speedreducer",
    ] {
        let error = registry::lookup(name).err().unwrap();
        assert_eq!(error.name, name);
        let suggestion = error.suggestion.unwrap();
        assert!(registry::lookup(&suggestion).is_ok(), "{name}: {suggestion}");
    }
}

#[test]
fn a_problem_in_parts_is_the_problem_of_the_full_name() {
    let spec = |json: &str| serde_json::from_str::<ProblemSpec>(json).unwrap();
    let name = |json: &str| spec(json).problem().unwrap().name().to_owned();
    assert_eq!(name(r#"{"name": "ackley", "dim": 10, "noise": 0.05}"#), "ackley-10");
    assert_eq!(name(r#"{"name": "ackley-10"}"#), "ackley-10");
    assert_eq!(name(r#"{"name": "hartmann", "dim": 6}"#), "hartmann-6");
    assert_eq!(name(r#"{"name": "branin", "dim": 2}"#), "branin");
    assert_eq!(name(r#"{"name": "bbob-f8", "dim": 5, "instance": 2}"#), "bbob-f8-d5-i2");
    assert_eq!(name(r#"{"name": "bbob-f8-d5", "instance": 2}"#), "bbob-f8-d5-i2");
    assert_eq!(name(r#"{"name": "bbob-f8", "dim": 5}"#), "bbob-f8-d5-i1");
    let noisy = spec(r#"{"name": "ackley", "dim": 10, "noise": 0.05}"#)
        .problem()
        .unwrap();
    assert!((noisy.fraction() - 0.05).abs() < 1e-15 && noisy.errors()[0] > 0.0);
}

#[test]
fn a_wrong_part_is_refused_by_name() {
    let refusal = |json: &str| {
        let spec = serde_json::from_str::<ProblemSpec>(json).unwrap();
        spec.problem().err().unwrap().to_string()
    };
    assert!(refusal(r#"{"name": "ackley", "dim": 3, "instance": 1}"#).contains("only BBOB problems have instances"));
    assert!(refusal(r#"{"name": "ackley", "dim": 3, "noise": -1}"#).contains("0 or more, not -1"));
    assert!(refusal(r#"{"name": "drop-wave", "dim": 3}"#).contains("its dimension is 2, not 3"));
    assert!(refusal(r#"{"name": "ackley-10", "dim": 10}"#).contains("did you mean `ackley-10`?"));
    assert!(serde_json::from_str::<ProblemSpec>(r#"{"name": "ackley", "dims": 3}"#).is_err());
}
