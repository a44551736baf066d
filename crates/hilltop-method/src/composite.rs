//! A method composed of roles: an initial design, a surrogate, an acquisition, what limits do to it, and a maximiser.

use std::borrow::Cow;
use std::sync::Arc;

use hilltop_acquire::{Budget, Design, feasibility, maximiser};
use hilltop_core::{
    Acquisition, Bounds, Capabilities, Context, Error, Evidence, Feasibility, History, Limit, Maximiser, Model, Models,
    Points, Proposer, Query, Result, Rng, Score, Surrogate,
};

use crate::arm::{any_arm, best_arm};
use crate::designed::STRETCH;
use crate::limits::{Kept, Limits, memory, own_memory, violations};
use crate::transform::Transform;
use crate::trust::Trust;

/// Design, fit, believe, bind, weigh, maximise: what most methods are.
pub struct Composite {
    design: Design,
    transform: Transform,
    surrogate: Arc<dyn Surrogate>,
    acquisition: Arc<dyn Acquisition>,
    maximiser: Arc<dyn Maximiser>,
    feasibility: Arc<dyn Feasibility>,
    region: Option<Trust>,
    fitted: Option<Kept>,
    limits: Limits,
}

impl Composite {
    /// Composes a method; what cannot work together is refused, naming what is missing.
    pub fn new(
        design: Design,
        transform: Transform,
        surrogate: Arc<dyn Surrogate>,
        acquisition: Arc<dyn Acquisition>,
        maximiser: Arc<dyn Maximiser>,
    ) -> Result<Self> {
        let capabilities = surrogate.capabilities();
        acquisition.check(capabilities)?;
        if maximiser.needs_gradients() {
            check_smoothness(capabilities, acquisition.is_smooth())?;
        }
        Ok(Self {
            design,
            transform,
            surrogate,
            acquisition,
            maximiser,
            feasibility: Arc::new(feasibility::Kind::default()),
            region: None,
            fitted: None,
            limits: Limits::default(),
        })
    }

    /// The proposer of roles as a recipe describes them.
    pub(crate) fn boxed(
        design: Design,
        transform: Transform,
        surrogate: impl Surrogate + 'static,
        acquisition: impl Acquisition + 'static,
        maximiser: maximiser::Kind,
    ) -> Result<Box<dyn Proposer>> {
        let (surrogate, acquisition) = (Arc::new(surrogate), Arc::new(acquisition));
        let composite = Self::new(design, transform, surrogate, acquisition, Arc::new(maximiser))?;
        Ok(Box::new(composite))
    }

    /// The same with another way to handle limits.
    #[must_use]
    pub fn under(mut self, feasibility: Arc<dyn Feasibility>) -> Self {
        self.feasibility = feasibility;
        self
    }

    /// The same with the outputs that have limits modelled by this surrogate instead of the tangent-kernel one.
    #[must_use]
    pub fn limiting(mut self, surrogate: Arc<dyn Surrogate>) -> Self {
        self.limits = Limits::of(surrogate);
        self
    }

    /// The same with the outputs that have limits modelled in coordinates that may bend.
    #[must_use]
    pub fn bending(mut self) -> Self {
        self.limits = Limits::bending();
        self
    }

    /// The same within a trust region; in the whole space where there is none.
    #[must_use]
    pub fn within(mut self, region: Option<Trust>) -> Self {
        self.region = region;
        self
    }

    /// Where to look next.
    fn bounds(&self, history: &History) -> Bounds {
        let whole = || Bounds::unit(history.space().dim());
        self.region.map_or_else(whole, |region| {
            region.bounds(history, self.design.count(history.space()))
        })
    }

    /// How many of the next trials are the initial design's: all, as long as there is nothing to fit a model to.
    pub(crate) fn left(&self, history: &History) -> u64 {
        if history.len() < 2 {
            return u64::MAX;
        }
        // Every round of a bandit counts, so arms are drawn blindly only where that is wished for.
        let count = history.arms().map_or_else(
            || self.design.count(history.space()),
            |_| self.design.count.unwrap_or(0),
        );
        (count as u64).saturating_sub(history.next_trial())
    }

    /// The initial design's point for the next trial, while there is one.
    pub(crate) fn designed(&self, history: &History) -> Result<Option<Query>> {
        let trial = history.next_trial();
        if self.left(history) == 0 {
            return Ok(None);
        }
        if let Some(arms) = history.arms() {
            return any_arm(arms, &mut history.rng(trial)).map(Some);
        }
        self.design
            .propose(history, trial)
            .map(|point| Some(Query::from(point)))
    }

    /// The objective's values as the model sees them.
    pub(crate) fn transformed(&self, history: &History) -> Vec<f64> {
        self.transform.amid(history.is_noisy()).apply(history.objective())
    }

    /// The model of everything observed.
    pub(crate) fn fit(&mut self, history: &History, values: &[f64]) -> Result<Arc<dyn Model>> {
        let seen = history.seen(history.objective_index());
        let values = if seen.is_whole() {
            Cow::Borrowed(values)
        } else {
            Cow::Owned(self.transform.amid(history.is_noisy()).apply(&seen.values))
        };
        let evidence = Evidence {
            points: &seen.points,
            ..evidence(history, &values)
        };
        let (surrogate, memory) = (self.surrogate.as_ref(), own_memory(history));
        Kept::refit(&mut self.fitted, surrogate, &evidence, &seen.trials, memory)
    }

    /// The models of everything observed, limits included.
    pub(crate) fn models(&mut self, history: &History, values: &[f64]) -> Result<Models> {
        Ok(Models {
            objective: self.fit(history, values)?,
            limits: self.limits.fit(history)?,
        })
    }

