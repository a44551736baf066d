//! Laws of uneven noise: a value with a third of the noise counts as three results, whoever computes it and however it grew.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::{Evidence, Model, Previous, Rng, Space, Surrogate};
use hilltop_surrogate::Ntk;
use hilltop_surrogate::ntk::Fit;
use hilltop_surrogate::process::{Condition, Exact, Kernel, Landmark, Mean, Posterior, Selected};
use support::{distance, smooth_kernel, table, uniform, wavy};

const NOISE: f64 = 0.05;
const COUNT: usize = 30;

/// Every third point was observed three times; the others once.
struct Repeated {
    points: Mat<f64>,
    /// The means of what was observed.
    values: Vec<f64>,
    shares: Vec<f64>,
    /// Every single result.
    all_points: Mat<f64>,
    all_values: Vec<f64>,
}

impl Repeated {
    fn new() -> Self {
        let points = uniform(COUNT, 3, 1);
        let times = |i: usize| if i.is_multiple_of(3) { 3 } else { 1 };
        let (truth, mut rng) = (wavy(points.as_ref()), Rng::new(2));
        let results: Vec<Vec<f64>> = (0..COUNT)
            .map(|i| (0..times(i)).map(|_| truth[i] + rng.normal()).collect())
            .collect();
        let of: Vec<usize> = (0..COUNT).flat_map(|i| vec![i; times(i)]).collect();
        Self {
            values: results
                .iter()
                .map(|own| own.iter().sum::<f64>() / own.len() as f64)
                .collect(),
            shares: results.iter().map(|own| 1.0 / own.len() as f64).collect(),
            all_points: Mat::from_fn(of.len(), 3, |k, j| points[(of[k], j)]),
            all_values: results.concat(),
            points,
        }
    }
}

fn kernel() -> Arc<dyn Kernel> {
    smooth_kernel(3, 0.9)
}

fn beliefs(condition: Box<dyn Condition>, values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mean = Mean::Kernel(condition.weights(values));
    let beliefs = Posterior { condition, mean }.beliefs(uniform(20, 3, 9).as_ref());
    (beliefs.mean, beliefs.deviation)
}

#[test]
fn a_third_of_the_noise_counts_as_three_results() {
    let Repeated {
        points,
        values,
        shares,
        all_points,
        all_values,
    } = Repeated::new();
    let every = Exact::new(kernel(), all_points, NOISE).unwrap();
    let (mean, deviation) = beliefs(Box::new(every), &all_values);
    let half = COUNT / 2;
    let head = points.as_ref().subrows(0, half).to_owned();
    let mut grown = Exact::uneven(kernel(), head, NOISE, shares[..half].to_vec()).unwrap();
    (half..COUNT).for_each(|i| grown.push(points.as_ref().subrows(i, 1), shares[i]));
    let conditions: [(&str, f64, Box<dyn Condition>); 4] = [
        (
            "exact",
            1e-8,
            Box::new(Exact::uneven(kernel(), points.clone(), NOISE, shares.clone()).unwrap()),
        ),
        ("grown", 1e-8, Box::new(grown)),
        (
            "selected",
            1e-8,
            Box::new(Selected::new(kernel(), points.as_ref(), &values, NOISE, &shares, COUNT).unwrap()),
        ),
        (
            "landmarks",
            1e-5,
            Box::new(Landmark::uneven(&kernel(), points.clone(), &values, NOISE, &shares, COUNT).unwrap()),
        ),
    ];
    for (name, tolerance, condition) in conditions {
        let (own_mean, own_deviation) = beliefs(condition, &values);
        let (a, b) = (distance(&mean, &own_mean), distance(&deviation, &own_deviation));
        assert!(a < tolerance && b < tolerance, "{name}: {a} {b}");
    }
    // What is pushed to landmarks counts by its share too: two more results of a point they see whole, as one with half the noise.
    let mut seen = Landmark::new(&kernel(), points.clone(), &values, NOISE, COUNT).unwrap();
    let repeated = (0..COUNT).filter(|i| shares[*i] < 1.0);
    repeated
        .clone()
        .for_each(|i| seen.push(points.as_ref().subrows(i, 1), 0.5));
    let later = repeated.map(|i| values[i]);
    let (own_mean, own_deviation) = beliefs(
        Box::new(seen),
        &values.iter().copied().chain(later).collect::<Vec<f64>>(),
    );
    let (a, b) = (distance(&mean, &own_mean), distance(&deviation, &own_deviation));
    assert!(a < 1e-5 && b < 1e-5, "{a} {b}");
}

