//! What must hold of a process that obeys equations.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef};
use hilltop_core::physics::{Collocation, Obedience as _, Partial, Physics as Stated};
use hilltop_core::{Evidence, Goal, Knowledge, Marginals, Model, Output, Parameter, Previous, Rng, Space, Surrogate};
use hilltop_surrogate::Physics;
use hilltop_surrogate::physics::{Doubt, Informed, PhysicsModel, Plan, Rows, Smooth};
use hilltop_surrogate::process::{Condition, Mean, Posterior};
use serde_json::Value;
use support::{table, uniform};

fn kernel() -> Smooth {
    Smooth {
        lengths: vec![0.3, 0.45],
        alone: vec![0.35, 0.35],
        product: 1.3,
        sum: 0.7,
    }
}

/// The covariance of one derivative at a point with another at a second.
fn covariance(kernel: &Smooth, (own, z): (&Partial, [f64; 2]), (other, x): (&Partial, [f64; 2])) -> f64 {
    let rows = Rows {
        points: Mat::from_fn(1, 2, |_, j| z[j]),
        partials: vec![own.clone()],
        coefficients: Mat::full(1, 1, 1.0),
    };
    let plan = Plan::new(2, &rows.partials, std::slice::from_ref(other));
    let mut out = Mat::zeros(1, 1);
    kernel.columns(&rows, &x, &[(&plan, &[1.0])], out.as_mut());
    out[(0, 0)]
}

#[test]
fn every_derivative_of_the_kernel_is_the_slope_of_the_one_below() {
    let (kernel, z, x, step) = (kernel(), [0.31, 0.72], [0.55, 0.4], 1e-5);
    let all: [&[usize]; 9] = [
        &[],
        &[0],
        &[1],
        &[0, 1],
        &[0, 0],
        &[1, 1, 1],
        &[0, 0, 1, 1],
        &[0, 0, 0],
        &[1, 1, 1, 1],
    ];
    for own in all {
        for other in all {
            for axis in [0, 1] {
                let (low, high) = (Partial::of(own), Partial::of(&[own, &[axis]].concat()));
                let other = Partial::of(other);
                let moved = |by: f64| {
                    let mut z = z;
                    z[axis] += by;
                    covariance(&kernel, (&low, z), (&other, x))
                };
                let quotient = (moved(step) - moved(-step)) / (2.0 * step);
                let exact = covariance(&kernel, (&high, z), (&other, x));
                assert!(
                    (quotient - exact).abs() < 1e-5 * exact.abs().max(100.0),
                    "{high:?} {other:?}: {quotient} {exact}"
                );
                // The other point moves the other way round.
                let mirrored = covariance(&kernel, (&other, x), (&high, z));
                assert!(
                    (mirrored - exact).abs() <= 1e-9 * exact.abs().max(1.0),
                    "{mirrored} {exact}"
                );
            }
        }
    }
}

fn matrix(data: &Value) -> Mat<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(data.clone()).unwrap();
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

fn numbers(data: &Value) -> Vec<f64> {
    serde_json::from_value(data.clone()).unwrap()
}

/// Rows of `f_11 + 0.7 f_22 + f_12` with variance one, and what they were divided by.
fn operator(kernel: &Smooth, places: MatRef<'_, f64>) -> (Rows, f64) {
    let partials = vec![Partial::of(&[0, 0]), Partial::of(&[1, 1]), Partial::of(&[0, 1])];
    let deviation = kernel.variance(&partials, &[1.0, 0.7, 1.0]).sqrt();
    let rows = Rows {
        points: places.to_owned(),
        partials,
        coefficients: Mat::from_fn(places.nrows(), 3, |_, j| [1.0, 0.7, 1.0][j] / deviation),
    };
    (rows, deviation)
}

fn stored_posterior() -> (Posterior, Value) {
    let data: Value = serde_json::from_str(include_str!("data/equation.json")).unwrap();
    let (kernel, places) = (Arc::new(kernel()), matrix(&data["places"]));
    let (rows, deviation) = operator(&kernel, places.as_ref());
    let targets = numbers(&data["targets"])
        .iter()
        .map(|target| target / deviation)
        .collect();
    let doubt = Doubt {
        slack: 1e-5,
        noise: 1e-4,
    };
    let points = matrix(&data["points"]);
    let mut condition = Informed::new(kernel, vec![rows], targets, points.as_ref().subrows(0, 2), doubt).unwrap();
    (2..points.nrows()).for_each(|row| condition.push(points.as_ref().subrows(row, 1), 1.0));
    let mean = Mean::Kernel(condition.weights(&numbers(&data["values"])));
    let condition = Box::new(condition);
    (Posterior { condition, mean }, data)
}

