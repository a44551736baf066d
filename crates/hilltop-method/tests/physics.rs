//! What an equation is worth to a search: `pinn-bo` and `auto` on problems that obey one.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use faer::Mat;
use hilltop_core::physics::Physics;
use hilltop_core::{Evidence, Goal, History, Knowledge, Marginals, Output, Points, Previous, Rng, Space, Surrogate};
use hilltop_method::{PinnBo, Recipe};
use hilltop_problem::{Problem, registry};
use hilltop_surrogate::physics::PhysicsModel;

fn outputs() -> Arc<[Output]> {
    Arc::new([Output {
        name: "f".into(),
        goal: Goal::Minimize,
    }])
}

fn knowledge(problem: &dyn Problem, space: &Space, equation: Option<&str>) -> Arc<Knowledge> {
    let mut physics: Physics = problem.physics().unwrap().points(200);
    physics.equations = equation.map_or(physics.equations, |text| vec![text.into()]);
    Arc::new(physics.bind(space, &outputs()[0]).unwrap())
}

/// The gap to the optimum after so many evaluations.
fn gap(recipe: &Recipe, name: &str, equation: Option<&str>, budget: u64, seed: u64) -> f64 {
    let problem = registry::lookup(name).unwrap();
    let bounds = problem.bounds();
    let space = Arc::new(Space::of_box(&bounds).unwrap());
    let known = knowledge(problem.as_ref(), &space, equation);
    let mut proposer = recipe.build_with(&space, &outputs(), Some(&known)).unwrap();
    let mut history = History::new(space, outputs(), seed).with_budget(Some(budget));
    let mut best = f64::INFINITY;
    for trial in 0..budget {
        let query = proposer.propose(&history, 1).unwrap().remove(0);
        query.memory.into_iter().for_each(|memory| history.remember(memory));
        let place = query.point.iter().zip(&bounds);
        let x: Vec<f64> = place.map(|(u, (low, high))| low + u * (high - low)).collect();
        let value = problem.evaluate(&x).unwrap()[0];
        history.observe(trial, &query.point, &[value]);
        best = best.min(value);
    }
    best - problem.optimum().unwrap().value
}

fn recipe(text: &str) -> Recipe {
    Recipe::parse(&serde_json::from_str(text).unwrap()).unwrap()
}

#[test]
fn with_its_equation_the_oscillator_is_solved_in_eight_evaluations() {
    for (method, seed) in [("\"pinn-bo\"", 0), ("\"pinn-bo\"", 1), ("\"auto\"", 2)] {
        let gap = gap(&recipe(method), "oscillator", None, 8, seed);
        assert!(gap < 1e-3, "{method} {seed}: {gap}");
    }
}

#[test]
fn with_its_equation_the_beam_is_solved_in_twelve_evaluations() {
    let gap = gap(&recipe("\"pinn-bo\""), "beam", None, 12, 0);
    assert!(gap < 1e-3, "{gap}");
}

#[test]
fn a_wrong_equation_does_not_keep_the_optimum_from_being_found() {
    let wrong = "d(f,x1,x1) - 3*d(f,x1) - 9*f = 25";
    for seed in [101, 102] {
        let gap = gap(&recipe("\"pinn-bo\""), "oscillator", Some(wrong), 40, seed);
        assert!(gap < 1e-2, "{seed}: {gap}");
    }
}

#[test]
fn the_trained_network_of_the_thesis_is_a_method_too() {
    let paper = Recipe::PinnBo(PinnBo::paper());
    let gap = gap(&paper, "oscillator", None, 16, 3);
    assert!(gap < 0.1, "{gap}");
}

#[test]
fn without_an_equation_pinn_bo_says_what_it_needs() {
    let space = Arc::new(Space::unit_box(2));
    let error = recipe("\"pinn-bo\"")
        .check(&space, &outputs(), None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("[physics]"), "{error}");
    let empty = recipe(r#"{"name": "pinn-bo", "rows": 0}"#);
    let known = Arc::new(
        Physics::new("d(f,x1) = 0")
            .bind(&Space::unit_box(2), &outputs()[0])
            .unwrap(),
    );
    let error = empty.check(&space, &outputs(), Some(&known)).unwrap_err().to_string();
    assert!(error.contains("rows"), "{error}");
    let rectified = recipe(r#"{"name": "pinn-bo", "model": "network", "network": {"activation": "relu"}}"#);
    let known = Arc::new(
        Physics::new("laplacian(f) = 0")
            .bind(&Space::unit_box(2), &outputs()[0])
            .unwrap(),
    );
    let error = rectified
        .check(&space, &outputs(), Some(&known))
        .unwrap_err()
        .to_string();
    assert!(error.contains("smooth activation"), "{error}");
}

/// The root mean square error of a mean on the interior of a heat problem, with and without the equation.
fn errors(name: &str, seed: u64) -> (f64, f64) {
    let problem = registry::lookup(name).unwrap();
    let bounds = problem.bounds();
    let space = Space::of_box(&bounds).unwrap();
    let value = |u: &[f64]| {
        let place = u.iter().zip(&bounds);
        let x: Vec<f64> = place.map(|(u, (low, high))| low + u * (high - low)).collect();
        problem.evaluate(&x).unwrap()[0]
    };
    let mut rng = Rng::new(seed);
    let mut inside = || [0.1 + 0.8 * rng.uniform(), 0.1 + 0.8 * rng.uniform()];
    let rows: Vec<[f64; 2]> = (0..20).map(|_| inside()).collect();
    let points = Points::from_rows(2, rows.iter().map(<[f64; 2]>::as_slice));
    let values: Vec<f64> = rows.iter().map(|row| value(row)).collect();
    let evidence = Evidence {
        space: &space,
        points: &points,
        values: &values,
        seed,
        shares: &[],
    };
    let surrogate = hilltop_surrogate::Physics::new(knowledge(problem.as_ref(), &space, None));
    let model = surrogate.fit(&evidence, Previous::default()).unwrap();
    let model: &PhysicsModel = model.as_any().downcast_ref().unwrap();
    let queries: Vec<[f64; 2]> = (0..200).map(|_| inside()).collect();
    let places = Mat::from_fn(200, 2, |i, j| queries[i][j]);
    let error = |marginals: &dyn Marginals| {
        let mean = marginals.beliefs(places.as_ref()).mean;
        let squares = mean.iter().zip(&queries).map(|(mean, row)| (mean - value(row)).powi(2));
        (squares.sum::<f64>() / 200.0).sqrt()
    };
    (error(model.informed()), error(model.plain()))
}

#[test]
fn laplaces_equation_halves_the_error_of_twenty_observations_on_the_heat_problems() {
    for name in ["heat-1", "heat-2", "heat-3"] {
        let mut ratios: Vec<f64> = (0..3)
            .map(|seed| errors(name, seed))
            .map(|(with, without)| with / without)
            .collect();
        ratios.sort_by(f64::total_cmp);
        assert!(ratios[1] <= 0.5, "{name}: {ratios:?}");
    }
}
