//! The standard normal in the forms that improvement needs, exact to the last digits far into the tail.
//!
//! Left of `z = -2` everything is a multiple of the density, and the multiples come from one continued fraction. With
//! `t = -z`, `K = 1/(t + 2/(t + 3/(t + …)))` and Mills' ratio `R = Φ(-t)/φ(t) = 1/(t + K)`:
//!
//! ```text
//! h(z) = z Φ(z) + φ(z) = φ (1 - t R) = φ K R        no difference of nearly equal numbers
//! Φ/h = 1/K      φ/h = 1/(K R)      φ/Φ = 1/R
//! ```

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// `ln √(2π)`.
const LOG_ROOT_TWO_PI: f64 = 0.918_938_533_204_672_8;
/// `1 / √(2π)`.
const INVERSE_ROOT_TWO_PI: f64 = 0.398_942_280_401_432_7;
/// Left of this the continued fraction takes over.
const TAIL: f64 = -2.0;

/// The density `φ(z)`.
pub fn density(z: f64) -> f64 {
    INVERSE_ROOT_TWO_PI * (-0.5 * z * z).exp()
}

/// The distribution function `Φ(z)`.
pub fn cumulative(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// `ln Φ(z)`.
pub fn log_cumulative(z: f64) -> f64 {
    if z < TAIL {
        log_density(z) + Tail::at(-z).mills.ln()
    } else if z < 0.0 {
        cumulative(z).ln()
    } else {
        (-0.5 * libm::erfc(z / SQRT_2)).ln_1p()
    }
}

/// `φ(z) / Φ(z)`, the slope of [`log_cumulative`].
pub fn hazard(z: f64) -> f64 {
    if z < TAIL {
        1.0 / Tail::at(-z).mills
    } else {
        density(z) / cumulative(z)
    }
}

/// `h(z) = z Φ(z) + φ(z)`: the expected improvement in units of the deviation.
pub fn improvement(z: f64) -> f64 {
    if z < TAIL {
        let tail = Tail::at(-z);
        density(z) * tail.rest * tail.mills
    } else {
        z * cumulative(z) + density(z)
    }
}

/// `ln h(z)`.
pub fn log_improvement(z: f64) -> f64 {
    if z < TAIL {
        let tail = Tail::at(-z);
        log_density(z) + tail.rest.ln() + tail.mills.ln()
    } else {
        improvement(z).ln()
    }
}

/// `(Φ(z) / h(z), φ(z) / h(z))`: the first is the slope of [`log_improvement`].
pub fn improvement_ratios(z: f64) -> (f64, f64) {
    if z < TAIL {
        let tail = Tail::at(-z);
        (1.0 / tail.rest, 1.0 / tail.rest / tail.mills)
    } else {
        let h = improvement(z);
        (cumulative(z) / h, density(z) / h)
    }
}

fn log_density(z: f64) -> f64 {
    -0.5 * z * z - LOG_ROOT_TWO_PI
}

/// The two parts of the continued fraction at `t > 0`.
struct Tail {
    /// Mills' ratio `R`.
    mills: f64,
    /// `K`, what the fraction adds to `t`.
    rest: f64,
}

impl Tail {
    /// The fraction from the inside out. What is cut off is replaced by the level `k` at which it would stand still,
    /// `k (t + k) = n`, which leaves an error below the last digit after these many terms.
    fn at(t: f64) -> Self {
        let terms = 24 + (200.0 / (t * t)) as u32;
        let inmost = 0.5 * (t.hypot(2.0 * f64::from(terms + 1).sqrt()) - t);
        let rest = (1..=terms).rev().fold(inmost, |rest, n| f64::from(n) / (t + rest));
        Self {
            mills: 1.0 / (t + rest),
            rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns: z, Φ, ln Φ, h, ln h, Φ/h, φ/h.
    const STORED: &str = include_str!("../tests/data/normal.csv");

    fn rows() -> impl Iterator<Item = Vec<f64>> {
        let numbers = |line: &str| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
        STORED.lines().filter(|line| !line.starts_with('#')).map(numbers)
    }

    fn agree(name: &str, z: f64, ours: f64, stored: f64) {
        let error = (ours - stored).abs() / stored.abs().max(f64::MIN_POSITIVE);
        // The exponential of -z²/2 carries the rounding of its argument.
        let allowed = 4e-14
            + if name.starts_with("log") && z < 0.0 {
                0.0
            } else {
                z * z * 2e-16
            };
        assert!(error < allowed, "{name}({z}) = {ours:e}, stored {stored:e}");
    }

    #[test]
    fn all_functions_agree_with_four_hundred_digit_arithmetic_far_into_both_tails() {
        assert!(rows().count() > 60);
        for row in rows() {
            let z = row[0];
            if z > -37.0 {
                agree("cumulative", z, cumulative(z), row[1]);
                agree("improvement", z, improvement(z), row[3]);
            }
            agree("log_cumulative", z, log_cumulative(z), row[2]);
            agree("log_improvement", z, log_improvement(z), row[4]);
            let (slope, ratio) = improvement_ratios(z);
            agree("slope", z, slope, row[5]);
            agree("ratio", z, ratio, row[6]);
        }
    }

    #[test]
    fn the_logarithm_is_the_logarithm_where_the_value_is_representable() {
        for step in -3700..=400 {
            let z = f64::from(step) * 0.01;
            let (value, log) = (improvement(z), log_improvement(z));
            assert!((log.exp() / value - 1.0).abs() < 2e-13, "{z}: {value:e} {log}");
        }
    }

    #[test]
    fn both_logarithms_grow_with_z_through_every_change_of_formula() {
        let grid: Vec<f64> = (0..40_000).map(|k| -20.0 + f64::from(k) * 6e-4).collect();
        for pair in grid.windows(2) {
            assert!(log_improvement(pair[1]) > log_improvement(pair[0]), "{pair:?}");
            assert!(log_cumulative(pair[1]) >= log_cumulative(pair[0]), "{pair:?}");
        }
    }

    #[test]
    fn the_hazard_is_the_slope_of_the_log_probability() {
        for z in [-30.0, -5.0, -2.1, -1.9, 0.0, 1.5, 4.0] {
            let step = 1e-5;
            let slope = (log_cumulative(z + step) - log_cumulative(z - step)) / (2.0 * step);
            assert!((hazard(z) - slope).abs() < 1e-7 * (1.0 + slope.abs()), "{z}");
        }
    }
}