fn fit(shares: &[f64], repeated: &Repeated, count: usize, previous: Previous<'_>) -> Arc<dyn Model> {
    let surrogate = Ntk {
        noise: Fit::Fixed(NOISE),
        ..Ntk::default()
    };
    let evidence = Evidence {
        space: &Space::unit_box(3),
        points: &table(repeated.points.as_ref().subrows(0, count)),
        values: &repeated.values[..count],
        seed: 1,
        shares: &shares[..count.min(shares.len())],
    };
    surrogate.fit(&evidence, previous).unwrap()
}

fn believed(model: &dyn Model, points: MatRef<'_, f64>) -> (Vec<f64>, Vec<f64>) {
    let beliefs = model.marginals().unwrap().beliefs(points);
    (beliefs.mean, beliefs.deviation)
}

#[test]
fn a_model_that_grew_with_other_shares_is_built_anew() {
    let (repeated, queries) = (Repeated::new(), uniform(20, 3, 3));
    let even = vec![1.0; COUNT];
    for early in [&even, &repeated.shares] {
        let older = fit(early, &repeated, COUNT - 1, Previous::default());
        let previous = Previous {
            model: Some(older.as_ref()),
            memory: None,
        };
        let grown = fit(&repeated.shares, &repeated, COUNT, previous);
        let fresh = fit(&repeated.shares, &repeated, COUNT, Previous::default());
        let (a, b) = (
            believed(grown.as_ref(), queries.as_ref()),
            believed(fresh.as_ref(), queries.as_ref()),
        );
        assert!(distance(&a.0, &b.0) < 1e-9 && distance(&a.1, &b.1) < 1e-9);
    }
    let [stated, silent] = [&even[..], &[]].map(|shares| fit(shares, &repeated, COUNT, Previous::default()));
    assert_eq!(
        believed(stated.as_ref(), queries.as_ref()),
        believed(silent.as_ref(), queries.as_ref())
    );
}

#[test]
fn functions_drawn_scatter_as_much_as_is_believed() {
    let (repeated, queries) = (Repeated::new(), uniform(8, 3, 4));
    let model = fit(&repeated.shares, &repeated, COUNT, Previous::default());
    let (mean, deviation) = believed(model.as_ref(), queries.as_ref());
    let (count, mut rng) = (4000, Rng::new(5));
    let (mut sums, mut squares) = (vec![0.0; 8], vec![0.0; 8]);
    for _ in 0..count {
        let path = model.paths().unwrap().draw(1.0, &mut rng).unwrap();
        let mut values = vec![0.0; 8];
        path.values(queries.as_ref(), &mut values);
        for (k, value) in values.iter().enumerate() {
            sums[k] -= value;
            squares[k] += value * value;
        }
    }
    for k in 0..8 {
        let own = sums[k] / f64::from(count);
        let spread = (squares[k] / f64::from(count) - own * own).sqrt();
        assert!((own - mean[k]).abs() < 0.1 * deviation[k], "{k}: {own} {}", mean[k]);
        assert!(
            (spread / deviation[k] - 1.0).abs() < 0.08,
            "{k}: {spread} {}",
            deviation[k]
        );
    }
}

#[test]
fn shares_that_are_no_positive_numbers_are_refused() {
    let (space, points) = (Space::unit_box(3), table(uniform(2, 3, 1).as_ref()));
    for (share, told) in [
        (f64::NAN, "value 1 has NaN of the noise"),
        (0.0, "value 1 has 0 of the noise"),
    ] {
        let evidence = Evidence {
            space: &space,
            points: &points,
            values: &[1.0, 2.0],
            seed: 1,
            shares: &[1.0, share],
        };
        let refused = Ntk::default().fit(&evidence, Previous::default()).err().unwrap();
        assert!(refused.to_string().contains(told), "{refused}");
    }
}
