//! The arc sine as a polynomial without branches, so that loops over it become vector instructions.
#![allow(
    clippy::inline_always,
    reason = "a loop takes the instruction set of the function it is inlined into"
)]

use std::f64::consts::FRAC_PI_2;

/// `(asin(√t)/√t − 1)/t` on `[0, 1/4]`: the polynomial through thirteen Chebyshev nodes, computed in rational
/// arithmetic; its error times `t` is below 5e-18.
const SERIES: [f64; 13] = [
    0.166_666_666_666_666_69,
    0.074_999_999_999_984_33,
    0.044_642_857_146_355_43,
    0.030_381_944_138_531_247,
    0.022_372_172_942_149_89,
    0.017_352_392_720_869_973,
    0.013_971_212_973_552_933,
    0.011_479_177_415_184_906,
    0.010_322_814_350_185_78,
    0.005_457_506_718_640_358,
    0.017_400_879_442_694_02,
    -0.014_851_887_071_247_204,
    0.028_757_851_367_421_566,
];

/// The arc sine of a number in `[-1, 1]`, to the last bit or two.
#[inline(always)]
pub(super) fn asin(x: f64) -> f64 {
    let size = x.abs();
    let far = size > 0.5;
    let half = 0.5 * (1.0 - size);
    let square = if far { half } else { size * size };
    let root = square.sqrt();
    let base = if far { root } else { size };
    let near = base + base * (square * series(square));
    let angle = if far { FRAC_PI_2 - 2.0 * near } else { near };
    angle.copysign(x)
}

/// The polynomial in pairs of pairs: short chains of dependent operations.
#[inline(always)]
fn series(t: f64) -> f64 {
    let c = &SERIES;
    let (t2, t4) = (t * t, t * t * (t * t));
    let first = (c[0] + c[1] * t) + (c[2] + c[3] * t) * t2;
    let second = (c[4] + c[5] * t) + (c[6] + c[7] * t) * t2;
    let third = (c[8] + c[9] * t) + (c[10] + c[11] * t) * t2;
    first + second * t4 + (third + c[12] * t4) * (t4 * t4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arc_sine_agrees_with_the_library_everywhere() {
        for step in -200_000..=200_000 {
            let x = f64::from(step) / 200_000.0;
            let (ours, theirs) = (asin(x), libm::asin(x));
            assert!(
                (ours - theirs).abs() <= 5e-16 * theirs.abs(),
                "asin({x}) = {ours}, not {theirs}"
            );
        }
    }

    #[test]
    fn the_ends_and_the_middle_are_exact() {
        assert_eq!((asin(0.0), asin(1.0), asin(-1.0)), (0.0, FRAC_PI_2, -FRAC_PI_2));
        assert_eq!(asin(1e-200).to_bits(), 1e-200_f64.to_bits());
    }
}
