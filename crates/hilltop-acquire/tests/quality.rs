//! How good the points are that the default maximisers find.
#![allow(clippy::unwrap_used)]

mod toy;

use faer::{MatMut, MatRef};
use hilltop_acquire::{Auto, Finite, Gradient};
use hilltop_core::{
    Bounds, Candidates, Expression, History, Maximiser, Parameter, Rng, Score, SmoothScore, Space, Value,
};
use toy::{Hill, history, row, within};

fn best(maximiser: &dyn Maximiser, score: &dyn Score, history: &History, seed: u64) -> Vec<f64> {
    let bounds = Bounds::unit(history.space().dim());
    within(history, &bounds, |context| {
        maximiser.maximise(score, context, &mut Rng::new(seed)).unwrap()
    })
}

fn assert_near(point: &[f64], expected: &[f64], tolerance: f64) {
    assert!(
        point.iter().zip(expected).all(|(a, b)| (a - b).abs() < tolerance),
        "{point:?}, expected {expected:?}"
    );
}

fn spaced(texts: &[&str], d: usize) -> Space {
    let parameters = (0..d).map(|k| Parameter::float(format!("x{k}"), 0.0, 1.0)).collect();
    Space::new(
        parameters,
        texts.iter().map(|text| Expression::parse(text).unwrap()).collect(),
    )
    .unwrap()
}

#[test]
fn a_smooth_top_is_found_to_seven_digits_in_up_to_a_hundred_dimensions() {
    for d in [1, 5, 20, 100] {
        let centre: Vec<f64> = (0..d).map(|k| 0.1 + 0.8 * (0.618 * k as f64).fract()).collect();
        let score = Hill {
            centre: centre.clone(),
            ripples: 0.0,
            smooth: true,
        };
        assert_near(
            &best(&Gradient::default(), &score, &history(Space::unit_box(d), 1), 2),
            &centre,
            1e-7,
        );
    }
}

#[test]
fn the_highest_of_many_tops_is_found() {
    let score = Hill {
        centre: vec![0.71, 0.22],
        ripples: 0.05,
        smooth: true,
    };
    for seed in 0..10 {
        let found = best(&Gradient::default(), &score, &history(Space::unit_box(2), 1), seed);
        assert_near(&found, &[0.71, 0.22], 1e-6);
    }
}

#[test]
fn choices_integers_and_numbers_are_found_together() {
    let parameters = vec![
        Parameter::choice("c", ["a", "b", "c", "d"]),
        Parameter::int("n", 0, 20),
        Parameter::log_int("m", 1, 4096),
        Parameter::float("x", 0.0, 1.0),
        Parameter::float("y", 0.0, 1.0),
    ];
    let history = history(Space::new(parameters, vec![]).unwrap(), 1);
    for (seed, smooth) in [(1, true), (2, true), (3, false)] {
        let score = Hill {
            centre: vec![0.0, 0.0, 0.6, 0.0, 0.6, 0.5, 0.123, 0.877],
            ripples: 0.0,
            smooth,
        };
        let found = best(&Auto::default(), &score, &history, seed);
        assert_near(&found[..5], &[0.0, 0.0, 1.0, 0.0, 0.6], 1e-9);
        assert_near(&found[5..], &[0.5, 0.123, 0.877], if smooth { 1e-6 } else { 0.02 });
    }
}

#[test]
fn a_top_behind_a_known_constraint_is_found_on_its_border() {
    // The nearest points of the half-plane, the disc and the simplex to the hill's centre.
    let half = spaced(&["x0 + x1 <= 1"], 2);
    let disc = spaced(&["(x0 - 0.5)^2 + (x1 - 0.5)^2 <= 0.04"], 2);
    let simplex = spaced(&["x0 + x1 + x2 == 1"], 3);
    let diagonal = 0.5 + 0.2 / 2_f64.sqrt();
    let cases = [
        (half, vec![0.9, 0.5], vec![0.7, 0.3], 1e-4),
        (disc, vec![0.9, 0.9], vec![diagonal, diagonal], 1e-4),
        (simplex, vec![0.8, 0.4, 0.1], vec![0.7, 0.3, 0.0], 1e-4),
    ];
    for (space, centre, expected, tolerance) in cases {
        let score = Hill {
            centre,
            ripples: 0.0,
            smooth: true,
        };
        let history = history(space.clone(), 1);
        for seed in 0..4 {
            let found = best(&Gradient::default(), &score, &history, seed);
            assert!(space.satisfies(&found));
            assert_near(&found, &expected, tolerance);
        }
    }
}

#[test]
fn the_best_row_of_a_table_too_long_to_enumerate_is_found() {
    let mut rng = Rng::new(4);
    let rows = (0..20_000)
        .map(|_| (0..4).map(|_| Value::Float(rng.uniform())).collect())
        .collect();
    let table = Space::finite(Candidates::from_rows(vec!["a", "b", "c", "d"], rows).unwrap());
    let history = history(table, 1);
    for seed in 0..5 {
        let score = Hill {
            centre: vec![0.2 + 0.1 * seed as f64, 0.4, 0.9, 0.5],
            ripples: 0.0,
            smooth: true,
        };
        let (found, exact) = (
            best(&Auto::default(), &score, &history, seed),
            best(&Finite::default(), &score, &history, seed),
        );
        assert_eq!(found, exact);
    }
}

/// A peak of width `1e-5` on a wide, lower hill: what a score looks like late in a study.
struct Needle(Vec<f64>);

impl Needle {
    fn parts(&self, point: &[f64]) -> (f64, f64) {
        let square: f64 = point.iter().zip(&self.0).map(|(x, c)| (x - c).powi(2)).sum();
        ((-square / 2e-10).exp(), square)
    }
}

impl Score for Needle {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        for index in 0..points.nrows() {
            let (peak, square) = self.parts(&row(points, index));
            out[index] = peak - square;
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        Some(self)
    }
}

impl SmoothScore for Needle {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        self.values(points, values);
        for index in 0..points.nrows() {
            let peak = self.parts(&row(points, index)).0;
            for axis in 0..self.0.len() {
                gradients[(index, axis)] = -(points[(index, axis)] - self.0[axis]) * (peak * 1e10 + 2.0);
            }
        }
    }
}

#[test]
fn a_peak_a_hundred_thousandth_wide_beside_the_incumbent_is_found() {
    let incumbent = [0.3, 0.6, 0.45];
    let mut history = history(Space::unit_box(3), 1);
    history.observe(0, &incumbent, &[0.0]);
    history.observe(1, &[0.9, 0.1, 0.2], &[5.0]);
    let top: Vec<f64> = incumbent.iter().map(|x| x + 8e-6).collect();
    for seed in 0..5 {
        assert_near(
            &best(&Gradient::default(), &Needle(top.clone()), &history, seed),
            &top,
            1e-8,
        );
    }
}
