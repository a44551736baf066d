//! Exponentials of whole slices.
#![allow(
    clippy::inline_always,
    reason = "a call inside a loop would keep it from being vectorised"
)]

use crate::elementary::exponential;
use crate::fused::{Pass, widest};

struct Exponentials<'a>(&'a mut [f64]);

impl Pass for Exponentials<'_> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for value in self.0 {
            *value = exponential::<FUSED>(*value);
        }
    }
}

/// Replaces each number, at most 700, by its exponential; what is below −708 becomes that of −708.
///
/// ```
/// let mut numbers = [0.0, -1.0, -20.0];
/// hilltop_nn::exponentials(&mut numbers);
/// assert!(numbers.iter().zip([1.0, 0.36787944117144233, 2.061153622438558e-9]).all(|(a, b)| (a / b - 1.0_f64).abs() < 1e-14));
/// ```
pub fn exponentials(values: &mut [f64]) {
    widest(Exponentials(values));
}
