//! Benchmarks: tables, lines of JSON and plots; what one suggestion costs.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use support::Desk;

#[test]
fn methods_are_compared_and_every_run_is_written() {
    let desk = Desk::new();
    let arguments = [
        "bench",
        "--methods",
        "sobol,random",
        "--problems",
        "branin,gardner,bbob:d2:f1+8:i1-2",
        "--seeds",
        "3",
        "--budget",
        "10d",
        "--out",
        "results",
    ];
    let table = desk.hilltop(&arguments).ok();
    assert!(table.starts_with("problem"), "{table}");
    assert!(
        table.contains("gardner") && table.contains("bbob-f8-d2-i2") && table.contains("bbob d=2"),
        "{table}"
    );
    assert!(table.contains("scaled sum"), "{table}");
    let lines = desk.read("results/runs.jsonl");
    let runs: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(runs.len(), 2 * 6 * 3);
    for run in &runs {
        let curve: Vec<Option<f64>> = run["curve"].as_array().unwrap().iter().map(Value::as_f64).collect();
        assert_eq!(curve.len(), 20);
        assert!(
            curve
                .windows(2)
                .all(|pair| pair[1].unwrap_or(f64::INFINITY) <= pair[0].unwrap_or(f64::INFINITY)),
            "{run}"
        );
        assert!(run["sum"].as_f64().is_some_and(|sum| sum >= 0.0), "{run}");
        assert!(run["gap"].as_f64().is_none_or(|gap| gap >= -1e-9), "{run}");
    }
    assert!(desk.read("results/bench.html").contains("BBOB, dimension 2"));
}

#[test]
fn a_run_depends_on_its_seed_and_not_on_the_threads() {
    let run = |threads: &str| {
        let desk = Desk::new();
        let arguments = [
            "bench",
            "--methods",
            "random",
            "--problems",
            "levy-3",
            "--seeds",
            "4",
            "--threads",
            threads,
            "--noise",
            "0.1",
            "--parallel",
            "2",
            "--json",
        ];
        let out = desk.hilltop(&arguments).ok();
        out.lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["curve"].clone())
            .collect::<Vec<_>>()
    };
    let (one, three) = (run("1"), run("3"));
    assert_eq!(one, three);
    assert!(one[0] != one[1]);
}

#[test]
fn a_suggestion_is_timed_in_a_process_of_its_own() {
    let desk = Desk::new();
    let timed = desk
        .hilltop(&[
            "bench",
            "--speed",
            "--methods",
            "random",
            "--dims",
            "3",
            "--sizes",
            "20",
            "--json",
        ])
        .json();
    assert_eq!(
        (timed["dimension"].clone(), timed["observations"].clone()),
        (json!(3), json!(20))
    );
    assert_eq!(timed["asks"].as_array().map(Vec::len), Some(10));
    if cfg!(target_os = "linux") {
        assert!(timed["memory"].as_u64().is_some_and(|bytes| bytes > 1 << 20));
    }
    let table = desk
        .hilltop(&[
            "bench",
            "--speed",
            "--methods",
            "sobol",
            "--dims",
            "2",
            "--sizes",
            "5,10",
        ])
        .ok();
    assert_eq!(
        table.lines().filter(|line| line.starts_with("sobol")).count(),
        2,
        "{table}"
    );
}
