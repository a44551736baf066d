//! Laws of the posterior: growing equals building, order does not matter, the dual equals the primal, landmarks come close.
#![allow(clippy::unwrap_used)]

mod support;

use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef};
use hilltop_core::{Evidence, Previous, Rng, Space, Surrogate};
use hilltop_nn::{Activation, Architecture, Network, Parameterisation};
use hilltop_surrogate::Ntk;
use hilltop_surrogate::ntk::{Fit, Width};
use hilltop_surrogate::process::{Condition, Exact, Landmark, Mean, Posterior, Schedule};
use support::{distance, fitted, smooth_kernel, table, uniform, wavy};

fn posterior(condition: Box<dyn Condition>, values: &[f64]) -> Posterior {
    let mean = Mean::Kernel(condition.weights(values));
    Posterior { condition, mean }
}

fn part(points: &Mat<f64>, start: usize, count: usize) -> Mat<f64> {
    points.as_ref().subrows(start, count).to_owned()
}

#[test]
fn five_hundred_appended_rows_equal_refactoring() {
    let (points, queries) = (uniform(600, 4, 1), uniform(40, 4, 2));
    let values = wavy(points.as_ref());
    let kernel = smooth_kernel(4, 0.9);
    let whole = Exact::new(kernel.clone(), points.clone(), 1e-4).unwrap();
    let mut grown = Exact::new(kernel.clone(), part(&points, 0, 100), 1e-4).unwrap();
    (100..600).for_each(|row| grown.push(points.as_ref().subrows(row, 1), 1.0));
    let whole = posterior(Box::new(whole), &values).beliefs(queries.as_ref());
    let grown = posterior(Box::new(grown), &values).beliefs(queries.as_ref());
    assert!(
        distance(&whole.mean, &grown.mean) < 1e-8,
        "{}",
        distance(&whole.mean, &grown.mean)
    );
    assert!(distance(&whole.deviation, &grown.deviation) < 1e-8);
}

#[test]
fn rows_appended_to_many_landmarks_come_to_the_exact_posterior() {
    let (points, queries) = (uniform(500, 3, 3), uniform(40, 3, 4));
    let values = wavy(points.as_ref());
    let kernel = smooth_kernel(3, 0.8);
    let mut grown = Landmark::new(&kernel, part(&points, 0, 400), &values[..400], 1e-3, 300).unwrap();
    (400..500).for_each(|row| grown.push(points.as_ref().subrows(row, 1), 1.0));
    let grown = posterior(Box::new(grown), &values).beliefs(queries.as_ref());
    let exact = Exact::new(kernel.clone(), points.clone(), 1e-3).unwrap();
    let exact = posterior(Box::new(exact), &values).beliefs(queries.as_ref());
    assert!(
        distance(&exact.mean, &grown.mean) < 3e-3,
        "{}",
        distance(&exact.mean, &grown.mean)
    );
    assert!(distance(&exact.deviation, &grown.deviation) < 1e-3);
}

#[test]
fn a_landmark_at_every_point_is_the_exact_posterior() {
    let (points, queries) = (uniform(80, 3, 5), uniform(30, 3, 6));
    let values = wavy(points.as_ref());
    let kernel = smooth_kernel(3, 2.0);
    let exact = Exact::new(kernel.clone(), points.clone(), 1e-2).unwrap();
    let all = Landmark::new(&kernel, points.clone(), &values, 1e-2, 80).unwrap();
    let exact = posterior(Box::new(exact), &values);
    let all = posterior(Box::new(all), &values);
    let (a, b) = (exact.slopes(queries.as_ref()), all.slopes(queries.as_ref()));
    assert!(
        distance(&a.beliefs.mean, &b.beliefs.mean) < 1e-6,
        "{}",
        distance(&a.beliefs.mean, &b.beliefs.mean)
    );
    assert!(distance(&a.beliefs.deviation, &b.beliefs.deviation) < 1e-7);
    assert!((&a.mean - &b.mean).norm_max() < 1e-4 && (&a.deviation - &b.deviation).norm_max() < 1e-5);
}

#[test]
fn a_thousand_landmarks_of_three_thousand_points_keep_deviations_within_five_percent() {
    for (dim, scale) in [(3, 1.0), (5, 0.5), (10, 0.15)] {
        let (points, queries) = (uniform(3000, dim, 7), uniform(300, dim, 8));
        let values = wavy(points.as_ref());
        let kernel = smooth_kernel(dim, scale);
        let exact = Exact::new(kernel.clone(), points.clone(), 1e-2).unwrap();
        let few = Landmark::new(&kernel, points.clone(), &values, 1e-2, 1000).unwrap();
        let exact = posterior(Box::new(exact), &values).beliefs(queries.as_ref());
        let few = posterior(Box::new(few), &values).beliefs(queries.as_ref());
        let errors = exact
            .deviation
            .iter()
            .zip(&few.deviation)
            .map(|(exact, few)| (few / exact - 1.0).abs());
        let mean = errors.sum::<f64>() / 300.0;
        assert!(mean < 0.05, "{dim} dimensions: {mean}");
    }
}

