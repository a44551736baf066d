//! What holds for acquisitions bound to a model.
#![allow(clippy::unwrap_used)]

mod toy;

use std::sync::Arc;

use faer::Mat;
use hilltop_acquire::acquisition::Kind;
use hilltop_acquire::{Ei, Incumbent, LogEi, Mean, Path, Pointwise, Schedule, Ucb};
use hilltop_core::{Acquisition, Bounds, History, Model, Models, Points, Rng, Score, Space};
use toy::{Formula, Hill, history, value, within};

fn observed() -> History {
    let mut history = history(Space::unit_box(3), 5);
    for (trial, point) in [[0.1, 0.2, 0.3], [0.9, 0.5, 0.4], [0.3, 0.8, 0.6]].iter().enumerate() {
        let lucky = if trial == 2 { -5.0 } else { 0.0 };
        history.observe(
            trial as u64,
            point,
            &[Formula {
                offset: 0.0,
                smooth: true,
            }
            .mean(point)
                + lucky],
        );
    }
    history
}

fn models(offset: f64, smooth: bool) -> Models {
    let model: Arc<dyn Model> = Arc::new(Formula { offset, smooth });
    Models::from(model)
}

fn bind(acquisition: &dyn Acquisition, models: &Models, seed: u64) -> Arc<dyn Score> {
    within(&observed(), &Bounds::unit(3), |context| {
        acquisition.bind(models, context, &mut Rng::new(seed)).unwrap()
    })
}

fn kind(name: &str) -> Kind {
    serde_json::from_str(&format!("\"{name}\"")).unwrap()
}

const POINT: [f64; 3] = [0.35, 0.6, 0.15];

#[test]
fn gradients_agree_with_finite_differences_near_and_far_from_the_optimum() {
    for name in ["ei", "log-ei", "pi", "log-pi", "ucb", "mean", "max-value-entropy"] {
        for offset in [-6.0, -4.0, 0.0, 30.0] {
            let score = bind(&kind(name), &models(offset, true), 1);
            let (mut values, mut gradients) = ([0.0], Mat::zeros(1, 3));
            let points = Points::from_rows(3, [POINT.as_slice()]);
            score
                .smooth()
                .unwrap()
                .values_and_gradients(points.matrix(), &mut values, gradients.as_mut());
            assert!(
                (values[0] - value(&*score, &POINT)).abs() <= 1e-13 * values[0].abs(),
                "{name}"
            );
            for axis in 0..3 {
                let mut moved = [POINT, POINT];
                moved[0][axis] += 1e-5;
                moved[1][axis] -= 1e-5;
                let difference = (value(&*score, &moved[0]) - value(&*score, &moved[1])) / 2e-5;
                let slope = gradients[(0, axis)];
                let error = (slope - difference).abs();
                assert!(
                    error < 1e-6 * slope.abs().max(1e-200) || error < 1e-9,
                    "{name} {offset}: {slope} {difference}"
                );
            }
        }
    }
}

#[test]
fn far_from_the_optimum_the_logarithm_still_tells_points_apart() {
    let (far, near) = ([0.9, 0.9, 0.9], [0.1, 0.1, 0.1]);
    let plain = bind(&Ei::default(), &models(1e4, true), 1);
    assert!(value(&*plain, &far) <= 0.0 && value(&*plain, &near) <= 0.0);
    let log = bind(&LogEi::default(), &models(1e4, true), 1);
    assert!(value(&*log, &far).is_finite() && value(&*log, &near).is_finite());
    assert!((value(&*log, &far) - value(&*log, &near)).abs() > 1.0);
}

#[test]
fn scores_of_a_model_without_gradients_have_none() {
    for name in ["ei", "log-ei", "pi", "log-pi", "ucb", "mean"] {
        assert!(bind(&kind(name), &models(0.0, false), 1).smooth().is_none(), "{name}");
        assert!(bind(&kind(name), &models(0.0, true), 1).smooth().is_some(), "{name}");
        assert!(kind(name).is_smooth());
    }
    assert!(!kind("pointwise").is_smooth());
    assert!(bind(&kind("pointwise"), &models(0.0, true), 1).smooth().is_none());
}

#[test]
fn a_lucky_observation_sets_the_bar_only_where_the_best_observed_value_does() {
    let by_value = bind(&Ei::default(), &models(0.0, true), 1);
    let by_mean = bind(
        &Ei {
            incumbent: Incumbent::BestMean,
            margin: 0.0,
            ..Ei::default()
        },
        &models(0.0, true),
        1,
    );
    assert!(value(&*by_mean, &POINT) > 10.0 * value(&*by_value, &POINT));
}

