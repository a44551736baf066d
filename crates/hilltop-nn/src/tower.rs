//! Activation functions with their derivatives up to the fifth, at one number.
#![allow(
    clippy::inline_always,
    reason = "a call inside a loop would keep it from being vectorised"
)]

use crate::Activation;
use crate::elementary::{erf_gaussian, normal_gaussian, sine_cosine, softplus_jet, tanh_slope};
use std::f64::consts::FRAC_2_SQRT_PI;

/// The highest derivative of an activation that is needed: one more than of a network, for its gradient in the weights.
pub(crate) const HEIGHT: usize = 5;

/// `φ(z), φ'(z), …` up to the fifth derivative.
pub(crate) type Tower = [f64; HEIGHT + 1];

/// An activation as a type, so that the loop around it can be vectorised.
pub(crate) trait Tall {
    fn tower<const FUSED: bool>(z: f64) -> Tower;
}

pub(crate) struct Relu;

impl Tall for Relu {
    #[inline(always)]
    fn tower<const FUSED: bool>(z: f64) -> Tower {
        let value = if z < 0.0 { 0.0 } else { z };
        let slope = if z > 0.0 { 1.0 } else { 0.0 };
        [value, slope, 0.0, 0.0, 0.0, 0.0]
    }
}

pub(crate) struct Erf;

impl Tall for Erf {
    #[inline(always)]
    fn tower<const FUSED: bool>(z: f64) -> Tower {
        let (value, bell) = erf_gaussian::<FUSED>(z);
        let (g, square) = (FRAC_2_SQRT_PI * bell, z * z);
        // Hermite polynomials.
        [
            value,
            g,
            -2.0 * z * g,
            (4.0 * square - 2.0) * g,
            (12.0 - 8.0 * square) * z * g,
            ((16.0 * square - 48.0) * square + 12.0) * g,
        ]
    }
}

/// The derivatives of the hyperbolic tangent from itself and its slope.
#[inline(always)]
fn tanh_tower(t: f64, s: f64) -> Tower {
    let square = t * t;
    [
        t,
        s,
        -2.0 * t * s,
        (6.0 * square - 2.0) * s,
        (16.0 - 24.0 * square) * t * s,
        ((120.0 * square - 120.0) * square + 16.0) * s,
    ]
}

pub(crate) struct Tanh;

impl Tall for Tanh {
    #[inline(always)]
    fn tower<const FUSED: bool>(z: f64) -> Tower {
        let (value, slope) = tanh_slope::<FUSED>(z);
        tanh_tower(value, slope)
    }
}

pub(crate) struct Sin;

impl Tall for Sin {
    #[inline(always)]
    fn tower<const FUSED: bool>(z: f64) -> Tower {
        let (s, c) = sine_cosine::<FUSED>(z);
        [s, c, -s, -c, s, c]
    }
}

/// The sine of numbers too large for the fast reduction.
pub(crate) struct LargeSin;

impl Tall for LargeSin {
    fn tower<const FUSED: bool>(z: f64) -> Tower {
        let (s, c) = libm::sincos(z);
        [s, c, -s, -c, s, c]
    }
}

pub(crate) struct Gelu;

impl Tall for Gelu {
    #[inline(always)]
    fn tower<const FUSED: bool>(z: f64) -> Tower {
        /// `1/√(2π)`.
        const DENSITY: f64 = 0.398_942_280_401_432_7;
        let (below, bell) = normal_gaussian::<FUSED>(z);
        let (n, square) = (DENSITY * bell, z * z);
        [
            z * below,
            below + z * n,
            (2.0 - square) * n,
            (square - 4.0) * z * n,
            ((7.0 - square) * square - 4.0) * n,
            ((square - 11.0) * square + 18.0) * z * n,
        ]
    }
}

pub(crate) struct Softplus;

impl Tall for Softplus {
    #[inline(always)]
    fn tower<const FUSED: bool>(z: f64) -> Tower {
        let (value, slope, curvature) = softplus_jet::<FUSED>(z);
        let [first, second, third, fourth, fifth, _] = logistic_tower(slope, curvature);
        [value, first, second, third, fourth, fifth]
    }
}

/// The slope of the softplus.
pub(crate) struct Sigmoid;

impl Tall for Sigmoid {
    #[inline(always)]
    fn tower<const FUSED: bool>(z: f64) -> Tower {
        let (_, value, slope) = softplus_jet::<FUSED>(z);
        logistic_tower(value, slope)
    }
}

/// The derivatives of the logistic function, which is half of one plus `tanh(z/2)`, from itself and its slope.
#[inline(always)]
fn logistic_tower(value: f64, slope: f64) -> Tower {
    let inner = tanh_tower(2.0 * value - 1.0, 4.0 * slope);
    let mut factor = 0.5;
    let mut out = [value; HEIGHT + 1];
    for k in 1..=HEIGHT {
        factor *= 0.5;
        out[k] = factor * inner[k];
    }
    out
}

impl Activation {
    /// Value and derivatives up to the fifth at one number; those of the rectifier beyond the first are zero.
    ///
    /// ```
    /// use hilltop_nn::Activation;
    /// assert_eq!(Activation::Sin.derivatives(0.0), [0.0, 1.0, 0.0, -1.0, 0.0, 1.0]);
    /// ```
    pub fn derivatives(self, z: f64) -> [f64; 6] {
        match self {
            Self::Relu => Relu::tower::<false>(z),
            Self::Erf => Erf::tower::<false>(z),
            Self::Tanh => Tanh::tower::<false>(z),
            Self::Sin => LargeSin::tower::<false>(z),
            Self::Gelu => Gelu::tower::<false>(z),
            Self::Softplus => Softplus::tower::<false>(z),
            Self::Sigmoid => Sigmoid::tower::<false>(z),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_derivative_is_that_of_the_one_before() {
        let step = 1e-5;
        for activation in Activation::ALL {
            for i in -50..=50 {
                let z = 0.1 * f64::from(i) + 0.017;
                let (low, at, high) = (
                    activation.derivatives(z - step),
                    activation.derivatives(z),
                    activation.derivatives(z + step),
                );
                for k in 0..HEIGHT {
                    let slope = (high[k] - low[k]) / (2.0 * step);
                    assert!((slope - at[k + 1]).abs() < 3e-8, "{activation:?} {} at {z}", k + 1);
                }
                let jet = activation.jet(z);
                assert!((jet.value - at[0]).abs() < 1e-14 && (jet.curvature - at[2]).abs() < 1e-14);
            }
        }
    }
}
