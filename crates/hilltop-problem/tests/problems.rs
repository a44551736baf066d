//! Every problem at its stated minimum, and the properties its definition implies.
#![allow(clippy::unwrap_used)]

use hilltop_core::Rng;
use hilltop_problem::{Problem, registry};

fn every_problem() -> Vec<Box<dyn Problem>> {
    let examples = registry::all().into_iter().map(|row| row.example);
    let more = [
        "ackley-1",
        "levy-1",
        "levy-100",
        "michalewicz-1",
        "michalewicz-100",
        "cosine-mixture-50",
        "go-ucb-f1-3",
    ];
    examples
        .chain(more.map(String::from))
        .map(|name| registry::lookup(&name).unwrap())
        .collect()
}

fn objective(name: &str, x: &[f64]) -> f64 {
    registry::lookup(name).unwrap().evaluate(x).unwrap()[0]
}

fn sample(problem: &dyn Problem, rng: &mut Rng) -> Vec<f64> {
    problem
        .bounds()
        .iter()
        .map(|&(low, high)| rng.between(low, high))
        .collect()
}

#[test]
fn the_stated_minimum_is_in_the_box_feasible_and_has_the_stated_value() {
    for problem in every_problem() {
        let optimum = problem.optimum().unwrap();
        let at = optimum.at.unwrap();
        let values = problem.evaluate(&at).unwrap();
        let name = problem.name();
        assert!(
            at.iter()
                .zip(problem.bounds())
                .all(|(x, (low, high))| low <= *x && *x <= high),
            "{name}"
        );
        assert!(
            (values[0] - optimum.value).abs() <= 1e-12 * optimum.value.abs().max(1000.0),
            "{name}: {}",
            values[0]
        );
        assert!(values[1..].iter().all(|c| *c <= 1e-9), "{name}: {values:?}");
    }
}

#[test]
fn no_feasible_sample_of_the_box_is_below_the_stated_minimum() {
    for problem in every_problem() {
        let least = problem.optimum().unwrap().value;
        let mut rng = Rng::new(5);
        for _ in 0..2000 {
            let Ok(values) = problem.evaluate(&sample(&*problem, &mut rng)) else {
                continue;
            };
            let feasible = values[1..].iter().all(|c| *c <= 0.0);
            assert!(
                !feasible || values[0] >= least,
                "{}: {} below {least}",
                problem.name(),
                values[0]
            );
        }
    }
}

#[test]
fn no_feasible_point_next_to_the_minimum_is_lower() {
    for problem in every_problem() {
        let optimum = problem.optimum().unwrap();
        let (at, bounds) = (optimum.at.unwrap(), problem.bounds());
        let mut rng = Rng::new(6);
        for k in 0..500 {
            let radius = 0.1_f64.powi(1 + k % 5);
            let step =
                |(x, (low, high)): (&f64, &(f64, f64)), u: f64| (x + radius * (high - low) * u).clamp(*low, *high);
            let x: Vec<f64> = at
                .iter()
                .zip(&bounds)
                .map(|pair| step(pair, rng.between(-1.0, 1.0)))
                .collect();
            let Ok(values) = problem.evaluate(&x) else { continue };
            let feasible = values[1..].iter().all(|c| *c <= 0.0);
            let slack = 1e-12 * optimum.value.abs().max(1000.0);
            assert!(
                !feasible || values[0] >= optimum.value - slack,
                "{}: {}",
                problem.name(),
                values[0]
            );
        }
    }
}

#[test]
fn the_least_values_of_michalewicz_are_those_of_a_grid_of_two_million_points_a_coordinate() {
    let from_grid = [
        (2, -1.801_303),
        (5, -4.687_658),
        (10, -9.660_152),
        (20, -19.637_014),
        (30, -29.630_884),
        (50, -49.624_832),
        (100, -99.620_194),
    ];
    for (dim, value) in from_grid {
        let own = registry::lookup(&format!("michalewicz-{dim}"))
            .unwrap()
            .optimum()
            .unwrap()
            .value;
        assert!((own - value).abs() < 1e-6, "{dim}: {own}");
    }
}

#[test]
fn values_at_other_points_are_those_of_the_definitions() {
    // By hand, or from the definitions in forty digits.
    let cases: [(&str, &[f64], f64); 10] = [
        ("ackley-2", &[1.0, -1.0], 20.0 - 20.0 * (-0.2_f64).exp()),
        ("levy-2", &[1.0, 5.0], 1.0),
        ("levy-1", &[-3.0], 1.0),
        ("rastrigin-3", &[1.0, 2.0, 0.5], 25.25),
        ("styblinski-tang-2", &[1.0, 0.0], -5.0),
        ("drop-wave", &[std::f64::consts::PI / 12.0, 0.0], 0.0),
        ("cosine-mixture-2", &[0.2, 0.0], 0.04),
        ("branin", &[0.0, 6.0], 20.0 - 10.0 / (8.0 * std::f64::consts::PI)),
        ("go-ucb-f1-2", &[-0.5, -0.5], -13.5),
        ("michalewicz-1", &[std::f64::consts::FRAC_PI_2], -(0.5_f64.powi(10))),
    ];
    for (name, x, expected) in cases {
        let value = objective(name, x);
        assert!((value - expected).abs() < 1e-12, "{name}: {value}, not {expected}");
    }
}

