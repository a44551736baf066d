//! Values with as many decimals as the coordinates can tell apart.
//!
//! A coordinate has 53 bits, and so has a value, but the map between them rounds. Without care `decode(encode(a))` would
//! be `a` up to the last bit only, and a user who typed 31.2 would read 31.200000000000003. So decoded numbers are rounded
//! to decimals far coarser than the rounding errors and far finer than anything a black box can notice (about one part
//! in 10¹³ of the range). Every number that was decoded once, or that a person typed, is then met exactly again.

/// A decimal is at least so many times coarser than the errors of the map.
const MARGIN: f64 = 16.0;

/// The decimals kept of a value on a linear scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimals(Option<Unit>);

/// A power of ten: the last decimal that is kept.
#[derive(Debug, Clone, Copy)]
enum Unit {
    /// One over a power of at least 1.
    Below(f64),
    /// A power above 1.
    Above(f64),
}

impl Unit {
    /// Ten to the exponent. Powers up to 10²² are exact, so a rounded value is the double that the decimal number means.
    fn new(exponent: i32) -> Self {
        if exponent <= 0 {
            Self::Below(10_f64.powi(-exponent))
        } else {
            Self::Above(10_f64.powi(exponent))
        }
    }

    fn round(self, value: f64) -> f64 {
        match self {
            Self::Below(power) => (value * power).round() / power,
            Self::Above(power) => (value / power).round() * power,
        }
    }

    fn size(self) -> f64 {
        match self {
            Self::Below(power) => 1.0 / power,
            Self::Above(power) => power,
        }
    }
}

impl Decimals {
    /// For values between two bounds.
    pub(crate) fn between(low: f64, high: f64) -> Self {
        let error = f64::EPSILON * low.abs().max(high.abs()).max(high - low);
        let spacing = (error * MARGIN).max((high - low) * 1e-14);
        let exponent = spacing.log10().ceil();
        Self((exponent.abs() < 290.0).then(|| Unit::new(exponent as i32)))
    }

    /// The nearest value with these decimals.
    pub(crate) fn round(self, value: f64) -> f64 {
        self.0.map_or(value, |unit| unit.round(value))
    }

    /// The distance between two neighbouring values.
    pub(crate) fn spacing(self) -> f64 {
        self.0.map_or(0.0, Unit::size)
    }
}

/// The significant digits kept of a value on a logarithmic scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Digits(i32);

impl Digits {
    /// For values between two positive bounds.
    pub(crate) fn between(low: f64, high: f64) -> Self {
        let size = low.ln().abs().max(high.ln().abs()).max(1.0);
        let error = 2.0 * f64::EPSILON * size;
        Self((-(error * MARGIN).log10()).floor() as i32)
    }

    /// The power of ten of the last digit kept.
    fn exponent(self, value: f64) -> i32 {
        value.log10().floor() as i32 + 1 - self.0
    }

    /// The distance between two neighbouring values.
    pub(crate) fn spacing(self, value: f64) -> f64 {
        Unit::new(self.exponent(value)).size()
    }

    /// The nearest value with these digits.
    pub(crate) fn round(self, value: f64) -> f64 {
        let exponent = self.exponent(value);
        if exponent.abs() < 290 {
            Unit::new(exponent).round(value)
        } else {
            value
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    use super::*;

    #[test]
    fn a_number_that_was_typed_survives_small_errors() {
        let decimals = Decimals::between(20.0, 50.0);
        assert_eq!(decimals.round(31.2 + 4e-15), 31.2);
        let digits = Digits::between(1e-4, 1.0);
        assert_eq!(digits.round(0.003 * (1.0 + 1e-15)), 0.003);
        assert_eq!(digits.round(1.0 - 2e-16), 1.0);
    }

    #[test]
    fn resolution_is_a_tiny_part_of_the_range() {
        for (low, high) in [(0.0, 1.0), (-5.0, 5.0), (1e-9, 3e-9), (-1e12, 1e12), (7e4, 9e5)] {
            let decimals = Decimals::between(low, high);
            assert!(
                decimals.spacing() <= 1e-13 * (high - low) * 1.01,
                "{low} {high} {}",
                decimals.spacing()
            );
        }
    }

    #[test]
    fn extreme_ranges_are_left_as_they_are() {
        assert_eq!(Decimals::between(0.0, 1e-300).round(1.2345e-301), 1.2345e-301);
        assert!((Digits::between(1e-300, 1e300).round(1.5e-299) - 1.5e-299).abs() < 1e-311);
    }
}
