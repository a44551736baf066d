//! What is done to the objective's values before a model sees them.
//!
//! Surrogates standardise on their own. What is left is shape: a function that spans six orders of magnitude, or a
//! few enormous values, hides its valley from a Gaussian model. Every transform here is increasing, so the best point
//! stays the best and improvement keeps its meaning.

use serde::{Deserialize, Serialize};

use crate::limits::EARLY;

/// An increasing transform of the objective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transform {
    /// The power transform; as they are where observations are noisy.
    ///
    /// A transform that spreads small differences among the lowest values spreads the noise there as well, and a lucky
    /// observation becomes an outlier that no model with one noise for all believes to be one.
    #[default]
    Auto,
    /// As they are.
    None,
    /// Values above the median of the first results are compressed beyond what the lower half of these spans; below it
    /// nothing changes. Later results crowd in the valley, and compressed by their measure all the rest would look alike.
    Winsorise,
    /// Yeo and Johnson's power transform with the exponent of greatest likelihood.
    Power,
    /// The normal quantile of a value's rank.
    Rank,
}

impl Transform {
    /// The same for a study whose observations are noisy or not.
    #[must_use]
    pub fn amid(self, noisy: bool) -> Self {
        match self {
            Self::Auto if noisy => Self::None,
            Self::Auto => Self::Power,
            stated => stated,
        }
    }

    /// The transformed values, without noise.
    pub fn apply(self, values: &[f64]) -> Vec<f64> {
        match self {
            Self::None => values.to_vec(),
            Self::Winsorise => winsorised(values),
            Self::Auto | Self::Power => powered(values),
            Self::Rank => ranked(values),
        }
    }
}

/// Beyond the first results' median by more than their lower half's span, a value counts by its logarithm.
fn winsorised(values: &[f64]) -> Vec<f64> {
    let sorted = sorted(&values[..values.len().min(EARLY)]);
    let (Some(&low), Some(&median)) = (sorted.first(), sorted.get(sorted.len() / 2)) else {
        return Vec::new();
    };
    let span = median - low;
    if span <= 0.0 {
        return values.to_vec();
    }
    let squash = |value: f64| {
        let excess = (value - median) / span;
        if excess > 0.0 {
            median + span * excess.ln_1p()
        } else {
            value
        }
    };
    values.iter().map(|&value| squash(value)).collect()
}

/// The exponents tried, from strong compression of large values to none. An exponent above one would stretch the
/// large values, which no search for a minimum wants.
const EXPONENTS: [f64; 9] = [-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0];

fn powered(values: &[f64]) -> Vec<f64> {
    let sorted = sorted(values);
    let Some(&median) = sorted.get(sorted.len() / 2) else {
        return Vec::new();
    };
    let Some(scale) = spread(&sorted) else {
        return values.to_vec();
    };
    let standard: Vec<f64> = values.iter().map(|value| (value - median) / scale).collect();
    let best = EXPONENTS
        .iter()
        .map(|&exponent| (likelihood(&standard, exponent), exponent))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(1.0, |(_, exponent)| exponent);
    standard.iter().map(|&value| yeo_johnson(value, best)).collect()
}

/// A robust scale: the interquartile range, or the whole range where that is zero.
fn spread(sorted: &[f64]) -> Option<f64> {
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    let candidates = [at(0.75) - at(0.25), at(1.0) - at(0.0)];
    candidates.into_iter().find(|scale| *scale > 0.0 && scale.is_finite())
}

/// Yeo and Johnson (2000): Box and Cox on `1 + y` for `y >= 0`, mirrored with exponent `2 − λ` below.
fn yeo_johnson(y: f64, exponent: f64) -> f64 {
    if y >= 0.0 {
        box_cox(1.0 + y, exponent)
    } else {
        -box_cox(1.0 - y, 2.0 - exponent)
    }
}

fn box_cox(x: f64, exponent: f64) -> f64 {
    if exponent.abs() < 1e-12 {
        x.ln()
    } else {
        (x.powf(exponent) - 1.0) / exponent
    }
}

/// The profile log-likelihood of normality after the transform.
fn likelihood(values: &[f64], exponent: f64) -> f64 {
    let n = values.len() as f64;
    let transformed: Vec<f64> = values.iter().map(|&value| yeo_johnson(value, exponent)).collect();
    let mean = transformed.iter().sum::<f64>() / n;
    let variance = transformed.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
    let jacobian: f64 = values.iter().map(|value| value.signum() * value.abs().ln_1p()).sum();
    -0.5 * n * variance.max(f64::MIN_POSITIVE).ln() + (exponent - 1.0) * jacobian
}

fn ranked(values: &[f64]) -> Vec<f64> {
    let sorted = sorted(values);
    let n = sorted.len() as f64;
    let rank = |value: &f64| {
        let below = sorted.partition_point(|other| other < value);
        let through = sorted.partition_point(|other| other <= value);
        0.5 * (below + through) as f64
    };
    values.iter().map(|value| normal_quantile(rank(value) / n)).collect()
}

/// The standard normal's quantile by bisection on its distribution: exact to rounding, and never the bottleneck.
pub(crate) fn normal_quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let distribution = 0.5 * libm::erfc(-middle / std::f64::consts::SQRT_2);
        if distribution < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Transform; 4] = [Transform::None, Transform::Winsorise, Transform::Power, Transform::Rank];

    #[test]
    fn every_transform_keeps_the_order() {
        let values = [3.0, -2.0, 1e6, 0.5, 0.5, -1e-9, 44.0, 1e5, 7.0];
        for transform in ALL {
            let out = transform.apply(&values);
            for (a, fa) in values.iter().zip(&out) {
                for (b, fb) in values.iter().zip(&out) {
                    assert!((a < b) == (fa < fb), "{transform:?}: {a} {b} became {fa} {fb}");
                }
            }
        }
    }

    #[test]
    fn constant_and_empty_values_survive() {
        for transform in ALL {
            assert!(transform.apply(&[]).is_empty());
            assert!(transform.apply(&[2.0; 5]).iter().all(|value| value.is_finite()));
            assert!(transform.apply(&[2.0]).iter().all(|value| value.is_finite()));
        }
    }

    #[test]
    fn the_upper_decades_of_a_steep_function_no_longer_hide_the_lower_half() {
        // All decades are among the first results.
        let values: Vec<f64> = (0..60).map(|k| 10_f64.powf(f64::from(17 * k % 60) * 0.1)).collect();
        let skew = |values: &[f64]| {
            let sorted = sorted(values);
            (sorted[59] - sorted[30]) / (sorted[30] - sorted[0])
        };
        let raw = skew(&values);
        for transform in [Transform::Winsorise, Transform::Power, Transform::Rank] {
            let left = skew(&transform.apply(&values));
            assert!(left < raw / 20.0, "{transform:?} leaves {left} of {raw}");
        }
    }

    #[test]
    fn results_that_crowd_in_the_valley_do_not_compress_the_flanks_further() {
        let first: Vec<f64> = (0..EARLY).map(|k| (k * k) as f64).collect();
        let crowded: Vec<f64> = first.iter().copied().chain((0..200).map(|_| 0.1)).collect();
        let [alone, among] = [&first, &crowded].map(|values| Transform::Winsorise.apply(values));
        assert_eq!(alone[..], among[..EARLY]);
    }
}
