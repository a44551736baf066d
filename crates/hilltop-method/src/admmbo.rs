//! `admmbo`: the objective and every limit are optimised in turn, each on its own process, and made to agree.
//!
//! Asks for one objective and any number of outputs with limits. The [alternation](crate::admm) of multipliers splits the
//! study: a block for the objective, whose expected improvement knows the distance to the limits' copies exactly, and one for
//! each limit, whose improvement is that a point keeps the limit and lies nearer. Each block proposes a few points and
//! takes the best that was seen.
//!
//! S. Ariafar, J. Coll-Font, D. Brooks, J. Dy, *ADMMBO: Bayesian Optimization with Unknown Constraints using ADMM* (JMLR 2019).
//!
//! Departs from the paper: values are standardised, so that one penalty and one barrier serve all studies; the first
//! points are shared by all blocks; with `queries = "all"` every block learns from the points of the others; where the copies agree and rest the paper
//! ends, and here the alternation begins anew at the best point. With `queries = "single"` a block asks for its own output
//! alone, as in the paper, and a round ends by asking for what is missing at the objective's point, because only points of
//! which everything is known can be the answer.

use std::sync::Arc;

use hilltop_acquire::{Design, LogEi, feasibility, maximiser};
use hilltop_core::{History, Limit, Model, Models, Points, Proposer, Query, Result, Score};
use hilltop_surrogate::gp::Family;
use hilltop_surrogate::ntk::Fit;
use serde::{Deserialize, Serialize};

use crate::admm::State;
use crate::admm_block::{Lower, Nearer};
use crate::composite::{Composite, one_by_one};
use crate::limits::{left, limited, memory_with, variance};
use crate::process::Process;
use crate::queries::{Queries, unseen};
use crate::recipe::at_least;

/// The settings of `admmbo`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Admmbo {
    /// `ρ` at first, for values of deviation one over a cube of side one.
    pub penalty: f64,
    /// `M`: what a broken limit costs, in deviations of the objective.
    pub barrier: f64,
    /// Points that the objective proposes in a round.
    pub objective_steps: usize,
    /// Points that each limit proposes in a round.
    pub limit_steps: usize,
    /// All outputs at once, or each block its own.
    pub queries: Queries,
    /// Squared exponential or Matérn.
    pub kernel: Family,
    /// The noise variance of standardised values, fitted or fixed.
    pub noise: Fit,
    /// The first points.
    pub design: Design,
    /// How the best point is found.
    pub maximiser: maximiser::Kind,
}

impl Default for Admmbo {
    fn default() -> Self {
        Self {
            penalty: 1.0,
            barrier: 20.0,
            objective_steps: 2,
            limit_steps: 1,
            queries: Queries::All,
            kernel: Family::default(),
            noise: Fit::Fitted,
            design: Design::default(),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl Admmbo {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        let positive = f64::MIN_POSITIVE;
        at_least("penalty", self.penalty, positive, "a number above 0")?;
        at_least("barrier", self.barrier, positive, "a number above 0")?;
        at_least("objective-steps", self.objective_steps as f64, 1.0, "at least 1")?;
        at_least("limit-steps", self.limit_steps as f64, 1.0, "at least 1")?;
        let process = Process {
            kernel: self.kernel,
            noise: self.noise,
            design: self.design,
            maximiser: self.maximiser,
            ..Process::default()
        };
        // The composition fits, designs and searches; what is searched is a block's own score.
        let composite = process.composed(LogEi::default())?;
        let composite = composite.under(Arc::new(feasibility::Auto::default()));
        let settings = self.clone();
        Ok(Box::new(Alternating { settings, composite }))
    }
}

/// The blocks in turn.
struct Alternating {
    settings: Admmbo,
    composite: Composite,
}

/// Under this name the state is found again.
const STATE: &str = "admm";

impl Alternating {
    fn propose_one(&mut self, history: &History) -> Result<Query> {
        if let Some(query) = self.composite.designed(history)? {
            return Ok(query);
        }
        let values = self.composite.transformed(history);
        let models = self.composite.models(history, &values)?;
        let mut round = Round {
            settings: &self.settings,
            history,
            limits: limited(history),
            scale: variance(&values).sqrt().max(f64::MIN_POSITIVE),
            models: &models,
        };
        let mut state = round.resumed();
        let mut query = match round.settle(&mut state) {
            Some(unfinished) => unfinished,
            None => self.search(&mut round, &state, &values)?,
        };
        query.memory = Some(memory_with(&models, STATE, &state));
        Ok(query)
    }

    /// The best point of the block whose turn it is.
    fn search(&self, round: &mut Round<'_>, state: &State, values: &[f64]) -> Result<Query> {
        let (history, models) = (round.history, round.models);
        // Limits are the blocks' business; failures are everybody's, and so is a violation budget.
        let watched = |limit: &&Limit| limit.is_failure() || history.allowance().is_some();
        let models = Models {
            objective: Arc::clone(&models.objective),
            limits: models.limits.iter().filter(watched).cloned().collect(),
        };
        let mut rng = history.rng(history.next_trial());
        let query = self
            .composite
            .best_of(round.score(state), &models, history, values, &mut rng)?;
        let outputs = match self.settings.queries {
            Queries::All => Vec::new(),
            Queries::Single => vec![round.output(state.block)],
        };
        Ok(Query { outputs, ..query })
    }
}

/// What one proposal of a block knows.
struct Round<'a> {
    settings: &'a Admmbo,
    history: &'a History,
    limits: Vec<usize>,
    /// The deviation of the objective's values.
    scale: f64,
    models: &'a Models,
}

impl Round<'_> {
    /// The state as the last proposal left it, or all copies at the best point.
    fn resumed(&self) -> State {
        let found = left(self.history, STATE).and_then(|state| serde_json::from_value::<State>(state.clone()).ok());
        found
            .filter(|state| state.copies.len() == self.limits.len())
            .unwrap_or_else(|| self.anew())
    }

