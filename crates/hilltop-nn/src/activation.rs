//! Activation functions with their first and second derivatives, applied to whole slices.
#![allow(
    clippy::inline_always,
    reason = "a call inside a loop would keep it from being vectorised"
)]

use crate::elementary::{SINE_LIMIT, erf_gaussian, normal_gaussian, sine_cosine, softplus_jet, tanh_slope};
use crate::fused::{Pass, widest};
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_2_SQRT_PI;
use std::marker::PhantomData;

/// The function between two layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// `max(z, 0)`; slope 0 at 0.
    Relu,
    /// The error function.
    Erf,
    /// The hyperbolic tangent.
    Tanh,
    /// The sine.
    Sin,
    /// `z Φ(z)` with the exact normal distribution function.
    Gelu,
    /// `ln(1 + exp z)`.
    Softplus,
    /// `1 / (1 + exp(-z))`.
    Sigmoid,
}

/// Value, slope and curvature at one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet {
    /// `φ(z)`.
    pub value: f64,
    /// `φ'(z)`.
    pub slope: f64,
    /// `φ''(z)`.
    pub curvature: f64,
}

impl Activation {
    /// Every activation, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::Relu,
        Self::Erf,
        Self::Tanh,
        Self::Sin,
        Self::Gelu,
        Self::Softplus,
        Self::Sigmoid,
    ];

    /// `c_φ`, the factor by which the ntk parameterisation makes up for what the activation takes away.
    ///
    /// A rectifier halves the mean square of a normal variable, so its factor is 2; the others have 1, as in the
    /// recursions of the infinitely wide erf network.
    pub fn gain(self) -> f64 {
        if self == Self::Relu { 2.0 } else { 1.0 }
    }

    /// Whether first derivatives exist and are continuous.
    pub fn is_smooth(self) -> bool {
        self != Self::Relu
    }

    /// Value, slope and curvature at one number.
    pub fn jet(self, z: f64) -> Jet {
        let (mut value, mut slope, mut curvature) = ([z], [0.0], [0.0]);
        self.curve(&mut value, &mut slope, &mut curvature);
        Jet {
            value: value[0],
            slope: slope[0],
            curvature: curvature[0],
        }
    }

    /// Replaces every `z` by `φ(z)`.
    pub fn apply(self, values: &mut [f64]) {
        self.dispatch(values, &mut [], &mut []);
    }

    /// Replaces every `z` by `φ(z)` and writes `φ'(z)`.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn slope(self, values: &mut [f64], slopes: &mut [f64]) {
        assert_eq!(values.len(), slopes.len(), "a slope for every value");
        self.dispatch(values, slopes, &mut []);
    }

    /// Replaces every `z` by `φ(z)` and writes `φ'(z)` and `φ''(z)`.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn curve(self, values: &mut [f64], slopes: &mut [f64], curvatures: &mut [f64]) {
        assert_eq!(values.len(), slopes.len(), "a slope for every value");
        assert_eq!(values.len(), curvatures.len(), "a curvature for every value");
        self.dispatch(values, slopes, curvatures);
    }

    fn dispatch(self, values: &mut [f64], slopes: &mut [f64], curvatures: &mut [f64]) {
        match self {
            Self::Relu => sweep::<Relu>(values, slopes, curvatures),
            Self::Erf => sweep::<Erf>(values, slopes, curvatures),
            Self::Tanh => sweep::<Tanh>(values, slopes, curvatures),
            Self::Sin if beyond_reduction(values) => sweep::<LargeSin>(values, slopes, curvatures),
            Self::Sin => sweep::<Sin>(values, slopes, curvatures),
            Self::Gelu => sweep::<Gelu>(values, slopes, curvatures),
            Self::Softplus => sweep::<Softplus>(values, slopes, curvatures),
            Self::Sigmoid => sweep::<Sigmoid>(values, slopes, curvatures),
        }
    }
}

/// An activation as a type: a function passed by value would be called through a shim that is not inlined, and the
/// loop around it would stay scalar.
trait Function {
    fn jet<const FUSED: bool>(z: f64) -> Jet;
}

struct Relu;

impl Function for Relu {
    #[inline(always)]
    fn jet<const FUSED: bool>(z: f64) -> Jet {
        // Written so that not-a-number stays so: training must see that it diverged.
        let value = if z < 0.0 { 0.0 } else { z };
        let slope = if z > 0.0 { 1.0 } else { 0.0 };
        Jet {
            value,
            slope,
            curvature: 0.0,
        }
    }
}

struct Erf;

impl Function for Erf {
    #[inline(always)]
    fn jet<const FUSED: bool>(z: f64) -> Jet {
        let (value, bell) = erf_gaussian::<FUSED>(z);
        let slope = FRAC_2_SQRT_PI * bell;
        Jet {
            value,
            slope,
            curvature: -2.0 * z * slope,
        }
    }
}

struct Tanh;

