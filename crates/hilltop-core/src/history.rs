//! What a proposer knows: the observations, the failures and the points under way, all encoded.
//!
//! A history is a fold over the journal's events. It speaks the language of the methods, points of `[0,1]^D` and
//! values to be minimised; names, units and directions stay at the border.

use std::sync::Arc;

use faer::MatRef;

use crate::output::Output;
use crate::rng::Rng;
use crate::sighting::{Seen, Sighting, Sightings};
use crate::space::Space;

/// A growing table of encoded points, one a row.
#[derive(Clone, Debug, Default)]
pub struct Points {
    dim: usize,
    data: Vec<f64>,
}

impl Points {
    /// No points yet, of this many coordinates.
    pub fn new(dim: usize) -> Self {
        Self { dim, data: Vec::new() }
    }

    /// The points of an iterator of rows.
    pub fn from_rows<'a>(dim: usize, rows: impl IntoIterator<Item = &'a [f64]>) -> Self {
        let mut points = Self::new(dim);
        rows.into_iter().for_each(|row| points.push(row));
        points
    }

    /// Appends a point. Extra coordinates are cut, missing ones are zero: the table stays rectangular.
    pub fn push(&mut self, point: &[f64]) {
        let before = self.data.len();
        self.data.extend(point.iter().take(self.dim));
        self.data.resize(before + self.dim, 0.0);
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.dim).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The number of coordinates.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// One point.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.data[index * self.dim..(index + 1) * self.dim]
    }

    /// All points in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        (0..self.len()).map(|index| self.row(index))
    }

    /// The points as a matrix, one a row.
    pub fn matrix(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.data, self.len(), self.dim)
    }

    /// The first so many points.
    #[must_use]
    pub fn head(&self, count: usize) -> Self {
        let count = count.min(self.len());
        Self {
            dim: self.dim,
            data: self.data[..count * self.dim].to_vec(),
        }
    }
}

/// A point that was proposed and has not come back.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// Its trial.
    pub trial: u64,
    /// Where.
    pub point: Vec<f64>,
}

/// A point whose evaluation failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Its trial.
    pub trial: u64,
    /// Where.
    pub point: Vec<f64>,
    /// Why.
    pub reason: String,
    /// Whether it says something about the point, so that models learn from it.
    pub telling: bool,
}

/// Everything that has settled, in the order in which it became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The observation of this index.
    Observed(usize),
    /// The failure of this index.
    Failed(usize),
    /// The sighting of this index.
    Seen(usize),
}

/// All that a proposer may know when it proposes.
#[derive(Clone, Debug)]
pub struct History {
    space: Arc<Space>,
    outputs: Arc<[Output]>,
    objective: usize,
    seed: u64,
    noisy: bool,
    trials: Vec<u64>,
    points: Points,
    values: Vec<Vec<f64>>,
    failures: Vec<Failure>,
    sightings: Sightings,
    settled: Vec<Settled>,
    pending: Vec<Pending>,
    memory: Option<serde_json::Value>,
    next: u64,
    budget: Option<u64>,
    arms: Option<Points>,
    among_arms: bool,
    allowance: Option<f64>,
}

impl History {
    /// The history of a study in which nothing has happened. `outputs` has exactly one objective.
    pub fn new(space: Arc<Space>, outputs: Arc<[Output]>, seed: u64) -> Self {
        let objective = outputs
            .iter()
            .position(|output| output.goal.is_objective())
            .unwrap_or(0);
        let points = Points::new(space.dim());
        let values = vec![Vec::new(); outputs.len()];
        Self {
            space,
            outputs,
            objective,
            seed,
            noisy: false,
            trials: Vec::new(),
            points,
            values,
            failures: Vec::new(),
            sightings: Sightings::default(),
            settled: Vec::new(),
            pending: Vec::new(),
            memory: None,
            next: 0,
            budget: None,
            arms: None,
            among_arms: false,
            allowance: None,
        }
    }

    /// The same with the share of trials that may break limits; the method's own rule where there is none.
    #[must_use]
    pub fn with_allowance(mut self, share: Option<f64>) -> Self {
        self.allowance = share;
        self
    }

    /// The same with the number of evaluations that the study may spend.
    #[must_use]
    pub fn with_budget(mut self, budget: Option<u64>) -> Self {
        self.budget = budget;
        self
    }

    /// The same for a black box that answers differently when asked twice, so that repeating a point makes sense.
    #[must_use]
    pub fn with_noise(mut self, noisy: bool) -> Self {
        self.noisy = noisy;
        self
    }

    /// The same for a study whose points are arms given with each ask, whether or not some are on offer now.
    #[must_use]
    pub fn with_contexts(mut self, contexts: bool) -> Self {
        self.among_arms = contexts;
        self
    }

