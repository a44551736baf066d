//! What fitting finds: parameters that explain the observations, and means that follow them.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use faer::Mat;
use hilltop_core::{Evidence, Lbfgs, Model, Parameter, Points, Previous, Rng, Space, Surrogate};
use hilltop_nn::{Activation, Optimiser, Parameterisation};
use hilltop_surrogate::Ntk;
use hilltop_surrogate::ntk::{Expectation, Features, Fit, Limit, Width, erf};
use hilltop_surrogate::process::{Grouping, Likelihood, Prior, Priors, ProcessModel};
use support::{fitted, uniform, wavy};

fn parameters(model: &dyn Model) -> hilltop_surrogate::process::Hyperparameters {
    model
        .as_any()
        .downcast_ref::<ProcessModel>()
        .unwrap()
        .fitted()
        .parameters
        .clone()
}

#[test]
fn fitting_makes_the_observations_more_probable() {
    let points = uniform(40, 3, 51);
    let values: Vec<f64> = wavy(points.as_ref()).iter().map(|value| (value - 7.0) / 3.0).collect();
    let grouping = Grouping {
        group: vec![0, 1, 2],
        base: vec![1.0; 3],
        count: 3,
    };
    let prior = |median: f64| Prior {
        median,
        spread: 2.0,
        below: 2.0,
        low: 1e-8,
        high: 1e4,
    };
    let priors = Priors {
        scales: prior(0.5),
        constant: prior(1.0),
        signal: prior(1.0),
        noise: prior(1e-3),
    };
    for depth in [1, 2] {
        let profile = erf(depth, Limit::Tangent);
        let likelihood = Likelihood {
            profile,
            points: points.as_ref(),
            values: &values,
            grouping: &grouping,
            priors: &priors,
            shares: &vec![1.0; values.len()],
            left_out: Vec::new(),
        };
        let start = priors.medians(3);
        let logs: Vec<f64> = [0.5_f64, 0.5, 0.5, 1.0, 1.0, 1e-3]
            .iter()
            .map(|value| value.ln())
            .collect();
        let before = likelihood.cost(&logs, &mut [0.0; 6]);
        let (found, after) = likelihood.maximise(&start, &Lbfgs::default());
        assert!(after < before - 1.0, "{depth}: {before} {after}");
        assert!(found.noise > 0.0 && found.scales.len() == 3);
    }
}

#[test]
fn an_input_that_does_nothing_gets_a_small_scale_and_noise_is_recognised() {
    let points = uniform(120, 3, 52);
    let mut rng = Rng::new(53);
    let mut observe = |i: usize, noise: f64| (6.0 * points[(i, 0)]).sin() + points[(i, 1)] + noise * rng.normal();
    let quiet: Vec<f64> = (0..120).map(|i| observe(i, 0.0)).collect();
    let loud: Vec<f64> = (0..120).map(|i| observe(i, 0.3)).collect();
    let quiet = parameters(fitted(&Ntk::default(), points.as_ref(), &quiet).as_ref());
    let loud = parameters(fitted(&Ntk::default(), points.as_ref(), &loud).as_ref());
    assert!(quiet.scales[2] < 0.2 * quiet.scales[0], "{quiet:?}");
    assert!(
        quiet.noise < 1e-4 && (0.05..0.4).contains(&loud.noise),
        "{quiet:?} {loud:?}"
    );
}

#[test]
fn amid_noise_an_input_is_left_out_unless_the_observations_ask_for_it() {
    let sparse = Ntk {
        noisy: true,
        sparse: true,
        ..Ntk::default()
    };
    for seed in 0..6 {
        let points = uniform(80, 3, 60 + seed);
        let mut rng = Rng::new(70 + seed);
        let mut observe = |weight: f64| -> Vec<f64> {
            let value = |i: usize| (6.0 * points[(i, 0)]).sin() + points[(i, 1)] + weight * points[(i, 2)];
            (0..80).map(|i| value(i) + 0.3 * rng.normal()).collect()
        };
        let (without, with) = (observe(0.0), observe(1.0));
        let useless = parameters(fitted(&sparse, points.as_ref(), &without).as_ref()).scales;
        assert!((useless[2] - 1e-3).abs() < 1e-9 && useless[1] > 0.05, "{useless:?}");
        let useful = parameters(fitted(&sparse, points.as_ref(), &with).as_ref()).scales;
        assert!(useful.iter().all(|scale| *scale > 0.05), "{useful:?}");
    }
}

#[test]
fn an_input_that_was_left_out_comes_back_when_it_is_asked_for() {
    // The first sixty hardly differ in the second input.
    let mut points = uniform(160, 2, 80);
    (0..60).for_each(|i| points[(i, 1)] = 0.5 + 0.02 * points[(i, 1)]);
    let mut rng = Rng::new(81);
    let values: Vec<f64> = (0..160)
        .map(|i| (6.0 * points[(i, 0)]).sin() + points[(i, 1)] + 0.3 * rng.normal())
        .collect();
    let sparse = Ntk {
        noisy: true,
        sparse: true,
        ..Ntk::default()
    };
    let scale = |count: usize| -> f64 {
        let model = fitted(&sparse, points.as_ref().subrows(0, count), &values[..count]);
        parameters(model.as_ref()).scales[1]
    };
    assert!((scale(60) - 1e-3).abs() < 1e-9, "{}", scale(60));
    assert!(scale(160) > 0.02, "{}", scale(160));
}

