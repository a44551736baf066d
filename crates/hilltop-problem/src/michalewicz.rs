//! Michalewicz's function, whose minimum is computed for any dimension because it is separable.
//!
//! `f(x) = −Σ sin x_i · sin²⁰(i x_i²/π)` on `[0, π]^d`. Term i has i narrow peaks, near `x = π √((k + ½)/i)`; the highest
//! is one of those next to `π/2`, and each peak has a single maximum between its neighbouring zeros.

use std::f64::consts::PI;

use hilltop_core::Physics;

use crate::formula::Formula;
use crate::problem::Optimum;

const STEEPNESS: i32 = 10;

pub(crate) fn michalewicz(dim: usize) -> Formula {
    let value = |x: &[f64]| -x.iter().enumerate().map(|(i, x)| term(i + 1, *x)).sum::<f64>();
    let at: Vec<f64> = (1..=dim).map(best_coordinate).collect();
    let optimum = Optimum {
        value: value(&at),
        at: Some(at),
    };
    let physics = Physics::new("dot(h, grad(f)) - f = 0").vector("h", (1..=dim).map(direction).collect());
    Formula::unconstrained(vec![(0.0, PI); dim], value, optimum).obeying(physics)
}

/// A term divided by its slope, `1 / (cot x + 4 m i x/π cot(i x²/π))`, over a common denominator.
fn direction(i: usize) -> String {
    let (x, angle) = (format!("x{i}"), format!("{i}*x{i}^2/pi"));
    let factor = 4 * STEEPNESS as usize * i;
    format!("sin({x})*sin({angle})/(cos({x})*sin({angle}) + {factor}*{x}/pi*sin({x})*cos({angle}))")
}

fn term(i: usize, x: f64) -> f64 {
    x.sin() * (i as f64 * x * x / PI).sin().powi(2 * STEEPNESS)
}

/// The coordinate that maximises term i: the best of the peaks around `π/2`.
fn best_coordinate(i: usize) -> f64 {
    let middle = i / 4;
    let peaks = middle.saturating_sub(2)..(middle + 3).min(i);
    let tops = peaks.map(|k| top_of_peak(i, k));
    tops.fold(0.0, |best, x| if term(i, x) > term(i, best) { x } else { best })
}

/// The maximum of peak k between its zeros, by golden section.
fn top_of_peak(i: usize, k: usize) -> f64 {
    let zero = |k: usize| PI * (k as f64 / i as f64).sqrt();
    let ratio = (5_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (zero(k), zero(k + 1));
    while high - low > 1e-9 {
        let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
        if term(i, left) < term(i, right) {
            low = left;
        } else {
            high = right;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_point_of_a_fine_grid_is_above_the_computed_maximum_of_a_term() {
        for i in 1..=40 {
            let best = term(i, best_coordinate(i));
            let grid = (0..=20_000)
                .map(|k| term(i, PI * f64::from(k) / 20_000.0))
                .fold(0.0, f64::max);
            assert!(
                grid <= best + 1e-12 && grid > best - 1e-3,
                "term {i}: {grid} and {best}"
            );
        }
    }
}
