//! The transformations that the definitions of the BBOB functions are composed of.

use std::f64::consts::TAU;

/// `i / (d − 1)`, from 0 at the first coordinate to 1 at the last.
pub(super) fn rate(i: usize, dim: usize) -> f64 {
    i as f64 / (dim - 1) as f64
}

/// `x − y`.
pub(super) fn difference(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

/// `T_osz` of one number: small smooth irregularities around the identity.
pub(super) fn oscillation(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let log = x.abs().ln();
    let (fast, slow) = if x > 0.0 { (10.0, 7.9) } else { (5.5, 3.1) };
    x.signum() * (log + 0.049 * ((fast * log).sin() + (slow * log).sin())).exp()
}

/// `T_osz` of every coordinate.
pub(super) fn oscillated(mut x: Vec<f64>) -> Vec<f64> {
    for value in &mut x {
        *value = oscillation(*value);
    }
    x
}

/// `T_asy` with the given exponent: bends the positive half-axes, the later ones more.
pub(super) fn bent(mut x: Vec<f64>, beta: f64) -> Vec<f64> {
    let dim = x.len();
    for (i, value) in x.iter_mut().enumerate().filter(|(_, value)| **value > 0.0) {
        *value = value.powf(1.0 + beta * rate(i, dim) * value.sqrt());
    }
    x
}

/// `Λ` of the given condition number: coordinate i grows by the root of its power `i / (d − 1)`.
pub(super) fn conditioned(mut x: Vec<f64>, condition: f64) -> Vec<f64> {
    let dim = x.len();
    for (i, value) in x.iter_mut().enumerate() {
        *value *= condition.powf(0.5 * rate(i, dim));
    }
    x
}

/// `f_pen`: the squared distance by which coordinates leave `[-5, 5]`.
pub(super) fn outside(x: &[f64]) -> f64 {
    x.iter().map(|x| (x.abs() - 5.0).max(0.0).powi(2)).sum()
}

/// The sum of squares.
pub(super) fn squares(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// `Σ 10^(6 i/(d−1)) z_i²`.
pub(super) fn ellipsoid(z: &[f64]) -> f64 {
    let weight = |i| 10_f64.powf(6.0 * rate(i, z.len()));
    z.iter().enumerate().map(|(i, z)| weight(i) * z * z).sum()
}

/// `10 (d − Σ cos 2πz_i) + ‖z‖²`.
pub(super) fn rastrigin(z: &[f64]) -> f64 {
    ripples(z) + squares(z)
}

/// `10 (d − Σ cos 2πz_i)`.
pub(super) fn ripples(z: &[f64]) -> f64 {
    10.0 * (z.len() as f64 - z.iter().map(|z| (TAU * z).cos()).sum::<f64>())
}

/// The terms of Rosenbrock's function, `100 (z_i² − z_{i+1})² + (z_i − 1)²`.
pub(super) fn rosenbrock_terms(z: &[f64]) -> impl Iterator<Item = f64> {
    z.windows(2)
        .map(|pair| 100.0 * (pair[0] * pair[0] - pair[1]).powi(2) + (pair[0] - 1.0).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oscillation_keeps_zero_signs_and_order_of_magnitude() {
        assert_eq!(oscillation(0.0).to_bits(), 0.0_f64.to_bits());
        for exponent in -12..6 {
            let x = 10_f64.powi(exponent);
            assert!((oscillation(x) / x).ln().abs() < 0.1);
            assert!((oscillation(-x) / -x).ln().abs() < 0.1);
        }
    }

    #[test]
    fn bending_leaves_negative_coordinates_and_the_first_alone() {
        assert_eq!(bent(vec![2.0, -3.0, -1.0], 0.5), vec![2.0, -3.0, -1.0]);
        assert!(bent(vec![2.0, 3.0], 0.5)[1] > 3.0);
    }

    #[test]
    fn nothing_inside_the_box_is_penalised() {
        assert!(outside(&[5.0, -5.0, 0.0]).abs() < f64::EPSILON);
        assert!((outside(&[6.0, -7.0]) - 5.0).abs() < 1e-12);
    }
}
