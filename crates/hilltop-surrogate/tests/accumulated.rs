//! Networks with accumulated features and linear models: gradients, growth, pending points.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::{Evidence, Model, Points, Previous, Rng, Score, Space, Surrogate};
use hilltop_nn::{Activation, Optimiser};
use hilltop_surrogate::accumulated::Covariance;
use hilltop_surrogate::{Accumulated, Linear};

const DIM: usize = 3;

fn points(count: usize, seed: u64) -> Points {
    let mut rng = Rng::new(seed);
    let rows: Vec<Vec<f64>> = (0..count).map(|_| (0..DIM).map(|_| rng.uniform()).collect()).collect();
    Points::from_rows(DIM, rows.iter().map(Vec::as_slice))
}

fn values(points: &Points) -> Vec<f64> {
    points.rows().map(|x| (3.0 * x[0]).sin() + x[1] * x[2]).collect()
}

fn fitted(surrogate: &dyn Surrogate, points: &Points, previous: Option<&dyn Model>) -> Arc<dyn Model> {
    let (space, values) = (Space::unit_box(DIM), values(points));
    let evidence = Evidence {
        space: &space,
        points,
        values: &values,
        seed: 4,
        shares: &[],
    };
    let previous = Previous {
        model: previous,
        memory: None,
    };
    surrogate.fit(&evidence, previous).unwrap()
}

fn smooth(width: usize, covariance: Covariance) -> Accumulated {
    Accumulated {
        width: Some(width),
        covariance,
        activation: Some(Activation::Erf),
        training: Optimiser::adam(0.01, 20, 5),
        ..Accumulated::default()
    }
}

/// A small one, one whose features are kept in the dual, one with the diagonal alone, a linear one.
fn surrogates() -> Vec<Box<dyn Surrogate>> {
    vec![
        Box::new(smooth(16, Covariance::Exact)),
        Box::new(smooth(200, Covariance::Exact)),
        Box::new(smooth(16, Covariance::Diagonal)),
        Box::new(Linear::default()),
    ]
}

fn beliefs(model: &dyn Model, points: &Points) -> (Vec<f64>, Vec<f64>) {
    let beliefs = model.marginals().unwrap().beliefs(points.matrix());
    (beliefs.mean, beliefs.deviation)
}

#[test]
fn a_model_that_grew_equals_one_made_from_scratch_to_the_last_bit() {
    let (all, asked) = (points(90, 1), points(7, 2));
    for surrogate in surrogates() {
        let mut growing = fitted(&*surrogate, &all.head(0), None);
        for count in [1, 2, 3, 30, 31, 64, 65, 90] {
            growing = fitted(&*surrogate, &all.head(count), Some(&*growing));
        }
        let fresh = fitted(&*surrogate, &all, None);
        assert_eq!(beliefs(&*growing, &asked), beliefs(&*fresh, &asked));
    }
}

#[test]
fn a_model_of_other_observations_is_not_taken_further() {
    let asked = points(5, 2);
    for surrogate in surrogates() {
        let other = fitted(&*surrogate, &points(20, 8), None);
        let misled = fitted(&*surrogate, &points(30, 1), Some(&*other));
        assert_eq!(
            beliefs(&*misled, &asked),
            beliefs(&*fitted(&*surrogate, &points(30, 1), None), &asked)
        );
    }
}

#[test]
fn slopes_agree_with_differences() {
    let asked = points(4, 3);
    for surrogate in surrogates() {
        let model = fitted(&*surrogate, &points(40, 1), None);
        let slopes = model.marginals().unwrap().slopes(asked.matrix()).unwrap();
        let at = |point: &[f64]| {
            let beliefs = model
                .marginals()
                .unwrap()
                .beliefs(MatRef::from_row_major_slice(point, 1, DIM));
            (beliefs.mean[0], beliefs.deviation[0])
        };
        for row in 0..asked.len() {
            for axis in 0..DIM {
                let moved = |by: f64| {
                    let mut point = asked.row(row).to_vec();
                    point[axis] += by;
                    at(&point)
                };
                let (above, below) = (moved(1e-5), moved(-1e-5));
                let (mean, deviation) = ((above.0 - below.0) / 2e-5, (above.1 - below.1) / 2e-5);
                assert!((slopes.mean[(row, axis)] - mean).abs() < 1e-5 * (1.0 + mean.abs()));
                assert!((slopes.deviation[(row, axis)] - deviation).abs() < 1e-4 * (1.0 + deviation.abs()));
            }
        }
    }
}

