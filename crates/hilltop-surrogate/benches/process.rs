//! What a model costs at 50 to 20,000 observations, and how close summaries of many observations come to the exact posterior.
//!
//! `cargo bench -p hilltop-surrogate` prints one line for every count: a fit of the parameters, a model built anew, a
//! model grown by one observation, 2000 beliefs, 50 batches of 8 slopes, a drawn path and 2000 of its values. Times are wall
//! clock, so an idle machine is wanted. With `-- 50` points have 50 coordinates instead of 10.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use faer::Mat;
use hilltop_core::{Evidence, Model, Points, Previous, Rng, Space, Surrogate};
use hilltop_surrogate::Ntk;
use hilltop_surrogate::process::Schedule;

/// Observations of a function with several scales, half of them around its best point.
struct Data {
    space: Space,
    points: Points,
    values: Vec<f64>,
}

impl Data {
    fn new(count: usize, dim: usize, noise: f64) -> Self {
        let mut rng = Rng::new(1);
        let mut points = Points::new(dim);
        let mut values = Vec::with_capacity(count);
        for i in 0..count {
            let mut coordinate = || match i % 2 {
                0 => rng.uniform(),
                _ => (0.62 + 0.07 * rng.normal()).clamp(0.0, 1.0),
            };
            let point: Vec<f64> = (0..dim).map(|_| coordinate()).collect();
            values.push(wavy(&point) + noise * (dim as f64).sqrt() * rng.normal());
            points.push(&point);
        }
        Self {
            space: Space::unit_box(dim),
            points,
            values,
        }
    }

    fn fit(&self, surrogate: &Ntk, count: usize, previous: Previous<'_>) -> Arc<dyn Model> {
        let points = self.points.head(count);
        let evidence = Evidence {
            space: &self.space,
            points: &points,
            values: &self.values[..count],
            seed: 1,
            shares: &[],
        };
        surrogate.fit(&evidence, previous).unwrap()
    }
}

fn wavy(point: &[f64]) -> f64 {
    point.iter().map(|x| (3.0 * x - 1.0).powi(2) + (5.0 * x).sin()).sum()
}

fn queries(count: usize, dim: usize) -> Mat<f64> {
    let mut rng = Rng::new(2);
    Mat::from_fn(count, dim, |_, _| rng.uniform())
}

