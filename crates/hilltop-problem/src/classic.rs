//! The unconstrained problems that the papers and most of the literature use.

use std::f64::consts::{E, PI, TAU};

use hilltop_core::Physics;

use crate::formula::Formula;
use crate::problem::Optimum;

fn cube(half: f64, dim: usize) -> Vec<(f64, f64)> {
    vec![(-half, half); dim]
}

/// A minimum that has the same coordinate in every dimension.
fn uniform(value: f64, coordinate: f64, dim: usize) -> Optimum {
    Optimum {
        value,
        at: Some(vec![coordinate; dim]),
    }
}

pub(crate) fn ackley(dim: usize) -> Formula {
    Formula::unconstrained(cube(32.768, dim), ackley_value, uniform(0.0, 0.0, dim))
}

/// Ackley's function with a = 20, b = 0.2, c = 2π.
pub(crate) fn ackley_value(x: &[f64]) -> f64 {
    let d = x.len() as f64;
    let radius = (x.iter().map(|x| x * x).sum::<f64>() / d).sqrt();
    let waves = x.iter().map(|x| (TAU * x).cos()).sum::<f64>() / d;
    20.0 * (1.0 - (-0.2 * radius).exp()) + (E - waves.exp())
}

pub(crate) fn levy(dim: usize) -> Formula {
    Formula::unconstrained(cube(10.0, dim), levy_value, uniform(0.0, 1.0, dim))
}

fn levy_value(x: &[f64]) -> f64 {
    let w = |x: &f64| 1.0 + (x - 1.0) / 4.0;
    let Some((last, others)) = x.split_last() else {
        return 0.0;
    };
    let inner = |x: &f64| (w(x) - 1.0).powi(2) * (1.0 + 10.0 * (PI * w(x) + 1.0).sin().powi(2));
    let end = (w(last) - 1.0).powi(2) * (1.0 + (TAU * w(last)).sin().powi(2));
    (PI * w(&x[0])).sin().powi(2) + others.iter().map(inner).sum::<f64>() + end
}

pub(crate) fn rastrigin(dim: usize) -> Formula {
    let term = |x: &f64| x * x + 10.0 * (1.0 - (TAU * x).cos());
    Formula::unconstrained(
        cube(5.12, dim),
        move |x| x.iter().map(term).sum(),
        uniform(0.0, 0.0, dim),
    )
    .obeying(Physics::new(
        "0.5*dot(x, grad(f)) - f = sum(10*cos(2*pi*x) + 10*pi*x*sin(2*pi*x) - 10)",
    ))
}

pub(crate) fn styblinski_tang(dim: usize) -> Formula {
    let term = |x: &f64| 0.5 * (x.powi(4) - 16.0 * x * x + 5.0 * x);
    // The least root of 4x³ − 32x + 5 and the value there.
    let optimum = uniform(-39.166_165_703_771_41 * dim as f64, -2.903_534_027_771_177, dim);
    Formula::unconstrained(cube(5.0, dim), move |x| x.iter().map(term).sum(), optimum)
        .obeying(Physics::new("sum(grad(f)) = sum(2*x^3 - 16*x + 5/2)"))
}

pub(crate) fn drop_wave(dim: usize) -> Formula {
    let value = |x: &[f64]| {
        let square: f64 = x.iter().map(|x| x * x).sum();
        -(1.0 + (12.0 * square.sqrt()).cos()) / (0.5 * square + 2.0)
    };
    Formula::unconstrained(cube(5.12, dim), value, uniform(-1.0, 0.0, dim))
        .obeying(Physics::new("x1*d(f,x2) - x2*d(f,x1) = 0"))
}

pub(crate) fn cosine_mixture(dim: usize) -> Formula {
    let term = |x: &f64| 0.1 * (5.0 * PI * x).cos() + x * x;
    // The root of 2x = ½π sin 5πx next to 0.18 and the value there; the mirrored point is as good.
    let optimum = uniform(COSINE_VALUE * dim as f64, COSINE_POINT, dim);
    Formula::unconstrained(cube(1.0, dim), move |x| x.iter().map(term).sum(), optimum)
        .obeying(Physics::new("sum((grad(f) - 2*x + 0.5*pi*sin(5*pi*x))^2) = 0"))
}

const COSINE_POINT: f64 = 0.184_872_823_182_915_73;
const COSINE_VALUE: f64 = -0.063_012_202_176_250_32;

/// The bounds of Branin's function, with and without its constraint.
pub(crate) const BRANIN_BOUNDS: [(f64, f64); 2] = [(-5.0, 10.0), (0.0, 15.0)];

pub(crate) fn branin(_dim: usize) -> Formula {
    Formula::unconstrained(BRANIN_BOUNDS.to_vec(), branin_value, branin_optimum())
}

pub(crate) fn branin_value(x: &[f64]) -> f64 {
    let valley = x[1] - 5.1 / (4.0 * PI * PI) * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
    valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 10.0
}

/// One of the three minima, the one that also satisfies the constraint.
pub(crate) fn branin_optimum() -> Optimum {
    Optimum {
        value: 10.0 / (8.0 * PI),
        at: Some(vec![PI, 2.275]),
    }
}

/// The network of 25 sigmoid units with all weights 1, negated.
pub(crate) fn go_ucb_network(dim: usize) -> Formula {
    let value = |x: &[f64]| {
        let activation = 1.0 + x.iter().sum::<f64>();
        -(25.0 / (1.0 + (-activation).exp()) + 1.0)
    };
    let corner = vec![5.0; dim];
    let optimum = Optimum {
        value: value(&corner),
        at: Some(corner),
    };
    Formula::unconstrained(cube(5.0, dim), value, optimum)
}
