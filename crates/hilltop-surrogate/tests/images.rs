//! Candidates that are arrays: what a convolutional tangent kernel believes of them.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::{Candidates, Evidence, Model, Previous, Rng, Space, Surrogate, Value};
use hilltop_nn::Parameterisation;
use hilltop_surrogate::ntk::{Expectation, Fit};
use hilltop_surrogate::sto::Kind;
use hilltop_surrogate::{ImageNetwork, Ntk, Sto};
use support::{assert_close, differences, distance, table};

/// Images of a bright bar somewhere; what counts is the bar and not its place.
fn images(count: usize, seed: u64) -> Space {
    let mut rng = Rng::new(seed);
    let mut rows = Vec::new();
    for _ in 0..count {
        let mut image = vec![0.0; 36];
        let (row, column, length) = (rng.below(6), rng.below(3), 1 + rng.below(3));
        (column..column + length).for_each(|place| image[6 * row + place] = 0.5 + 0.5 * rng.uniform());
        rows.push(image.iter().map(|value| Value::Float(*value)).collect());
    }
    let names = (0..36).map(|k| format!("p{k}"));
    let candidates = Candidates::from_rows(names, rows).unwrap();
    Space::finite(candidates.with_shape(&[6, 6]).unwrap())
}

fn points(space: &Space, range: std::ops::Range<usize>) -> Mat<f64> {
    let candidates = space.candidates().unwrap();
    Mat::from_fn(range.len(), 36, |i, j| candidates.features(range.start + i)[j])
}

/// The brightness of the bar's ends, wherever it stands.
fn score(points: MatRef<'_, f64>) -> Vec<f64> {
    let place = |i: usize, k: usize| points[(i, k)];
    let edges = |i: usize| -> f64 {
        (0..36)
            .filter(|k| k % 6 < 5)
            .map(|k| (place(i, k) - place(i, k + 1)).powi(2))
            .sum()
    };
    (0..points.nrows()).map(|i| (1.7 * edges(i)).sin()).collect()
}

fn surrogate() -> Ntk {
    let convolution = ImageNetwork {
        filters: 24,
        units: 24,
        ..ImageNetwork::default()
    };
    Ntk {
        convolution: Some(convolution),
        ..Ntk::default()
    }
}

fn model(ntk: &Ntk, space: &Space, points: MatRef<'_, f64>, previous: Previous<'_>) -> Arc<dyn Model> {
    let values = score(points);
    let table = table(points);
    let evidence = Evidence {
        space,
        points: &table,
        values: &values,
        seed: 7,
        shares: &[],
    };
    ntk.fit(&evidence, previous).unwrap()
}

fn error(ntk: &Ntk, space: &Space, queries: MatRef<'_, f64>, data: MatRef<'_, f64>) -> f64 {
    let model = model(ntk, space, data, Previous::default());
    let beliefs = model.marginals().unwrap().beliefs(queries);
    let errors = beliefs.mean.iter().zip(score(queries)).map(|(m, y)| (m - y).powi(2));
    (errors.sum::<f64>() / queries.nrows() as f64).sqrt()
}

#[test]
fn a_convolution_learns_what_does_not_depend_on_the_place_from_fewer_images() {
    let space = images(260, 3);
    let (data, queries) = (points(&space, 0..60), points(&space, 60..260));
    let dense = Ntk {
        convolution: None,
        ..surrogate()
    };
    let convolved = error(&surrogate(), &space, queries.as_ref(), data.as_ref());
    let plain = error(&dense, &space, queries.as_ref(), data.as_ref());
    assert!(convolved < 0.9 * plain, "{convolved} {plain}");
}

#[test]
fn slopes_agree_with_differences_and_observed_images_are_known() {
    let space = images(40, 4);
    let data = points(&space, 0..25);
    for parameterisation in [Parameterisation::Ntk, Parameterisation::Antisymmetric] {
        let ntk = Ntk {
            parameterisation,
            ..surrogate()
        };
        let model = model(&ntk, &space, data.as_ref(), Previous::default());
        let marginals = model.marginals().unwrap();
        let own = marginals.beliefs(data.as_ref());
        let far = marginals.beliefs(points(&space, 25..40).as_ref());
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        assert!(distance(&own.mean, &score(data.as_ref())) < 0.1);
        assert!(largest(&own.deviation) < 0.5 * largest(&far.deviation));
        let queries = points(&space, 25..28);
        let slopes = marginals.slopes(queries.as_ref()).unwrap();
        let mean = differences(queries.as_ref(), 1e-5, |moved| marginals.beliefs(moved).mean);
        assert_close(&slopes.mean, &mean, 1e-6, "mean");
        let deviation = differences(queries.as_ref(), 1e-5, |moved| marginals.beliefs(moved).deviation);
        assert_close(&slopes.deviation, &deviation, 1e-6, "deviation");
    }
}

