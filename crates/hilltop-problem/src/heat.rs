//! The steady temperature of a square plate whose edges are kept at given temperatures, after the PINN-BO thesis.
//!
//! The plate is `[0, 2π]²` and `ΔT = 0` inside. The solution is the sum of four sine series, one an edge, whose
//! coefficients come from a sine transform of the edge's temperature; terms fall like `exp(−n r/2)` with the distance r
//! from the edge, so that a point far inside needs a dozen of them. The straight line between the corners of an edge is
//! transformed by hand: what is left vanishes at both ends, and its transform is accurate.
//!
//! Temperatures of neighbouring edges differ at the corners, where T jumps and has its supremum. So the search takes
//! place in the hull of the inner points of a grid of 249 × 249, `[h, 2π − h]²` with `h = 2π/250`, where T is smooth.

use std::f64::consts::{PI, TAU};
use std::sync::{Arc, OnceLock};

use hilltop_core::Physics;

use crate::formula::Formula;
use crate::problem::{Failure, Optimum};

/// The temperature along an edge.
type Edge = fn(f64) -> f64;

/// Temperatures at `x1 = 0`, `x1 = 2π`, `x2 = 0` and `x2 = 2π`.
type Edges = [Edge; 4];

const STEP: f64 = TAU / 250.0;

/// Where the hull of the grid is hottest.
const HOTTEST: [[f64; 2]; 3] = [
    [6.161_333_871_5, STEP],
    [TAU - STEP, 6.108_907_497_0],
    [STEP, 6.139_230_291_2],
];

pub(crate) fn heat_1(_dim: usize) -> Formula {
    heat(0)
}

pub(crate) fn heat_2(_dim: usize) -> Formula {
    heat(1)
}

pub(crate) fn heat_3(_dim: usize) -> Formula {
    heat(2)
}

fn heat(which: usize) -> Formula {
    static PLATES: [OnceLock<Arc<Plate>>; 3] = [const { OnceLock::new() }; 3];
    let plate = Arc::clone(PLATES[which].get_or_init(|| Arc::new(Plate::new(EDGES[which]))));
    let [x, y] = HOTTEST[which];
    let optimum = Optimum {
        value: -plate.temperature(x, y),
        at: Some(vec![x, y]),
    };
    let law = move |x: &[f64]| {
        let inside = x.iter().all(|x| (0.0..=TAU).contains(x));
        if inside {
            Ok(vec![-plate.temperature(x[0], x[1])])
        } else {
            Err(Failure::new("the point is outside the plate"))
        }
    };
    Formula::failing(vec![(STEP, TAU - STEP); 2], 0, law, optimum).obeying(Physics::new("laplacian(f) = 0"))
}

const EDGES: [Edges; 3] = [
    [
        |y| 5.0 * y.sin() + (1.0 + y).sqrt(),
        |y| y * (3.0 * y.cos() + 2.0 * y.exp() * y.sin()).sin(),
        |x| 10.0 * x.cos() + x * root(x * x + x.sin()).exp(),
        |x| 3.0 * (x * (-x).exp()).exp().sqrt() * x.sin() + (3.0 * x).cos().powi(2),
    ],
    [
        |y| (2.0 * y).sqrt() * y.sin() + y.powi(3) * (2.0 * y).cos() + y.cos().exp(),
        |y| 2_f64.sqrt() * y.powf(3.5) + y.sin().exp() + y.sin() * (2.0 * y).cos(),
        |x| 3_f64.sqrt() * x.powf(2.5) + x.sin().exp() + x.sin() * (2.0 * x).cos(),
        |x| (3.0 * x).sqrt() * x.sin().exp() + (x * x.sin()).powi(2) * x.cos() + x.cos().exp(),
    ],
    [
        |y| (y.powi(3) + (2.0 * y).cos()) * ((2.0 * y).sqrt() + y.sin()) + y.cos().exp(),
        |y| ((2.0 * y).sqrt() + y.powi(3)) * (y.sin() + (2.0 * y).cos()) + y.sin().exp(),
        |x| (3.0 * x).sqrt() * (x.sin() + (2.0 * x).cos()) + x * x + x.sin().exp(),
        |x| (x * x + x.sin().powi(2)) * x.cos().exp() + ((3.0 * x).sqrt() + x.sin().exp()) * x.cos(),
    ],
];