#[test]
fn the_dual_equals_the_primal() {
    let (points, queries) = (uniform(20, 2, 9), uniform(12, 2, 10));
    let values = wavy(points.as_ref());
    let (scale, noise, signal, width) = (0.8, 0.05, 0.7, 6);
    let fixed = Ntk {
        width: Width::Finite(width),
        activation: Activation::Tanh,
        parameterisation: Parameterisation::Standard,
        depth: 2,
        scales: Fit::Fixed(scale),
        constant: Fit::Fixed(1.0),
        signal: Fit::Fixed(signal),
        noise: Fit::Fixed(noise),
        ..Ntk::default()
    };
    let model = fitted(&fixed, points.as_ref(), &values);
    let beliefs = model.marginals().unwrap().beliefs(queries.as_ref());
    // The features of the very network: the study's seed and stream are part of the contract.
    let architecture = Architecture::new(3, &[width, width], Activation::Tanh, Parameterisation::Standard);
    let network = Network::init(&architecture, &mut Rng::keyed(7, &[0x4e54_4b00])).unwrap();
    let features = |points: MatRef<'_, f64>| {
        let inputs = Mat::from_fn(points.nrows(), 3, |i, j| {
            if j == 2 {
                1.0
            } else {
                scale * (2.0 * points[(i, j)] - 1.0)
            }
        });
        let tangent = network.tangent(inputs.as_ref());
        let factor = (signal / width as f64).sqrt();
        let rows: Vec<Vec<f64>> = (0..points.nrows()).map(|i| tangent.gradient_vector(i)).collect();
        Mat::from_fn(rows.len(), rows[0].len(), |i, j| factor * rows[i][j])
    };
    let (seen, asked) = (features(points.as_ref()), features(queries.as_ref()));
    let count = values.len() as f64;
    let centre = values.iter().sum::<f64>() / count;
    let spread = (values.iter().map(|y| (y - centre).powi(2)).sum::<f64>() / count).sqrt();
    let mut inner = seen.transpose() * &seen;
    (0..inner.nrows()).for_each(|i| inner[(i, i)] += noise);
    let factor = inner.llt(faer::Side::Lower).unwrap();
    let targets = Mat::from_fn(values.len(), 1, |i, _| (values[i] - centre) / spread);
    let weights = factor.solve(seen.transpose() * &targets);
    let solved = factor.solve(asked.transpose().to_owned());
    for q in 0..queries.nrows() {
        let mean = centre + spread * (asked.row(q) * weights.col(0));
        let variance = noise * (asked.row(q) * solved.col(q));
        assert!((mean - beliefs.mean[q]).abs() < 1e-8, "{mean} {}", beliefs.mean[q]);
        let deviation = spread * variance.sqrt();
        assert!(
            (deviation - beliefs.deviation[q]).abs() < 1e-8 * spread,
            "{deviation} {}",
            beliefs.deviation[q]
        );
    }
}

#[test]
fn the_order_of_observations_does_not_matter() {
    let (points, queries) = (uniform(60, 3, 11), uniform(20, 3, 12));
    let values = wavy(points.as_ref());
    let known = Ntk {
        scales: Fit::Fixed(0.7),
        constant: Fit::Fixed(1.0),
        signal: Fit::Fixed(1.0),
        noise: Fit::Fixed(1e-3),
        ..Ntk::default()
    };
    let forward = fitted(&known, points.as_ref(), &values);
    let backward: Vec<f64> = values.iter().rev().copied().collect();
    let backward = fitted(&known, points.as_ref().reverse_rows().to_owned().as_ref(), &backward);
    let (a, b) = (forward.marginals().unwrap(), backward.marginals().unwrap());
    let (a, b) = (a.beliefs(queries.as_ref()), b.beliefs(queries.as_ref()));
    assert!(distance(&a.mean, &b.mean) < 1e-8 && distance(&a.deviation, &b.deviation) < 1e-8);
}

fn every_kind() -> Vec<(&'static str, Ntk)> {
    let landmarks = Ntk {
        exact_limit: 10,
        landmarks: 12,
        noise: Fit::Fixed(1e-2),
        ..Ntk::default()
    };
    let selection = Ntk {
        exact_limit: 14,
        noise: Fit::Fixed(1e-6),
        ..Ntk::default()
    };
    let finite = Ntk {
        width: Width::Finite(40),
        activation: Activation::Gelu,
        ..Ntk::default()
    };
    vec![
        ("infinite", Ntk::default()),
        ("landmarks", landmarks),
        ("selection", selection),
        ("finite", finite),
    ]
}