#[test]
fn drawn_functions_have_the_means_and_deviations_of_the_model_and_true_gradients() {
    let asked = points(3, 3);
    for surrogate in surrogates() {
        let model = fitted(&*surrogate, &points(25, 1), None);
        let (mean, deviation) = beliefs(&*model, &asked);
        let mut rng = Rng::new(6);
        let mut draw = || -> Arc<dyn Score> { model.paths().unwrap().draw(1.0, &mut rng).unwrap() };
        let (mut sums, mut squares) = (vec![0.0; 3], vec![0.0; 3]);
        let draws = 2000;
        for _ in 0..draws {
            let mut out = vec![0.0; 3];
            draw().values(asked.matrix(), &mut out);
            for k in 0..3 {
                sums[k] += -out[k] / f64::from(draws);
                squares[k] += (-out[k] - mean[k]).powi(2) / f64::from(draws);
            }
        }
        for k in 0..3 {
            assert!((sums[k] - mean[k]).abs() < 0.12 * deviation[k]);
            assert!((squares[k].sqrt() / deviation[k] - 1.0).abs() < 0.1);
        }
        let path = draw();
        let (mut out, mut gradients) = (vec![0.0; 3], Mat::zeros(3, DIM));
        path.smooth()
            .unwrap()
            .values_and_gradients(asked.matrix(), &mut out, gradients.as_mut());
        let value = |by: f64| {
            let mut point = asked.row(1).to_vec();
            point[2] += by;
            let mut out = [0.0];
            path.values(MatRef::from_row_major_slice(&point, 1, DIM), &mut out);
            out[0]
        };
        let difference = (value(1e-5) - value(-1e-5)) / 2e-5;
        assert!((gradients[(1, 2)] - difference).abs() < 1e-5 * (1.0 + difference.abs()));
    }
}

#[test]
fn believing_a_point_shrinks_its_deviation_and_keeps_the_mean() {
    let asked = points(3, 3);
    for surrogate in surrogates() {
        let model = fitted(&*surrogate, &points(20, 1), None);
        let believed = model.believe(asked.matrix()).unwrap().unwrap();
        let (before, after) = (beliefs(&*model, &asked), beliefs(&*believed, &asked));
        assert_eq!(before.0, after.0);
        assert!(before.1.iter().zip(&after.1).all(|(before, after)| after < before));
        let later = fitted(&*surrogate, &points(21, 1), Some(&*believed));
        let fresh = fitted(&*surrogate, &points(21, 1), None);
        assert_eq!(beliefs(&*later, &asked), beliefs(&*fresh, &asked));
    }
}

#[test]
fn without_observations_a_model_is_the_prior() {
    for surrogate in surrogates() {
        let model = fitted(&*surrogate, &points(0, 1), None);
        let (mean, deviation) = beliefs(&*model, &points(3, 3));
        assert!(mean.iter().all(|mean| mean.abs() < 1e-9) && deviation.iter().all(|sd| *sd > 0.1));
    }
}

#[test]
fn between_trainings_the_exact_network_follows_every_observation_by_least_squares() {
    let rarely = |covariance, recursive| Accumulated {
        growth: Some(1000.0),
        recursive,
        ..smooth(400, covariance)
    };
    let all = points(11, 5);
    let (first, last) = (all.head(10), Points::from_rows(DIM, [all.row(10)]));
    let miss = |surrogate: &Accumulated, seen: &Points| {
        let model = fitted(surrogate, seen, None);
        let (mean, deviation) = beliefs(model.as_ref(), &last);
        let noise = model.marginals().unwrap().noise();
        (values(&last)[0] - mean[0], (noise / deviation[0]).powi(2))
    };
    let following = rarely(Covariance::Exact, true);
    let ((before, ratio), (after, _)) = (miss(&following, &first), miss(&following, &all));
    let expected = before * ratio / (1.0 + ratio);
    assert!(
        (after - expected).abs() < 0.1 * before.abs() && after.abs() < 0.9 * before.abs(),
        "{before} {after} {expected}"
    );
    for still in [rarely(Covariance::Exact, false), rarely(Covariance::Diagonal, true)] {
        let change = (miss(&still, &first).0 - miss(&still, &all).0).abs();
        assert!(change < 1e-12, "{change}");
    }
}
