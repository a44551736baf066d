//! The methods that train a network of modest size: `go-ucb`, `neural-greedy`, `dngo`.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use hilltop_core::{Goal, History, Output, Space};
use hilltop_method::{GoUcb, Recipe};
use hilltop_problem::{Problem, registry};
use serde_json::{Value, json};

fn outputs() -> Arc<[Output]> {
    [Output {
        name: "f".into(),
        goal: Goal::Minimize,
    }]
    .into()
}

/// The regrets of a run, one an evaluation, without noise.
fn regrets(recipe: &Recipe, problem: &dyn Problem, budget: usize, seed: u64) -> Vec<f64> {
    let bounds = problem.bounds();
    let space = Arc::new(Space::of_box(&bounds).unwrap());
    let mut proposer = recipe.build(&space, &outputs()).unwrap();
    let mut history = History::new(space, outputs(), seed).with_budget(Some(budget as u64));
    let least = problem.optimum().unwrap().value;
    let mut regrets = Vec::with_capacity(budget);
    for trial in 0..budget {
        let query = proposer.propose(&history, 1).unwrap().remove(0);
        let x: Vec<f64> = query
            .point
            .iter()
            .zip(&bounds)
            .map(|(u, (low, high))| low + u * (high - low))
            .collect();
        let value = problem.evaluate(&x).unwrap()[0];
        query.memory.into_iter().for_each(|memory| history.remember(memory));
        history.observe(trial as u64, &query.point, &[value]);
        regrets.push(value - least);
    }
    regrets
}

fn recipe(value: &Value) -> Recipe {
    Recipe::parse(value).unwrap()
}

fn small_go_ucb(count: usize) -> Value {
    let maximiser = json!({ "name": "gradient", "pool": { "points": 100, "near": 50 }, "starts": 3, "iterations": 30 });
    json!({ "name": "go-ucb", "design": { "kind": "uniform", "count": count }, "restarts": 2, "maximiser": maximiser })
}

fn small_greedy() -> Value {
    let training = json!({ "name": "adam", "rate": 0.01, "batch": 10, "epochs": 60 });
    json!({ "name": "neural-greedy", "design": { "count": 7 }, "width": 30, "training": training })
}

fn small_dngo() -> Value {
    let training = json!({ "name": "adam", "rate": 0.01, "batch": 10, "epochs": 100 });
    json!({ "name": "dngo", "design": { "count": 7 }, "width": 20, "depth": 2, "training": training })
}

/// The point that a recipe proposes after observing a bowl at the corners and in the middle of a square.
fn proposal(value: &Value) -> Vec<f64> {
    let space = Arc::new(Space::unit_box(2));
    let mut history = History::new(Arc::clone(&space), outputs(), 11);
    let rows = [
        [0.0, 0.0],
        [1.0, 0.0],
        [0.0, 1.0],
        [1.0, 1.0],
        [0.5, 0.5],
        [0.2, 0.6],
        [0.7, 0.3],
    ];
    for (trial, x) in rows.iter().enumerate() {
        history.observe(trial as u64, x, &[(x[0] - 0.3).powi(2) + (x[1] - 0.6).powi(2)]);
    }
    let mut proposer = recipe(value).build(&space, &outputs()).unwrap();
    proposer.propose(&history, 1).unwrap().remove(0).point
}