#[test]
fn a_margin_asks_for_a_larger_improvement() {
    let none = bind(&Ei::default(), &models(-4.0, true), 1);
    let some = bind(
        &Ei {
            margin: 0.1,
            ..Ei::default()
        },
        &models(-4.0, true),
        1,
    );
    assert!(value(&*some, &POINT) < value(&*none, &POINT));
}

#[test]
fn the_confidence_bound_is_the_mean_less_root_beta_deviations() {
    let model = Formula {
        offset: 0.0,
        smooth: true,
    };
    let ucb = bind(
        &Ucb {
            beta: Schedule::Constant { value: 9.0 },
        },
        &models(0.0, true),
        1,
    );
    assert!((value(&*ucb, &POINT) - (3.0 * Formula::deviation(&POINT) - model.mean(&POINT))).abs() < 1e-14);
    let mean = bind(&Mean::default(), &models(0.0, true), 1);
    assert!((value(&*mean, &POINT) + model.mean(&POINT)).abs() < 1e-14);
}

#[test]
fn schedules_follow_their_formulas() {
    let history = observed().with_budget(Some(12));
    let model = Formula {
        offset: 0.0,
        smooth: true,
    };
    let grows = Schedule::GpUcb { delta: 0.1, scale: 1.0 };
    // 2 ln(3 · 4² · π² / 0.6), at the fourth trial in three dimensions.
    assert!(
        (grows.value(&history, &model).unwrap() - 13.342_972_812_745_364).abs() < 1e-9,
        "{:?}",
        grows.value(&history, &model)
    );
    let line = |trials| {
        Schedule::Linear {
            from: 9.0,
            to: 1.0,
            trials,
        }
        .value(&history, &model)
        .unwrap()
    };
    assert!((line(None) - 7.0).abs() < 1e-12);
    assert!((line(Some(2)) - 1.0).abs() < 1e-12);
    let wrong = Schedule::Constant { value: -1.0 }
        .value(&history, &model)
        .unwrap_err()
        .to_string();
    assert_eq!(wrong, "beta.value = -1 is not allowed: a number of at least 0");
    assert!(Schedule::GpUcb { delta: 0.0, scale: 1.0 }.check().is_err());
    let paper = |bound, noise| Schedule::Paper {
        bound,
        noise,
        delta: 0.1,
    };
    // (2 + 0.5 √(7 + 2 + 2 ln 10))²
    let beta = paper(2.0, 0.5).value(&history, &model).unwrap();
    assert!((beta - 14.778_329_942_630_54).abs() < 1e-12, "{beta}");
    let written: Schedule = serde_json::from_str("\"paper\"").unwrap();
    assert_eq!(written, paper(1.0, 1.0));
    assert!(paper(-1.0, 1.0).check().is_err() && paper(1.0, f64::NAN).check().is_err());
}

#[test]
fn a_pointwise_draw_is_one_function_a_round_with_the_models_moments() {
    let acquisition = Pointwise { spread: 2.0 };
    let (one, same, other) = (
        bind(&acquisition, &models(0.0, true), 1),
        bind(&acquisition, &models(0.0, true), 1),
        bind(&acquisition, &models(0.0, true), 2),
    );
    assert!((value(&*one, &POINT) - value(&*same, &POINT)).abs() <= 0.0);
    assert!((value(&*one, &POINT) - value(&*other, &POINT)).abs() > 0.0);
    let draws: Vec<f64> = (0..4000)
        .map(|k| {
            let point = [0.35 + 1e-9 * f64::from(k), 0.6, 0.15];
            (-value(&*one, &point)
                - Formula {
                    offset: 0.0,
                    smooth: true,
                }
                .mean(&point))
                / Formula::deviation(&point)
        })
        .collect();
    let mean = draws.iter().sum::<f64>() / 4000.0;
    let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 4000.0;
    assert!(mean.abs() < 0.1 && (variance - 4.0).abs() < 0.4, "{mean} {variance}");
}

#[test]
fn a_path_is_drawn_with_its_spread_from_the_rounds_generator() {
    let score = bind(&Path { spread: 0.25 }, &models(0.0, true), 9);
    let expected = Hill {
        centre: vec![0.25, Rng::new(9).uniform()],
        ripples: 0.0,
        smooth: true,
    };
    assert!((value(&*score, &[0.4, 0.4]) - expected.value(&[0.4, 0.4])).abs() <= 0.0);
}

#[test]
fn without_observations_the_belief_in_the_middle_is_the_bar() {
    let empty = history(Space::unit_box(3), 1);
    let score = within(&empty, &Bounds::unit(3), |context| {
        Ei::default()
            .bind(&models(2.0, true), context, &mut Rng::new(1))
            .unwrap()
    });
    let expected = Formula::deviation(&[0.5; 3]) / (2.0 * std::f64::consts::PI).sqrt();
    assert!((value(&*score, &[0.5; 3]) - expected).abs() < 1e-12);
}
