//! What holds for the surrogates that train a network: parametric, with a Bayesian head, on perturbed targets.
#![allow(clippy::unwrap_used)]

mod support;

use faer::{Mat, MatRef};
use hilltop_core::{Evidence, Model, Points, Previous, Rng, Score, Space, Surrogate};
use hilltop_nn::{Activation, Optimiser};
use hilltop_surrogate::parametric::RegressionModel;
use hilltop_surrogate::{Dngo, Perturbed, Regression};
use support::{assert_close, differences, fitted, table, uniform, wavy};

fn parametric() -> Regression {
    Regression {
        width: 8,
        first: 6,
        growth: 1.0,
        lambda: 0.1,
        ..Regression::default()
    }
}

fn headed() -> Dngo {
    Dngo {
        width: 10,
        depth: 2,
        training: Optimiser::adam(0.01, 10, 60),
        ..Dngo::default()
    }
}

fn perturbed() -> Perturbed {
    Perturbed {
        width: 20,
        training: Optimiser::adam(0.01, 10, 60),
        ..Perturbed::default()
    }
}

fn models() -> Vec<(&'static str, std::sync::Arc<dyn Model>)> {
    let points = uniform(20, 3, 1);
    let values = wavy(points.as_ref());
    let named: [(&'static str, &dyn Surrogate); 2] = [("parametric", &parametric()), ("dngo", &headed())];
    named
        .into_iter()
        .map(|(name, surrogate)| (name, fitted(surrogate, points.as_ref(), &values)))
        .collect()
}

fn scores(score: &dyn Score, points: MatRef<'_, f64>) -> Vec<f64> {
    let mut out = vec![0.0; points.nrows()];
    score.values(points, &mut out);
    out
}

#[test]
fn slopes_are_the_derivatives_of_the_beliefs() {
    let queries = uniform(5, 3, 2);
    for (name, model) in models() {
        let marginals = model.marginals().unwrap();
        let slopes = marginals.slopes(queries.as_ref()).unwrap();
        let mean = differences(queries.as_ref(), 1e-5, |points| marginals.beliefs(points).mean);
        let deviation = differences(queries.as_ref(), 1e-5, |points| marginals.beliefs(points).deviation);
        assert_close(&slopes.mean, &mean, 1e-6, name);
        assert_close(&slopes.deviation, &deviation, 1e-5, name);
    }
}

#[test]
fn the_slopes_of_a_drawn_function_are_its_derivatives() {
    let (points, queries) = (uniform(20, 3, 1), uniform(5, 3, 2));
    let mut all = models();
    all.push((
        "perturbed",
        fitted(&perturbed(), points.as_ref(), &wavy(points.as_ref())),
    ));
    for (name, model) in all {
        let path = model.paths().unwrap().draw(1.0, &mut Rng::new(3)).unwrap();
        let (mut values, mut slopes) = (vec![0.0; 5], Mat::zeros(5, 3));
        path.smooth()
            .unwrap()
            .values_and_gradients(queries.as_ref(), &mut values, slopes.as_mut());
        let expected = differences(queries.as_ref(), 1e-5, |points| scores(&*path, points));
        assert_close(&slopes, &expected, 1e-6, name);
        assert_eq!(values, scores(&*path, queries.as_ref()), "{name}");
    }
}

#[test]
fn drawn_functions_have_the_marginals_as_moments() {
    let queries = uniform(4, 3, 2);
    for (name, model) in models() {
        let beliefs = model.marginals().unwrap().beliefs(queries.as_ref());
        let (mut rng, count) = (Rng::new(8), 4000);
        let (mut sum, mut square) = (vec![0.0; 4], vec![0.0; 4]);
        for _ in 0..count {
            let path = model.paths().unwrap().draw(1.0, &mut rng).unwrap();
            for (i, score) in scores(&*path, queries.as_ref()).into_iter().enumerate() {
                let away = -score - beliefs.mean[i];
                sum[i] += away / f64::from(count);
                square[i] += away * away / f64::from(count);
            }
        }
        for i in 0..4 {
            let deviation = beliefs.deviation[i];
            assert!(
                sum[i].abs() < 0.08 * deviation,
                "{name}: mean off by {}",
                sum[i] / deviation
            );
            assert!(
                (square[i].sqrt() / deviation - 1.0).abs() < 0.06,
                "{name}: {}",
                square[i].sqrt() / deviation
            );
        }
    }
}

#[test]
fn believing_a_point_shrinks_its_deviation_and_keeps_the_mean() {
    let queries = uniform(3, 3, 4);
    for (name, model) in models() {
        let before = model.marginals().unwrap().beliefs(queries.as_ref());
        let believed = model.believe(queries.as_ref().subrows(0, 1)).unwrap().unwrap();
        let after = believed.marginals().unwrap().beliefs(queries.as_ref());
        assert_eq!(before.mean, after.mean, "{name}");
        assert!(after.deviation[0] < before.deviation[0], "{name}");
        assert!(after.deviation[1] <= before.deviation[1] * (1.0 + 1e-9), "{name}");
    }
}

fn evidence<'a>(space: &'a Space, points: &'a Points, values: &'a [f64]) -> Evidence<'a> {
    Evidence {
        space,
        points,
        values,
        seed: 7,
        shares: &[],
    }
}