#[test]
fn stored_proposals_never_change() {
    let cases = [
        (small_go_ucb(5), [0.252_603_022_401, 0.486_377_352_888]),
        (small_greedy(), [0.357_995_796_695, 0.522_132_741_906]),
        (small_dngo(), [0.356_394_732_882, 0.608_785_930_549]),
    ];
    let moved = cases.iter().filter_map(|(value, expected)| {
        let point = proposal(value);
        let near = point
            .iter()
            .zip(expected)
            .all(|(found, expected)| (found - expected).abs() < 1e-4);
        (!near).then(|| format!("{}: {point:?}, stored {expected:?}", value["name"]))
    });
    assert_eq!(moved.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn go_ucb_hardly_ever_errs_on_a_network_of_its_own_family() {
    let problem = registry::lookup("go-ucb-f1").unwrap();
    let total = |seed| {
        regrets(&recipe(&small_go_ucb(5)), problem.as_ref(), 15, seed)[5..]
            .iter()
            .sum::<f64>()
    };
    let mean = (0..3).map(total).sum::<f64>() / 3.0;
    // Uniform points have 112 in ten rounds.
    assert!(mean < 40.0, "{mean}");
}

fn best(value: &Value, budget: usize, seed: u64) -> f64 {
    let problem = registry::lookup("branin").unwrap();
    regrets(&recipe(value), problem.as_ref(), budget, seed)
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn neural_greedy_finds_a_valley_of_branin() {
    let worst = (0..2).map(|seed| best(&small_greedy(), 25, seed)).fold(0.0, f64::max);
    assert!(worst < 1.0, "{worst}");
}

#[test]
fn dngo_finds_a_valley_of_branin() {
    let worst = (0..2).map(|seed| best(&small_dngo(), 25, seed)).fold(0.0, f64::max);
    assert!(worst < 6.0, "{worst}");
}

#[test]
fn a_batch_of_each_has_no_equal_points() {
    for value in [small_go_ucb(5), small_greedy(), small_dngo()] {
        let space = Arc::new(Space::unit_box(2));
        let mut history = History::new(Arc::clone(&space), outputs(), 11);
        for trial in 0..8_u32 {
            let x = [f64::from(trial % 3) / 2.0, f64::from(trial) / 8.0];
            history.observe(u64::from(trial), &x, &[(x[0] - 0.3).powi(2) + x[1]]);
        }
        let batch = recipe(&value)
            .build(&space, &outputs())
            .unwrap()
            .propose(&history, 4)
            .unwrap();
        for (i, query) in batch.iter().enumerate() {
            assert!(
                batch[..i].iter().all(|other| other.point != query.point),
                "{}",
                value["name"]
            );
        }
    }
}

#[test]
fn what_cannot_work_is_refused_before_any_evaluation() {
    let space = Arc::new(Space::unit_box(2));
    let refusal = |value: Value| recipe(&value).check(&space, &outputs(), None).unwrap_err().to_string();
    assert!(refusal(json!({ "name": "go-ucb", "width": 0 })).starts_with("width = 0"));
    let beta = json!({ "name": "constant", "value": -2.0 });
    assert!(refusal(json!({ "name": "go-ucb", "beta": beta })).starts_with("beta.value = -2"));
    assert!(refusal(json!({ "name": "go-ucb", "lambda": 0.0 })).starts_with("lambda = 0"));
    let region = json!({ "trust": { "width": 0.1, "smallest": 0.5 } });
    assert!(refusal(json!({ "name": "go-ucb", "region": region })).contains("smallest"));
    assert!(
        refusal(json!({ "name": "neural-greedy", "design": { "count": 7 }, "noise": -1.0 })).starts_with("noise = -1")
    );
    assert!(refusal(json!({ "name": "dngo", "design": { "count": 7 }, "width": 0 })).starts_with("width = 0"));
    let entropy = json!({ "name": "max-value-entropy", "samples": 0 });
    assert!(
        refusal(json!({ "name": "dngo", "design": { "count": 7 }, "acquisition": entropy })).starts_with("samples = 0")
    );
    let unknown = Recipe::parse(&json!({ "name": "go-ucb", "beta": "huge" }))
        .unwrap_err()
        .to_string();
    assert!(unknown.contains("deviations") && unknown.contains("paper"), "{unknown}");
}

#[test]
fn the_papers_constants_make_a_method_too() {
    let paper = Recipe::GoUcb(GoUcb {
        restarts: 1,
        ..GoUcb::paper(25)
    });
    let again = Recipe::parse(&serde_json::to_value(&paper).unwrap()).unwrap();
    assert_eq!(paper, again);
    let problem = registry::lookup("branin").unwrap();
    assert_eq!(regrets(&paper, problem.as_ref(), 8, 1).len(), 8);
}

#[test]
fn look_ahead_acquisitions_compose_with_any_model_that_has_what_they_need() {
    let maximiser = json!({ "name": "gradient", "pool": { "points": 100, "near": 50 }, "starts": 2, "iterations": 15 });
    let entropy = json!({ "name": "max-value-entropy", "samples": 4 });
    let knowledge = json!({ "name": "knowledge-gradient", "paths": 8, "alternatives": 4 });
    for acquisition in [entropy, knowledge] {
        let composed = json!({ "name": "compose", "acquisition": acquisition, "maximiser": maximiser });
        let found = best(&composed, 16, 1);
        assert!(found < 5.0, "{acquisition}: {found}");
    }
}