    /// The same in another space of as many coordinates, to which `chart` takes each point.
    #[must_use]
    pub fn taken_to(&self, space: Arc<Space>, chart: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let all = |points: &Points| {
            let rows: Vec<Vec<f64>> = points.rows().map(&chart).collect();
            Points::from_rows(space.dim(), rows.iter().map(Vec::as_slice))
        };
        let mut taken = self.clone();
        taken.points = all(&self.points);
        taken.arms = self.arms.as_ref().map(all);
        taken.sightings = self.sightings.taken(&chart);
        for pending in &mut taken.pending {
            pending.point = chart(&pending.point);
        }
        for failure in &mut taken.failures {
            failure.point = chart(&failure.point);
        }
        taken.space = space;
        taken
    }

    /// Records that a point is being evaluated.
    pub fn ask(&mut self, trial: u64, point: Vec<f64>) {
        self.next = self.next.max(trial + 1);
        self.pending.push(Pending { trial, point });
    }

    /// Records the outputs of a point, in the order of [`History::outputs`] and the user's direction.
    pub fn observe(&mut self, trial: u64, point: &[f64], outputs: &[f64]) {
        self.settle(trial);
        self.settled.push(Settled::Observed(self.trials.len()));
        let inward = |(output, value): (&Output, &f64)| output.goal.inward(*value);
        let values: Vec<f64> = self.outputs.iter().zip(outputs).map(inward).collect();
        self.push(trial, point, &values);
    }

    fn push(&mut self, trial: u64, point: &[f64], values: &[f64]) {
        self.trials.push(trial);
        self.points.push(point);
        for (column, value) in self.values.iter_mut().zip(values) {
            column.push(*value);
        }
    }

    /// Records some outputs of a point, in the order of [`History::outputs`] and the user's direction. A point of which
    /// every output has been seen, in one trial or in several, is an observation.
    pub fn observe_some(&mut self, trial: u64, point: &[f64], outputs: &[Option<f64>]) {
        if let Some(whole) = outputs.iter().copied().collect::<Option<Vec<f64>>>() {
            return self.observe(trial, point, &whole);
        }
        self.settle(trial);
        let inward = |(output, value): (&Output, &Option<f64>)| value.map(|value| output.goal.inward(value));
        let values = self.outputs.iter().zip(outputs).map(inward).collect();
        self.settled.push(Settled::Seen(self.sightings.all().len()));
        let point = point.to_vec();
        if let Some(whole) = self
            .sightings
            .push(Sighting { trial, point, values }, self.trials.len())
        {
            let point = self.sightings.all().last().map(|last| last.point.clone());
            self.push(trial, &point.unwrap_or_default(), &whole);
        }
    }

    /// Records that a point's evaluation failed, and that the point is to blame.
    pub fn fail(&mut self, trial: u64, point: Vec<f64>, reason: &str) {
        self.record(trial, point, reason, true);
    }

    /// Records that a point's evaluation failed for a reason that says nothing about the point.
    pub fn lose(&mut self, trial: u64, point: Vec<f64>, reason: &str) {
        self.record(trial, point, reason, false);
    }

    fn record(&mut self, trial: u64, point: Vec<f64>, reason: &str, telling: bool) {
        self.settle(trial);
        self.settled.push(Settled::Failed(self.failures.len()));
        let reason = reason.to_owned();
        self.failures.push(Failure {
            trial,
            point,
            reason,
            telling,
        });
    }

    /// Records what the proposer wants to find again.
    pub fn remember(&mut self, memory: serde_json::Value) {
        self.memory = Some(memory);
    }

    /// Offers the arms of the next round: what is proposed is one of these points. `None` offers the whole space again.
    pub fn offer(&mut self, arms: Option<Points>) {
        self.arms = arms;
    }

    /// The arms that the next proposal is one of, where they are given with the ask.
    pub fn arms(&self) -> Option<&Points> {
        self.arms.as_ref()
    }

    /// Whether what is proposed is one of the arms given with the ask: some are on offer, or the study is one of contexts.
    pub fn is_among_arms(&self) -> bool {
        self.among_arms || self.arms.is_some()
    }

    /// Takes an arm out of the offer, the first that equals the point: the rest of a batch is among the others.
    pub fn withdraw(&mut self, point: &[f64]) {
        let Some(arms) = &self.arms else { return };
        let place = arms.rows().position(|arm| arm == point);
        if let Some(taken) = place {
            let left = arms.rows().enumerate().filter(|(index, _)| *index != taken);
            self.arms = Some(Points::from_rows(arms.dim(), left.map(|(_, arm)| arm)));
        }
    }

    /// Makes this the trial that is proposed next, whichever others have begun.
    pub fn turn_to(&mut self, trial: u64) {
        self.next = trial;
    }