    /// One proposal of the model.
    pub(crate) fn propose_one(&mut self, history: &History) -> Result<Query> {
        if let Some(query) = self.designed(history)? {
            return Ok(query);
        }
        let values = self.transformed(history);
        let models = self.models(history, &values)?;
        self.suggest(&models, history, &values)
    }

    /// The point that the models of these values suggest for the next trial.
    pub(crate) fn suggest(&self, models: &Models, history: &History, values: &[f64]) -> Result<Query> {
        self.suggest_by(self.acquisition.as_ref(), models, history, values)
    }

    /// The point that the models of these values suggest to another acquisition.
    pub(crate) fn suggest_by(
        &self,
        acquisition: &dyn Acquisition,
        models: &Models,
        history: &History,
        values: &[f64],
    ) -> Result<Query> {
        let bounds = self.bounds(history);
        let violations = violations(history, &models.limits, values);
        let context = Context {
            history,
            evidence: evidence(history, values),
            bounds: &bounds,
            violations: &violations,
        };
        let mut rng = history.rng(history.next_trial());
        let score = acquisition.bind(&all_believed(models, history)?, &context, &mut rng)?;
        self.best_of(score, models, history, values, &mut rng)
    }

    /// The point with the best score, as the limits leave it.
    pub(crate) fn best_of(
        &self,
        score: Arc<dyn Score>,
        models: &Models,
        history: &History,
        values: &[f64],
        rng: &mut Rng,
    ) -> Result<Query> {
        let memory = memory(models.objective.as_ref(), &models.limits);
        let violations = violations(history, &models.limits, values);
        let believed = all_believed(models, history)?;
        let bounds = self.bounds(history);
        let context = Context {
            history,
            evidence: evidence(history, values),
            bounds: &bounds,
            violations: &violations,
        };
        let score = match history.allowance() {
            Some(share) => Budget { share }.apply(score, &believed, &context, rng)?,
            None => self.feasibility.apply(score, &believed, &context, rng)?,
        };
        let point = match history.arms() {
            Some(arms) => best_arm(arms, score.as_ref())?,
            None => self.maximiser.maximise(score.as_ref(), &context, rng)?,
        };
        let memory = memory.filter(|memory| Some(memory) != history.memory());
        Ok(Query {
            point,
            memory,
            outputs: Vec::new(),
        })
    }
}

/// Refuses scores without gradients, naming what has none.
fn check_smoothness(surrogate: Capabilities, acquisition: bool) -> Result<()> {
    let model = match (acquisition, surrogate.smooth) {
        (true, true) => return Ok(()),
        (false, _) => "the acquisition",
        (true, false) => surrogate.name,
    };
    Err(Error::Incapable {
        asker: "the maximiser",
        needed: "gradients",
        model,
        offered: "values alone",
    })
}

impl Proposer for Composite {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        one_by_one(history, count, |history| self.propose_one(history))
    }

    /// The rest of the design, then one after another.
    fn at_once(&self, history: &History) -> usize {
        self.left(history).clamp(1, STRETCH as u64) as usize
    }

    fn model(&mut self, history: &History) -> Result<Option<Arc<dyn Model>>> {
        if history.len() < 2 {
            return Ok(None);
        }
        let values = history.objective().to_vec();
        self.fit(history, &values).map(Some)
    }

    fn limits(&mut self, history: &History) -> Result<Vec<Limit>> {
        if history.len() < 2 {
            return Ok(Vec::new());
        }
        self.limits.fit(history)
    }

    fn chooses(&self) -> bool {
        true
    }
}

/// All that was observed, with the values as the model sees them.
pub(crate) fn evidence<'a>(history: &'a History, values: &'a [f64]) -> Evidence<'a> {
    Evidence {
        space: history.space(),
        points: history.points(),
        values,
        seed: history.seed(),
        shares: &[],
    }
}

/// A batch is its points one after another, each knowing those before it as pending: a batch of four is the same four
/// points as four asks in a row.
pub(crate) fn one_by_one(
    history: &History,
    count: usize,
    mut propose: impl FnMut(&History) -> Result<Query>,
) -> Result<Vec<Query>> {
    if count == 1 {
        return Ok(vec![propose(history)?]);
    }
    let mut growing = history.clone();
    (0..count)
        .map(|_| {
            let query = propose(&growing)?;
            growing.ask(growing.next_trial(), query.point.clone());
            query.memory.iter().for_each(|memory| growing.remember(memory.clone()));
            growing.withdraw(&query.point);
            Ok(query)
        })
        .collect()
}

/// All models with the points under way believed.
pub(crate) fn all_believed(models: &Models, history: &History) -> Result<Models> {
    let limit = |limit: &Limit| {
        let model = believed(Arc::clone(&limit.model), history)?;
        Ok(Limit { model, ..limit.clone() })
    };
    Ok(Models {
        objective: believed(Arc::clone(&models.objective), history)?,
        limits: models.limits.iter().map(limit).collect::<Result<_>>()?,
    })
}

/// The model with the points under way believed, and those that failed for no reason of their own: nothing is learnt by
/// asking there again. Where a point itself is to blame the model of failures keeps away from it.
pub(crate) fn believed(model: Arc<dyn Model>, history: &History) -> Result<Arc<dyn Model>> {
    let pending = history.pending().iter().map(|pending| pending.point.as_slice());
    let lost = history.failures().iter().filter(|failure| !failure.telling);
    let lost = lost.map(|failure| failure.point.as_slice());
    let points = Points::from_rows(history.space().dim(), pending.chain(lost));
    if points.is_empty() {
        return Ok(model);
    }
    model.believe(points.matrix()).unwrap_or(Ok(model))
}
