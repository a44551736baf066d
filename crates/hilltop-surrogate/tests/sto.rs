//! Laws of sample-then-optimise: trained networks are draws from a posterior as their width grows.
#![allow(clippy::unwrap_used)]

mod support;

use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef};
use hilltop_core::{Model, Rng};
use hilltop_nn::Newton;
use hilltop_surrogate::Sto;
use hilltop_surrogate::ntk::Fit;
use hilltop_surrogate::sto::{Kind, StoModel, Training};
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

/// Mean and covariance.
struct Moments {
    mean: Vec<f64>,
    covariance: Mat<f64>,
}

/// The moments of so many draws.
fn moments(model: &dyn Model, queries: MatRef<'_, f64>, draws: usize) -> Moments {
    let mut rng = Rng::new(21);
    let mut all = Mat::<f64>::zeros(queries.nrows(), draws);
    for k in 0..draws {
        all.col_as_slice_mut(k)
            .copy_from_slice(&drawn(model, queries, &mut rng));
    }
    let mean: Vec<f64> = (0..all.nrows())
        .map(|i| all.row(i).iter().sum::<f64>() / draws as f64)
        .collect();
    for k in 0..draws {
        (0..all.nrows()).for_each(|i| all[(i, k)] -= mean[i]);
    }
    let covariance = faer::Scale(1.0 / draws as f64) * (&all * all.transpose());
    Moments { mean, covariance }
}

/// The tangent kernel of one infinitely wide layer of erf units, with the parameters of [`sto`].
fn kernel(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    use std::f64::consts::PI;
    let encoded = |z: MatRef<'_, f64>, i: usize| [1.6 * z[(i, 0)] - 0.8, 1.6 * z[(i, 1)] - 0.8, 0.6];
    let inner = |x: [f64; 3], y: [f64; 3]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    Mat::from_fn(a.nrows(), b.nrows(), |i, j| {
        let (x, y) = (encoded(a, i), encoded(b, j));
        let (own, product) = ((1.0 + 2.0 * inner(x, x)) * (1.0 + 2.0 * inner(y, y)), 2.0 * inner(x, y));
        let value = 2.0 / PI * (product / own.sqrt()).asin();
        let slope = 4.0 / PI / (own - product * product).sqrt();
        1.5 * (0.5 * product * slope + value)
    })
}

/// The moments of the posterior of infinite width.
fn posterior(points: MatRef<'_, f64>, values: &[f64], queries: MatRef<'_, f64>, noise: f64) -> Moments {
    let count = values.len();
    let offset = values.iter().sum::<f64>() / count as f64;
    let square = values.iter().map(|y| (y - offset).powi(2)).sum::<f64>() / count as f64;
    let mut gram = kernel(points, points);
    (0..count).for_each(|i| gram[(i, i)] += noise);
    let cross = kernel(points, queries);
    let solved = gram.partial_piv_lu().solve(&cross);
    let mean = (0..queries.nrows()).map(|j| {
        let sum: f64 = (0..count).map(|i| solved[(i, j)] * (values[i] - offset)).sum();
        offset + sum
    });
    Moments {
        mean: mean.collect(),
        covariance: faer::Scale(square) * (kernel(queries, queries) - cross.transpose() * &solved),
    }
}

fn fixed(fit: Fit) -> f64 {
    match fit {
        Fit::Fixed(value) => value,
        Fit::Fitted => f64::NAN,
    }
}