/// The least time of a few runs, in milliseconds.
fn time<T>(mut work: impl FnMut() -> T) -> f64 {
    let mut once = || {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..3).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// What a fit before the last would have left.
fn memory(count: usize, dim: usize) -> serde_json::Value {
    let scale = 0.6 / (dim as f64).sqrt();
    serde_json::json!({"count": count, "scales": vec![scale; dim], "constant": 1.0, "signal": 1.0, "noise": 1e-4})
}

fn speed(surrogate: &Ntk, count: usize, dim: usize, noise: f64) {
    let data = Data::new(count, dim, noise);
    let counts = surrogate.schedule.between(None, count);
    let (before, last) = (counts[counts.len() - 2], counts[counts.len() - 1]);
    let older = memory(before, dim);
    let refit = time(|| {
        data.fit(
            surrogate,
            last,
            Previous {
                model: None,
                memory: Some(&older),
            },
        )
    });
    let memory = data
        .fit(
            surrogate,
            last,
            Previous {
                model: None,
                memory: Some(&older),
            },
        )
        .memory();
    let previous = Previous {
        model: None,
        memory: memory.as_ref(),
    };
    let build = time(|| data.fit(surrogate, last, previous));
    let model = data.fit(surrogate, last, previous);
    let grown = Previous {
        model: Some(model.as_ref()),
        ..previous
    };
    let grow = time(|| data.fit(surrogate, (last + 1).min(count), grown));
    let points = queries(2000, dim);
    let marginals = model.marginals().unwrap();
    let beliefs = time(|| marginals.beliefs(points.as_ref()));
    let slopes = time(|| (0..50).for_each(|k| drop(marginals.slopes(points.as_ref().subrows(8 * k, 8)))));
    let mut rng = Rng::new(3);
    let draw = time(|| model.paths().unwrap().draw(1.0, &mut rng).unwrap());
    let path = model.paths().unwrap().draw(1.0, &mut rng).unwrap();
    let mut values = vec![0.0; 2000];
    let path = time(|| path.values(points.as_ref(), &mut values));
    println!("{count:>6} {refit:>9.1} {build:>9.1} {grow:>9.2} {beliefs:>9.1} {slopes:>9.1} {draw:>9.1} {path:>9.1}");
}

/// How many directions the observations determine, `tr K (K + λI)⁻¹`: with fewer landmarks than that no summary can be
/// close. The posterior variance at an observation is `λ` times its entry of the diagonal.
fn directions(model: &dyn Model, points: &Points) -> f64 {
    let marginals = model.marginals().unwrap();
    let beliefs = marginals.beliefs(points.matrix());
    let noise = marginals.noise().powi(2);
    beliefs
        .deviation
        .iter()
        .map(|deviation| deviation * deviation / noise)
        .sum()
}

/// How far a summary is from the exact posterior of 3000 observations: the mean relative error of deviations, and of means in deviations.
fn closeness(dim: usize, noise: f64) {
    let data = Data::new(3000, dim, noise);
    let seldom = Schedule {
        first: 300,
        each_until: 300,
        growth: 10.0,
    };
    let exact = Ntk {
        exact_limit: 3000,
        schedule: seldom,
        ..Ntk::default()
    };
    let model = data.fit(&exact, 3000, Previous::default());
    let memory = model.memory();
    let summary = Ntk {
        exact_limit: 1500,
        ..exact
    };
    let other = data.fit(
        &summary,
        3000,
        Previous {
            model: None,
            memory: memory.as_ref(),
        },
    );
    let wide = queries(400, dim);
    let near = Mat::from_fn(400, dim, |i, j| 0.62 + 0.14 * (wide[(i, j)] - 0.5));
    let fitted = memory
        .as_ref()
        .and_then(|memory| memory["noise"].as_f64())
        .unwrap_or(f64::NAN);
    print!(
        "{dim:>6} {fitted:>9.1e} {:>10.0}",
        directions(model.as_ref(), &data.points)
    );
    for points in [wide, near] {
        let exact = model.marginals().unwrap().beliefs(points.as_ref());
        let other = other.marginals().unwrap().beliefs(points.as_ref());
        let ratios = exact
            .deviation
            .iter()
            .zip(&other.deviation)
            .map(|(exact, other)| (other / exact - 1.0).abs());
        let shifts = exact
            .mean
            .iter()
            .zip(&other.mean)
            .zip(&exact.deviation)
            .map(|((a, b), s)| ((a - b) / s).powi(2));
        print!(
            " {:>12.3} {:>12.3}",
            ratios.sum::<f64>() / 400.0,
            (shifts.sum::<f64>() / 400.0).sqrt()
        );
    }
    println!();
}

fn main() {
    let dim = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(10);
    for (depth, noise) in [(1, 0.0), (2, 0.0), (1, 0.1)] {
        println!("\n{dim} coordinates, {depth} hidden layers, noise {noise}; milliseconds");
        println!("     n     refit     build      grow   beliefs    slopes      draw      path");
        let surrogate = Ntk {
            depth,
            ..Ntk::default()
        };
        for count in [50, 200, 1000, 2000, 10_000, 20_000] {
            speed(&surrogate, count, dim, noise);
        }
    }
    println!("\nsummary of 3000 observations against all of them: error of deviations, shift of means in deviations");
    println!("   dim     noise directions   everywhere                 near the best");
    for (dim, noise) in [(2, 0.0), (5, 0.0), (10, 0.0), (2, 0.1), (5, 0.1), (10, 0.1)] {
        closeness(dim, noise);
    }
}
