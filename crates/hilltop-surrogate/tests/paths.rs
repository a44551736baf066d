//! Drawn functions have the moments of the posterior they are drawn from, and are smooth.
#![allow(clippy::unwrap_used)]

mod support;

use faer::Mat;
use hilltop_core::{Model, Rng};
use hilltop_nn::{Activation, Parameterisation};
use hilltop_surrogate::Ntk;
use hilltop_surrogate::ntk::{Expectation, Fit, Limit, Width};
use support::{assert_close, differences, fitted, uniform, wavy};

/// Mean and covariance of draws at points, of the objective itself.
fn moments(model: &dyn Model, points: &Mat<f64>, draws: usize, spread: f64) -> (Vec<f64>, Mat<f64>) {
    let mut rng = Rng::new(5);
    let paths = model.paths().unwrap();
    let count = points.nrows();
    let mut table = Mat::zeros(draws, count);
    let mut values = vec![0.0; count];
    for i in 0..draws {
        paths
            .draw(spread, &mut rng)
            .unwrap()
            .values(points.as_ref(), &mut values);
        (0..count).for_each(|j| table[(i, j)] = -values[j]);
    }
    let mean: Vec<f64> = (0..count)
        .map(|j| table.col(j).iter().sum::<f64>() / draws as f64)
        .collect();
    let centred = Mat::from_fn(draws, count, |i, j| table[(i, j)] - mean[j]);
    (mean, centred.transpose() * &centred * faer::Scale(1.0 / draws as f64))
}

fn known(surrogate: &Ntk) -> Ntk {
    Ntk {
        scales: Fit::Fixed(0.9),
        constant: Fit::Fixed(1.0),
        signal: Fit::Fixed(1.0),
        noise: Fit::Fixed(0.02),
        ..surrogate.clone()
    }
}

/// Whether ten thousand draws agree with the marginals within their sampling error and `bias`.
fn check(name: &str, surrogate: &Ntk, draws: usize, bias: f64) {
    let points = uniform(12, 2, 31);
    let queries = uniform(6, 2, 32);
    let model = fitted(surrogate, points.as_ref(), &wavy(points.as_ref()));
    let beliefs = model.marginals().unwrap().beliefs(queries.as_ref());
    let (mean, covariance) = moments(model.as_ref(), &queries, draws, 1.0);
    let root = (draws as f64).sqrt();
    for i in 0..queries.nrows() {
        let sigma = beliefs.deviation[i];
        let shift = (mean[i] - beliefs.mean[i]).abs() / sigma;
        assert!(
            shift < 4.5 / root,
            "{name}: mean {} is not {}",
            mean[i],
            beliefs.mean[i]
        );
        let drawn = covariance[(i, i)].sqrt();
        assert!(
            (drawn / sigma - 1.0).abs() < 4.0 / root + bias,
            "{name}: deviation {drawn} is not {sigma}"
        );
    }
    // Covariances: of the difference of two points through a model that believes one of them.
    let pending = queries.as_ref().subrows(0, 1).to_owned();
    let believing = model.believe(pending.as_ref()).unwrap().unwrap();
    let after = believing.marginals().unwrap().beliefs(queries.as_ref());
    let noise = model.marginals().unwrap().noise().powi(2);
    for i in 1..queries.nrows() {
        let (before, after) = (beliefs.deviation[i].powi(2), after.deviation[i].powi(2));
        let squared = covariance[(0, i)].powi(2) / (covariance[(0, 0)] + noise);
        let error = (before - after - squared).abs();
        assert!(
            error < (10.0 / root + 4.0 * bias) * before,
            "{name}: {squared} is not {}",
            before - after
        );
    }
}

#[test]
fn ten_thousand_draws_of_a_finite_network_have_the_moments_of_the_posterior() {
    let finite = Ntk {
        width: Width::Finite(24),
        activation: Activation::Tanh,
        depth: 2,
        ..Ntk::default()
    };
    check("ntk", &known(&finite), 10_000, 0.0);
    check(
        "antisymmetric",
        &known(&Ntk {
            parameterisation: Parameterisation::Antisymmetric,
            ..finite
        }),
        10_000,
        0.0,
    );
}

#[test]
fn draws_of_infinite_width_have_the_moments_of_the_posterior() {
    check("erf", &known(&Ntk::default()), 900, 0.01);
    check(
        "relu",
        &known(&Ntk {
            activation: Activation::Relu,
            ..Ntk::default()
        }),
        3000,
        0.01,
    );
    check(
        "average",
        &known(&Ntk {
            kernel: Limit::Average,
            ..Ntk::default()
        }),
        2000,
        0.01,
    );
    check(
        "deep",
        &known(&Ntk {
            depth: 2,
            ..Ntk::default()
        }),
        2000,
        0.03,
    );
}