    fn settle(&mut self, trial: u64) {
        self.next = self.next.max(trial + 1);
        self.pending.retain(|pending| pending.trial != trial);
    }

    /// Where points come from.
    pub fn space(&self) -> &Arc<Space> {
        &self.space
    }

    /// What evaluations report.
    pub fn outputs(&self) -> &Arc<[Output]> {
        &self.outputs
    }

    /// The study's seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether repeating a point makes sense.
    pub fn is_noisy(&self) -> bool {
        self.noisy
    }

    /// The number of evaluations that the study may spend, where it is limited.
    pub fn budget(&self) -> Option<u64> {
        self.budget
    }

    /// How many points have been observed.
    pub fn len(&self) -> usize {
        self.trials.len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.trials.is_empty()
    }

    /// The trial numbers of the observed points.
    pub fn trials(&self) -> &[u64] {
        &self.trials
    }

    /// The observed points.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The objective at the observed points, to be minimised.
    pub fn objective(&self) -> &[f64] {
        &self.values[self.objective]
    }

    /// An output at the observed points; objectives are to be minimised.
    pub fn values(&self, output: usize) -> &[f64] {
        &self.values[output]
    }

    /// The place of the objective among the outputs.
    pub fn objective_index(&self) -> usize {
        self.objective
    }

    /// The trials that gave some outputs only, in the order in which they became known; values to be minimised.
    pub fn sightings(&self) -> &[Sighting] {
        self.sightings.all()
    }

    /// Everywhere an output has been seen, alone or with others.
    pub fn seen(&self, output: usize) -> Seen<'_> {
        let own = (self.trials.as_slice(), &self.points, self.values[output].as_slice());
        self.sightings.seen(output, own)
    }

    /// The points whose evaluation failed.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Observations and failures in the order in which they became known.
    pub fn settled(&self) -> &[Settled] {
        &self.settled
    }

    /// The points that say where evaluations fail, in the order in which they became known, with 1 where they did and -1
    /// where they did not; `None` where none failed.
    pub fn verdicts(&self) -> Option<(Points, Vec<f64>)> {
        if !self.failures.iter().any(|failure| failure.telling) {
            return None;
        }
        let mut points = Points::new(self.space.dim());
        let mut labels = Vec::with_capacity(self.settled.len());
        for settled in &self.settled {
            match *settled {
                Settled::Observed(index) => {
                    points.push(self.points.row(index));
                    labels.push(-1.0);
                }
                Settled::Seen(index) => {
                    points.push(&self.sightings.all()[index].point);
                    labels.push(-1.0);
                }
                Settled::Failed(index) if self.failures[index].telling => {
                    points.push(&self.failures[index].point);
                    labels.push(1.0);
                }
                Settled::Failed(_) => {}
            }
        }
        Some((points, labels))
    }

    /// The share of trials that may break limits, where the study says so.
    pub fn allowance(&self) -> Option<f64> {
        self.allowance
    }

    /// The points under way.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// What the proposer left to find again, if anything.
    pub fn memory(&self) -> Option<&serde_json::Value> {
        self.memory.as_ref()
    }

    /// The number of the next trial: how many have begun.
    pub fn next_trial(&self) -> u64 {
        self.next
    }

    /// Every point that need not be evaluated again: observed, in part or whole, failed or under way.
    pub fn known_points(&self) -> impl Iterator<Item = &[f64]> {
        let seen = self.sightings.all().iter().map(|sighting| sighting.point.as_slice());
        let failed = self.failures.iter().map(|failure| failure.point.as_slice());
        let pending = self.pending.iter().map(|pending| pending.point.as_slice());
        self.points.rows().chain(seen).chain(failed).chain(pending)
    }

    /// How far the outputs of observation `index` break their limits, added up; zero where all are kept.
    pub fn violation(&self, index: usize) -> f64 {
        let parts = self
            .outputs
            .iter()
            .enumerate()
            .map(|(k, output)| output.goal.violation(self.values[k][index]));
        parts.map(|violation| violation.max(0.0)).sum()
    }

    /// The observation with the best objective among those that keep every limit; where none does, the one that
    /// breaks them least.
    pub fn best(&self) -> Option<usize> {
        let objective = self.objective();
        let rank = |index: &usize| (self.violation(*index), objective[*index]);
        (0..self.len()).min_by(|a, b| {
            let ((va, fa), (vb, fb)) = (rank(a), rank(b));
            va.total_cmp(&vb).then(fa.total_cmp(&fb))
        })
    }

    /// The generator of a trial: the same whenever and wherever its point is proposed.
    pub fn rng(&self, trial: u64) -> Rng {
        Rng::keyed(self.seed, &[1, trial])
    }
}
