//! Elementary functions that a compiler can vectorise: no branches, no tables, no calls.
//!
//! The scalar functions of `libm` cannot be vectorised and would cost more than the matrix products of a small
//! network. These are accurate to a few units in the last place. `FUSED` says whether the machine multiplies and adds in one
//! instruction; where it does not, asking for it would mean a slow call. The polynomials interpolate at Chebyshev nodes (computed with
//! fifty digits); the Taylor series stop where the remainder is below the rounding.
#![allow(clippy::unreadable_literal, reason = "coefficients are not read digit by digit")]
#![allow(
    clippy::inline_always,
    reason = "a call inside a loop would keep it from being vectorised"
)]

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, LOG2_E};

/// `1.5·2⁵²`: adding it rounds to the nearest integer, which then stands in the low bits.
const ROUNDER: f64 = 6755399441055744.0;
/// `ln 2` in two parts; the first has 32 bits, so that its product with an exponent is exact.
const LN_2: [f64; 2] = [0.6931471803691238, 1.9082149292705877e-10];
/// `π/2` in three parts of 33 bits each but the last.
const HALF_PI: [f64; 3] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];
/// Arguments beyond this are too large for the three-part reduction of [`sine_cosine`].
pub(crate) const SINE_LIMIT: f64 = 1.0e6;
/// `exp` returns its value at this number for everything below.
const EXPONENT_FLOOR: f64 = -708.0;

/// `(exp(r) − 1 − r)/r²`, for `|r| ≤ ½ ln 2`; relative error of the exponential 1.6e-17.
const EXPONENTIAL: [f64; 10] = [
    0.5000000000000001,
    0.16666666666666669,
    0.041666666666624094,
    0.00833333333333006,
    0.0013888888917230724,
    0.00019841269863066696,
    2.4801521269532122e-05,
    2.7557268439678e-06,
    2.7620101012098e-07,
    2.5100395159429243e-08,
];

/// `(1 + 2y) exp(y²) erfc(y)` as a polynomial in `(y − 3)/(y + 3)`, for `0 ≤ y ≤ 28`; relative error 3.2e-17.
const SCALED_ERFC: [[f64; 8]; 3] = [
    [
        1.2530080582697296,
        -0.1356211061245807,
        -0.047562294353446374,
        0.12964515870270552,
        -0.11927366341552853,
        0.06830802734580459,
        -0.02377051491423367,
        0.002529391788270445,
    ],
    [
        0.001888690312003782,
        -0.0007798320379611115,
        -0.00010515949033775975,
        0.00012509815174864322,
        4.948147875576539e-06,
        -2.009663087595395e-05,
        -7.275875746667183e-07,
        3.463997532352904e-06,
    ],
    [
        3.4899197889744293e-07,
        -6.050048623933503e-07,
        -1.311166137536459e-07,
        9.186243026143847e-08,
        3.29163439676632e-08,
        -8.500119502115306e-09,
        -4.210104975119195e-09,
        0.0,
    ],
];

/// `(1 − exp(y²) erfc(y))/y` as a polynomial in `(y − 4)/(y + 4)`, for `y ≥ 0`: the best for what its error does to `erf`, relative error of which
/// 2.1e-18. Large `y` need no more than a bounded polynomial, since `exp(−y²)` is a factor.
const ERF_RISE: [[f64; 8]; 2] = [
    [
        0.2157501355957742,
        -0.366733258928324,
        0.24728632807173573,
        -0.1515419452075871,
        0.08323674302424566,
        -0.04021885203945411,
        0.016617305594036513,
        -0.005582165674213895,
    ],
    [
        0.001352204402903958,
        -0.00014867593111445978,
        -6.718714254365374e-05,
        1.3008199744409767e-05,
        -1.5680033494295115e-05,
        -8.564877907703847e-06,
        -1.1368760023699796e-06,
        0.0,
    ],
];

/// `artanh(s)/s` as a polynomial in `s²`, for `0 ≤ s ≤ 1/3`; relative error 1.3e-18.
const ARTANH: [f64; 11] = [
    1.0,
    0.33333333333333076,
    0.20000000000092874,
    0.14285714272727057,
    0.11111112040373837,
    0.09090870416252403,
    0.07693307021152004,
    0.06650187016337313,
    0.06055084364034609,
    0.0416225325593041,
    0.08522081781390699,
];

/// `sin(r)/r` in `r²`.
const SINE: [f64; 9] = [
    1.0,
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5040.0,
    1.0 / 362880.0,
    -1.0 / 39916800.0,
    1.0 / 6227020800.0,
    -1.0 / 1307674368000.0,
    1.0 / 355687428096000.0,
];

