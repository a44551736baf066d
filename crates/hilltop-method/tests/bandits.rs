//! Methods that choose among arms, and the same on ordinary spaces.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use hilltop_core::{Goal, History, Output, Points, Proposer, Rng, Space};
use hilltop_method::Recipe;
use serde_json::{Value, json};

const FEATURES: usize = 4;

fn outputs() -> Arc<[Output]> {
    [Output {
        name: "reward".into(),
        goal: Goal::Maximize,
    }]
    .into()
}

fn built(method: &Value, dim: usize) -> (Box<dyn Proposer>, History) {
    let (space, outputs) = (Arc::new(Space::unit_box(dim)), outputs());
    let proposer = Recipe::parse(method).unwrap().build(&space, &outputs).unwrap();
    (proposer, History::new(space, outputs, 5).with_noise(true))
}

fn arms(trial: u64, count: usize) -> Points {
    let mut rng = Rng::keyed(9, &[trial]);
    let rows: Vec<Vec<f64>> = (0..count)
        .map(|_| (0..FEATURES).map(|_| rng.uniform()).collect())
        .collect();
    Points::from_rows(FEATURES, rows.iter().map(Vec::as_slice))
}

/// An even function of one direction: a linear model learns nothing of it.
fn reward(point: &[f64]) -> f64 {
    4.0 * (point[0] - point[1]).powi(2)
}

/// One round: the arm that was chosen, and the regret.
fn round(proposer: &mut dyn Proposer, history: &mut History, trial: u64) -> (usize, f64) {
    let arms = arms(trial, 4);
    history.offer(Some(arms.clone()));
    history.turn_to(trial);
    let chosen = proposer.propose(history, 1).unwrap().remove(0).point;
    let arm = arms.rows().position(|arm| arm == chosen).unwrap();
    let noise = 0.3 * Rng::keyed(10, &[trial]).normal();
    history.observe(trial, &chosen, &[reward(&chosen) + noise]);
    let best = arms.rows().map(reward).fold(f64::MIN, f64::max);
    (arm, best - reward(&chosen))
}

fn play(proposer: &mut dyn Proposer, history: &mut History, rounds: u64) {
    for trial in 0..rounds {
        round(proposer, history, trial);
    }
}

fn regret(method: &Value, rounds: u64) -> f64 {
    let (mut proposer, mut history) = built(method, FEATURES);
    (0..rounds)
        .map(|trial| round(&mut *proposer, &mut history, trial).1)
        .sum()
}

fn choices(method: &str) -> String {
    let (mut proposer, mut history) = built(&json!(method), FEATURES);
    (0..30)
        .map(|trial| round(&mut *proposer, &mut history, trial).0.to_string())
        .collect()
}

#[test]
fn the_first_thirty_choices_never_change() {
    let stored = [
        ("neural-ucb", "032230113331103223130023011122"),
        ("neural-ts", "030001122130123223133023011322"),
        ("lin-ucb", "030201122330133223133002012020"),
        ("lin-ts", "030031031011202311210223231130"),
    ];
    for (method, expected) in stored {
        assert_eq!(choices(method), expected, "{method}");
    }
}

#[test]
fn networks_learn_what_a_linear_model_cannot() {
    let linear = regret(&json!("lin-ucb"), 300);
    for method in ["neural-ucb", "neural-ts"] {
        let neural = regret(&json!(method), 300);
        assert!(neural < 0.6 * linear, "{method}: {neural}, lin-ucb: {linear}");
    }
}

#[test]
fn a_proposer_that_forgot_everything_chooses_as_one_that_did_not() {
    for method in [
        json!("neural-ucb"),
        json!({ "name": "neural-ts", "draw": "pointwise", "covariance": "diagonal" }),
        json!({ "name": "neural-ts", "width": 300 }),
        json!("lin-ts"),
    ] {
        let (mut proposer, mut history) = built(&method, FEATURES);
        play(&mut *proposer, &mut history, 40);
        history.offer(Some(arms(40, 50)));
        history.turn_to(40);
        let kept = proposer.propose(&history, 1).unwrap();
        let fresh = built(&method, FEATURES).0.propose(&history, 1).unwrap();
        assert_eq!(kept, fresh, "{method}");
    }
}