#[test]
fn the_posterior_agrees_with_one_by_automatic_differentiation() {
    let (posterior, data) = stored_posterior();
    let beliefs = posterior.beliefs(matrix(&data["queries"]).as_ref());
    for (found, stored) in beliefs.mean.iter().zip(numbers(&data["mean"])) {
        assert!(
            (found - stored).abs() < 1e-7 * stored.abs().max(1.0),
            "{found} {stored}"
        );
    }
    for (found, stored) in beliefs.deviation.iter().zip(numbers(&data["deviation"])) {
        assert!((found - stored).abs() < 1e-6 * stored, "{found} {stored}");
    }
}

#[test]
fn gradients_of_mean_and_deviation_are_difference_quotients() {
    let (posterior, data) = stored_posterior();
    let queries = matrix(&data["queries"]);
    let (slopes, step) = (posterior.slopes(queries.as_ref()), 1e-6);
    for axis in 0..2 {
        let moved = |by: f64| {
            let points = Mat::from_fn(queries.nrows(), 2, |i, j| {
                queries[(i, j)] + if j == axis { by } else { 0.0 }
            });
            posterior.beliefs(points.as_ref())
        };
        let (above, below) = (moved(step), moved(-step));
        for i in 0..queries.nrows() {
            let mean = (above.mean[i] - below.mean[i]) / (2.0 * step);
            assert!((mean - slopes.mean[(i, axis)]).abs() < 1e-5, "{mean}");
            let deviation = (above.deviation[i] - below.deviation[i]) / (2.0 * step);
            assert!((deviation - slopes.deviation[(i, axis)]).abs() < 1e-4, "{deviation}");
        }
    }
}

#[test]
fn draws_have_the_posteriors_mean_and_deviation_and_obey_the_equation() {
    let (posterior, data) = stored_posterior();
    let queries = matrix(&data["queries"]);
    let beliefs = posterior.beliefs(queries.as_ref());
    let (mut sums, mut squares, count) = (vec![0.0; 4], vec![0.0; 4], 3000);
    let mut rng = Rng::new(8);
    for _ in 0..count {
        let (field, weights) = posterior.draw(&mut rng).unwrap();
        let cross = posterior.condition.cross(queries.as_ref());
        let prior = field.values(queries.as_ref());
        for q in 0..4 {
            let correction: f64 = (0..weights.len()).map(|i| weights[i] * cross[(i, q)]).sum();
            sums[q] += prior[q] + correction;
            squares[q] += (prior[q] + correction).powi(2);
        }
    }
    let count = f64::from(count);
    for q in 0..4 {
        let (off, spread) = (sums[q] / count, (squares[q] / count).sqrt());
        let deviation = beliefs.deviation[q];
        assert!(off.abs() < 5.0 * deviation / count.sqrt(), "{off} {deviation}");
        assert!((spread / deviation - 1.0).abs() < 0.1, "{spread} {deviation}");
    }
}

/// The same conditioning in one piece, without any of the machinery.
#[test]
fn the_mean_is_the_kernel_times_the_inverse_of_all_covariances() {
    let (posterior, data) = stored_posterior();
    let kernel = kernel();
    let (rows, deviation) = operator(&kernel, matrix(&data["places"]).as_ref());
    let values = Rows::values(matrix(&data["points"]).as_ref());
    let lower = kernel.gram(&[&rows, &values]);
    let lawful = rows.count();
    let gram = Mat::from_fn(lower.nrows(), lower.nrows(), |i, j| {
        let noise = if i < lawful { 1e-5 } else { 1e-4 };
        lower[(i.max(j), i.min(j))] + if i == j { noise } else { 0.0 }
    });
    let targets = numbers(&data["targets"]);
    let observed = numbers(&data["values"]);
    let wanted = Mat::from_fn(gram.nrows(), 1, |i, _| {
        if i < lawful {
            targets[i] / deviation
        } else {
            observed[i - lawful]
        }
    });
    let weights = gram.partial_piv_lu().solve(&wanted);
    let queries = matrix(&data["queries"]);
    let cross = posterior.condition.cross(queries.as_ref());
    let mean = cross.transpose() * &weights;
    let beliefs = posterior.beliefs(queries.as_ref());
    (0..4).for_each(|q| assert!((mean[(q, 0)] - beliefs.mean[q]).abs() < 1e-7));
}