/// `cos(r)` in `r²`.
const COSINE: [f64; 9] = [
    1.0,
    -0.5,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40320.0,
    -1.0 / 3628800.0,
    1.0 / 479001600.0,
    -1.0 / 87178291200.0,
    1.0 / 20922789888000.0,
];

/// `a b + c`.
#[inline(always)]
fn fma<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// A polynomial by Horner's rule in two interleaved chains (even and odd powers), which halves the waiting.
#[inline(always)]
fn polynomial<const FUSED: bool, const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let square = x * x;
    let (mut even, mut odd) = (0.0, 0.0);
    for k in (0..N).rev() {
        if k % 2 == 0 {
            even = fma::<FUSED>(even, square, coefficients[k]);
        } else {
            odd = fma::<FUSED>(odd, square, coefficients[k]);
        }
    }
    fma::<FUSED>(x, odd, even)
}

/// `(exp(r) − 1, 2ᵏ)` with `exp(x − shift) = 2ᵏ exp(r)`, for `x` between −708 and 700 and a tiny `shift`.
#[inline(always)]
fn exponential_parts<const FUSED: bool>(x: f64, shift: f64) -> (f64, f64) {
    let rounded = fma::<FUSED>(x, LOG2_E, ROUNDER);
    let k = rounded - ROUNDER;
    let power = f64::from_bits((rounded.to_bits() << 52).wrapping_add(1023 << 52));
    let r = fma::<FUSED>(-k, LN_2[1], fma::<FUSED>(-k, LN_2[0], x)) - shift;
    (fma::<FUSED>(r * r, polynomial::<FUSED, _>(&EXPONENTIAL, r), r), power)
}

/// `exp(x)` for `x ≤ 700`; below −708 the value at −708.
#[inline(always)]
pub(crate) fn exponential<const FUSED: bool>(x: f64) -> f64 {
    let (rest, power) = exponential_parts::<FUSED>(floored(x), 0.0);
    fma::<FUSED>(power, rest, power)
}

/// `x`, or the least number that has an exponential here.
#[inline(always)]
fn floored(x: f64) -> f64 {
    if x < EXPONENT_FLOOR { EXPONENT_FLOOR } else { x }
}

/// `y²` in two parts whose sum is exact.
#[inline(always)]
fn square<const FUSED: bool>(y: f64) -> (f64, f64) {
    if FUSED {
        let rounded = y * y;
        return (rounded, y.mul_add(y, -rounded));
    }
    let high = f64::from_bits(y.to_bits() & !0x07ff_ffff);
    (high * high, (y - high) * (y + high))
}

/// `exp(−x²/2)`, accurate also where `x²` is large; zero below 1e-307.
#[inline(always)]
fn gaussian<const FUSED: bool>(x: f64) -> f64 {
    let limit = 37.6;
    let y = if x.abs() > limit { limit } else { x.abs() };
    let (high, low) = square::<FUSED>(y);
    let (rest, power) = exponential_parts::<FUSED>(-0.5 * high, 0.5 * low);
    let value = fma::<FUSED>(power, rest, power);
    if x.abs() > limit { 0.0 } else { value }
}

/// `exp(y²) erfc(y)` for `y ≥ 0`.
#[inline(always)]
fn scaled_erfc<const FUSED: bool>(y: f64) -> f64 {
    let y = if y > 28.0 { 28.0 } else { y };
    let (a, b) = (y + 3.0, 1.0 + 2.0 * y);
    let inverse = 1.0 / (a * b);
    let t = (y - 3.0) * (b * inverse);
    // Three short polynomials: the compiler unrolls their loops, as it would not one of 23 coefficients.
    let [low, middle, high] = &SCALED_ERFC;
    let (low, middle, high) = (
        polynomial::<FUSED, _>(low, t),
        polynomial::<FUSED, _>(middle, t),
        polynomial::<FUSED, _>(high, t),
    );
    let fourth = (t * t) * (t * t);
    let eighth = fourth * fourth;
    fma::<FUSED>(eighth, fma::<FUSED>(eighth, high, middle), low) * (a * inverse)
}

/// `(erf(x), exp(−x²))`; the second is zero below 1e-307.
///
/// `erf(y) = (1 − e) + e y T(y)` with `e = exp(−y²)`: neither part is negative and the first has all its digits from the exponential, so that
/// one formula serves numbers of all sizes.
#[inline(always)]
pub(crate) fn erf_gaussian<const FUSED: bool>(x: f64) -> (f64, f64) {
    let limit = 26.6;
    let y = if x.abs() > limit { limit } else { x.abs() };
    let (high, low) = square::<FUSED>(y);
    let (rest, power) = exponential_parts::<FUSED>(-high, low);
    let bell = fma::<FUSED>(power, rest, power);
    let t = (y - 4.0) / (y + 4.0);
    // Two short polynomials: the compiler unrolls their loops, as it would not one of 15 coefficients.
    let [low, high] = &ERF_RISE;
    let (low, high) = (polynomial::<FUSED, _>(low, t), polynomial::<FUSED, _>(high, t));
    let fourth = (t * t) * (t * t);
    let rise = fma::<FUSED>(fourth * fourth, high, low);
    let value = fma::<FUSED>(bell * y, rise, fma::<FUSED>(-power, rest, 1.0 - power));
    (value.copysign(x), if x.abs() > limit { 0.0 } else { bell })
}

