//! The probability that limits are kept, in logarithms: they add up, and have a slope however small they are.

use faer::MatRef;
use hilltop_core::{Limit, Points, Result};

use super::sum::{Rule, Sum, Term, add};
use crate::normal::{hazard, log_cumulative};

/// What is said of limits that no number keeps: as unlikely as anything.
const IMPOSSIBLE: Term = Term {
    value: -1e9,
    by_mean: 0.0,
    by_deviation: 0.0,
};

/// How often the odds of a failure count. Measured on crash-corner, 60 evaluations: at 4 half of them fail, at 8 more than
/// a third, at 16 less, and what is found is the same to three digits.
const FAILURE: f64 = 16.0;

/// Deviations below this share of the output's own are not told from none.
const FLOOR: f64 = 1e-10;

/// `ln P` that a limit is kept.
pub(crate) struct Odds;

impl Rule for Odds {
    fn term(&self, limit: &Limit, mean: f64, deviation: f64) -> Term {
        odds(limit, mean, deviation)
    }

    fn is_logarithmic(&self) -> bool {
        true
    }
}

/// The odds as they weigh in a score. A broken limit comes with the values that show by how much; a failure costs an
/// evaluation and tells one bit, so its odds count several times.
pub(crate) struct Weight;

impl Rule for Weight {
    fn term(&self, limit: &Limit, mean: f64, deviation: f64) -> Term {
        let odds = odds(limit, mean, deviation);
        if !limit.is_failure() {
            return odds;
        }
        Term {
            value: FAILURE * odds.value,
            by_mean: FAILURE * odds.by_mean,
            by_deviation: FAILURE * odds.by_deviation,
        }
    }

    fn is_logarithmic(&self) -> bool {
        true
    }
}

/// The odds that a normal quantity keeps a limit.
pub(crate) fn odds(limit: &Limit, mean: f64, deviation: f64) -> Term {
    let s = (limit.stretch * deviation).max(FLOOR * limit.scale);
    match (limit.low, limit.high) {
        (None, None) => Term::default(),
        (None, Some(high)) => below((high - mean) / s, -1.0, s),
        (Some(low), None) => below((mean - low) / s, 1.0, s),
        (Some(low), Some(high)) if low > high => IMPOSSIBLE,
        (Some(low), Some(high)) => between((low - mean) / s, (high - mean) / s, s),
    }
}

/// `ln Φ(z)`, where `z` moves with the mean in this direction.
fn below(z: f64, direction: f64, s: f64) -> Term {
    let rate = hazard(z) / s;
    Term {
        value: log_cumulative(z),
        by_mean: direction * rate,
        by_deviation: -rate * z,
    }
}

/// `ln (Φ(b) − Φ(a))`, without a difference of nearly equal numbers.
fn between(a: f64, b: f64, s: f64) -> Term {
    let (near, far) = if a > 0.0 { (-a, -b) } else { (b, a) };
    let (larger, smaller) = (log_cumulative(near), log_cumulative(far));
    let value = larger + (-(smaller - larger).min(-1e-300).exp_m1()).max(1e-300).ln();
    let ratio = |z: f64| (-0.5 * z * z - 0.918_938_533_204_672_8 - value).exp() / s;
    let (at_a, at_b) = (ratio(a), ratio(b));
    let tail = |z: f64, ratio: f64| if ratio > 0.0 { z * ratio } else { 0.0 };
    Term {
        value,
        by_mean: at_a - at_b,
        by_deviation: tail(a, at_a) - tail(b, at_b),
    }
}

/// The probability that every limit is kept at each row, the limits independent of each other; not a number where a
/// model has no marginals.
pub fn chance(limits: &[Limit], points: MatRef<'_, f64>) -> Vec<f64> {
    let mut logs = vec![0.0; points.nrows()];
    limits.iter().for_each(|limit| add(limit, &Odds, points, &mut logs));
    logs.into_iter().map(f64::exp).collect()
}

/// The joint log-probability of limits that are independent of each other.
pub(crate) type Chance = Sum<Weight>;

impl Chance {
    /// Of limits whose models have marginals; `probe` is any point of the space.
    pub(crate) fn of(asker: &'static str, limits: &[Limit], probe: &Points) -> Result<Self> {
        let terms = limits.iter().map(|limit| (limit.clone(), Weight)).collect();
        Self::new(asker, terms, probe)
    }
}
