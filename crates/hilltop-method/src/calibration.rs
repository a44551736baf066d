//! Whether the models of objective and limits mean what they say: of observations that no model has seen nine in ten lie
//! where nine in ten should.
#![allow(clippy::unwrap_used)]

use hilltop_core::{Evidence, Goal, Points, Previous, Rng, Space, Surrogate};
use hilltop_problem::{Noisy, Problem, registry};
use hilltop_surrogate::{Bent, Ntk};

use crate::auto::Auto;
use crate::limits::{View, modest};

/// Observations that are modelled, and others that are foretold.
const SEEN: usize = 60;
const HELD_OUT: usize = 100;

/// How many of the held-out values of an output lie within nine tenths of the probability.
fn inside(surrogate: &Bent, space: &Space, points: &Points, values: &[f64], shares: &[f64]) -> usize {
    let seen = points.head(SEEN);
    let evidence = Evidence {
        space,
        points: &seen,
        values: &values[..SEEN],
        seed: 1,
        shares: &shares[..SEEN.min(shares.len())],
    };
    let model = surrogate.fit(&evidence, Previous::default()).unwrap();
    let others = Points::from_rows(points.dim(), points.rows().skip(SEEN));
    let marginals = model.marginals().unwrap();
    let beliefs = marginals.beliefs(others.matrix());
    let within = |k: &usize| {
        let noise = marginals.noise() * shares.get(SEEN + k).map_or(1.0, |share| share.sqrt());
        let deviation = beliefs.deviation[*k].hypot(noise);
        (values[SEEN + k] - beliefs.mean[*k]).abs() <= 1.645 * deviation
    };
    (0..HELD_OUT).filter(within).count()
}

/// The share of held-out values within their intervals: objective and limits as `auto` models them.
fn share(name: &str, noise: f64, seeds: std::ops::Range<u64>) -> f64 {
    let problem = Noisy::new(registry::lookup(name).unwrap(), noise).unwrap();
    let bounds = problem.bounds();
    let space = Space::of_box(&bounds).unwrap();
    let outputs = problem.outputs();
    let noisy = noise > 0.0;
    let among = |inner: Ntk| Bent {
        inner: Ntk { noisy, ..inner },
    };
    let limited = among(modest(&Ntk::default(), outputs.len() - 1));
    let free = among(Ntk::default());
    let (mut found, mut asked) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let (mut points, mut rows) = (Points::new(bounds.len()), Vec::new());
        for _ in 0..SEEN + HELD_OUT {
            let unit: Vec<f64> = bounds.iter().map(|_| rng.uniform()).collect();
            let place = unit.iter().zip(&bounds);
            let x: Vec<f64> = place.map(|(u, (low, high))| low + u * (high - low)).collect();
            rows.push(problem.observe(&x, &mut rng).unwrap());
            points.push(&unit);
        }
        for (index, output) in outputs.iter().enumerate() {
            let values: Vec<f64> = rows.iter().map(|row| row[index]).collect();
            let (surrogate, values, shares) = if output.max.is_some() {
                let (min, max) = (None, output.max);
                let view = View::seen(Goal::Within { min, max }, &values, noisy);
                (&limited, view.values, view.shares)
            } else {
                (&free, Auto::default().transform(noisy).apply(&values), Vec::new())
            };
            found += inside(surrogate, &space, &points, &values, &shares);
            asked += HELD_OUT;
        }
    }
    found as f64 / asked as f64
}

#[test]
fn nine_in_ten_held_out_outputs_lie_where_they_should_with_noise_and_without() {
    for name in [
        "branin-constrained",
        "gomez-levy",
        "hartmann-constrained",
        "ackley-constrained",
        "simionescu",
    ] {
        for noise in [0.0, 0.05] {
            let share = share(name, noise, 0..3);
            assert!((0.8..=1.0).contains(&share), "{name}, noise {noise}: {share}");
        }
    }
}