/// How far the moments of draws are from those of the posterior of infinite width, in its deviations: of the mean, and of the
/// covariance (root mean squares over points and over pairs of points). What so many draws of the posterior itself would be off is
/// taken away from the squares of the second.
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
    let truth = posterior(points.as_ref(), &values, queries.as_ref(), fixed(sto.noise));
    let limit = fitted(&sto.prior(), points.as_ref(), &values);
    let beliefs = limit.marginals().unwrap().beliefs(queries.as_ref());
    let unit: Vec<f64> = (0..queries.nrows()).map(|i| truth.covariance[(i, i)].sqrt()).collect();
    assert!(support::distance(&beliefs.mean, &truth.mean) < 1e-6);
    assert!(support::distance(&beliefs.deviation, &unit) < 1e-6);
    let found = moments(fitted(sto, points.as_ref(), &values).as_ref(), queries.as_ref(), draws);
    let root = |squares: Vec<f64>| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    let of_mean = |i: usize| ((found.mean[i] - truth.mean[i]) / unit[i]).powi(2);
    let of_pair = |(i, j): (usize, usize)| {
        let scale = unit[i] * unit[j];
        let (off, own) = (found.covariance[(i, j)] / scale, truth.covariance[(i, j)] / scale);
        (off - own).powi(2) - (1.0 + own * own) / draws as f64
    };
    let pairs = (0..unit.len()).flat_map(|i| (0..unit.len()).map(move |j| (i, j)));
    let excess = pairs.map(of_pair).sum::<f64>() / (unit.len() * unit.len()) as f64;
    (root((0..unit.len()).map(of_mean).collect()), excess.max(0.0).sqrt())
}

#[test]
fn mean_and_covariance_of_draws_approach_the_posterior_as_the_width_grows() {
    let [narrow, middle, wide] = [64, 256, 1024].map(|width| {
        errors(
            &Sto {
                noise: Fit::Fixed(1e-3),
                ..sto(width, 1)
            },
            16,
            4000,
        )
    });
    println!("{narrow:?} {middle:?} {wide:?}");
    assert!(wide.0 < 0.06 && wide.1 < 0.012, "{wide:?}");
    assert!(
        wide.0 < 0.7 * middle.0 && middle.0 < 0.7 * narrow.0,
        "{narrow:?} {middle:?} {wide:?}"
    );
    // From 256 units on the covariance is right up to what 4000 draws can tell.
    assert!(
        wide.1 < 0.6 * narrow.1 && middle.1 < 0.6 * narrow.1,
        "{narrow:?} {middle:?} {wide:?}"
    );
}

#[test]
fn without_perturbed_targets_the_covariance_is_not_that_of_the_posterior_at_any_width() {
    for width in [256, 1024] {
        let blind = Sto {
            perturb: false,
            ..sto(width, 1)
        };
        let (_, with) = errors(&sto(width, 1), 8, 1000);
        let (_, without) = errors(&blind, 8, 1000);
        println!("{width}: {with} {without}");
        assert!(with < 0.1 && without > 0.2, "{width}: {with} with, {without} without");
    }
}

#[test]
fn without_the_tangent_term_draws_vary_too_little() {
    let plain = Sto {
        kind: Kind::Plain,
        ..sto(1024, 1)
    };
    let (_, without) = errors(&plain, 8, 1000);
    let (_, with) = errors(&sto(1024, 1), 8, 1000);
    println!("{with} {without}");
    assert!(without > 0.08 && without > 2.0 * with, "{with} with, {without} without");
}

#[test]
fn members_drawn_together_are_those_drawn_alone() {
    let points = uniform(20, 2, 3);
    let queries = uniform(10, 2, 4);
    for kind in [Kind::Network, Kind::Linear, Kind::Plain] {
        let sto = Sto { kind, ..sto(32, 2) };
        let model = fitted(&sto, points.as_ref(), &wavy(points.as_ref()));
        let together = model.as_any().downcast_ref::<StoModel>().unwrap();
        let seeds = [5, 6, 7];
        let mut rngs = seeds.map(Rng::new);
        let members = together.draw_together(1.0, &mut rngs).unwrap();
        for (member, (seed, after)) in members.iter().zip(seeds.into_iter().zip(&mut rngs)) {
            let mut values = vec![0.0; 10];
            member.values(queries.as_ref(), &mut values);
            values.iter_mut().for_each(|value| *value = -*value);
            let mut rng = Rng::new(seed);
            assert_eq!(values, drawn(model.as_ref(), queries.as_ref(), &mut rng));
            assert_eq!(rng.bits(), after.bits(), "the generator has moved as far");
        }
    }
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
    assert!(middle < 0.8 * narrow && wide < 0.5 * middle, "{narrow} {middle} {wide}");
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