#[test]
fn symmetric_functions_do_not_see_signs_or_order() {
    for name in ["ackley-3", "rastrigin-3", "cosine-mixture-3"] {
        let value = objective(name, &[0.3, -0.7, 0.9]);
        assert!((value - objective(name, &[-0.3, 0.7, -0.9])).abs() < 1e-12, "{name}");
        assert!((value - objective(name, &[0.9, 0.3, -0.7])).abs() < 1e-12, "{name}");
    }
    let turned = 5_f64.sqrt();
    assert!((objective("drop-wave", &[1.0, 2.0]) - objective("drop-wave", &[0.0, turned])).abs() < 1e-12);
    assert!((objective("styblinski-tang-2", &[1.0, 2.0]) - objective("styblinski-tang-2", &[2.0, 1.0])).abs() < 1e-12);
}

#[test]
fn all_three_minima_of_branin_are_equal() {
    let pi = std::f64::consts::PI;
    for x in [[pi, 2.275], [-pi, 12.275], [3.0 * pi, 2.475]] {
        assert!((objective("branin", &x) - 0.397_887_357_729_738_3).abs() < 1e-13);
    }
}

#[test]
fn the_feasible_shares_of_the_boxes_are_the_measured_ones() {
    let shares = [
        ("branin-constrained", 0.698),
        ("simionescu", 0.512),
        ("ackley-constrained", 0.134),
        ("hartmann-constrained", 0.0805),
        ("gas-transmission", 0.524),
        ("speed-reducer", 0.0019),
        ("gomez-levy", 0.727),
        ("gardner", 0.0175),
        ("gramacy", 0.457),
        ("crash-corner", 0.755),
    ];
    for (name, expected) in shares {
        let problem = registry::lookup(name).unwrap();
        let mut rng = Rng::new(7);
        let draws = 50_000;
        let feasible = |values: &Vec<f64>| values[1..].iter().all(|c| *c <= 0.0);
        let hits = (0..draws)
            .filter_map(|_| problem.evaluate(&sample(&*problem, &mut rng)).ok())
            .filter(feasible)
            .count();
        let share = hits as f64 / f64::from(draws);
        let error = 4.0 * (expected * (1.0 - expected) / f64::from(draws)).sqrt() + 0.0005;
        assert!((share - expected).abs() < error, "{name}: {share}, not {expected}");
    }
}

#[test]
fn outputs_name_the_objective_and_every_constraint_with_its_limit() {
    for problem in every_problem() {
        let outputs = problem.outputs();
        assert_eq!((outputs[0].name.as_str(), outputs[0].max), ("f", None));
        for (k, output) in outputs.iter().enumerate().skip(1) {
            assert_eq!((output.name.clone(), output.max), (format!("c{k}"), Some(0.0)));
        }
        let at = problem.optimum().unwrap().at.unwrap();
        assert_eq!(problem.evaluate(&at).unwrap().len(), outputs.len());
    }
}

#[test]
fn the_corner_that_crashes_says_why() {
    let failure = registry::lookup("crash-corner")
        .unwrap()
        .evaluate(&[0.25, 0.25])
        .unwrap_err();
    assert_eq!(
        failure.to_string(),
        "the simulation crashed: x1 + x2 = 0.5 is below 0.7"
    );
}

#[test]
fn a_point_of_the_wrong_length_or_without_a_number_is_refused() {
    for problem in every_problem() {
        let mut x = problem.optimum().unwrap().at.unwrap();
        x.push(0.0);
        let failure = problem.evaluate(&x).unwrap_err();
        assert!(
            failure
                .reason
                .contains(&format!("takes {} coordinates, not {}", x.len() - 1, x.len())),
            "{failure}"
        );
        x.pop();
        x[0] = f64::NAN;
        assert!(problem.evaluate(&x).unwrap_err().reason.contains("x1"));
    }
}

#[test]
fn outside_the_domain_of_a_root_there_is_a_failure_and_no_nan() {
    let failure = registry::lookup("gas-transmission")
        .unwrap()
        .evaluate(&[-1.0, 2.0, 3.0, 4.0])
        .unwrap_err();
    assert!(failure.reason.contains("output f"), "{failure}");
}
