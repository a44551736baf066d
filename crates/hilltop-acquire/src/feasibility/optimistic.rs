//! The optimistic cut: only points count that keep every limit in the most hopeful view, `mean − √β deviation`.
//!
//! Neural-CBO and `config-opt` search there. Where no point passes, the one whose hopeful violations, in deviations of each
//! output, add up to least is aimed at. Failures have no bound to hope for: there a point counts that does not probably
//! fail.

use std::sync::Arc;

use faer::{MatMut, MatRef};
use hilltop_core::{Context, Error, Feasibility, Limit, Models, Result, Rng, Score, SmoothScore};
use serde::{Deserialize, Serialize};

use super::cut::{Cut, best};
use super::odds::{Chance, Odds};
use crate::acquisition::{Schedule, middle};

/// Points that may keep the limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Optimistic {
    /// The square of how many deviations are hoped for.
    pub beta: Schedule,
    /// Whether an empty set of such points ends the study, declared infeasible.
    pub declares: bool,
}

impl Default for Optimistic {
    fn default() -> Self {
        let beta = Schedule::default();
        Self { beta, declares: false }
    }
}

/// A hopeful violation below this share of an output's deviation is rounding.
const ROUNDING: f64 = 1e-9;

impl Feasibility for Optimistic {
    fn apply(
        &self,
        score: Arc<dyn Score>,
        models: &Models,
        context: &Context<'_>,
        rng: &mut Rng,
    ) -> Result<Arc<dyn Score>> {
        if models.limits.is_empty() {
            return Ok(score);
        }
        let hope = self.beta.value(context.history)?.sqrt();
        let smooth = Chance::new("optimistic", &models.limits, &middle(context))?
            .smooth()
            .is_some();
        let margin = Hope {
            limits: models.limits.clone(),
            granted: hope,
            smooth,
        };
        if self.declares {
            margin.declare(context, rng)?;
        }
        let (margin, bar): (Arc<dyn Score>, f64) = (Arc::new(margin), -ROUNDING);
        Ok(Cut { score, margin, bar }.apply(context, rng))
    }
}

/// The negative sum of hopeful violations, zero where there are none.
struct Hope {
    limits: Vec<Limit>,
    granted: f64,
    smooth: bool,
}

/// A margin of one limit with its derivatives in mean and deviation.
type Margin = (f64, f64, f64);

impl Hope {
    fn margin(&self, limit: &Limit, mean: f64, deviation: f64) -> Margin {
        if limit.is_failure() {
            let odds = Odds::of(limit, mean, deviation);
            let short = odds.log - 0.5_f64.ln();
            return if short < 0.0 {
                (short, odds.by_mean, odds.by_deviation)
            } else {
                (0.0, 0.0, 0.0)
            };
        }
        let (unit, reach) = (1.0 / limit.scale, self.granted * deviation);
        let above = limit.high.map_or(0.0, |high| mean - reach - high);
        let below = limit.low.map_or(0.0, |low| low - mean - reach);
        if above > 0.0 && above >= below {
            (-above * unit, -unit, self.granted * unit)
        } else if below > 0.0 {
            (-below * unit, unit, self.granted * unit)
        } else {
            (0.0, 0.0, 0.0)
        }
    }

    /// Refuses to go on where one output alone shows that no point passes.
    fn declare(&self, context: &Context<'_>, rng: &mut Rng) -> Result<()> {
        for limit in self.limits.iter().filter(|limit| !limit.is_failure()) {
            let alone = Self {
                limits: vec![limit.clone()],
                granted: self.granted,
                smooth: self.smooth,
            };
            let (margin, points) = best(&alone, context, rng);
            if margin < -ROUNDING {
                return Err(Error::Infeasible {
                    output: limit.name.clone(),
                    least: -margin,
                    confidence: self.granted,
                    points,
                });
            }
        }
        Ok(())
    }
}

impl Score for Hope {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        out.fill(0.0);
        for limit in &self.limits {
            let Some(marginals) = limit.model.marginals() else {
                return out.fill(f64::NAN);
            };
            let beliefs = marginals.beliefs(points);
            for ((out, &mean), &deviation) in out.iter_mut().zip(&beliefs.mean).zip(&beliefs.deviation) {
                *out += self.margin(limit, mean, deviation).0;
            }
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        self.smooth.then_some(self)
    }
}

impl SmoothScore for Hope {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        values.fill(0.0);
        gradients.fill(0.0);
        for limit in &self.limits {
            let Some(slopes) = limit.model.marginals().and_then(|marginals| marginals.slopes(points)) else {
                return values.fill(f64::NAN);
            };
            for row in 0..points.nrows() {
                let (mean, deviation) = (slopes.beliefs.mean[row], slopes.beliefs.deviation[row]);
                let (margin, by_mean, by_deviation) = self.margin(limit, mean, deviation);
                values[row] += margin;
                for axis in 0..points.ncols() {
                    gradients[(row, axis)] +=
                        by_mean * slopes.mean[(row, axis)] + by_deviation * slopes.deviation[(row, axis)];
                }
            }
        }
    }
}
