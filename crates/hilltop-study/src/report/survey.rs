//! What a report is written about: everything known of a study, gathered once.

use std::sync::Arc;

use hilltop_core::{Goal, History, Kind, Limit, Model, Parameter, Parameters, Space};

use super::importance::Importance;
use super::tally::{Tally, Verdict};
use crate::study::{Best, Prediction, Study};
use crate::trial::{State, Trial};
use crate::{Result, Statement};

/// Everything known of a study.
pub(super) struct Survey<'s> {
    pub(super) statement: &'s Statement,
    pub(super) trials: Vec<Trial>,
    pub(super) history: History,
    pub(super) best: Option<Best>,
    pub(super) predicted: Option<Prediction>,
    /// What the method would choose amid noise, where that is another point than the best.
    pub(super) preferred: Option<(Parameters, Prediction)>,
    /// The model of the objective, where the method has one and it could be fitted.
    pub(super) model: Option<Arc<dyn Model>>,
    /// What must stay within limits, as far as the method has models of it.
    pub(super) limits: Vec<Limit>,
    pub(super) importance: Option<Importance>,
}

/// A trial that was evaluated, as plots show it.
pub(super) struct Mark<'t> {
    pub(super) trial: &'t Trial,
    /// The objective in the user's direction.
    pub(super) value: f64,
    /// The same to be minimised.
    pub(super) cost: f64,
    /// Whether every limit is kept.
    pub(super) feasible: bool,
}

impl<'s> Survey<'s> {
    pub(super) fn of(study: &'s Study) -> Result<Self> {
        let (statement, history, best) = (study.statement(), study.history()?, study.best()?);
        // A model that cannot be fitted is no reason to show nothing.
        let model = study.model().ok().flatten();
        let predicted = match (&best, &model) {
            (Some(best), Some(_)) => study.predict(&best.parameters).ok().flatten(),
            _ => None,
        };
        let other = |(point, _): &(Parameters, Prediction)| best.as_ref().is_some_and(|best| best.parameters != *point);
        let preferred = study.preferred().filter(other);
        let limits = study.limits().unwrap_or_default();
        let importance = Importance::of(&history, model.as_deref());
        let trials = study.trials()?;
        Ok(Self {
            statement,
            trials,
            history,
            best,
            predicted,
            preferred,
            model,
            limits,
            importance,
        })
    }

    pub(super) fn space(&self) -> &Space {
        &self.statement.space
    }

    /// The parameters that vary, by their place in the space.
    pub(super) fn varying(&self) -> impl Iterator<Item = (usize, &Parameter)> {
        let varies = |(_, parameter): &(usize, &Parameter)| !matches!(parameter.kind, Kind::Fixed { .. });
        self.space().parameters().iter().enumerate().filter(varies)
    }

    /// At most so many of the parameters that vary, the most important ones, in their own order.
    pub(super) fn foremost(&self, count: usize) -> Vec<(usize, &Parameter)> {
        let mut foremost: Vec<(usize, &Parameter)> = self.varying().collect();
        if let Some(importance) = &self.importance {
            foremost.sort_by(|a, b| importance.share(b.0).total_cmp(&importance.share(a.0)));
        }
        foremost.truncate(count);
        foremost.sort_by_key(|(place, _)| *place);
        foremost
    }

    /// The name of the objective.
    pub(super) fn objective(&self) -> &str {
        &self.statement.objective().name
    }

    /// A value to be minimised in the user's direction.
    pub(super) fn outward(&self, cost: f64) -> f64 {
        if self.statement.objective().goal == Goal::Maximize {
            -cost
        } else {
            cost
        }
    }

    /// The trials that were evaluated, in the order of numbers.
    pub(super) fn marks(&self) -> Vec<Mark<'_>> {
        self.trials.iter().filter_map(|trial| self.mark(trial)).collect()
    }

    fn mark<'t>(&self, trial: &'t Trial) -> Option<Mark<'t>> {
        let outputs = trial.outputs.as_ref()?;
        if outputs.len() < self.statement.outputs.len() {
            return None;
        }
        let objective = self.statement.objective();
        let value = *outputs.get(&objective.name)?;
        Some(Mark {
            trial,
            value,
            cost: objective.goal.inward(value),
            feasible: Verdict::of(&self.statement.outputs, trial) == Some(Verdict::Feasible),
        })
    }

    /// What became of the trials that have ended, in the order of numbers.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = (&Trial, Verdict)> {
        let outputs = &self.statement.outputs;
        self.trials
            .iter()
            .filter_map(|trial| Some((trial, Verdict::of(outputs, trial)?)))
    }

    /// The trials by what became of them.
    pub(super) fn tally(&self) -> Tally<'_> {
        Tally::of(self.statement, &self.trials)
    }

    pub(super) fn count(&self, state: State) -> usize {
        self.trials.iter().filter(|trial| trial.state == state).count()
    }
}

/// At most `limit` marks, in their order: the best fifth of the limit, and of the rest every so-manieth.
pub(super) fn thinned<'m, 't>(marks: &'m [Mark<'t>], limit: usize) -> Vec<&'m Mark<'t>> {
    if marks.len() <= limit {
        return marks.iter().collect();
    }
    let mut ranked: Vec<usize> = (0..marks.len()).collect();
    ranked.sort_by(|&a, &b| marks[a].cost.total_cmp(&marks[b].cost));
    let (best, rest) = ranked.split_at(limit / 5);
    let mut rest = rest.to_vec();
    rest.sort_unstable();
    let room = limit - best.len();
    let spread = (0..room).map(|k| rest[k * rest.len() / room]);
    let mut kept: Vec<usize> = best.iter().copied().chain(spread).collect();
    kept.sort_unstable();
    kept.into_iter().map(|index| &marks[index]).collect()
}