#[test]
fn a_model_that_grows_and_one_that_remembers_are_those_built_anew() {
    let space = images(60, 5);
    let (few, many) = (points(&space, 0..41), points(&space, 0..44));
    let earlier = model(&surrogate(), &space, few.as_ref(), Previous::default());
    let memory = earlier.memory();
    let queries = points(&space, 44..60);
    let beliefs = |model: &dyn Model| model.marginals().unwrap().beliefs(queries.as_ref());
    let fresh = beliefs(model(&surrogate(), &space, many.as_ref(), Previous::default()).as_ref());
    for (kept, memory) in [
        (Some(earlier.as_ref()), None),
        (None, memory.as_ref()),
        (Some(earlier.as_ref()), memory.as_ref()),
    ] {
        let previous = Previous { model: kept, memory };
        let grown = beliefs(model(&surrogate(), &space, many.as_ref(), previous).as_ref());
        assert_eq!(grown, fresh);
    }
}

#[test]
fn drawn_functions_have_the_moments_of_the_posterior() {
    let space = images(30, 6);
    let model = model(
        &surrogate(),
        &space,
        points(&space, 0..20).as_ref(),
        Previous::default(),
    );
    let queries = points(&space, 20..24);
    let beliefs = model.marginals().unwrap().beliefs(queries.as_ref());
    let (count, mut rng) = (800, Rng::new(2));
    let mut sums = vec![(0.0, 0.0); queries.nrows()];
    for _ in 0..count {
        let path = model.paths().unwrap().draw(1.0, &mut rng).unwrap();
        let mut values = vec![0.0; queries.nrows()];
        path.values(queries.as_ref(), &mut values);
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum = (sum.0 - value, sum.1 + value * value);
        }
    }
    for (index, (sum, squares)) in sums.into_iter().enumerate() {
        let mean = sum / f64::from(count);
        let deviation = (squares / f64::from(count) - mean * mean).sqrt();
        let expected = beliefs.deviation[index];
        assert!(
            (mean - beliefs.mean[index]).abs() < 0.15 * expected,
            "{mean} {}",
            beliefs.mean[index]
        );
        assert!((deviation / expected - 1.0).abs() < 0.1, "{deviation} {expected}");
    }
}

/// Over many members with weights of their own, the mean and the deviation at images that were not seen.
fn members(sto: &Sto, space: &Space, data: MatRef<'_, f64>, queries: MatRef<'_, f64>) -> (Vec<f64>, Vec<f64>) {
    let (values, table) = (score(data), table(data));
    let evidence = Evidence {
        space,
        points: &table,
        values: &values,
        seed: 7,
        shares: &[],
    };
    let model = sto.fit(&evidence, Previous::default()).unwrap();
    let (count, mut rng) = (400, Rng::new(2));
    let mut sums = vec![(0.0, 0.0); queries.nrows()];
    for _ in 0..count {
        let path = model.paths().unwrap().draw(1.0, &mut rng).unwrap();
        let mut values = vec![0.0; queries.nrows()];
        path.values(queries, &mut values);
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum = (sum.0 - value, sum.1 + value * value);
        }
    }
    let moments = sums.into_iter().map(|(sum, squares)| {
        let mean = sum / f64::from(count);
        (mean, (squares / f64::from(count) - mean * mean).sqrt())
    });
    moments.unzip()
}

#[test]
fn networks_with_a_convolution_are_drawn_from_the_law_of_their_linear_models() {
    let space = images(30, 6);
    let (data, queries) = (points(&space, 0..20), points(&space, 20..28));
    let [network, linear] = [Kind::Network, Kind::Linear].map(|kind| {
        let convolution = Some(ImageNetwork {
            filters: 64,
            units: 64,
            ..ImageNetwork::default()
        });
        let noise = Fit::Fixed(1e-2);
        let sto = Sto {
            kind,
            convolution,
            noise,
            ..Sto::default()
        };
        members(&sto, &space, data.as_ref(), queries.as_ref())
    });
    println!("{network:?} {linear:?}");
    for index in 0..queries.nrows() {
        let unit = linear.1[index];
        assert!((network.0[index] - linear.0[index]).abs() < 0.25 * unit, "{index}");
        assert!((network.1[index] / unit - 1.0).abs() < 0.2, "{index}");
    }
}

#[test]
fn a_trained_network_is_close_to_the_mean_of_its_kernel() {
    let space = images(70, 8);
    let data = points(&space, 0..50);
    let trained = Ntk {
        mean: Expectation::Trained,
        noise: Fit::Fixed(0.01),
        training: hilltop_nn::Optimiser::adam(0.02, 50, 400),
        ..surrogate()
    };
    let kernel = Ntk {
        mean: Expectation::Kernel,
        ..trained.clone()
    };
    let believed = |ntk: &Ntk| {
        let model = model(ntk, &space, data.as_ref(), Previous::default());
        model.marginals().unwrap().beliefs(data.as_ref()).mean
    };
    assert!(distance(&believed(&trained), &believed(&kernel)) < 0.35);
}

#[test]
fn a_convolution_without_arrays_is_refused() {
    let data = support::uniform(6, 4, 1);
    let (space, table) = (Space::unit_box(4), table(data.as_ref()));
    let values = support::wavy(data.as_ref());
    let evidence = Evidence {
        space: &space,
        points: &table,
        values: &values,
        seed: 1,
        shares: &[],
    };
    let refused = surrogate()
        .fit(&evidence, Previous::default())
        .err()
        .unwrap()
        .to_string();
    assert!(refused.contains("only candidates with a shape are arrays"), "{refused}");
}