fn plane() -> Space {
    Space::new(
        vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)],
        vec![],
    )
    .unwrap()
}

fn known(text: &str, points: usize) -> Arc<Knowledge> {
    let output = Output {
        name: "f".into(),
        goal: Goal::Minimize,
    };
    Arc::new(Stated::new(text).points(points).bind(&plane(), &output).unwrap())
}

fn fitted(surrogate: &Physics, points: MatRef<'_, f64>, values: &[f64], previous: Previous<'_>) -> Arc<dyn Model> {
    let (space, points) = (plane(), table(points));
    let evidence = Evidence {
        space: &space,
        points: &points,
        values,
        seed: 3,
        shares: &[],
    };
    surrogate.fit(&evidence, previous).unwrap()
}

fn physics(model: &dyn Model) -> &PhysicsModel {
    model.as_any().downcast_ref().unwrap()
}

/// A harmonic function.
fn harmonic(points: MatRef<'_, f64>) -> Vec<f64> {
    let value = |i: usize| {
        let (x, y) = (points[(i, 0)], points[(i, 1)]);
        (2.0 * x).exp() * (2.0 * y + 0.4).sin() + 3.0 * (x * x - y * y)
    };
    (0..points.nrows()).map(value).collect()
}

fn error(marginals: &dyn Marginals, truth: fn(MatRef<'_, f64>) -> Vec<f64>) -> f64 {
    let queries = uniform(200, 2, 77);
    let mean = marginals.beliefs(queries.as_ref()).mean;
    let squares = mean
        .iter()
        .zip(truth(queries.as_ref()))
        .map(|(mean, true_value)| (mean - true_value).powi(2));
    (squares.sum::<f64>() / 200.0).sqrt()
}

#[test]
fn a_true_equation_halves_the_error_and_is_believed_and_a_wrong_one_is_not() {
    let points = uniform(12, 2, 5);
    let values = harmonic(points.as_ref());
    let right = fitted(
        &Physics::new(known("laplacian(f) = 0", 150)),
        points.as_ref(),
        &values,
        Previous::default(),
    );
    let wrong = fitted(
        &Physics::new(known("laplacian(f) = 90", 150)),
        points.as_ref(),
        &values,
        Previous::default(),
    );
    let (right, wrong) = (physics(right.as_ref()), physics(wrong.as_ref()));
    assert!(right.standing().weight > 0.9, "{:?}", right.standing());
    assert!(wrong.standing().weight < 0.1, "{:?}", wrong.standing());
    let (with, without) = (error(right.informed(), harmonic), error(wrong.favoured(), harmonic));
    assert!(with < 0.5 * without, "{with} {without}");
}

#[test]
fn an_equation_that_is_not_linear_is_learnt_from() {
    // |∇f|² = 4 f  is solved by the squared distance from a point.
    let bowl = |points: MatRef<'_, f64>| {
        let value = |i: usize| (points[(i, 0)] - 0.3).powi(2) + (points[(i, 1)] - 0.6).powi(2);
        (0..points.nrows()).map(value).collect::<Vec<f64>>()
    };
    let points = uniform(7, 2, 9);
    let values = bowl(points.as_ref());
    let surrogate = Physics::new(known("d(f,x)^2 + d(f,y)^2 = 4*f", 60));
    let model = fitted(&surrogate, points.as_ref(), &values, Previous::default());
    let model = physics(model.as_ref());
    let (with, without) = (
        error(model.informed(), bowl),
        error(wrongless(&points, &values).as_ref(), bowl),
    );
    assert!(with < 0.5 * without, "{with} {without}");
}

/// The same process without a say of any equation.
fn wrongless(points: &Mat<f64>, values: &[f64]) -> Box<dyn Marginals> {
    let surrogate = Physics::new(known("f = 1e6", 10));
    let model = fitted(&surrogate, points.as_ref(), values, Previous::default());
    Box::new(physics(model.as_ref()).favoured().clone())
}