#[test]
fn a_parametric_model_that_grew_is_the_one_built_anew() {
    let (space, points) = (Space::unit_box(3), uniform(40, 3, 1));
    let (values, points) = (wavy(points.as_ref()), table(points.as_ref()));
    for growth in [1.0, 1.5] {
        let surrogate = Regression { growth, ..parametric() };
        let mut grown: Option<std::sync::Arc<dyn Model>> = None;
        for count in [3, 7, 8, 20, 40] {
            let head = points.head(count);
            let evidence = evidence(&space, &head, &values[..count]);
            let previous = Previous {
                model: grown.as_deref(),
                memory: None,
            };
            let model = surrogate.fit(&evidence, previous).unwrap();
            let anew = surrogate.fit(&evidence, Previous::default()).unwrap();
            let weights = |model: &dyn Model| {
                model
                    .as_any()
                    .downcast_ref::<RegressionModel>()
                    .unwrap()
                    .estimate()
                    .weights()
                    .to_vec()
            };
            assert_eq!(weights(&*model), weights(&*anew), "{growth} {count}");
            grown = Some(model);
        }
    }
}

#[test]
fn values_a_thousand_times_larger_change_the_units_and_nothing_else() {
    let points = uniform(30, 3, 1);
    let values = wavy(points.as_ref());
    let large: Vec<f64> = values.iter().map(|value| 1000.0 * value - 5.0).collect();
    let queries = uniform(4, 3, 2);
    let at = |values: &[f64]| {
        fitted(&parametric(), points.as_ref(), values)
            .marginals()
            .unwrap()
            .beliefs(queries.as_ref())
    };
    let (small, large) = (at(&values), at(&large));
    for i in 0..4 {
        assert!((1000.0 * small.mean[i] - 5.0 - large.mean[i]).abs() < 1e-4 * large.mean[i].abs());
        assert!((1000.0 * small.deviation[i] / large.deviation[i] - 1.0).abs() < 1e-4);
    }
}

#[test]
fn values_that_were_all_equal_at_first_do_not_blow_the_weights_up() {
    let points = uniform(12, 3, 1);
    let values: Vec<f64> = (0..12)
        .map(|i| if i < 8 { 1.0 + 1e-9 * f64::from(i) } else { 26.0 })
        .collect();
    let model = fitted(&parametric(), points.as_ref(), &values);
    let weights = model
        .as_any()
        .downcast_ref::<RegressionModel>()
        .unwrap()
        .estimate()
        .weights()
        .to_vec();
    assert!(weights.iter().all(|weight| weight.abs() < 50.0));
}

#[test]
fn a_drawn_network_meets_its_targets_up_to_their_noise() {
    let points = uniform(25, 3, 1);
    let values = wavy(points.as_ref());
    let surrogate = Perturbed {
        penalty: 0.0,
        training: Optimiser::adam(0.01, 10, 400),
        ..perturbed()
    };
    let model = fitted(&surrogate, points.as_ref(), &values);
    let draw = |seed| {
        scores(
            &*model.paths().unwrap().draw(1.0, &mut Rng::new(seed)).unwrap(),
            points.as_ref(),
        )
    };
    let (one, other) = (draw(1), draw(2));
    assert_ne!(one, other);
    let spread = 2.5;
    for (score, value) in one.iter().zip(&values) {
        assert!((-score - value).abs() < spread, "{score} {value}");
    }
}

#[test]
fn settings_that_cannot_be_are_refused_by_name() {
    let message = |result: hilltop_core::Result<()>| result.unwrap_err().to_string();
    assert!(
        message(
            Regression {
                width: 0,
                ..parametric()
            }
            .check()
        )
        .starts_with("width = 0")
    );
    assert!(
        message(
            Regression {
                lambda: -1.0,
                ..parametric()
            }
            .check()
        )
        .starts_with("lambda = -1")
    );
    assert!(
        message(
            Regression {
                growth: 0.5,
                ..parametric()
            }
            .check()
        )
        .starts_with("growth = 0.5")
    );
    assert!(
        message(
            Regression {
                scale: f64::NAN,
                ..parametric()
            }
            .check()
        )
        .starts_with("scale = NaN")
    );
    assert!(message(Dngo { width: 0, ..headed() }.check()).starts_with("width = 0"));
    assert!(
        message(
            Dngo {
                training: Optimiser::sgd(-1.0, 5, 5),
                ..headed()
            }
            .check()
        )
        .contains("rate")
    );
    assert!(
        message(
            Perturbed {
                noise: -0.1,
                ..perturbed()
            }
            .check()
        )
        .starts_with("noise = -0.1")
    );
    assert!(
        message(
            Perturbed {
                width: 0,
                ..perturbed()
            }
            .check()
        )
        .starts_with("width = 0")
    );
    assert!(
        !Regression {
            activation: Activation::Relu,
            ..parametric()
        }
        .capabilities()
        .smooth
    );
}