    fn anew(&self) -> State {
        let best = self.history.best().map(|best| self.history.points().row(best).to_vec());
        let best = best.unwrap_or_else(|| vec![0.5; self.history.space().dim()]);
        State::at(best, self.limits.len(), self.settings.penalty)
    }

    /// The output of a block.
    fn output(&self, block: usize) -> usize {
        match block {
            0 => self.history.objective_index(),
            limit => self.limits[limit - 1],
        }
    }

    /// Takes the result of a block that has proposed all its points, and counts one more for the one whose turn it is. At the
    /// end of a round of single queries there may be a point to complete.
    fn settle(&self, state: &mut State) -> Option<Query> {
        let steps = match state.block {
            0 => self.settings.objective_steps,
            _ => self.settings.limit_steps,
        };
        let mut unfinished = None;
        if state.step >= steps {
            let best = self.best(state);
            if state.block == 0 {
                state.settle_objective(best);
            } else if state.settle_limit(best) {
                *state = self.anew();
            }
            if state.block == 0 {
                unfinished = self.unfinished(state);
            }
        }
        state.step += usize::from(unfinished.is_none());
        unfinished
    }

    /// What is missing at the objective's point.
    fn unfinished(&self, state: &State) -> Option<Query> {
        let outputs = unseen(self.history, &state.point);
        let begun = !outputs.is_empty() && outputs.len() < self.history.outputs().len();
        begun.then(|| Query {
            outputs,
            ..Query::from(state.point.clone())
        })
    }

    /// The best point of a block among all where its output was seen.
    fn best(&self, state: &State) -> Vec<f64> {
        let (points, costs) = self.merits(state);
        let best = (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b]));
        best.map_or_else(|| state.point.clone(), |best| points.row(best).to_vec())
    }

    /// What a block's output costs at points with these values: the objective in its deviations, a broken limit one. Where
    /// there is noise what is believed counts.
    fn costs(&self, block: usize, points: &Points, values: &[f64]) -> Vec<f64> {
        let noisy = self.history.is_noisy();
        if block == 0 {
            let marginals = self.models.objective.marginals().filter(|_| noisy);
            let means = marginals.map(|marginals| marginals.beliefs(points.matrix()).mean);
            let values = means.as_deref().unwrap_or(values);
            return values.iter().map(|value| value / self.scale).collect();
        }
        let goal = self.history.outputs()[self.output(block)].goal;
        let limit = self.limit(block).filter(|_| noisy);
        let chances = limit.map(|limit| feasibility::chance(std::slice::from_ref(limit), points.matrix()));
        let broken = |(index, value): (usize, &f64)| match &chances {
            Some(chances) => chances[index] < 0.5,
            None => goal.violation(*value) > 0.0,
        };
        let cost = |case| f64::from(u8::from(broken(case)));
        values.iter().enumerate().map(cost).collect()
    }

    fn limit(&self, block: usize) -> Option<&Limit> {
        let name = &self.history.outputs()[self.output(block)].name;
        self.models.limits.iter().find(|limit| limit.name == *name)
    }

    /// What a block minimises at every point where its output was seen, and the points.
    fn merits(&self, state: &State) -> (Points, Vec<f64>) {
        let seen = self.history.seen(self.output(state.block));
        let mut costs = self.costs(state.block, &seen.points, &seen.values);
        for (cost, point) in costs.iter_mut().zip(seen.points.rows()) {
            *cost += match state.block {
                0 => state.pull(point, &mut vec![0.0; point.len()]),
                limit => state.tie(limit - 1, point, self.settings.barrier),
            };
        }
        (seen.points.into_owned(), costs)
    }

    /// The logarithm of a block's expected improvement.
    fn score(&self, state: &State) -> Arc<dyn Score> {
        let least = self.merits(state).1.into_iter().fold(f64::INFINITY, f64::min);
        match self.limit(state.block).filter(|_| state.block > 0) {
            Some(limit) => Arc::new(Nearer {
                limit: limit.clone(),
                state: state.clone(),
                barrier: self.settings.barrier,
                least,
            }),
            None => Arc::new(Lower {
                model: Arc::clone(&self.models.objective),
                state: state.clone(),
                scale: self.scale,
                least,
            }),
        }
    }
}

impl Proposer for Alternating {
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