impl Function for Tanh {
    #[inline(always)]
    fn jet<const FUSED: bool>(z: f64) -> Jet {
        let (value, slope) = tanh_slope::<FUSED>(z);
        Jet {
            value,
            slope,
            curvature: -2.0 * value * slope,
        }
    }
}

struct Sin;

impl Function for Sin {
    #[inline(always)]
    fn jet<const FUSED: bool>(z: f64) -> Jet {
        let (value, slope) = sine_cosine::<FUSED>(z);
        Jet {
            value,
            slope,
            curvature: -value,
        }
    }
}

/// The sine of numbers too large for the fast reduction.
struct LargeSin;

impl Function for LargeSin {
    fn jet<const FUSED: bool>(z: f64) -> Jet {
        let (value, slope) = libm::sincos(z);
        Jet {
            value,
            slope,
            curvature: -value,
        }
    }
}

struct Gelu;

impl Function for Gelu {
    #[inline(always)]
    fn jet<const FUSED: bool>(z: f64) -> Jet {
        /// `1/√(2π)`.
        const DENSITY: f64 = 0.398_942_280_401_432_7;
        let (below, bell) = normal_gaussian::<FUSED>(z);
        let density = DENSITY * bell;
        Jet {
            value: z * below,
            slope: below + z * density,
            curvature: density * (2.0 - z * z),
        }
    }
}

struct Softplus;

impl Function for Softplus {
    #[inline(always)]
    fn jet<const FUSED: bool>(z: f64) -> Jet {
        let (value, slope, curvature) = softplus_jet::<FUSED>(z);
        Jet {
            value,
            slope,
            curvature,
        }
    }
}

/// The slope of the softplus.
struct Sigmoid;

impl Function for Sigmoid {
    #[inline(always)]
    fn jet<const FUSED: bool>(z: f64) -> Jet {
        let (_, value, slope) = softplus_jet::<FUSED>(z);
        Jet {
            value,
            slope,
            curvature: slope * (1.0 - 2.0 * value),
        }
    }
}

fn beyond_reduction(values: &[f64]) -> bool {
    values.iter().fold(false, |beyond, z| beyond | (z.abs() > SINE_LIMIT))
}

/// One pass over the slices; an empty slice means "not wanted".
struct Sweep<'a, F> {
    function: PhantomData<F>,
    values: &'a mut [f64],
    slopes: &'a mut [f64],
    curvatures: &'a mut [f64],
}

fn sweep<F: Function>(values: &mut [f64], slopes: &mut [f64], curvatures: &mut [f64]) {
    widest(Sweep::<F> {
        function: PhantomData,
        values,
        slopes,
        curvatures,
    });
}

impl<F: Function> Pass for Sweep<'_, F> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self {
            values,
            slopes,
            curvatures,
            ..
        } = self;
        if slopes.is_empty() {
            for z in values {
                *z = F::jet::<FUSED>(*z).value;
            }
        } else if curvatures.is_empty() {
            for (z, slope) in values.iter_mut().zip(slopes) {
                let at = F::jet::<FUSED>(*z);
                (*z, *slope) = (at.value, at.slope);
            }
        } else {
            for ((z, slope), curvature) in values.iter_mut().zip(slopes).zip(curvatures) {
                let at = F::jet::<FUSED>(*z);
                (*z, *slope, *curvature) = (at.value, at.slope, at.curvature);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp)]
    use super::*;

    #[test]
    fn slopes_and_curvatures_are_the_derivatives() {
        let step = 1e-5;
        for activation in Activation::ALL {
            for i in -60..=60 {
                let z = 0.1 * f64::from(i) + 0.017;
                let (low, at, high) = (activation.jet(z - step), activation.jet(z), activation.jet(z + step));
                let slope = (high.value - low.value) / (2.0 * step);
                let curvature = (high.slope - low.slope) / (2.0 * step);
                assert!((slope - at.slope).abs() < 1e-9, "{activation:?} at {z}");
                assert!((curvature - at.curvature).abs() < 1e-9, "{activation:?} at {z}");
            }
        }
    }

    #[test]
    fn a_slice_of_any_length_equals_its_numbers_one_by_one() {
        for activation in Activation::ALL {
            for length in [0, 1, 3, 8, 17] {
                let start: Vec<f64> = (0..length).map(|i| f64::from(i) * 0.7 - 4.0).collect();
                let mut values = start.clone();
                activation.apply(&mut values);
                let expected: Vec<f64> = start.iter().map(|&z| activation.jet(z).value).collect();
                assert_eq!(values, expected, "{activation:?}");
            }
        }
    }

    #[test]
    fn the_sine_of_a_huge_number_is_that_of_libm() {
        assert_eq!(Activation::Sin.jet(1e15).value, libm::sin(1e15));
    }

    #[test]
    fn names_are_written_in_kebab_case() {
        assert_eq!(serde_json::to_string(&Activation::Softplus).unwrap(), "\"softplus\"");
    }
}
