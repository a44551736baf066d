//! `ucb-c`: the optimistic objective among points that may keep every limit, and the output that decides.
//!
//! Asks for one objective and any number of outputs with limits, each with a Gaussian process of its own. Where it is best in
//! the most hopeful view among points whose hopeful views keep all limits is evaluated next. With `queries = "single"` it
//! asks there for one output alone: the one with the most at stake, which is the width of the bounds for the objective and
//! the violation in the least hopeful view for a limit (uncertainty sampling on the regret). Where no point keeps the limits
//! even in hope, the least violation is aimed at, and the limit that is worst there is asked for alone.
//!
//! Q. P. Nguyen, W. T. R. Chew, L. Song, B. K. H. Low, P. Jaillet, *Optimistic Bayesian Optimization with Unknown Constraints*
//! (ICLR 2024): UCB-C with all outputs, UCB-D with one.
//!
//! Departs from the paper where outputs are compared: each counts in its own deviation, because units differ. A point that
//! has been begun is gone on with while it is nearly as promising as any other: only points of which everything is known
//! can be the answer.

use std::sync::Arc;

use faer::MatRef;
use hilltop_acquire::{Optimistic, Schedule, Ucb};
use hilltop_core::{Error, History, Limit, Model, Models, Proposer, Query, Result};
use serde::{Deserialize, Serialize};

use crate::composite::{Composite, all_believed, one_by_one};
use crate::limits::variance;
use crate::process::Process;
use crate::queries::{Queries, begun, unseen};
use crate::transform::Transform;

/// The settings of `ucb-c`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct UcbC {
    /// The square of how many deviations are hoped for.
    pub beta: Schedule,
    /// All outputs at once, or single ones.
    pub queries: Queries,
    /// The process and the search.
    #[serde(flatten)]
    pub process: Process,
}

impl UcbC {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let acquisition = Ucb { beta: self.beta };
        let composite = self.process.composed(acquisition)?;
        let composite = composite.under(Arc::new(Optimistic {
            beta: self.beta,
            declares: false,
        }));
        if self.queries == Queries::Single && self.process.transform != Transform::None {
            return Err(Error::Setting {
                setting: "transform".into(),
                value: serde_json::to_string(&self.process.transform).unwrap_or_default(),
                allowed: "\"none\" where queries = \"single\"".into(),
            });
        }
        if self.queries == Queries::All {
            return Ok(Box::new(composite));
        }
        let beta = self.beta;
        Ok(Box::new(Deciding { composite, beta }))
    }
}

/// The method with single queries: where a composite would look, and at what.
struct Deciding {
    composite: Composite,
    beta: Schedule,
}

/// A point that has been begun is gone on with while it is worse by no more than this share of the values' deviation.
const PATIENCE: f64 = 0.02;

impl Deciding {
    fn propose_one(&mut self, history: &History) -> Result<Query> {
        if let Some(query) = self.composite.designed(history)? {
            return Ok(query);
        }
        let values = self.composite.transformed(history);
        let models = self.composite.models(history, &values)?;
        let mut query = self.composite.suggest(&models, history, &values)?;
        let outlook = Outlook {
            models: all_believed(&models, history)?,
            scale: variance(&values).sqrt().max(f64::MIN_POSITIVE),
            beta: self.beta,
            history,
        };
        if let Some(point) = outlook.unfinished(&query.point)? {
            query.point = point;
        }
        query.outputs = vec![outlook.decisive(&query.point)?];
        Ok(query)
    }
}

/// What is believed of points, in deviations of each output.
struct Outlook<'h> {
    models: Models,
    scale: f64,
    beta: Schedule,
    history: &'h History,
}

/// An output at a point: its place, its most hopeful violation, and the regret it may hide.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stake {
    output: usize,
    hopeful: f64,
    doubt: f64,
}

impl Outlook<'_> {
    /// Mean and granted deviation of a model at a point.
    fn at(&self, model: &dyn Model, point: &[f64]) -> Result<(f64, f64)> {
        let reach = self.beta.value(self.history, model)?.sqrt();
        let row = MatRef::from_row_major_slice(point, 1, point.len());
        let beliefs = model.marginals().map(|marginals| marginals.beliefs(row));
        Ok(beliefs.map_or((f64::NAN, 0.0), |beliefs| {
            (beliefs.mean[0], reach * beliefs.deviation[0])
        }))
    }

    fn limits(&self) -> impl Iterator<Item = &Limit> {
        self.models.limits.iter().filter(|limit| !limit.is_failure())
    }

    fn limit(&self, limit: &Limit, point: &[f64]) -> Result<Stake> {
        let (mean, reach) = self.at(limit.model.as_ref(), point)?;
        let beyond = |by: f64| {
            let above = limit.high.map_or(f64::NEG_INFINITY, |high| mean + by - high);
            let below = limit.low.map_or(f64::NEG_INFINITY, |low| low - mean + by);
            above.max(below) / limit.scale
        };
        let named = |index: &usize| self.history.outputs()[*index].name == limit.name;
        Ok(Stake {
            output: (0..self.history.outputs().len()).find(named).unwrap_or(0),
            hopeful: beyond(-reach),
            doubt: beyond(reach).max(0.0),
        })
    }

    /// The most hopeful objective at a point that may keep all limits; none where it cannot.
    fn promise(&self, point: &[f64]) -> Result<Option<f64>> {
        for limit in self.limits() {
            if self.limit(limit, point)?.hopeful > 0.0 {
                return Ok(None);
            }
        }
        let (mean, reach) = self.at(self.models.objective.as_ref(), point)?;
        Ok(Some(mean - reach))
    }

    /// The point among those begun that promises most, where it promises nearly as much as this one.
    fn unfinished(&self, point: &[f64]) -> Result<Option<Vec<f64>>> {
        let Some(best) = self.promise(point)? else {
            return Ok(None);
        };
        let mut found = (best + PATIENCE * self.scale, None);
        for point in begun(self.history) {
            if let Some(promise) = self.promise(point)?.filter(|promise| *promise <= found.0) {
                found = (promise, Some(point.to_vec()));
            }
        }
        Ok(found.1)
    }

    /// The output to ask for: a limit that cannot be kept, the worst first; else where most is at stake. What has been seen
    /// at the point is not asked again, unless the answer may differ.
    fn decisive(&self, point: &[f64]) -> Result<usize> {
        let objective = self.history.objective_index();
        let (_, reach) = self.at(self.models.objective.as_ref(), point)?;
        let mut stakes = vec![Stake {
            output: objective,
            hopeful: f64::NEG_INFINITY,
            doubt: 2.0 * reach / self.scale,
        }];
        for limit in self.limits() {
            stakes.push(self.limit(limit, point)?);
        }
        let open = unseen(self.history, point);
        stakes.retain(|stake| self.history.is_noisy() || open.contains(&stake.output));
        let rank = |stake: &Stake| (stake.hopeful.max(0.0), stake.doubt);
        let first = stakes.into_iter().reduce(|best, next| {
            let (a, b) = (rank(&best), rank(&next));
            if b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).is_gt() {
                next
            } else {
                best
            }
        });
        // Outputs that are recorded only have no model; where nothing else is open they complete the point.
        Ok(first.map_or(open.first().copied().unwrap_or(objective), |stake| stake.output))
    }
}

impl Proposer for Deciding {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        one_by_one(history, count, |history| self.propose_one(history))
    }

    fn model(&mut self, history: &History) -> Result<Option<Arc<dyn Model>>> {
        self.composite.model(history)
    }

    fn limits(&mut self, history: &History) -> Result<Vec<Limit>> {
        self.composite.limits(history)
    }
}
