//! Every derivative agrees with differences of what it is the derivative of.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use faer::Mat;
use hilltop_core::{Result, Rng};
use hilltop_surrogate::Ntk;
use hilltop_surrogate::ntk::{Limit, erf, relu};
use hilltop_surrogate::process::{
    Field, Grouping, Inner, Kernel, Likelihood, Prior, Priors, Profile, Source, Variance,
};
use support::{assert_close, differences, fitted, uniform, wavy};

/// A source that is never asked.
struct Silent;

impl Source for Silent {
    fn draw(&self, _: &[f64], _: &mut Rng) -> Result<Arc<dyn Field>> {
        panic!("nothing is drawn here")
    }
}

fn profiles() -> Vec<(String, Arc<dyn Profile>)> {
    let limits = [Limit::Tangent, Limit::Average, Limit::Conjugate];
    let depths = [1, 2, 3];
    let each = depths.into_iter().flat_map(|depth| limits.map(|limit| (depth, limit)));
    let both = each.flat_map(|(depth, limit)| {
        [("erf", erf(depth, limit)), ("relu", relu(depth, limit))]
            .map(|(name, profile)| (format!("{name} {depth} {limit:?}"), profile))
    });
    both.collect()
}

#[test]
fn slopes_of_kernels_agree_with_differences() {
    let (anchors, queries) = (uniform(9, 3, 1), uniform(5, 3, 2));
    let coefficients = Mat::from_fn(9, 5, |i, j| ((3 * i + 5 * j) as f64).sin());
    for (name, profile) in profiles() {
        let kernel = Inner::new(profile, Arc::new(Silent), vec![0.7, 1.3, 0.4, 0.8], 1.7);
        let bound = kernel.anchors(anchors.as_ref());
        let slopes = bound.crossing(queries.as_ref()).gradients(coefficients.as_ref());
        let sums = differences(queries.as_ref(), 1e-5, |moved| {
            let cross = bound.cross(moved);
            (0..5)
                .map(|q| (0..9).map(|i| coefficients[(i, q)] * cross[(i, q)]).sum())
                .collect()
        });
        assert_close(&slopes, &sums, 1e-7, &name);
        let (values, slopes) = kernel.diagonal_slopes(queries.as_ref());
        assert_eq!(values, kernel.diagonal(queries.as_ref()));
        assert_close(
            &slopes,
            &differences(queries.as_ref(), 1e-5, |moved| kernel.diagonal(moved)),
            1e-7,
            &name,
        );
    }
}

#[test]
fn slopes_of_the_likelihood_agree_with_differences() {
    let points = uniform(30, 3, 3);
    let values: Vec<f64> = wavy(points.as_ref()).iter().map(|value| value - 5.0).collect();
    let grouping = Grouping {
        group: vec![0, 1, 1],
        base: vec![1.0, 0.5, 0.5],
        count: 2,
    };
    let prior = Prior {
        median: 0.5,
        spread: 1.3,
        below: 0.7,
        low: 1e-6,
        high: 1e6,
    };
    let priors = Priors {
        scales: prior,
        constant: prior,
        signal: prior,
        noise: prior,
    };
    let shares: Vec<f64> = (0..values.len()).map(|i| 1.0 / (1.0 + i as f64)).collect();
    for (name, profile) in profiles() {
        let likelihood = Likelihood {
            profile,
            points: points.as_ref(),
            values: &values,
            grouping: &grouping,
            priors: &priors,
            shares: &shares,
            left_out: Vec::new(),
        };
        let logs = [0.1, -0.4, 0.2, 0.6, -3.0];
        let mut slopes = [0.0; 5];
        likelihood.cost(&logs, &mut slopes);
        for k in 0..5 {
            let at = |by: f64| {
                let mut moved = logs;
                moved[k] += by;
                likelihood.cost(&moved, &mut [0.0; 5])
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            let error = (difference - slopes[k]).abs();
            assert!(
                error < 1e-6 * (1.0 + difference.abs()),
                "{name}, {k}: {} is not {difference}",
                slopes[k]
            );
        }
    }
}

#[test]
fn slopes_of_beliefs_agree_with_differences() {
    let points = uniform(25, 3, 4);
    let queries = uniform(6, 3, 5);
    let model = fitted(&Ntk::default(), points.as_ref(), &wavy(points.as_ref()));
    let marginals = model.marginals().unwrap();
    let slopes = marginals.slopes(queries.as_ref()).unwrap();
    let beliefs = marginals.beliefs(queries.as_ref());
    assert!(support::distance(&beliefs.mean, &slopes.beliefs.mean) < 1e-10);
    assert!(support::distance(&beliefs.deviation, &slopes.beliefs.deviation) < 1e-8);
    let mean = differences(queries.as_ref(), 1e-5, |moved| marginals.beliefs(moved).mean);
    assert_close(&slopes.mean, &mean, 1e-6, "mean");
    let deviation = differences(queries.as_ref(), 1e-5, |moved| marginals.beliefs(moved).deviation);
    assert_close(&slopes.deviation, &deviation, 1e-4, "deviation");
}
