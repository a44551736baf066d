//! Problems with unknown constraints, feasible where every constraint is at most zero, and one whose evaluation fails.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use crate::classic::{BRANIN_BOUNDS, ackley_value, branin_optimum, branin_value};
use crate::formula::Formula;
use crate::hartmann;
use crate::problem::{Failure, Optimum};

fn optimum(value: f64, at: &[f64]) -> Optimum {
    Optimum {
        value,
        at: Some(at.to_vec()),
    }
}

/// Branin's function inside a circle.
pub(crate) fn branin(_dim: usize) -> Formula {
    let law = |x: &[f64]| [branin_value(x), (x[0] - 2.5).powi(2) + (x[1] - 7.5).powi(2) - 50.0];
    Formula::constrained(&BRANIN_BOUNDS, law, branin_optimum())
}

/// A saddle inside a flower of eight petals.
///
/// The papers write the angle as `atan(x1/x2)` or `atan(x2/x1)`; eight times either has the same cosine as eight times the
/// full angle used here, which is also defined on the axes.
pub(crate) fn simionescu(_dim: usize) -> Formula {
    let law = |x: &[f64]| {
        let edge = 1.0 + 0.2 * (8.0 * x[0].atan2(x[1])).cos();
        [0.1 * x[0] * x[1], x[0] * x[0] + x[1] * x[1] - edge * edge]
    };
    let reach = 0.6 * 2_f64.sqrt();
    Formula::constrained(&[(-1.25, 1.25); 2], law, optimum(-0.072, &[reach, -reach]))
}

/// Ackley's function off a spherical shell and inside a cube; the origin is feasible.
pub(crate) fn ackley(_dim: usize) -> Formula {
    let law = |x: &[f64]| {
        let distance = x.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>().sqrt();
        let largest = x.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        [ackley_value(x), 1.0 - (distance - 5.5).powi(2), largest * largest - 9.0]
    };
    Formula::constrained(&[(-5.0, 3.0); 5], law, optimum(0.0, &[0.0; 5]))
}

/// Hartmann's function inside the unit ball.
pub(crate) fn hartmann(_dim: usize) -> Formula {
    let law = |x: &[f64]| [hartmann::value(x), x.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0];
    Formula::constrained(&hartmann::BOUNDS, law, hartmann::optimum())
}

/// Gomez and Levy's problem: the six-hump camel with holes.
pub(crate) fn gomez_levy(_dim: usize) -> Formula {
    let law = |x: &[f64]| {
        let (u, v) = (x[0] * x[0], x[1] * x[1]);
        let camel = 4.0 * u - 2.1 * u * u + u.powi(3) / 3.0 + x[0] * x[1] - 4.0 * v + 4.0 * v * v;
        [camel, -(4.0 * PI * x[0]).sin() + 2.0 * (TAU * x[1]).sin().powi(2) - 1.5]
    };
    let least = optimum(
        -1.031_628_453_489_877_4,
        &[0.089_842_013_100_318_06, -0.712_656_403_020_739_6],
    );
    Formula::constrained(&[(-1.0, 0.75), (-1.0, 1.0)], law, least)
}

/// Gardner's second simulation: two small feasible islands.
pub(crate) fn gardner(_dim: usize) -> Formula {
    let law = |x: &[f64]| [x[0].sin() + x[1], x[0].sin() * x[1].sin() + 0.95];
    let height = 0.95_f64.asin();
    Formula::constrained(&[(0.0, 6.0); 2], law, optimum(height - 1.0, &[3.0 * FRAC_PI_2, height]))
}

/// Gramacy's problem: a linear objective behind a winding edge.
pub(crate) fn gramacy(_dim: usize) -> Formula {
    let law = |x: &[f64]| {
        let wave = (TAU * (x[0] * x[0] - 2.0 * x[1])).sin();
        [
            x[0] + x[1],
            -0.5 * wave - x[0] - 2.0 * x[1] + 1.5,
            x[0] * x[0] + x[1] * x[1] - 1.5,
        ]
    };
    let least = optimum(
        0.599_788_052_010_067_6,
        &[0.195_122_683_472_071_76, 0.404_665_368_537_995_8],
    );
    Formula::constrained(&[(0.0, 1.0); 2], law, least)
}

/// A slope whose best corner cannot be evaluated.
pub(crate) fn crash_corner(_dim: usize) -> Formula {
    let law = |x: &[f64]| {
        let sum = x[0] + x[1];
        if sum < 0.7 {
            return Err(Failure::new(format!(
                "the simulation crashed: x1 + x2 = {sum} is below 0.7"
            )));
        }
        Ok(vec![sum + 0.1 * (x[0] - x[1]).powi(2)])
    };
    Formula::failing(vec![(0.0, 1.0); 2], 0, law, optimum(0.7, &[0.35, 0.35]))
}