/// A root whose argument is zero at a corner, up to rounding.
fn root(square: f64) -> f64 {
    square.max(0.0).sqrt()
}

/// The number of intervals that an edge is sampled in.
const SAMPLES: usize = 1 << 14;

/// The solution on a plate: the sine coefficients of its edges.
struct Plate {
    edges: Edges,
    coefficients: [Vec<f64>; 4],
}

impl Plate {
    fn new(edges: Edges) -> Self {
        Self {
            edges,
            coefficients: edges.map(coefficients),
        }
    }

    fn temperature(&self, x: f64, y: f64) -> f64 {
        // Along each edge, and away from it.
        let places = [(y, x), (y, TAU - x), (x, y), (x, TAU - y)];
        if let Some((edge, (along, _))) = self.edges.iter().zip(places).find(|(_, (_, away))| *away <= 0.0) {
            return edge(along);
        }
        let shares = self.coefficients.iter().zip(places);
        shares
            .map(|(coefficients, (along, away))| series(coefficients, along, away))
            .sum()
    }
}

/// `Σ b_n sin(n s/2) sinh(n (2π − r)/2) / sinh(nπ)`, until the terms are negligible.
fn series(coefficients: &[f64], along: f64, away: f64) -> f64 {
    const NEGLIGIBLE: f64 = 40.0;
    let count = (2.0 * NEGLIGIBLE / away).ceil() as usize;
    let term = |(n, b): (f64, &f64)| {
        let decay = (-0.5 * n * away).exp() * (1.0 - (-n * (TAU - away)).exp()) / (1.0 - (-TAU * n).exp());
        b * (0.5 * n * along).sin() * decay
    };
    let numbered = coefficients.iter().take(count).enumerate();
    numbered.map(|(place, b)| term((place as f64 + 1.0, b))).sum()
}

/// The sine coefficients `b_1, b_2, …` of an edge.
fn coefficients(edge: Edge) -> Vec<f64> {
    let (first, last) = (edge(0.0), edge(TAU));
    let rest = |k: usize| {
        let along = TAU * k as f64 / SAMPLES as f64;
        edge(along) - first - (last - first) * along / TAU
    };
    let line = |n: usize| {
        let turned = if n.is_multiple_of(2) { last } else { -last };
        2.0 / (n as f64 * PI) * (first - turned)
    };
    let transformed = sine_transform(rest);
    transformed.into_iter().zip(1..).map(|(b, n)| b + line(n)).collect()
}

/// The sine coefficients of a function that is zero at both ends, by the Fourier transform of its odd continuation.
fn sine_transform(function: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut values = vec![(0.0, 0.0); 2 * SAMPLES];
    for k in 1..SAMPLES {
        let value = function(k);
        values[k].0 = value;
        values[2 * SAMPLES - k].0 = -value;
    }
    fourier(&mut values);
    values[1..SAMPLES]
        .iter()
        .map(|(_, imaginary)| -imaginary / SAMPLES as f64)
        .collect()
}

/// The discrete Fourier transform of a power of two of complex numbers, in place.
fn fourier(values: &mut [(f64, f64)]) {
    let size = values.len();
    let bits = size.trailing_zeros();
    for k in 0..size {
        let mirrored = k.reverse_bits() >> (usize::BITS - bits);
        if k < mirrored {
            values.swap(k, mirrored);
        }
    }
    let mut half = 1;
    while half < size {
        let turns: Vec<(f64, f64)> = (0..half).map(|k| (-PI * k as f64 / half as f64).sin_cos()).collect();
        for block in values.chunks_exact_mut(2 * half) {
            let (left, right) = block.split_at_mut(half);
            for ((a, b), (sin, cos)) in left.iter_mut().zip(right).zip(&turns) {
                let turned = (b.0 * cos - b.1 * sin, b.0 * sin + b.1 * cos);
                (*a, *b) = ((a.0 + turned.0, a.1 + turned.1), (a.0 - turned.0, a.1 - turned.1));
            }
        }
        half *= 2;
    }
}
