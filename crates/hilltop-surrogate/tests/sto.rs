//! Laws of sample-then-optimise: trained networks are draws from a posterior as their width grows.
#![allow(clippy::unwrap_used)]

mod support;

use faer::{Mat, MatRef};
use hilltop_core::{Beliefs, Model, Rng};
use hilltop_nn::Newton;
use hilltop_surrogate::Sto;
use hilltop_surrogate::ntk::Fit;
use hilltop_surrogate::sto::{Kind, Training};
use support::{assert_close, differences, fitted, uniform, wavy};

fn sto(width: usize, depth: usize) -> Sto {
    Sto {
        width,
        depth,
        laziness: 1.0,
        training: Training::Newton(Newton {
            tolerance: 1e-4,
            steps: 50,
        }),
        scales: Fit::Fixed(0.8),
        constant: Fit::Fixed(0.6),
        signal: Fit::Fixed(1.5),
        noise: Fit::Fixed(0.1),
        ..Sto::default()
    }
}

/// Values of a drawn function.
fn drawn(model: &dyn Model, queries: MatRef<'_, f64>, rng: &mut Rng) -> Vec<f64> {
    let mut values = vec![0.0; queries.nrows()];
    let path = model.paths().unwrap().draw(1.0, rng).unwrap();
    path.values(queries, &mut values);
    values.iter().map(|value| -value).collect()
}

/// Mean and deviation of draws.
fn moments(model: &dyn Model, queries: MatRef<'_, f64>, draws: usize) -> Beliefs {
    let mut rng = Rng::new(21);
    let count = draws as f64;
    let all: Vec<Vec<f64>> = (0..draws).map(|_| drawn(model, queries, &mut rng)).collect();
    let over = |sum: &dyn Fn(&Vec<f64>, usize) -> f64, i| all.iter().map(|draw| sum(draw, i)).sum::<f64>() / count;
    let mean: Vec<f64> = (0..queries.nrows()).map(|i| over(&|draw, i| draw[i], i)).collect();
    let square = |i| over(&|draw: &Vec<f64>, i: usize| (draw[i] - mean[i]).powi(2), i);
    let deviation = (0..queries.nrows()).map(|i| f64::sqrt(square(i))).collect();
    Beliefs { mean, deviation }
}

/// How far moments are from those of the posterior of infinite width, in its deviations: of the mean, and of the deviation.
fn errors(sto: &Sto, count: usize, draws: usize) -> (f64, f64) {
    let points = uniform(count, 2, 3);
    let values = wavy(points.as_ref());
    let queries = Mat::from_fn(count + 6, 2, |i, j| {
        if i < count {
            points[(i, j)]
        } else {
            ((i * 5 + j * 3) % 7) as f64 / 6.0
        }
    });
    let limit = fitted(&sto.prior(), points.as_ref(), &values);
    let truth = limit.marginals().unwrap().beliefs(queries.as_ref());
    let found = moments(fitted(sto, points.as_ref(), &values).as_ref(), queries.as_ref(), draws);
    let of = |found: &[f64], truth: &[f64], unit: &[f64]| {
        let squares = (0..unit.len()).map(|i| ((found[i] - truth[i]) / unit[i]).powi(2));
        (squares.sum::<f64>() / unit.len() as f64).sqrt()
    };
    let unit = &truth.deviation;
    (of(&found.mean, &truth.mean, unit), of(&found.deviation, unit, unit))
}

#[test]
fn draws_approach_the_posterior_as_the_width_grows() {
    let [narrow, middle, wide] = [64, 256, 1024].map(|width| {
        errors(
            &Sto {
                noise: Fit::Fixed(1e-3),
                ..sto(width, 1)
            },
            16,
            1500,
        )
    });
    println!("{narrow:?} {middle:?} {wide:?}");
    assert!(wide.0 < 0.06 && wide.1 < 0.04, "{wide:?}");
    assert!(
        wide.0 < 0.7 * middle.0 && middle.0 < 0.7 * narrow.0,
        "{narrow:?} {middle:?} {wide:?}"
    );
}

#[test]
fn without_perturbed_targets_draws_vary_too_little() {
    let blind = Sto {
        perturb: false,
        ..sto(1024, 1)
    };
    let (_, with) = errors(&sto(1024, 1), 8, 1000);
    let (_, without) = errors(&blind, 8, 1000);
    println!("{with} {without}");
    assert!(with < 0.07 && without > 0.3, "{with} with, {without} without");
}

#[test]
fn without_the_tangent_term_draws_vary_too_little() {
    let plain = Sto {
        kind: Kind::Plain,
        ..sto(1024, 1)
    };
    let (_, without) = errors(&plain, 8, 1000);
    println!("{without}");
    assert!(without > 0.15, "{without}");
}

/// Root mean square distance between a trained network and its linearisation, over draws from the same randomness.
fn bend(width: usize, laziness: f64, draws: u64) -> f64 {
    let points = uniform(8, 2, 3);
    let values = wavy(points.as_ref());
    let queries = uniform(30, 2, 5);
    let trained = Sto {
        laziness,
        ..sto(width, 2)
    };
    let linear = Sto {
        laziness: 1e5,
        ..sto(width, 2)
    };
    let models = [trained, linear].map(|sto| fitted(&sto, points.as_ref(), &values));
    let square = |seed| {
        let [a, b] = [0, 1].map(|k: usize| drawn(models[k].as_ref(), queries.as_ref(), &mut Rng::new(seed)));
        a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 30.0
    };
    ((0..draws).map(square).sum::<f64>() / draws as f64).sqrt()
}

#[test]
fn a_deep_network_bends_less_the_wider_and_the_lazier_it_is() {
    let [narrow, middle, wide] = [64, 256, 1024].map(|width| bend(width, 1.0, 8));
    let lazy = bend(64, 4.0, 8);
    println!("{narrow} {middle} {wide}, lazy {lazy}");
    assert!(middle < 0.7 * narrow && wide < 0.7 * middle, "{narrow} {middle} {wide}");
    assert!(lazy < 0.5 * narrow, "{lazy} of {narrow}");
}

#[test]
fn gradients_agree_with_differences() {
    let points = uniform(9, 3, 3);
    let values = wavy(points.as_ref());
    for kind in [Kind::Network, Kind::Linear, Kind::Plain] {
        let sto = Sto {
            kind,
            width: 32,
            laziness: 3.0,
            ..Sto::default()
        };
        let model = fitted(&sto, points.as_ref(), &values);
        let path = model.paths().unwrap().draw(1.3, &mut Rng::new(8)).unwrap();
        let queries = uniform(6, 3, 12);
        let (mut found, mut slopes) = (vec![0.0; 6], Mat::zeros(6, 3));
        let smooth = path.smooth().unwrap();
        smooth.values_and_gradients(queries.as_ref(), &mut found, slopes.as_mut());
        let value = |at: MatRef<'_, f64>| {
            let mut values = vec![0.0; at.nrows()];
            path.values(at, &mut values);
            values
        };
        assert!(support::distance(&found, &value(queries.as_ref())) < 1e-10);
        assert_close(&slopes, &differences(queries.as_ref(), 1e-5, value), 1e-6, "slopes");
    }
}
