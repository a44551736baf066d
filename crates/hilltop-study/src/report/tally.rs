//! What became of the trials: how many are feasible, which limits were broken how often, and why evaluations failed.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hilltop_core::{Goal, Output};

use crate::Statement;
use crate::trial::{State, Trial};

/// What became of a trial that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It gave outputs that keep every limit.
    Feasible,
    /// It gave outputs that break a limit.
    Violating,
    /// It gave none.
    Failed,
}

impl Verdict {
    /// None before the trial has ended, and where it gave some outputs only and these keep their limits.
    pub(super) fn of(outputs: &[Output], trial: &Trial) -> Option<Self> {
        if !trial.state.is_settled() {
            return None;
        }
        let Some(values) = &trial.outputs else {
            return Some(Self::Failed);
        };
        let violation = |output: &Output| Some(output.goal.violation(*values.get(&output.name)?));
        if outputs.iter().filter_map(violation).any(|violation| violation > 0.0) {
            return Some(Self::Violating);
        }
        let whole = outputs.iter().all(|output| values.contains_key(&output.name));
        whole.then_some(Self::Feasible)
    }
}

/// The outputs that must keep an interval.
pub(super) fn limited(outputs: &[Output]) -> impl Iterator<Item = &Output> {
    let bound = |output: &&Output| matches!(output.goal, Goal::Within { min, max } if min.or(max).is_some());
    outputs.iter().filter(bound)
}

/// The trials of a study, counted by what became of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally<'t> {
    /// Those that have ended.
    pub settled: usize,
    /// Those with outputs that keep every limit.
    pub feasible: usize,
    /// Those with outputs that break a limit.
    pub violating: usize,
    /// Every output with limits, and how many trials broke them.
    pub violations: Vec<(&'t str, usize)>,
    /// Why trials failed, and which, the most frequent reason first.
    pub reasons: Vec<(&'t str, Vec<u64>)>,
}

impl<'t> Tally<'t> {
    /// The trials of a study as they stand.
    pub fn of(statement: &'t Statement, trials: &'t [Trial]) -> Self {
        let verdicts = || trials.iter().filter_map(|trial| Verdict::of(&statement.outputs, trial));
        let count = |wanted: Verdict| verdicts().filter(|verdict| *verdict == wanted).count();
        let broken = |output: &'t Output| {
            let values = trials
                .iter()
                .filter_map(|trial| trial.outputs.as_ref()?.get(&output.name));
            let beyond = values.filter(|value| output.goal.violation(**value) > 0.0);
            (output.name.as_str(), beyond.count())
        };
        Self {
            settled: verdicts().count(),
            feasible: count(Verdict::Feasible),
            violating: count(Verdict::Violating),
            violations: limited(&statement.outputs).map(broken).collect(),
            reasons: reasons(trials),
        }
    }

    /// Whether a trial can be other than feasible: an output has limits, or an evaluation failed.
    pub fn divides(&self) -> bool {
        !self.violations.is_empty() || !self.reasons.is_empty()
    }
}

fn reasons(trials: &[Trial]) -> Vec<(&str, Vec<u64>)> {
    let mut reasons: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.state == State::Failed) {
        let reason = trial.reason.as_deref().unwrap_or("no reason");
        reasons.entry(reason).or_default().push(trial.number);
    }
    let mut ranked: Vec<(&str, Vec<u64>)> = reasons.into_iter().collect();
    ranked.sort_by_key(|(_, trials)| Reverse(trials.len()));
    ranked
}