#[test]
fn amid_noise_nothing_is_taken_for_nearly_straight() {
    let points = uniform(60, 2, 82);
    let mut rng = Rng::new(83);
    let values: Vec<f64> = (0..60)
        .map(|i| 3.0 * points[(i, 0)] + points[(i, 1)] + 0.3 * rng.normal())
        .collect();
    let expected = Ntk {
        noisy: true,
        ..Ntk::default()
    };
    let straight = parameters(fitted(&Ntk::default(), points.as_ref(), &values).as_ref()).scales;
    let curved = parameters(fitted(&expected, points.as_ref(), &values).as_ref()).scales;
    assert!(
        straight[1] < 0.35 && curved[1] > 1.5 * straight[1],
        "{straight:?} {curved:?}"
    );
}

#[test]
fn a_model_follows_a_smooth_function_and_knows_where_it_does_not() {
    for depth in [1, 2] {
        let (points, queries) = (uniform(60, 3, 54), uniform(200, 3, 55));
        let model = fitted(
            &Ntk {
                depth,
                ..Ntk::default()
            },
            points.as_ref(),
            &wavy(points.as_ref()),
        );
        let beliefs = model.marginals().unwrap().beliefs(queries.as_ref());
        let truth = wavy(queries.as_ref());
        let errors = (0..200).map(|i| (beliefs.mean[i] - truth[i]).powi(2)).sum::<f64>() / 200.0;
        assert!(errors.sqrt() < 0.05, "{depth}: {}", errors.sqrt());
        let inside = (0..200)
            .filter(|&i| (beliefs.mean[i] - truth[i]).abs() < 2.0 * beliefs.deviation[i] + 1e-3)
            .count();
        assert!(inside > 170, "{depth}: {inside} of 200");
    }
}

#[test]
fn training_a_wide_network_comes_to_the_mean_of_its_kernel() {
    let (points, queries) = (uniform(12, 2, 56), uniform(30, 2, 57));
    let values = wavy(points.as_ref());
    let kernel = Ntk {
        width: Width::Finite(2048),
        activation: Activation::Erf,
        parameterisation: Parameterisation::Antisymmetric,
        scales: Fit::Fixed(1.0),
        constant: Fit::Fixed(1.0),
        signal: Fit::Fixed(1.0),
        noise: Fit::Fixed(0.02),
        ..Ntk::default()
    };
    let training = Optimiser::gradient_descent(0.05, 3000);
    let trained = Ntk {
        mean: Expectation::Trained,
        training,
        ..kernel.clone()
    };
    let mean = |surrogate: &Ntk| {
        let model = fitted(surrogate, points.as_ref(), &values);
        model.marginals().unwrap().beliefs(queries.as_ref()).mean
    };
    let (kernel, trained) = (mean(&kernel), mean(&trained));
    let error = support::distance(&kernel, &trained);
    let range = kernel.iter().copied().fold(f64::MIN, f64::max) - kernel.iter().copied().fold(f64::MAX, f64::min);
    assert!(error < 0.05 * range, "{error} of {range}");
}

#[test]
fn every_mean_and_every_feature_follows_the_observations() {
    let points = uniform(40, 2, 58);
    let values = wavy(points.as_ref());
    let spread = 1.5;
    for parameterisation in [
        Parameterisation::Standard,
        Parameterisation::Ntk,
        Parameterisation::Antisymmetric,
    ] {
        for features in [Features::Initial, Features::Current] {
            for mean in [Expectation::Kernel, Expectation::Trained] {
                let width = Width::Finite(128);
                let surrogate = Ntk {
                    width,
                    parameterisation,
                    features,
                    mean,
                    activation: Activation::Tanh,
                    ..Ntk::default()
                };
                let model = fitted(&surrogate, points.as_ref(), &values);
                let beliefs = model.marginals().unwrap().beliefs(points.as_ref());
                let error = (0..40).map(|i| (beliefs.mean[i] - values[i]).powi(2)).sum::<f64>() / 40.0;
                assert!(error.sqrt() < 0.4 * spread, "{surrogate:?}: {}", error.sqrt());
            }
        }
    }
}

#[test]
fn another_option_is_as_far_as_half_a_range() {
    let space = Space::new(
        vec![
            Parameter::float("x", 0.0, 1.0),
            Parameter::choice("kind", ["a", "b", "c"]),
        ],
        Vec::new(),
    );
    let space = space.unwrap();
    let known = Ntk {
        scales: Fit::Fixed(0.7),
        constant: Fit::Fixed(1.0),
        signal: Fit::Fixed(1.0),
        noise: Fit::Fixed(1e-4),
        ..Ntk::default()
    };
    // One observation, and two points that differ from it by half the range of x, or by the option.
    let points = Points::from_rows(4, [[0.25, 1.0, 0.0, 0.0].as_slice()]);
    let evidence = Evidence {
        space: &space,
        points: &points,
        values: &[1.0],
        seed: 1,
        shares: &[],
    };
    let model: Arc<dyn Model> = known.fit(&evidence, Previous::default()).unwrap();
    let process = model.as_any().downcast_ref::<ProcessModel>().unwrap();
    let condition = &process.posterior().condition;
    let rows = [[0.25, 1.0, 0.0, 0.0], [0.75, 1.0, 0.0, 0.0], [0.25, 0.0, 1.0, 0.0]];
    let all = Mat::from_fn(3, 4, |i, j| rows[i][j]);
    // In the feature space the squared distances are equal, and so are the norms.
    let variances = condition.prior().diagonal(all.as_ref());
    assert!((variances[0] - variances[1]).abs() < 1e-12 && (variances[0] - variances[2]).abs() < 1e-12);
    let cross = condition.cross(all.as_ref());
    assert!((cross[(0, 1)] - cross[(0, 2)]).abs() < 1e-12, "{cross:?}");
    assert_eq!(parameters(model.as_ref()).scales.len(), 2);
}