#[test]
fn believing_a_point_keeps_the_mean_and_shrinks_the_deviation_there() {
    let (points, queries) = (uniform(30, 2, 13), uniform(25, 2, 14));
    let values = wavy(points.as_ref());
    for (name, surrogate) in every_kind() {
        let model = fitted(&surrogate, points.as_ref(), &values);
        let before = model.marginals().unwrap().beliefs(queries.as_ref());
        let pending = part(&queries, 0, 3);
        let believing = model.believe(pending.as_ref()).unwrap().unwrap();
        let after = believing.marginals().unwrap().beliefs(queries.as_ref());
        assert_eq!(before.mean, after.mean, "{name}");
        let noise = model.marginals().unwrap().noise();
        for i in 0..25 {
            assert!(
                after.deviation[i] <= before.deviation[i] * (1.0 + 1e-6) + 1e-9,
                "{name} {i}"
            );
        }
        for i in 0..3 {
            let fell = after.deviation[i] < 0.7 * before.deviation[i] || before.deviation[i] < 2.0 * noise;
            // What landmarks cannot see stays.
            assert!(
                fell || name == "landmarks",
                "{name}: {} {} {noise}",
                before.deviation[i],
                after.deviation[i]
            );
        }
    }
}

#[test]
fn a_smooth_function_without_noise_does_not_break_a_growing_model() {
    // The likelihood drives the kernel to where its matrix is singular up to rounding.
    let points = uniform(420, 2, 15);
    let values = wavy(points.as_ref());
    let seldom = Schedule {
        first: 120,
        each_until: 120,
        growth: 10.0,
    };
    let model = fitted(
        &Ntk {
            schedule: seldom,
            ..Ntk::default()
        },
        points.as_ref(),
        &values,
    );
    let queries = uniform(100, 2, 16);
    let beliefs = model.marginals().unwrap().beliefs(queries.as_ref());
    let error = distance(&beliefs.mean, &wavy(queries.as_ref()));
    assert!(error < 1e-2, "{error}");
    assert!(
        beliefs
            .deviation
            .iter()
            .all(|deviation| *deviation > 0.0 && *deviation < 0.1)
    );
}

#[test]
fn odd_evidence_is_answered() {
    let space = Space::unit_box(1);
    let queries = Mat::from_fn(3, 1, |i, _| i as f64 / 2.0);
    let cases: [(&[f64], &[f64]); 6] = [
        (&[], &[]),
        (&[0.3], &[2.0]),
        (&[0.3, 0.3, 0.3], &[2.0, 2.0, 2.0]),
        (&[0.1, 0.1, 0.1, 0.9, 0.9, 0.9], &[1.0, 2.0, 3.0, 1.0, 2.0, 3.0]),
        (&[0.0, 0.2, 0.4, 0.6, 0.8], &[1e300, -1e300, 1e299, 1e300, 0.0]),
        (&[0.0, 0.2, 0.4, 0.6, 0.8], &[1e-300, -1e-300, 1e-299, 1e-300, 0.0]),
    ];
    for (points, values) in cases {
        let points = table(MatRef::from_column_major_slice(points, points.len(), 1));
        for (name, surrogate) in every_kind() {
            let evidence = Evidence {
                space: &space,
                points: &points,
                values,
                seed: 1,
                shares: &[],
            };
            let model = surrogate.fit(&evidence, Previous::default()).unwrap();
            let slopes = model.marginals().unwrap().slopes(queries.as_ref()).unwrap();
            let sound = slopes
                .beliefs
                .deviation
                .iter()
                .all(|deviation| deviation.is_finite() && *deviation > 0.0);
            assert!(
                sound && slopes.beliefs.mean.iter().all(|mean| mean.is_finite()),
                "{name} {values:?} {slopes:?}"
            );
            assert!(
                slopes.mean.norm_max().is_finite() && slopes.deviation.norm_max().is_finite(),
                "{name} {values:?}"
            );
        }
    }
}

#[test]
fn a_space_without_coordinates_has_a_mean() {
    let space = Space::new(Vec::new(), Vec::new());
    let Ok(space) = space else { return };
    let points = hilltop_core::Points::new(0);
    let values = [1.0, 2.0, 3.0, 2.0, 2.0, 2.0];
    let evidence = Evidence {
        space: &space,
        points: &points,
        values: &values,
        seed: 1,
        shares: &[],
    };
    let model = Ntk::default().fit(&evidence, Previous::default()).unwrap();
    let beliefs = model.marginals().unwrap().beliefs(Mat::<f64>::zeros(2, 0).as_ref());
    assert!(
        (beliefs.mean[0] - 2.0).abs() < 0.1 && beliefs.mean.len() == 2,
        "{beliefs:?}"
    );
}

#[test]
fn values_that_are_no_numbers_are_refused() {
    let (space, points) = (Space::unit_box(2), table(uniform(2, 2, 1).as_ref()));
    let evidence = Evidence {
        space: &space,
        points: &points,
        values: &[1.0, f64::NAN],
        seed: 1,
        shares: &[],
    };
    let refused = Ntk::default().fit(&evidence, Previous::default()).err().unwrap();
    assert!(refused.to_string().contains("value 1 is NaN"), "{refused}");
}
