//! Coordinates learnt from the observations: found where they help, left alone where they do not, and remembered.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::{Evidence, Model, Parameter, Points, Previous, Rng, Space, Surrogate};
use hilltop_surrogate::{Bent, Ntk};
use support::{table, uniform};

/// Changes by orders of magnitude at the lower end of the first coordinate, at the upper end of the second, and evenly
/// along the third.
fn steep(points: MatRef<'_, f64>) -> Vec<f64> {
    let at = |i: usize| (0.002 + points[(i, 0)]).ln() + 2.0 * (1.004 - points[(i, 1)]).sqrt().ln() + points[(i, 2)];
    (0..points.nrows()).map(at).collect()
}

/// As smooth at one end as at the other.
fn even(points: MatRef<'_, f64>) -> Vec<f64> {
    let wave = |i: usize, j: usize| (4.0 * (points[(i, j)] - 0.5)).sin();
    (0..points.nrows())
        .map(|i| wave(i, 0) + wave(i, 1) * wave(i, 2))
        .collect()
}

type Function = fn(MatRef<'_, f64>) -> Vec<f64>;

fn fit(surrogate: &dyn Surrogate, function: Function, count: usize, previous: Previous<'_>) -> Arc<dyn Model> {
    let points = uniform(100, 3, 5).subrows(0, count).to_owned();
    let values = function(points.as_ref());
    let evidence = Evidence {
        space: &Space::unit_box(3),
        points: &table(points.as_ref()),
        values: &values,
        seed: 1,
        shares: &[],
    };
    surrogate.fit(&evidence, previous).unwrap()
}

fn bends(model: &dyn Model) -> Vec<f64> {
    let memory = model.memory().unwrap();
    serde_json::from_value(memory["chosen"]["bends"].clone()).unwrap()
}

/// The root of the mean squared error at points that were not observed.
fn error(model: &dyn Model, function: Function) -> f64 {
    let points = uniform(200, 3, 6);
    let truth = function(points.as_ref());
    let mean = model.marginals().unwrap().beliefs(points.as_ref()).mean;
    let squares = mean.iter().zip(&truth).map(|(mean, truth)| (mean - truth).powi(2));
    (squares.sum::<f64>() / truth.len() as f64).sqrt()
}

fn default_bent() -> Bent {
    Bent { inner: Ntk::default() }
}

fn noisy_bent() -> Bent {
    Bent {
        inner: Ntk {
            noisy: true,
            ..Ntk::default()
        },
    }
}

#[test]
fn a_steep_end_is_found_and_what_was_not_seen_is_foretold_better() {
    let bent = fit(&default_bent(), steep, 60, Previous::default());
    let [low, high, even] = bends(bent.as_ref())[..] else {
        panic!()
    };
    assert!(low > 0.0 && high < 0.0 && even == 0.0, "{low} {high} {even}");
    let straight = fit(&Ntk::default(), steep, 60, Previous::default());
    let [bent, straight] = [bent, straight].map(|model| error(model.as_ref(), steep));
    assert!(bent < 0.3 * straight, "{bent} {straight}");
}

#[test]
fn what_is_even_stays_straight_and_the_model_the_same() {
    for count in [10, 40, 90] {
        let bent = fit(&default_bent(), even, count, Previous::default());
        let plain = fit(&Ntk::default(), even, count, Previous::default());
        assert!(count < 16 || bends(bent.as_ref()) == [0.0; 3]);
        assert_eq!(answers(bent.as_ref()), answers(plain.as_ref()), "{count}");
    }
}

/// All that a model says at some points, bit for bit.
fn answers(model: &dyn Model) -> Vec<u64> {
    let slopes = model.marginals().unwrap().slopes(uniform(7, 3, 7).as_ref()).unwrap();
    let gradients = (0..3).flat_map(|j| slopes.mean.col(j).iter().copied().collect::<Vec<_>>());
    let all = slopes.beliefs.mean.iter().chain(&slopes.beliefs.deviation).copied();
    all.chain(gradients).map(f64::to_bits).collect()
}

#[test]
fn what_is_remembered_never_changes_a_model() {
    for function in [steep, even] {
        let (mut memory, mut last) = (None, None::<Arc<dyn Model>>);
        for count in 4..80 {
            let fresh = fit(&default_bent(), function, count, Previous::default());
            let recalled = Previous {
                model: None,
                memory: memory.as_ref(),
            };
            let recalled = fit(&default_bent(), function, count, recalled);
            let grown = Previous {
                model: last.as_deref(),
                memory: memory.as_ref(),
            };
            let grown = fit(&default_bent(), function, count, grown);
            let fresh = answers(fresh.as_ref());
            assert_eq!(answers(recalled.as_ref()), fresh, "{count}");
            let near = answers(grown.as_ref()).into_iter().zip(fresh);
            let near = near.map(|(a, b)| (f64::from_bits(a) - f64::from_bits(b)).abs());
            assert!(near.fold(0.0, f64::max) < 1e-6, "{count}");
            memory = grown.memory();
            last = Some(grown);
        }
    }
}

#[test]
fn a_memory_that_was_spoilt_is_not_used() {
    let fresh = fit(&default_bent(), steep, 60, Previous::default());
    for spoilt in [
        serde_json::json!({ "chosen": { "count": 60, "bends": [1.0] }, "inner": null }),
        serde_json::json!({ "chosen": { "count": 57, "bends": [1e300, 0.0, 0.0] }, "inner": null }),
        serde_json::json!("nothing"),
    ] {
        let previous = Previous {
            model: None,
            memory: Some(&spoilt),
        };
        assert_eq!(
            answers(fit(&default_bent(), steep, 60, previous).as_ref()),
            answers(fresh.as_ref())
        );
    }
}

#[test]
fn a_positive_range_needs_less_evidence_for_its_logarithm_than_any_range_for_any_bend() {
    // Amid so much noise forty values hardly tell the logarithm from a straight line.
    let points = uniform(40, 2, 12);
    let (mut rng, mut found) = (Rng::new(13), [0, 0, 0]);
    let spaces = [(1.0, 10.0, false), (0.0, 9.0, false), (1.0, 10.0, true)].map(|(low, high, log)| {
        let first = if log { Parameter::log_float } else { Parameter::float }("x", low, high);
        Space::new(vec![first, Parameter::float("y", -1.0, 1.0)], Vec::new()).unwrap()
    });
    for _ in 0..6 {
        let value = |i: usize| (1.0 + 9.0 * points[(i, 0)]).ln() + points[(i, 1)];
        let values: Vec<f64> = (0..40).map(|i| value(i) + 0.15 * rng.normal()).collect();
        for (space, found) in spaces.iter().zip(&mut found) {
            let evidence = Evidence {
                space,
                points: &table(points.as_ref()),
                values: &values,
                seed: 1,
                shares: &[],
            };
            let model = noisy_bent().fit(&evidence, Previous::default()).unwrap();
            let bends = bends(model.as_ref());
            assert!(
                bends[0] == 0.0 || (bends[0] - 9.0).abs() < 1e-9 && bends[1] == 0.0,
                "{bends:?}"
            );
            *found += usize::from(bends[0] != 0.0);
        }
    }
    let [positive, with_zero, stated] = found;
    assert!(positive >= 4 && with_zero == 0 && stated == 0, "{found:?}");
}

#[test]
fn gradients_of_beliefs_and_of_draws_are_difference_quotients() {
    let model = fit(&default_bent(), steep, 60, Previous::default());
    let draw = model.paths().unwrap().draw(1.0, &mut Rng::new(3)).unwrap();
    let (points, step) = (uniform(5, 3, 8), 1e-5);
    let slopes = model.marginals().unwrap().slopes(points.as_ref()).unwrap();
    let (mut values, mut gradients) = (vec![0.0; 5], Mat::zeros(5, 3));
    draw.smooth()
        .unwrap()
        .values_and_gradients(points.as_ref(), &mut values, gradients.as_mut());
    for j in 0..3 {
        let moved = |by: f64| Mat::from_fn(5, 3, |i, k| points[(i, k)] + if k == j { by } else { 0.0 });
        let [low, high] = [-step, step].map(moved);
        let means = [&low, &high].map(|points| model.marginals().unwrap().beliefs(points.as_ref()).mean);
        let drawn = [&low, &high].map(|points| {
            let mut values = vec![0.0; 5];
            draw.values(points.as_ref(), &mut values);
            values
        });
        for i in 0..5 {
            let of = |pair: &[Vec<f64>; 2]| (pair[1][i] - pair[0][i]) / (2.0 * step);
            let (mean, path) = (of(&means), of(&drawn));
            assert!(
                (mean - slopes.mean[(i, j)]).abs() < 1e-3 * (1.0 + mean.abs()),
                "{i} {j}"
            );
            assert!((path - gradients[(i, j)]).abs() < 1e-3 * (1.0 + path.abs()), "{i} {j}");
        }
    }
}

#[test]
fn options_and_many_coordinates_are_left_alone() {
    let choice = Space::new(vec![Parameter::choice("a", ["x", "y", "z"])], Vec::new()).unwrap();
    let mut points = Points::new(3);
    (0..40).for_each(|k| points.push(&[0, 1, 2].map(|option| f64::from(u8::from(k % 3 == option)))));
    let many = uniform(40, 31, 9);
    for (space, points) in [(choice, points), (Space::unit_box(31), table(many.as_ref()))] {
        let values: Vec<f64> = (0..40).map(|k| f64::from(k % 3)).collect();
        let evidence = Evidence {
            space: &space,
            points: &points,
            values: &values,
            seed: 1,
            shares: &[],
        };
        let [bent, plain]: [&dyn Surrogate; 2] = [&default_bent(), &Ntk::default()];
        let [bent, plain] = [bent, plain].map(|surrogate| surrogate.fit(&evidence, Previous::default()).unwrap());
        assert_eq!(bent.memory(), plain.memory());
    }
}