/// `(Φ(x), exp(−x²/2))`, the normal distribution function and its unscaled density.
#[inline(always)]
pub(crate) fn normal_gaussian<const FUSED: bool>(x: f64) -> (f64, f64) {
    let bell = gaussian::<FUSED>(x);
    let tail = 0.5 * bell * scaled_erfc::<FUSED>(x.abs() * FRAC_1_SQRT_2);
    (if x < 0.0 { tail } else { 1.0 - tail }, bell)
}

/// `(tanh(x), 1/cosh²(x))`.
#[inline(always)]
pub(crate) fn tanh_slope<const FUSED: bool>(x: f64) -> (f64, f64) {
    let (rest, power) = exponential_parts::<FUSED>(floored(-2.0 * x.abs()), 0.0);
    let (less_one, e) = (fma::<FUSED>(power, rest, power - 1.0), fma::<FUSED>(power, rest, power));
    let inverse = 1.0 / (2.0 + less_one);
    ((-less_one * inverse).copysign(x), 4.0 * e * inverse * inverse)
}

/// `(ln(1 + exp(x)), its slope, its curvature)`.
#[inline(always)]
pub(crate) fn softplus_jet<const FUSED: bool>(x: f64) -> (f64, f64, f64) {
    let e = exponential::<FUSED>(-x.abs());
    let s = e / (2.0 + e);
    let rest = 2.0 * s * polynomial::<FUSED, _>(&ARTANH, s * s);
    let inverse = 1.0 / (1.0 + e);
    let (value, slope) = if x < 0.0 {
        (rest, e * inverse)
    } else {
        (x + rest, inverse)
    };
    (value, slope, e * inverse * inverse)
}