#[test]
fn places_where_a_coefficient_has_no_value_are_dropped_and_counted() {
    let points = uniform(8, 2, 5);
    let values = harmonic(points.as_ref());
    let surrogate = Physics::new(known("sqrt(x - 0.5)*(d(f,x,x) + d(f,y,y)) = 0", 100));
    let model = fitted(&surrogate, points.as_ref(), &values, Previous::default());
    let evidence = physics(model.as_ref()).standing();
    assert_eq!(evidence.rows + evidence.dropped, 100);
    assert!((40..=60).contains(&evidence.dropped), "{evidence:?}");
}

#[test]
fn a_model_that_grew_is_the_model_from_the_start() {
    let points = uniform(16, 2, 6);
    let values = harmonic(points.as_ref());
    for collocation in [Collocation::Fixed, Collocation::Redrawn, Collocation::Adaptive] {
        let mut knowledge = (*known("laplacian(f) = 0", 40)).clone();
        knowledge.collocation = collocation;
        let surrogate = Physics::new(Arc::new(knowledge));
        let at_once = fitted(&surrogate, points.as_ref(), &values, Previous::default());
        let mut grown: Option<Arc<dyn Model>> = None;
        for count in [9, 13, 14, 16] {
            let (head, previous) = (points.as_ref().subrows(0, count), grown.take());
            let previous = Previous {
                model: previous.as_deref(),
                memory: None,
            };
            grown = Some(fitted(&surrogate, head, &values[..count], previous));
        }
        let queries = uniform(20, 2, 4);
        let beliefs = |model: &Arc<dyn Model>| model.marginals().unwrap().beliefs(queries.as_ref());
        assert_eq!(beliefs(&at_once), beliefs(&grown.unwrap()), "{collocation:?}");
        let memory = at_once.memory().unwrap();
        let recalled = Previous {
            model: None,
            memory: Some(&memory),
        };
        let recalled = fitted(&surrogate, points.as_ref(), &values, recalled);
        assert_eq!(beliefs(&at_once), beliefs(&recalled), "{collocation:?}");
    }
}

#[test]
fn a_model_offers_paths_and_believes_pending_points() {
    let points = uniform(10, 2, 6);
    let values = harmonic(points.as_ref());
    let surrogate = Physics::new(known("laplacian(f) = 0", 40));
    let model = fitted(&surrogate, points.as_ref(), &values, Previous::default());
    let path = model.paths().unwrap().draw(1.0, &mut Rng::new(1)).unwrap();
    let mut drawn = vec![0.0; points.nrows()];
    path.values(points.as_ref(), &mut drawn);
    for (drawn, value) in drawn.iter().zip(&values) {
        assert!((drawn + value).abs() < 0.1, "{drawn} {value}");
    }
    let pending = uniform(1, 2, 99);
    let deviation = |model: &dyn Model| model.marginals().unwrap().beliefs(pending.as_ref()).deviation[0];
    let believed = model.believe(pending.as_ref()).unwrap().unwrap();
    assert!(deviation(believed.as_ref()) < 0.5 * deviation(model.as_ref()).max(1e-9));
}

#[test]
fn known_values_are_kept() {
    let points = uniform(6, 2, 6);
    let values = harmonic(points.as_ref());
    let output = Output {
        name: "f".into(),
        goal: Goal::Minimize,
    };
    let stated = Stated::new("laplacian(f) = 0")
        .value("x == 0", "sin(2*y + 0.4) - 3*y^2")
        .points(60);
    let knowledge = Arc::new(stated.bind(&plane(), &output).unwrap());
    assert!(
        knowledge
            .equations
            .iter()
            .any(|equation| equation.partials() == [Partial::value()])
    );
    let model = fitted(&Physics::new(knowledge), points.as_ref(), &values, Previous::default());
    let edge = Mat::from_fn(9, 2, |i, j| if j == 0 { 0.0 } else { 0.1 * (i + 1) as f64 });
    let mean = physics(model.as_ref())
        .informed()
        .marginals()
        .unwrap()
        .beliefs(edge.as_ref())
        .mean;
    for (mean, value) in mean.iter().zip(harmonic(edge.as_ref())) {
        assert!((mean - value).abs() < 0.02, "{mean} {value}");
    }
}