#[test]
fn a_model_asked_for_between_rounds_is_the_one_that_rounds_are_chosen_with() {
    let (mut proposer, history) = built(&json!("neural-ucb"), FEATURES);
    let mut history = history.with_contexts(true);
    play(&mut *proposer, &mut history, 20);
    history.offer(Some(arms(20, 4)));
    let offered = beliefs(&mut *proposer, &history);
    history.offer(None);
    assert_eq!(beliefs(&mut *proposer, &history), offered);
    assert_ne!(beliefs(&mut *proposer, &history.with_contexts(false)), offered);
}

fn beliefs(proposer: &mut dyn Proposer, history: &History) -> (Vec<f64>, Vec<f64>) {
    let model = proposer.model(history).unwrap().unwrap();
    let beliefs = model.marginals().unwrap().beliefs(arms(50, 3).matrix());
    (beliefs.mean, beliefs.deviation)
}

#[test]
fn a_batch_never_has_an_arm_twice() {
    for method in ["neural-ucb", "neural-ts", "lin-ucb", "lin-ts", "random", "neural-bo"] {
        let (mut proposer, mut history) = built(&json!(method), FEATURES);
        play(&mut *proposer, &mut history, 4);
        history.offer(Some(arms(4, 6)));
        history.turn_to(4);
        let batch = proposer.propose(&history, 6).unwrap();
        let all = arms(4, 6);
        let mut taken: Vec<usize> = batch
            .iter()
            .map(|query| all.rows().position(|arm| arm == query.point).unwrap())
            .collect();
        taken.sort_unstable();
        assert_eq!(taken, [0, 1, 2, 3, 4, 5], "{method}");
        assert!(proposer.chooses());
    }
}

/// The lowest value of a bowl after some evaluations of a space.
fn lowest(method: &str) -> f64 {
    let space = Arc::new(Space::unit_box(2));
    let outputs: Arc<[Output]> = [Output {
        name: "cost".into(),
        goal: Goal::Minimize,
    }]
    .into();
    let mut proposer = Recipe::parse(&json!(method)).unwrap().build(&space, &outputs).unwrap();
    let mut history = History::new(space, outputs, 2);
    for trial in 0..30 {
        let point = proposer.propose(&history, 1).unwrap().remove(0).point;
        history.observe(trial, &point, &[(point[0] - 0.3).powi(2) + (point[1] - 0.6).powi(2)]);
    }
    history.objective()[history.best().unwrap()]
}

#[test]
fn ordinary_spaces_are_searched() {
    for (method, bound) in [("neural-ucb", 3e-3), ("neural-ts", 3e-3)] {
        let value = lowest(method);
        assert!(value < bound, "{method}: {value}");
    }
}

#[test]
fn settings_that_cannot_work_are_named() {
    let space = Arc::new(Space::unit_box(2));
    for (settings, named) in [
        (json!({ "name": "neural-ucb", "width": 0 }), "width"),
        (json!({ "name": "neural-ucb", "width": 31 }), "even"),
        (json!({ "name": "neural-ucb", "depth": 0 }), "depth"),
        (
            json!({ "name": "neural-ucb", "beta": { "name": "constant", "value": -1.0 } }),
            "beta",
        ),
        (json!({ "name": "neural-ts", "spread": -1.0 }), "spread"),
        (json!({ "name": "neural-ts", "regularisation": 0.0 }), "regularisation"),
        (json!({ "name": "neural-ts", "growth": -0.1 }), "growth"),
        (json!({ "name": "lin-ucb", "regularisation": -1.0 }), "regularisation"),
        (json!({ "name": "lin-ts", "spread": -0.5 }), "spread"),
    ] {
        let recipe = Recipe::parse(&settings).unwrap();
        let message = recipe.check(&space, &outputs(), None).unwrap_err().to_string();
        assert!(message.contains(named), "{settings}: {message}");
    }
}
