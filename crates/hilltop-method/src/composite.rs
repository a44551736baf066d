//! A method composed of roles: an initial design, a surrogate, an acquisition and a maximiser.

use std::sync::Arc;

use hilltop_acquire::{Design, maximiser};
use hilltop_core::{
    Acquisition, Bounds, Capabilities, Context, Error, Evidence, History, Maximiser, Model, Models, Points, Previous,
    Proposer, Query, Recommendation, Result, Rng, Score, Surrogate,
};

use crate::arm::{any_arm, best_arm};
use crate::transform::Transform;
use crate::trust::Trust;

/// Design, fit, believe, bind, maximise: what most methods are.
pub struct Composite {
    design: Design,
    transform: Transform,
    surrogate: Arc<dyn Surrogate>,
    acquisition: Arc<dyn Acquisition>,
    maximiser: Arc<dyn Maximiser>,
    region: Option<Trust>,
    fitted: Option<Fitted>,
}

/// The last fit, kept because the next one can start from it.
struct Fitted {
    trials: Vec<u64>,
    values: Vec<f64>,
    model: Arc<dyn Model>,
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
            region: None,
            fitted: None,
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

    /// The initial design's point for the next trial, while there is one.
    pub(crate) fn designed(&self, history: &History) -> Result<Option<Query>> {
        let trial = history.next_trial();
        let arms = history.arms();
        // Every round of a bandit counts, so arms are drawn blindly only where that is wished for.
        let count = arms.map_or_else(
            || self.design.count(history.space()),
            |_| self.design.count.unwrap_or(0),
        );
        if trial >= count as u64 && history.len() >= 2 {
            return Ok(None);
        }
        if let Some(arms) = arms {
            return any_arm(arms, &mut history.rng(trial)).map(Some);
        }
        self.design
            .propose(history, trial)
            .map(|point| Some(Query::from(point)))
    }

    /// The objective's values as the model sees them.
    pub(crate) fn transformed(&self, history: &History) -> Vec<f64> {
        self.transform.apply(history.objective())
    }

    /// The model of everything observed.
    pub(crate) fn fit(&mut self, history: &History, values: &[f64]) -> Result<Arc<dyn Model>> {
        if let Some(fitted) = self
            .fitted
            .as_ref()
            .filter(|last| last.trials == history.trials() && last.values == values)
        {
            return Ok(Arc::clone(&fitted.model));
        }
        let evidence = evidence(history, values);
        let last = self
            .fitted
            .take()
            .filter(|last| history.trials().starts_with(&last.trials));
        let previous = Previous {
            model: last.as_ref().map(|last| last.model.as_ref()),
            memory: history.memory(),
        };
        let model = self.surrogate.fit(&evidence, previous)?;
        self.fitted = Some(Fitted {
            trials: history.trials().to_vec(),
            values: values.to_vec(),
            model: Arc::clone(&model),
        });
        Ok(model)
    }

    /// One proposal of the model.
    pub(crate) fn propose_one(&mut self, history: &History) -> Result<Query> {
        if let Some(query) = self.designed(history)? {
            return Ok(query);
        }
        let values = self.transformed(history);
        let model = self.fit(history, &values)?;
        self.suggest(&model, history, &values)
    }

    /// The point that the model of these values suggests for the next trial.
    pub(crate) fn suggest(&self, model: &Arc<dyn Model>, history: &History, values: &[f64]) -> Result<Query> {
        let models = Models {
            objective: believed(Arc::clone(model), history)?,
        };
        let bounds = self.bounds(history);
        let context = Context {
            history,
            evidence: evidence(history, values),
            bounds: &bounds,
        };
        let mut rng = history.rng(history.next_trial());
        let score = self.acquisition.bind(&models, &context, &mut rng)?;
        self.best_of(score.as_ref(), model, history, values, &mut rng)
    }

    /// The point with the best score.
    pub(crate) fn best_of(
        &self,
        score: &dyn Score,
        model: &Arc<dyn Model>,
        history: &History,
        values: &[f64],
        rng: &mut Rng,
    ) -> Result<Query> {
        let bounds = self.bounds(history);
        let context = Context {
            history,
            evidence: evidence(history, values),
            bounds: &bounds,
        };
        let point = match history.arms() {
            Some(arms) => best_arm(arms, score)?,
            None => self.maximiser.maximise(score, &context, rng)?,
        };
        let memory = model.memory().filter(|memory| Some(memory) != history.memory());
        Ok(Query { point, memory })
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

    fn recommend(&mut self, history: &History) -> Result<Option<Recommendation>> {
        let Some(best) = history.best() else { return Ok(None) };
        let point = history.points().row(best).to_vec();
        Ok(Some(Recommendation { point, believed: None }))
    }

    fn model(&mut self, history: &History) -> Result<Option<Arc<dyn Model>>> {
        if history.len() < 2 {
            return Ok(None);
        }
        let values = history.objective().to_vec();
        self.fit(history, &values).map(Some)
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

/// The model with the points under way believed, and the failed ones: nothing is learnt by asking there again.
pub(crate) fn believed(model: Arc<dyn Model>, history: &History) -> Result<Arc<dyn Model>> {
    let pending = history.pending().iter().map(|pending| pending.point.as_slice());
    let failed = history.failures().iter().map(|failure| failure.point.as_slice());
    let points = Points::from_rows(history.space().dim(), pending.chain(failed));
    if points.is_empty() {
        return Ok(model);
    }
    model.believe(points.matrix()).unwrap_or(Ok(model))
}