#[test]
fn draws_through_landmarks_have_the_moments_of_their_marginals() {
    let landmarks = Ntk {
        exact_limit: 3,
        landmarks: 7,
        width: Width::Finite(24),
        ..Ntk::default()
    };
    let (points, queries) = (uniform(20, 2, 33), uniform(5, 2, 34));
    let model = fitted(&known(&landmarks), points.as_ref(), &wavy(points.as_ref()));
    let beliefs = model.marginals().unwrap().beliefs(queries.as_ref());
    let (mean, covariance) = moments(model.as_ref(), &queries, 10_000, 1.0);
    for i in 0..5 {
        assert!((mean[i] - beliefs.mean[i]).abs() < 0.045 * beliefs.deviation[i]);
        assert!((covariance[(i, i)].sqrt() / beliefs.deviation[i] - 1.0).abs() < 0.04);
    }
}

#[test]
fn spread_scales_the_deviation_and_nothing_else() {
    let points = uniform(12, 2, 35);
    let model = fitted(&known(&Ntk::default()), points.as_ref(), &wavy(points.as_ref()));
    let queries = uniform(5, 2, 36);
    let draw = |spread: f64| {
        let mut values = vec![0.0; 5];
        model
            .paths()
            .unwrap()
            .draw(spread, &mut Rng::new(1))
            .unwrap()
            .values(queries.as_ref(), &mut values);
        values
    };
    let (none, one, two) = (draw(0.0), draw(1.0), draw(2.0));
    let mean = model.marginals().unwrap().beliefs(queries.as_ref()).mean;
    for i in 0..5 {
        assert!((none[i] + mean[i]).abs() < 1e-9);
        assert!((two[i] - none[i] - 2.0 * (one[i] - none[i])).abs() < 1e-9);
    }
}

#[test]
fn slopes_of_paths_agree_with_differences() {
    let finite = Ntk {
        width: Width::Finite(30),
        activation: Activation::Gelu,
        ..Ntk::default()
    };
    let landmarks = Ntk {
        exact_limit: 3,
        landmarks: 9,
        noise: Fit::Fixed(1e-2),
        ..Ntk::default()
    };
    let kinds = [
        ("infinite", Ntk::default()),
        (
            "deep",
            Ntk {
                depth: 2,
                ..Ntk::default()
            },
        ),
        ("landmarks", landmarks),
        ("finite", finite.clone()),
        (
            "trained",
            Ntk {
                mean: Expectation::Trained,
                ..finite
            },
        ),
    ];
    let (points, queries) = (uniform(20, 3, 37), uniform(6, 3, 38));
    for (name, surrogate) in kinds {
        let model = fitted(&surrogate, points.as_ref(), &wavy(points.as_ref()));
        let path = model.paths().unwrap().draw(1.0, &mut Rng::new(2)).unwrap();
        let (mut values, mut slopes) = (vec![0.0; 6], Mat::zeros(6, 3));
        path.smooth()
            .unwrap()
            .values_and_gradients(queries.as_ref(), &mut values, slopes.as_mut());
        let by_difference = differences(queries.as_ref(), 1e-5, |moved| {
            let mut out = vec![0.0; 6];
            path.values(moved, &mut out);
            out
        });
        let mut again = vec![0.0; 6];
        path.values(queries.as_ref(), &mut again);
        assert!(support::distance(&values, &again) < 1e-8, "{name}");
        assert_close(&slopes, &by_difference, 1e-6, name);
    }
}

#[test]
fn slopes_of_every_kind_of_model_agree_with_differences() {
    let finite = Ntk {
        width: Width::Finite(30),
        activation: Activation::Softplus,
        depth: 2,
        ..Ntk::default()
    };
    let kinds = [
        ("finite", finite.clone()),
        (
            "trained",
            Ntk {
                mean: Expectation::Trained,
                ..finite
            },
        ),
        (
            "landmarks",
            Ntk {
                exact_limit: 3,
                landmarks: 9,
                noise: Fit::Fixed(1e-2),
                ..Ntk::default()
            },
        ),
        (
            "selection",
            Ntk {
                exact_limit: 10,
                noise: Fit::Fixed(1e-4),
                ..Ntk::default()
            },
        ),
    ];
    let (points, queries) = (uniform(20, 3, 39), uniform(6, 3, 40));
    for (name, surrogate) in kinds {
        let model = fitted(&surrogate, points.as_ref(), &wavy(points.as_ref()));
        let marginals = model.marginals().unwrap();
        let slopes = marginals.slopes(queries.as_ref()).unwrap();
        let mean = differences(queries.as_ref(), 1e-5, |moved| marginals.beliefs(moved).mean);
        assert_close(&slopes.mean, &mean, 2e-5, name);
        let deviation = differences(queries.as_ref(), 1e-5, |moved| marginals.beliefs(moved).deviation);
        assert_close(&slopes.deviation, &deviation, 1e-5, name);
    }
}
