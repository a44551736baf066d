//! What holds for every method: a registered method gets all of this for its name alone.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use hilltop_core::physics::Physics;
use hilltop_core::{Expression, Goal, History, Kind, Knowledge, Output, Parameter, Proposer, Space};
use hilltop_method::{NeuralBo, Recipe, registry};
use hilltop_problem::{Problem, registry as problems};
use serde_json::json;

fn outputs() -> Arc<[Output]> {
    [Output {
        name: "f".into(),
        goal: Goal::Minimize,
    }]
    .into()
}

fn recipe(name: &str) -> Recipe {
    Recipe::parse(&json!(name)).unwrap()
}

/// Something that may be known of the objective, for methods that ask for it.
fn known(space: &Space) -> Arc<Knowledge> {
    let float = |parameter: &&Parameter| matches!(parameter.kind, Kind::Float { log: false, .. });
    let equation = match space.parameters().iter().find(float) {
        Some(parameter) => format!("d(f,{0},{0}) = 2", parameter.name),
        None => "f = 1".to_owned(),
    };
    let physics = Physics::new(equation).points(30);
    Arc::new(physics.bind(space, &outputs()[0]).unwrap())
}

fn built(recipe: &Recipe, space: &Arc<Space>) -> Box<dyn Proposer> {
    let known = (recipe.name() == "pinn-bo").then(|| known(space));
    recipe.build_with(space, &outputs(), known.as_ref()).unwrap()
}

fn begin(recipe: &Recipe, space: &Arc<Space>, seed: u64) -> (Box<dyn Proposer>, History) {
    (built(recipe, space), History::new(Arc::clone(space), outputs(), seed))
}

/// A black box over encoded points.
type Function<'a> = &'a dyn Fn(&[f64]) -> f64;

/// One round: the proposed point is observed.
fn step(proposer: &mut dyn Proposer, history: &mut History, f: Function<'_>) -> Vec<f64> {
    let trial = history.next_trial();
    let query = proposer.propose(history, 1).unwrap().remove(0);
    query.memory.into_iter().for_each(|memory| history.remember(memory));
    let value = f(&query.point);
    history.observe(trial, &query.point, &[value]);
    query.point
}

