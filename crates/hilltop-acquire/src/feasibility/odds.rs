//! The probability that limits are kept, in logarithms: they add up, and have a slope however small they are.

use faer::{MatMut, MatRef};
use hilltop_core::{Error, Limit, Points, Result, Score, SmoothScore};

use crate::normal::{hazard, log_cumulative};

/// `ln P` of a limit with its derivatives in mean and deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Odds {
    pub(crate) log: f64,
    pub(crate) by_mean: f64,
    pub(crate) by_deviation: f64,
}

/// What is said of limits that no number keeps: as unlikely as anything.
const IMPOSSIBLE: Odds = Odds {
    log: -1e9,
    by_mean: 0.0,
    by_deviation: 0.0,
};

/// How often the odds of a failure count. Measured on crash-corner, 60 evaluations: at 4 half of them fail, at 8 more than
/// a third, at 16 less, and what is found is the same to three digits.
const FAILURE: f64 = 16.0;

/// Deviations below this share of the output's own are not told from none.
const FLOOR: f64 = 1e-10;

impl Odds {
    /// The odds as they weigh in a score. A broken limit comes with the values that show by how much; a failure costs an
    /// evaluation and tells one bit, so its odds count several times.
    pub(crate) fn weight(limit: &Limit, mean: f64, deviation: f64) -> Self {
        let odds = Self::of(limit, mean, deviation);
        if !limit.is_failure() {
            return odds;
        }
        Self {
            log: FAILURE * odds.log,
            by_mean: FAILURE * odds.by_mean,
            by_deviation: FAILURE * odds.by_deviation,
        }
    }

    /// The odds that a normal quantity keeps a limit.
    pub(crate) fn of(limit: &Limit, mean: f64, deviation: f64) -> Self {
        let s = (limit.stretch * deviation).max(FLOOR * limit.scale);
        match (limit.low, limit.high) {
            (None, None) => Self { log: 0.0, ..IMPOSSIBLE },
            (None, Some(high)) => Self::below((high - mean) / s, -1.0, s),
            (Some(low), None) => Self::below((mean - low) / s, 1.0, s),
            (Some(low), Some(high)) if low > high => IMPOSSIBLE,
            (Some(low), Some(high)) => Self::between((low - mean) / s, (high - mean) / s, s),
        }
    }

    /// `ln Φ(z)`, where `z` moves with the mean in this direction.
    fn below(z: f64, direction: f64, s: f64) -> Self {
        let rate = hazard(z) / s;
        Self {
            log: log_cumulative(z),
            by_mean: direction * rate,
            by_deviation: -rate * z,
        }
    }

    /// `ln (Φ(b) − Φ(a))`, without a difference of nearly equal numbers.
    fn between(a: f64, b: f64, s: f64) -> Self {
        let (near, far) = if a > 0.0 { (-a, -b) } else { (b, a) };
        let (larger, smaller) = (log_cumulative(near), log_cumulative(far));
        let log = larger + (-(smaller - larger).min(-1e-300).exp_m1()).max(1e-300).ln();
        let ratio = |z: f64| (-0.5 * z * z - 0.918_938_533_204_672_8 - log).exp() / s;
        let (at_a, at_b) = (ratio(a), ratio(b));
        let tail = |z: f64, ratio: f64| if ratio > 0.0 { z * ratio } else { 0.0 };
        Self {
            log,
            by_mean: at_a - at_b,
            by_deviation: tail(a, at_a) - tail(b, at_b),
        }
    }
}

/// The probability that every limit is kept at each row, the limits independent of each other; not a number where a
/// model has no marginals.
pub fn chance(limits: &[Limit], points: MatRef<'_, f64>) -> Vec<f64> {
    let mut logs = vec![0.0; points.nrows()];
    for limit in limits {
        let Some(marginals) = limit.model.marginals() else {
            return vec![f64::NAN; points.nrows()];
        };
        let beliefs = marginals.beliefs(points);
        for ((log, &mean), &deviation) in logs.iter_mut().zip(&beliefs.mean).zip(&beliefs.deviation) {
            *log += Odds::of(limit, mean, deviation).log;
        }
    }
    logs.into_iter().map(f64::exp).collect()
}

/// The joint log-probability of limits that are independent of each other.
pub(crate) struct Chance {
    limits: Vec<Limit>,
    smooth: bool,
}

impl Chance {
    /// Of limits whose models have marginals; `probe` is any point of the space.
    pub(crate) fn new(asker: &'static str, limits: &[Limit], probe: &Points) -> Result<Self> {
        let mut smooth = true;
        for limit in limits {
            let marginals = limit.model.marginals().ok_or(Error::Incapable {
                asker,
                needed: "marginals",
                model: "the model of a limit",
                offered: "none",
            })?;
            smooth &= marginals.slopes(probe.matrix()).is_some();
        }
        let limits = limits.to_vec();
        Ok(Self { limits, smooth })
    }
}

impl Score for Chance {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        out.fill(0.0);
        for limit in &self.limits {
            let Some(marginals) = limit.model.marginals() else {
                return out.fill(f64::NAN);
            };
            let beliefs = marginals.beliefs(points);
            for ((out, &mean), &deviation) in out.iter_mut().zip(&beliefs.mean).zip(&beliefs.deviation) {
                *out += Odds::weight(limit, mean, deviation).log;
            }
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        self.smooth.then_some(self)
    }

    fn is_logarithmic(&self) -> bool {
        true
    }
}

impl SmoothScore for Chance {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        values.fill(0.0);
        gradients.fill(0.0);
        for limit in &self.limits {
            let Some(slopes) = limit.model.marginals().and_then(|marginals| marginals.slopes(points)) else {
                return values.fill(f64::NAN);
            };
            for row in 0..points.nrows() {
                let odds = Odds::weight(limit, slopes.beliefs.mean[row], slopes.beliefs.deviation[row]);
                values[row] += odds.log;
                for axis in 0..points.ncols() {
                    gradients[(row, axis)] +=
                        odds.by_mean * slopes.mean[(row, axis)] + odds.by_deviation * slopes.deviation[(row, axis)];
                }
            }
        }
    }
}
