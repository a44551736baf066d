//! Problems with an equation: the objective obeys it, and the heat problems agree with another solver.
#![allow(clippy::unwrap_used)]

use hilltop_core::physics::Partial;
use hilltop_core::{Goal, Output, Rng, Space};
use hilltop_problem::{Problem, registry};

/// The problems of the PINN-BO thesis, each with a step for differences in the unit interval.
const PROBLEMS: [(&str, f64); 12] = [
    ("drop-wave", 1e-5),
    ("styblinski-tang-10", 1e-4),
    ("styblinski-tang-1", 1e-4),
    ("rastrigin-20", 1e-5),
    ("michalewicz-30", 1e-6),
    ("cosine-mixture-50", 1e-5),
    ("heat-1", 2e-3),
    ("heat-2", 2e-3),
    ("heat-3", 2e-3),
    ("beam", 2e-4),
    ("oscillator", 1e-4),
    ("michalewicz-1", 1e-6),
];

/// A derivative of the objective in the coordinates of the unit cube, by differences.
fn derivative(problem: &dyn Problem, z: &[f64], partial: &Partial, h: f64) -> f64 {
    let value = |axis: usize, steps: i32| {
        let bounds = problem.bounds();
        let mut x: Vec<f64> = z
            .iter()
            .zip(&bounds)
            .map(|(z, (low, high))| low + z * (high - low))
            .collect();
        x[axis] += f64::from(steps) * h * (bounds[axis].1 - bounds[axis].0);
        problem.evaluate(&x).unwrap()[0]
    };
    let stencil = |axis: usize, weights: [f64; 7], below: f64| {
        let terms = (-3..=3).zip(weights).filter(|(_, weight)| *weight != 0.0);
        terms.map(|(steps, weight)| weight * value(axis, steps)).sum::<f64>() / below
    };
    match partial.axes() {
        [] => value(0, 0),
        [(axis, 1)] => stencil(*axis, [0.0, 1.0, -8.0, 0.0, 8.0, -1.0, 0.0], 12.0 * h),
        [(axis, 2)] => stencil(*axis, [0.0, -1.0, 16.0, -30.0, 16.0, -1.0, 0.0], 12.0 * h * h),
        [(axis, 3)] => stencil(*axis, [1.0, -8.0, 13.0, 0.0, -13.0, 8.0, -1.0], 8.0 * h.powi(3)),
        [(axis, 4)] => stencil(*axis, [-1.0, 12.0, -39.0, 56.0, -39.0, 12.0, -1.0], 6.0 * h.powi(4)),
        other => panic!("no equation here has {other:?}"),
    }
}

#[test]
fn the_objective_obeys_its_equation() {
    for (name, h) in PROBLEMS {
        let problem = registry::lookup(name).unwrap();
        let space = Space::of_box(&problem.bounds()).unwrap();
        let output = Output {
            name: "f".into(),
            goal: Goal::Minimize,
        };
        let knowledge = problem.physics().unwrap().bind(&space, &output).unwrap();
        assert!(knowledge.is_linear(), "{name}");
        let mut rng = Rng::new(4);
        for _ in 0..20 {
            let z: Vec<f64> = problem.bounds().iter().map(|_| rng.between(0.05, 0.95)).collect();
            for law in &knowledge.equations {
                let jet: Vec<f64> = law
                    .partials()
                    .iter()
                    .map(|partial| derivative(&*problem, &z, partial, h))
                    .collect();
                let mut slopes = vec![0.0; jet.len()];
                let residual = law.residual(&z, &jet, &mut slopes);
                let alone = law.residual(&z, &vec![0.0; jet.len()], &mut slopes);
                let size: f64 = slopes.iter().zip(&jet).map(|(slope, jet)| (slope * jet).abs()).sum();
                assert!(
                    residual.abs() < 1e-4 * (size + alone.abs()),
                    "{name} at {z:?}: {residual} of {size}"
                );
            }
        }
    }
}

#[test]
fn the_cosine_mixture_has_an_equation_for_every_coordinate() {
    let problem = registry::lookup("cosine-mixture-50").unwrap();
    let space = Space::of_box(&problem.bounds()).unwrap();
    let output = Output {
        name: "f".into(),
        goal: Goal::Minimize,
    };
    assert_eq!(
        problem
            .physics()
            .unwrap()
            .bind(&space, &output)
            .unwrap()
            .equations
            .len(),
        50
    );
}