/// `(sin(x), cos(x))` for `|x|` up to [`SINE_LIMIT`].
#[inline(always)]
pub(crate) fn sine_cosine<const FUSED: bool>(x: f64) -> (f64, f64) {
    let rounded = fma::<FUSED>(x, FRAC_2_PI, ROUNDER);
    let k = rounded - ROUNDER;
    let quadrant = rounded.to_bits();
    let r = fma::<FUSED>(-k, HALF_PI[0], x);
    let r = fma::<FUSED>(-k, HALF_PI[2], fma::<FUSED>(-k, HALF_PI[1], r));
    let square = r * r;
    let (s, c) = (
        r * polynomial::<FUSED, _>(&SINE, square),
        polynomial::<FUSED, _>(&COSINE, square),
    );
    let (s, c) = if quadrant & 1 == 0 { (s, c) } else { (c, s) };
    let flip = |value: f64, sign: u64| f64::from_bits(value.to_bits() ^ ((sign & 2) << 62));
    (flip(s, quadrant), flip(c, quadrant.wrapping_add(1)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    use super::*;

    /// The largest relative deviation from a reference over a fine grid.
    fn deviation(low: f64, high: f64, ours: impl Fn(f64) -> f64, reference: impl Fn(f64) -> f64) -> f64 {
        let steps = 60_007;
        (0..=steps).fold(0.0, |worst: f64, i| {
            let x = low + (high - low) * f64::from(i) / f64::from(steps);
            let (value, expected) = (ours(x), reference(x));
            let scale = if expected == 0.0 { 1.0 } else { expected.abs() };
            worst.max((value - expected).abs() / scale)
        })
    }

    #[test]
    fn the_exponential_agrees_with_libm_to_the_last_places() {
        exponential_holds::<false>();
        exponential_holds::<true>();
    }

    fn exponential_holds<const FUSED: bool>() {
        assert!(deviation(-700.0, 1.0, exponential::<FUSED>, libm::exp) < 6e-16);
    }

    #[test]
    fn the_gaussian_keeps_its_relative_accuracy_in_the_tail() {
        gaussian_holds::<false>();
        gaussian_holds::<true>();
    }

    fn gaussian_holds<const FUSED: bool>() {
        // exp(−x²/2) = exp(−a)·exp(−b) with x²/2 split exactly, which libm alone would round.
        let reference = |x: f64| {
            let square = x * x / 2.0;
            libm::exp(-square) * (1.0 - libm::fma(x, x, -2.0 * square) / 2.0)
        };
        assert!(deviation(-37.0, 37.0, gaussian::<FUSED>, reference) < 9e-16);
        assert_eq!(gaussian::<FUSED>(50.0), 0.0);
        assert_eq!(erf_gaussian::<FUSED>(-30.0).1, 0.0);
    }

    #[test]
    fn the_error_function_agrees_with_libm_to_the_last_places() {
        error_function_holds::<false>();
        error_function_holds::<true>();
    }

    fn error_function_holds<const FUSED: bool>() {
        assert!(deviation(-7.0, 7.0, |x| erf_gaussian::<FUSED>(x).0, libm::erf) < 8e-16);
        assert!(deviation(-0.6, 0.6, |x| erf_gaussian::<FUSED>(x).0, libm::erf) < 8e-16);
        assert!(deviation(-1e-9, 1e-9, |x| erf_gaussian::<FUSED>(x).0, libm::erf) < 8e-16);
        assert_eq!(erf_gaussian::<FUSED>(1e300).0, 1.0);
        assert_eq!(erf_gaussian::<FUSED>(-1e300).0, -1.0);
    }

    #[test]
    fn the_normal_distribution_keeps_its_relative_accuracy_in_the_lower_tail() {
        normal_distribution_holds::<false>();
        normal_distribution_holds::<true>();
    }

    fn normal_distribution_holds<const FUSED: bool>() {
        // Reference values to 17 digits: Φ(−1), Φ(−5), Φ(−10), Φ(−20), Φ(−35).
        let stored = [
            (-1.0, 0.15865525393145705),
            (-5.0, 2.866515718791939e-7),
            (-10.0, 7.619853024160526e-24),
            (-20.0, 2.7536241186062337e-89),
            (-35.0, 1.1249107064724061e-268),
        ];
        for (x, expected) in stored {
            let value = normal_gaussian::<FUSED>(x).0;
            assert!((value / expected - 1.0).abs() < 2e-15, "Φ({x}) = {value}");
        }
    }

    #[test]
    fn the_hyperbolic_tangent_agrees_with_libm_to_the_last_places() {
        hyperbolic_tangent_holds::<false>();
        hyperbolic_tangent_holds::<true>();
    }

    fn hyperbolic_tangent_holds<const FUSED: bool>() {
        assert!(deviation(-20.0, 20.0, |x| tanh_slope::<FUSED>(x).0, libm::tanh) < 1.2e-15);
        assert!(deviation(-0.3, 0.3, |x| tanh_slope::<FUSED>(x).0, libm::tanh) < 1.2e-15);
        let slope = |x: f64| libm::cosh(x).powi(-2);
        assert!(deviation(-300.0, 300.0, |x| tanh_slope::<FUSED>(x).1, slope) < 3e-15);
    }

    #[test]
    fn the_softplus_agrees_with_libm_to_the_last_places() {
        softplus_holds::<false>();
        softplus_holds::<true>();
    }

    fn softplus_holds<const FUSED: bool>() {
        let reference = |x: f64| x.max(0.0) + libm::log1p(libm::exp(-x.abs()));
        assert!(deviation(-700.0, 700.0, |x| softplus_jet::<FUSED>(x).0, reference) < 1.2e-15);
        assert!(deviation(-3.0, 3.0, |x| softplus_jet::<FUSED>(x).0, reference) < 1.2e-15);
    }

    #[test]
    fn sine_and_cosine_agree_with_libm_to_the_last_places() {
        sine_and_cosine_holds::<false>();
        sine_and_cosine_holds::<true>();
    }

    fn sine_and_cosine_holds<const FUSED: bool>() {
        assert!(deviation(-8.0, 8.0, |x| sine_cosine::<FUSED>(x).0, libm::sin) < 8e-16);
        assert!(deviation(-8.0, 8.0, |x| sine_cosine::<FUSED>(x).1, libm::cos) < 8e-16);
        assert!(deviation(9e5, SINE_LIMIT, |x| sine_cosine::<FUSED>(x).0, libm::sin) < 1e-15);
        // The neighbour of π: the whole value is what the reduction leaves.
        let x = std::f64::consts::PI;
        assert!((sine_cosine::<FUSED>(x).0 / libm::sin(x) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn not_a_number_stays_so() {
        not_a_number_holds::<false>();
        not_a_number_holds::<true>();
    }

    fn not_a_number_holds<const FUSED: bool>() {
        let x = f64::NAN;
        let values = [
            exponential::<FUSED>(x),
            erf_gaussian::<FUSED>(x).0,
            normal_gaussian::<FUSED>(x).0,
            tanh_slope::<FUSED>(x).0,
        ];
        assert!(values.iter().all(|value| value.is_nan()));
        assert!(softplus_jet::<FUSED>(x).0.is_nan() && sine_cosine::<FUSED>(x).0.is_nan());
    }
}
