//! Laws of the Gaussian process: against scikit-learn, growing equals building, slopes, drawn functions.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use faer::Mat;
use hilltop_core::{Evidence, Model, Points, Previous, Rng, Space, Surrogate};
use hilltop_surrogate::Gp;
use hilltop_surrogate::gp::Family;
use hilltop_surrogate::ntk::Fit;
use hilltop_surrogate::process::{
    Condition, Exact, Grouping, Inner, Kernel, Landmark, Likelihood, Mean, Posterior, Prior, Priors, ProcessModel,
    Schedule, Selected,
};
use serde_json::{Value, json};
use support::{assert_close, differences, distance, fitted, table, uniform, wavy};

const FAMILIES: [Family; 2] = [Family::SquaredExponential, Family::Matern];

fn stored() -> Value {
    serde_json::from_str(include_str!("data/gp.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Mat<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// A length scale of the unit cube as a weight: a coordinate is seen as `w(2z − 1)`.
fn weight(length: f64) -> f64 {
    0.5 / length
}

fn kernel(family: Family, lengths: &[f64], signal: f64) -> Arc<dyn Kernel> {
    let weights = lengths.iter().map(|length| weight(*length)).chain([1.0]).collect();
    Arc::new(Inner::new(Arc::new(family), Arc::new(family), weights, signal))
}

/// The kernel of a stored case with its parameters.
fn case(stored: &Value, case: &Value) -> (Family, Arc<dyn Kernel>) {
    let family: Family = serde_json::from_value(case["kernel"].clone()).unwrap();
    let signal = stored["signal"].as_f64().unwrap();
    (family, kernel(family, &numbers(&stored["lengths"]), signal))
}

#[test]
fn the_posterior_is_that_of_scikit_learn() {
    let stored = stored();
    let (points, queries) = (matrix(&stored["points"]), matrix(&stored["queries"]));
    let (values, noise) = (numbers(&stored["values"]), stored["noise"].as_f64().unwrap());
    for known in stored["cases"].as_array().unwrap() {
        let (family, kernel) = case(&stored, known);
        let theirs = matrix(&known["gram"]);
        let head = points.as_ref().subrows(0, 5);
        let gram = kernel.anchors(head).cross(head);
        assert_close(&gram, &theirs, 1e-13, "gram");
        let exact = Exact::new(kernel.clone(), points.clone(), noise).unwrap();
        let information = known["information"].as_f64().unwrap();
        assert!(
            (exact.information().unwrap() / information - 1.0).abs() < 1e-8,
            "{family:?}"
        );
        let posterior = Posterior {
            mean: Mean::Kernel(exact.weights(&values)),
            condition: Box::new(exact),
        };
        let beliefs = posterior.beliefs(queries.as_ref());
        let covariance = matrix(&known["covariance"]);
        let deviation: Vec<f64> = (0..queries.nrows()).map(|i| covariance[(i, i)].sqrt()).collect();
        assert!(distance(&beliefs.mean, &numbers(&known["mean"])) < 1e-9, "{family:?}");
        assert!(distance(&beliefs.deviation, &deviation) < 1e-9, "{family:?}");
        // A point that is believed takes away its covariance: the covariances are right too.
        let mut believing = posterior.clone();
        believing.believe(queries.as_ref().subrows(0, 1));
        let after = believing.beliefs(queries.as_ref()).deviation;
        for i in 1..queries.nrows() {
            let taken = covariance[(0, i)].powi(2) / (covariance[(0, 0)] + noise);
            assert!(
                (deviation[i].powi(2) - after[i].powi(2) - taken).abs() < 1e-9,
                "{family:?} {i}"
            );
        }
    }
}

#[test]
fn the_likelihood_and_its_gradient_are_those_of_scikit_learn() {
    let stored = stored();
    let points = matrix(&stored["points"]);
    let values = numbers(&stored["values"]);
    let (signal, noise) = (stored["signal"].as_f64().unwrap(), stored["noise"].as_f64().unwrap());
    let indifferent = Prior {
        median: 1.0,
        spread: 1e9,
        below: 1e9,
        low: 1e-9,
        high: 1e9,
    };
    let priors = Priors {
        scales: indifferent,
        constant: indifferent,
        signal: indifferent,
        noise: indifferent,
    };
    let grouping = Grouping {
        group: vec![0, 1, 2],
        base: vec![1.0; 3],
        count: 3,
    };
    for known in stored["cases"].as_array().unwrap() {
        let likelihood = Likelihood {
            profile: Arc::new(case(&stored, known).0),
            points: points.as_ref(),
            values: &values,
            grouping: &grouping,
            priors: &priors,
            shares: &vec![1.0; values.len()],
            left_out: Vec::new(),
        };
        let lengths = numbers(&stored["lengths"]);
        let scales = lengths.iter().map(|length| weight(*length).ln());
        let logs: Vec<f64> = scales.chain([0.0, signal.ln(), noise.ln()]).collect();
        let mut slopes = vec![0.0; 6];
        let cost = likelihood.cost(&logs, &mut slopes);
        let constant = 0.5 * values.len() as f64 * std::f64::consts::TAU.ln();
        let theirs = known["likelihood"].as_f64().unwrap();
        assert!((cost + constant + theirs).abs() < 1e-7, "{cost} {theirs}");
        // Theirs climbs in signal, lengths and noise; ours descends in weights, constant, signal and noise.
        let gradient = numbers(&known["gradient"]);
        let ours = [-slopes[4], slopes[0], slopes[1], slopes[2], -slopes[5]];
        assert!(distance(&ours, &gradient) < 1e-6, "{ours:?} {gradient:?}");
        assert!(slopes[3].abs() < 1e-12, "the constant coordinate changes nothing");
    }
}

#[test]
fn appended_rows_equal_refactoring() {
    let (points, queries) = (uniform(300, 3, 1), uniform(30, 3, 2));
    let values = wavy(points.as_ref());
    for family in FAMILIES {
        let kernel = kernel(family, &[0.5, 0.8, 1.5], 1.3);
        let believed = |condition: Box<dyn Condition>| {
            let mean = Mean::Kernel(condition.weights(&values));
            let information = condition.information().unwrap();
            let posterior = Posterior { condition, mean };
            (posterior.beliefs(queries.as_ref()), information)
        };
        let grown = |condition: Box<dyn Condition>, from: usize| {
            let mut condition = condition;
            (from..300).for_each(|row| condition.push(points.as_ref().subrows(row, 1), 1.0));
            believed(condition)
        };
        let head = points.as_ref().subrows(0, 100).to_owned();
        let whole = believed(Box::new(Exact::new(kernel.clone(), points.clone(), 1e-3).unwrap()));
        let exact = grown(Box::new(Exact::new(kernel.clone(), head.clone(), 1e-3).unwrap()), 100);
        let chosen = Selected::new(kernel.clone(), head.as_ref(), &values[..100], 1e-3, &[1.0; 100], 100).unwrap();
        for (name, other) in [("exact", exact), ("selected", grown(Box::new(chosen), 100))] {
            assert!(distance(&whole.0.mean, &other.0.mean) < 1e-7, "{family:?} {name}");
            assert!(
                distance(&whole.0.deviation, &other.0.deviation) < 1e-7,
                "{family:?} {name}"
            );
            assert!((whole.1 / other.1 - 1.0).abs() < 1e-7, "{family:?} {name}");
        }
        // A landmark at every point sees everything but what drowns in the noise.
        let every = Landmark::new(&kernel, points.clone(), &values, 1e-3, 300).unwrap();
        let seen = believed(Box::new(every));
        let away = distance(&whole.0.mean, &seen.0.mean);
        assert!(away < 0.02, "{family:?}: {away}");
        assert!(
            (whole.1 / seen.1 - 1.0).abs() < 1e-2,
            "{family:?}: {} {}",
            whole.1,
            seen.1
        );
    }
}

fn fit(gp: &Gp, points: &Points, values: &[f64], previous: Previous<'_>) -> Arc<dyn Model> {
    let space = Space::unit_box(points.dim());
    let evidence = Evidence {
        space: &space,
        points,
        values,
        seed: 3,
        shares: &[],
    };
    gp.fit(&evidence, previous).unwrap()
}

#[test]
fn a_model_that_grew_and_one_that_was_resumed_equal_one_built_at_once_bit_for_bit() {
    let points = table(uniform(60, 2, 21).as_ref());
    let values = wavy(points.matrix());
    let queries = uniform(9, 2, 22);
    let answers = |model: &dyn Model| {
        let slopes = model.marginals().unwrap().slopes(queries.as_ref()).unwrap();
        let beliefs = slopes.beliefs.mean.iter().chain(&slopes.beliefs.deviation);
        beliefs.map(|value| value.to_bits()).collect::<Vec<_>>()
    };
    for family in FAMILIES {
        for limit in [1500, 30] {
            let gp = Gp {
                kernel: family,
                exact_limit: limit,
                landmarks: 25,
                noise: Fit::Fixed(1e-2),
                schedule: Schedule {
                    growth: 1.5,
                    ..Schedule::default()
                },
                ..Gp::default()
            };
            let mut model = fit(&gp, &points.head(8), &values[..8], Previous::default());
            for count in 9..=60 {
                let (head, known) = (points.head(count), &values[..count]);
                let (memory, older) = (model.memory(), model);
                let previous = Previous {
                    model: Some(older.as_ref()),
                    memory: memory.as_ref(),
                };
                model = fit(&gp, &head, known, previous);
                if count % 17 == 0 || count == 60 {
                    let resumed = Previous {
                        model: None,
                        memory: memory.as_ref(),
                    };
                    let resumed = fit(&gp, &head, known, resumed);
                    let fresh = fit(&gp, &head, known, Previous::default());
                    assert_eq!(answers(model.as_ref()), answers(fresh.as_ref()), "{family:?} {count}");
                    assert_eq!(answers(resumed.as_ref()), answers(fresh.as_ref()), "{family:?} {count}");
                }
            }
        }
    }
}

#[test]
fn slopes_of_beliefs_and_of_drawn_functions_agree_with_differences() {
    let (points, queries) = (uniform(25, 3, 4), uniform(6, 3, 5));
    for family in FAMILIES {
        let gp = Gp {
            kernel: family,
            ..Gp::default()
        };
        let model = fitted(&gp, points.as_ref(), &wavy(points.as_ref()));
        let marginals = model.marginals().unwrap();
        let slopes = marginals.slopes(queries.as_ref()).unwrap();
        let mean = differences(queries.as_ref(), 1e-5, |moved| marginals.beliefs(moved).mean);
        assert_close(&slopes.mean, &mean, 1e-5, "mean");
        let deviation = differences(queries.as_ref(), 1e-5, |moved| marginals.beliefs(moved).deviation);
        assert_close(&slopes.deviation, &deviation, 1e-3, "deviation");
        let path = model.paths().unwrap().draw(1.0, &mut Rng::new(8)).unwrap();
        let drawn = differences(queries.as_ref(), 1e-5, |moved| {
            let mut values = vec![0.0; moved.nrows()];
            path.values(moved, &mut values);
            values
        });
        let (mut values, mut gradients) = (vec![0.0; 6], Mat::zeros(6, 3));
        let smooth = path.smooth().unwrap();
        smooth.values_and_gradients(queries.as_ref(), &mut values, gradients.as_mut());
        assert_close(&gradients, &drawn, 1e-5, "path");
    }
}

#[test]
fn drawn_functions_have_the_mean_and_the_covariance_of_the_posterior() {
    let stored = stored();
    let queries = matrix(&stored["queries"]);
    let points = table(matrix(&stored["points"]).as_ref());
    let values = numbers(&stored["values"]);
    let lengths = numbers(&stored["lengths"]);
    let scales: Vec<f64> = lengths.iter().map(|length| weight(*length)).collect();
    for known in stored["cases"].as_array().unwrap() {
        let gp = Gp {
            kernel: serde_json::from_value(known["kernel"].clone()).unwrap(),
            noise: Fit::Fixed(stored["noise"].as_f64().unwrap()),
            schedule: Schedule {
                first: 25,
                ..Schedule::default()
            },
            ..Gp::default()
        };
        // What is remembered are the stored parameters, as of a first fit at these observations.
        let memory = json!({
            "count": 25, "scales": scales, "constant": 1.0, "signal": stored["signal"], "noise": stored["noise"],
        });
        let previous = Previous {
            model: None,
            memory: Some(&memory),
        };
        let model = fit(&gp, &points, &values, previous);
        let process = model.as_any().downcast_ref::<ProcessModel>().unwrap();
        let draws = 1500;
        let (mut rng, mut table) = (Rng::new(5), Mat::zeros(draws, queries.nrows()));
        let mut drawn = vec![0.0; queries.nrows()];
        for row in 0..draws {
            let path = model.paths().unwrap().draw(1.0, &mut rng).unwrap();
            path.values(queries.as_ref(), &mut drawn);
            drawn.iter().enumerate().for_each(|(k, value)| table[(row, k)] = -value);
        }
        let beliefs = process.posterior().beliefs(queries.as_ref());
        let mean: Vec<f64> = (0..queries.nrows())
            .map(|k| table.col(k).iter().sum::<f64>() / draws as f64)
            .collect();
        let root = (draws as f64).sqrt();
        for k in 0..mean.len() {
            assert!(
                (mean[k] - beliefs.mean[k]).abs() < 4.5 * beliefs.deviation[k] / root,
                "{k}"
            );
        }
        let centred = Mat::from_fn(draws, mean.len(), |i, j| table[(i, j)] - mean[j]);
        let covariance = centred.transpose() * &centred * faer::Scale(1.0 / draws as f64);
        for i in 0..mean.len() {
            for j in 0..mean.len() {
                let size = beliefs.deviation[i] * beliefs.deviation[j];
                let theirs = matrix(&known["covariance"])[(i, j)];
                // Sampling, and a sum of a thousand waves in place of all.
                assert!(
                    (covariance[(i, j)] - theirs).abs() < (5.0 / root + 0.02) * size,
                    "{i} {j}"
                );
            }
        }
    }
}

#[test]
fn the_order_of_observations_does_not_matter_and_what_is_believed_shrinks_the_deviation() {
    let (points, queries) = (uniform(40, 2, 11), uniform(15, 2, 12));
    let values = wavy(points.as_ref());
    for family in FAMILIES {
        let kernel = kernel(family, &[0.6, 1.1], 1.0);
        let beliefs = |points: Mat<f64>, values: &[f64]| {
            let exact = Exact::new(kernel.clone(), points, 1e-3).unwrap();
            let posterior = Posterior {
                mean: Mean::Kernel(exact.weights(values)),
                condition: Box::new(exact),
            };
            posterior.beliefs(queries.as_ref())
        };
        let backward: Vec<f64> = values.iter().rev().copied().collect();
        let (a, b) = (
            beliefs(points.clone(), &values),
            beliefs(points.as_ref().reverse_rows().to_owned(), &backward),
        );
        assert!(distance(&a.mean, &b.mean) < 1e-8 && distance(&a.deviation, &b.deviation) < 1e-8);
        let gp = Gp {
            kernel: family,
            ..Gp::default()
        };
        let model = fitted(&gp, points.as_ref(), &values);
        let before = model.marginals().unwrap().beliefs(queries.as_ref());
        let believing = model.believe(queries.as_ref().subrows(0, 2)).unwrap().unwrap();
        let after = believing.marginals().unwrap().beliefs(queries.as_ref());
        assert_eq!(before.mean, after.mean);
        assert!(after.deviation[0] < before.deviation[0] && after.deviation[1] < before.deviation[1]);
        assert!((0..15).all(|i| after.deviation[i] <= before.deviation[i] * (1.0 + 1e-6) + 1e-9));
        assert!(
            believing.information() > model.information(),
            "a point under way will tell something"
        );
    }
}