#[test]
fn the_plates_agree_with_a_solution_by_scipy() {
    // tests/data/heat_reference.py, SciPy 1.17.1: sine series of 131072 samples an edge, at (i, j) 2π/250.
    let reference = [
        ("heat-1", 125.0, 125.0, 55.641_441_741_2),
        ("heat-1", 10.0, 200.0, 0.303_860_414_4),
        ("heat-1", 240.0, 9.0, 1_123.726_583_592),
        ("heat-1", 125.0, 5.0, 73.336_956_607_4),
        ("heat-1", 249.0, 249.0, 0.412_778_118_9),
        ("heat-2", 125.0, 125.0, 45.112_721_588_3),
        ("heat-2", 10.0, 200.0, -58.278_389_668_9),
        ("heat-2", 240.0, 9.0, 78.457_768_955_2),
        ("heat-2", 249.0, 249.0, 431.730_385_873_8),
        ("heat-3", 125.0, 125.0, 25.392_446_736_1),
        ("heat-3", 10.0, 200.0, 248.591_834_118_3),
        ("heat-3", 125.0, 5.0, 13.987_003_812_2),
        ("heat-3", 249.0, 249.0, 171.656_035_148),
    ];
    for (name, i, j, temperature) in reference {
        let at = |k: f64| k * std::f64::consts::TAU / 250.0;
        let own = -registry::lookup(name).unwrap().evaluate(&[at(i), at(j)]).unwrap()[0];
        assert!((own - temperature).abs() < 1e-5, "{name} at {i}, {j}: {own}");
    }
    // The same by finite differences on grids of 499² and 999² points, extrapolated.
    let differences = [
        ("heat-1", 125.0, 125.0, 55.640_888),
        ("heat-2", 125.0, 125.0, 45.112_721_59),
        ("heat-2", 249.0, 249.0, 431.730_37),
        ("heat-3", 125.0, 125.0, 25.392_446_74),
        ("heat-3", 240.0, 9.0, 20.409_300_0),
    ];
    for (name, i, j, temperature) in differences {
        let at = |k: f64| k * std::f64::consts::TAU / 250.0;
        let own = -registry::lookup(name).unwrap().evaluate(&[at(i), at(j)]).unwrap()[0];
        assert!((own / temperature - 1.0).abs() < 2e-5, "{name} at {i}, {j}: {own}");
    }
}

#[test]
fn the_hottest_place_of_the_hull_is_just_above_that_of_the_grid_of_differences() {
    for (name, grid, hull) in [
        ("heat-1", 2_481.625_292, 2_486.943_410),
        ("heat-2", 719.275_756, 719.789_283),
        ("heat-3", 688.483_682, 689.466_682),
    ] {
        let problem = registry::lookup(name).unwrap();
        let hottest = -problem.optimum().unwrap().value;
        assert!((hottest - hull).abs() < 1e-5, "{name}: {hottest}");
        assert!(hottest > grid && hottest < 1.003 * grid);
        // A harmonic function is largest on the edge of any region: no point of the edges is hotter.
        let (low, high) = problem.bounds()[0];
        for k in 0..=500 {
            let s = low + (high - low) * f64::from(k) / 500.0;
            for point in [[low, s], [high, s], [s, low], [s, high]] {
                assert!(
                    -problem.evaluate(&point).unwrap()[0] <= hottest + 1e-8,
                    "{name} at {point:?}"
                );
            }
        }
    }
}

#[test]
fn a_plate_has_the_temperature_of_its_edge_on_the_edge_and_none_outside() {
    let plate = registry::lookup("heat-1").unwrap();
    let edge = plate.evaluate(&[0.0, 1.0]).unwrap()[0];
    assert!((edge + 5.0 * 1_f64.sin() + 2_f64.sqrt()).abs() < 1e-12);
    let near = plate.evaluate(&[1e-3, 1.0]).unwrap()[0];
    assert!((near - edge).abs() < 0.1);
    assert!(plate.evaluate(&[-0.1, 1.0]).is_err());
}

#[test]
fn the_minima_of_mechanics_are_those_of_their_closed_forms() {
    let least = |name: &str| registry::lookup(name).unwrap().optimum().unwrap().value;
    assert!((least("beam") - 0.057_603_663_854).abs() < 1e-11);
    // −e^(−t/4) sin(ωt) where tan ωt = 4ω, ω² = 9 − 1/16.
    let omega = (9.0_f64 - 0.0625).sqrt();
    let t = ((4.0 * omega).atan() + std::f64::consts::PI) / omega;
    assert!((least("oscillator") - (-0.25 * t).exp() * (omega * t).sin()).abs() < 1e-14);
}

#[test]
fn problems_without_an_equation_say_so() {
    for name in ["ackley-5", "branin", "bbob-f8-d5-i1", "gramacy"] {
        assert!(registry::lookup(name).unwrap().physics().is_none(), "{name}");
    }
}
