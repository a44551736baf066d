//! The optimistic cut: only points count that keep every limit in the most hopeful view, `mean − √β deviation`.
//!
//! Neural-CBO and `config-opt` search there. Where no point passes, the one whose hopeful violations, in deviations of each
//! output, add up to least is aimed at. Failures have no bound to hope for: there a point counts that does not probably
//! fail.

use std::sync::Arc;

use hilltop_core::{Context, Error, Feasibility, Limit, Models, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::cut::{Cut, best};
use super::odds::odds;
use super::sum::{Rule, Sum, Term};
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
        let hope = |limit: &Limit| {
            let granted = if limit.is_failure() {
                0.0
            } else {
                self.beta.value(context.history, limit.model.as_ref())?.sqrt()
            };
            Ok((limit.clone(), Hope { granted }))
        };
        let hopes: Vec<(Limit, Hope)> = models.limits.iter().map(hope).collect::<Result<_>>()?;
        if self.declares {
            declare(&hopes, context, rng)?;
        }
        let margin: Arc<dyn Score> = Arc::new(Sum::new("optimistic", hopes, &middle(context))?);
        let bar = -ROUNDING;
        Ok(Cut { bar }.apply(score, margin, context, rng))
    }
}

/// Refuses to go on where one output alone shows that no point passes, with as much confidence as such a word needs.
fn declare(hopes: &[(Limit, Hope)], context: &Context<'_>, rng: &mut Rng) -> Result<()> {
    for (limit, hope) in hopes.iter().filter(|(limit, _)| !limit.is_failure()) {
        let hope = hope.beyond_doubt(limit);
        let alone = Sum::new("optimistic", vec![(limit.clone(), hope)], &middle(context))?;
        let (margin, points) = best(&alone, context, rng);
        if margin < -ROUNDING {
            return Err(Error::Infeasible {
                output: limit.name.clone(),
                least: -margin,
                confidence: hope.granted,
                points,
            });
        }
    }
    Ok(())
}

/// The negative of a hopeful violation, zero where there is none.
#[derive(Clone, Copy)]
struct Hope {
    /// How many deviations are hoped for.
    granted: f64,
}

impl Hope {
    /// The bound that is meant to hold at all points and times at once, `1 + √(γ + 2 + 2 ln 10)`, wider where the model missed
    /// observations that were held out by more than it expected. Two deviations are a good guide where to look; a few
    /// smooth observations make a model that sure of a whole space too easily.
    fn beyond_doubt(self, limit: &Limit) -> Self {
        let gained = limit.model.information().unwrap_or(0.0);
        let everywhere = 1.0 + (gained + 2.0 + 2.0 * 10_f64.ln()).sqrt();
        let held_out = limit.model.held_out();
        let squares = held_out.iter().map(|held| (held.miss / held.deviation).powi(2));
        let missed = (squares.sum::<f64>() / held_out.len().max(1) as f64).sqrt();
        Self {
            granted: self.granted.max(everywhere) * missed.max(1.0),
        }
    }
}

impl Rule for Hope {
    fn term(&self, limit: &Limit, mean: f64, deviation: f64) -> Term {
        if limit.is_failure() {
            let odds = odds(limit, mean, deviation);
            let value = odds.value - 0.5_f64.ln();
            return if value < 0.0 {
                Term { value, ..odds }
            } else {
                Term::default()
            };
        }
        let (unit, reach) = (1.0 / limit.scale, self.granted * deviation);
        let above = limit.high.map_or(0.0, |high| mean - reach - high);
        let below = limit.low.map_or(0.0, |low| low - mean - reach);
        let (violation, by_mean) = if above >= below { (above, -unit) } else { (below, unit) };
        if violation <= 0.0 {
            return Term::default();
        }
        Term {
            value: -violation * unit,
            by_mean,
            by_deviation: self.granted * unit,
        }
    }

    fn is_logarithmic(&self) -> bool {
        false
    }
}