/// The gap to the optimum after a budget.
fn gap(recipe: &Recipe, problem: &dyn Problem, budget: u64, seed: u64) -> f64 {
    let bounds = problem.bounds();
    let space = Arc::new(Space::of_box(&bounds).unwrap());
    let (mut proposer, history) = begin(recipe, &space, seed);
    let mut history = history.with_budget(Some(budget));
    let f = |point: &[f64]| {
        let x: Vec<f64> = point
            .iter()
            .zip(&bounds)
            .map(|(u, (low, high))| low + u * (high - low))
            .collect();
        problem.evaluate(&x).unwrap()[0]
    };
    for _ in 0..budget {
        step(proposer.as_mut(), &mut history, &f);
    }
    history.objective()[history.best().unwrap()] - problem.optimum().unwrap().value
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn mixed() -> Arc<Space> {
    let parameters = vec![
        Parameter::float("a", 0.0, 1.0),
        Parameter::log_float("b", 1e-3, 1.0),
        Parameter::int("c", 1, 9),
        Parameter::choice("d", ["x", "y", "z"]),
        Parameter::float("e", 0.0, 1.0).when("d == 'y'").unwrap(),
    ];
    Arc::new(Space::new(parameters, vec![Expression::parse("a + b <= 1.2").unwrap()]).unwrap())
}

fn sum(point: &[f64]) -> f64 {
    point
        .iter()
        .enumerate()
        .map(|(k, x)| (x - 0.1 * k as f64).powi(2))
        .sum()
}

#[test]
fn every_proposal_lies_in_the_space_satisfies_the_constraints_and_is_new() {
    for entry in registry::methods() {
        let space = mixed();
        let (mut proposer, mut history) = begin(&recipe(entry.name), &space, 5);
        let mut seen: Vec<Vec<f64>> = Vec::new();
        for _ in 0..25 {
            let point = step(proposer.as_mut(), &mut history, &sum);
            let mut projected = point.clone();
            space.project(&mut projected);
            assert_eq!(
                projected, point,
                "{} proposes points that do not decode exactly",
                entry.name
            );
            assert!(space.satisfies(&point), "{} violates a known constraint", entry.name);
            assert!(!seen.contains(&point), "{} repeats itself", entry.name);
            seen.push(point);
        }
    }
}

#[test]
fn a_finite_space_is_used_up_without_repetition_and_then_exhausted() {
    let parameters = vec![Parameter::int("a", 1, 4), Parameter::choice("b", ["x", "y", "z"])];
    let space = Arc::new(Space::new(parameters, vec![]).unwrap());
    for entry in registry::methods() {
        let (mut proposer, mut history) = begin(&recipe(entry.name), &space, 1);
        (0..12).for_each(|_| drop(step(proposer.as_mut(), &mut history, &sum)));
        let error = proposer.propose(&history, 1).unwrap_err().to_string();
        assert!(
            error.contains("exhausted") && error.contains("12"),
            "{}: {error}",
            entry.name
        );
    }
}

#[test]
fn dropping_what_a_method_keeps_changes_no_proposal() {
    for entry in registry::methods() {
        let (mut proposer, mut history) = begin(&recipe(entry.name), &mixed(), 9);
        for round in 0..24 {
            if round % 5 == 4 {
                let mut fresh = built(&recipe(entry.name), &mixed());
                let pair = (
                    proposer.propose(&history, 1).unwrap(),
                    fresh.propose(&history, 1).unwrap(),
                );
                assert_eq!(pair.0, pair.1, "{} in round {round}", entry.name);
            }
            step(proposer.as_mut(), &mut history, &sum);
        }
    }
}

#[test]
fn a_batch_is_the_same_points_as_asks_in_a_row() {
    for entry in registry::methods() {
        let (mut proposer, mut history) = begin(&recipe(entry.name), &mixed(), 2);
        (0..15).for_each(|_| drop(step(proposer.as_mut(), &mut history, &sum)));
        let batch: Vec<_> = proposer
            .propose(&history, 4)
            .unwrap()
            .into_iter()
            .map(|query| query.point)
            .collect();
        let mut one_by_one = Vec::new();
        for _ in 0..4 {
            let query = proposer.propose(&history, 1).unwrap().remove(0);
            query.memory.into_iter().for_each(|memory| history.remember(memory));
            history.ask(history.next_trial(), query.point.clone());
            one_by_one.push(query.point);
        }
        assert_eq!(batch, one_by_one, "{}", entry.name);
    }
}

#[test]
fn failures_never_stop_a_method_and_are_not_asked_again() {
    for entry in registry::methods() {
        let (mut proposer, mut history) = begin(&recipe(entry.name), &mixed(), 3);
        let mut failed: Vec<Vec<f64>> = Vec::new();
        for round in 0..24 {
            let trial = history.next_trial();
            let point = proposer.propose(&history, 1).unwrap().remove(0).point;
            assert!(!failed.contains(&point), "{} asks a failed point again", entry.name);
            if round % 2 == 0 {
                history.fail(trial, point.clone(), "crashed");
                failed.push(point);
            } else {
                history.observe(trial, &point, &[sum(&point)]);
            }
        }
    }
}

#[test]
fn values_without_variation_and_of_any_size_are_survived() {
    let flat = |_: &[f64]| 1.0;
    let huge = |point: &[f64]| 1e300 * sum(point);
    let tiny = |point: &[f64]| 1e-300 * sum(point);
    let functions: [Function<'_>; 3] = [&flat, &huge, &tiny];
    for entry in registry::methods() {
        for f in functions {
            let (mut proposer, mut history) = begin(&recipe(entry.name), &Arc::new(Space::unit_box(2)), 3);
            (0..16).for_each(|_| drop(step(proposer.as_mut(), &mut history, f)));
        }
    }
}

#[test]
fn auto_finds_the_minimum_of_branin_and_of_hartmann() {
    let auto = Recipe::default();
    let branin = problems::lookup("branin").unwrap();
    let gaps: Vec<f64> = (0..5).map(|seed| gap(&auto, branin.as_ref(), 40, seed)).collect();
    assert!(median(gaps.clone()) < 1e-4, "{gaps:?}");
    let hartmann = problems::lookup("hartmann-6").unwrap();
    let gaps: Vec<f64> = (0..5).map(|seed| gap(&auto, hartmann.as_ref(), 90, seed)).collect();
    assert!(median(gaps.clone()) < 0.01, "{gaps:?}");
}

#[test]
fn the_sphere_is_solved_to_the_last_target() {
    let sphere = problems::lookup("bbob-f1-d3-i1").unwrap();
    let gaps: Vec<f64> = (0..5)
        .map(|seed| gap(&Recipe::default(), sphere.as_ref(), 60, seed))
        .collect();
    assert!(median(gaps.clone()) < 1e-8, "{gaps:?}");
}

#[test]
fn neural_bo_beats_random_search_on_hartmann_by_far_in_every_form() {
    let hartmann = problems::lookup("hartmann-6").unwrap();
    let over_seeds = |recipe: &Recipe| median((0..3).map(|seed| gap(recipe, hartmann.as_ref(), 60, seed)).collect());
    let random = over_seeds(&recipe("random"));
    let finite = json!({ "name": "neural-bo", "width": 400 });
    let current = json!({ "name": "neural-bo", "width": 400, "features": "current" });
    for form in [json!("neural-bo"), finite, current] {
        let found = over_seeds(&Recipe::parse(&form).unwrap());
        assert!(found < 0.5 * random, "{form}: {found} against {random}");
    }
}

#[test]
fn the_papers_own_configuration_runs() {
    let recipe = Recipe::NeuralBo(NeuralBo::paper());
    let branin = problems::lookup("branin").unwrap();
    assert!(gap(&recipe, branin.as_ref(), 12, 0).is_finite());
}

#[test]
fn stored_first_proposals_never_change() {
    let space = Arc::new(Space::unit_box(2));
    let mut changed = Vec::new();
    for (name, expected) in STORED {
        let (mut proposer, mut history) = begin(&recipe(name), &space, 7);
        let last = (0..14)
            .map(|_| step(proposer.as_mut(), &mut history, &sum))
            .last()
            .unwrap();
        let close = last.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
        if !close {
            changed.push(format!("(\"{name}\", {last:?}),"));
        }
    }
    assert!(changed.is_empty(), "proposals changed:\n{}", changed.join("\n"));
}

/// The fourteenth point of each method on a stored function.
const STORED: [(&str, [f64; 2]); 5] = [
    ("auto", [0.000_000_000, 0.099_180_581]),
    ("neural-bo", [0.000_000_000, 0.101_449_110]),
    ("random", [0.823_699_646, 0.282_389_781]),
    ("sobol", [0.997_347_832, 0.730_760_813]),
    ("cma-es", [0.349_996_780, 0.253_935_333]),
];
