//! Thompson sampling in batches whose draws know nothing of each other, so that they are drawn and minimised on all cores.
//!
//! Each trial has its own generator, and a drawn function does not depend on the points under way. What does is which points
//! may be proposed: a batch is first proposed as if none of its points were under way, and a point that turns out to be taken by an
//! earlier one is proposed again, knowing those before it. So a batch of four is the same four points as four asks in a
//! row, on any number of cores. Members are trained in groups, each on one core, that share the observations and the memory of training.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hilltop_acquire::{Design, Known, Path, maximiser};
use hilltop_core::{Error, History, Limit, Model, Models, Proposer, Query, Result, Rng};
use hilltop_surrogate::Sto;
use hilltop_surrogate::sto::StoModel;

use crate::composite::Composite;
use crate::transform::Transform;
use crate::uncertainty::{Opening, Uncertainty};

/// Everything of a sample-then-optimise method that is not its surrogate.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) spread: f64,
    pub(crate) opening: Opening,
    pub(crate) design: Design,
    pub(crate) transform: Transform,
    pub(crate) maximiser: maximiser::Kind,
}

/// An initial phase, then independent draws.
pub(crate) struct Thompson {
    composite: Composite,
    uncertainty: Option<Uncertainty>,
    surrogate: Sto,
    spread: f64,
}

/// Members that are trained together on one core: few enough that their functions fit into memory beside those of the other cores.
const GROUP: usize = 8;

impl Thompson {
    /// The proposer of a surrogate that has paths.
    pub(crate) fn new(surrogate: Sto, frame: Frame) -> Result<Self> {
        if !(frame.spread.is_finite() && frame.spread > 0.0) {
            let (setting, value) = ("spread".to_owned(), frame.spread.to_string());
            return Err(Error::Setting {
                setting,
                value,
                allowed: "a number above 0".into(),
            });
        }
        surrogate.check()?;
        let Frame {
            spread,
            opening,
            design,
            transform,
            maximiser,
        } = frame;
        let uncertainty =
            (opening == Opening::Uncertainty).then(|| Uncertainty::new(surrogate.prior(), design, maximiser));
        let (model, path) = (Arc::new(surrogate.clone()), Arc::new(Path { spread }));
        let composite = Composite::new(design, transform, model, path, Arc::new(maximiser))?;
        Ok(Self {
            composite,
            uncertainty,
            surrogate,
            spread,
        })
    }

    /// The point of the initial phase for the next trial, while there is one.
    fn opened(&mut self, history: &History) -> Result<Option<Query>> {
        match &mut self.uncertainty {
            Some(uncertainty) => uncertainty.propose(history),
            None => self.composite.designed(history),
        }
    }

    /// One draw for each of the next trials.
    fn drawn(&mut self, history: &mut History, count: usize) -> Result<Vec<Query>> {
        let values = self.composite.transformed(history);
        let models = self.composite.models(history, &values)?;
        let suggest = |history: &History| self.composite.suggest(&models, history, &values);
        let threads = cores().min(count);
        let size = count.div_ceil(threads).min(GROUP);
        let groups = in_parallel(count.div_ceil(size), threads, |group| {
            let members = group * size..((group + 1) * size).min(count);
            self.suggested(&models, history, &values, members)
        });
        let suggested = groups.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten();
        let mut queries: Vec<Query> = Vec::with_capacity(count);
        for mut query in suggested {
            let taken = Known::new(queries.iter().map(|query| query.point.as_slice())).contains(&query.point);
            if taken && !history.is_noisy() {
                query = suggest(history)?;
            }
            history.ask(history.next_trial(), query.point.clone());
            if !queries.is_empty() {
                query.memory = None;
            }
            queries.push(query);
        }
        Ok(queries)
    }
}

impl Thompson {
    /// What some of the next trials suggest, counted from the next: drawn together, then minimised one by one.
    fn suggested(
        &self,
        models: &Models,
        history: &History,
        values: &[f64],
        members: Range<usize>,
    ) -> Result<Vec<Query>> {
        let turned = |index: usize| {
            let mut turned = history.clone();
            turned.turn_to(history.next_trial() + index as u64);
            turned
        };
        let Some(sto) = models.objective.as_any().downcast_ref::<StoModel>() else {
            return members
                .map(|index| self.composite.suggest(models, &turned(index), values))
                .collect();
        };
        let trials: Vec<History> = members.map(turned).collect();
        let mut rngs: Vec<Rng> = trials.iter().map(|trial| trial.rng(trial.next_trial())).collect();
        let scores = sto.draw_together(self.spread, &mut rngs)?;
        let drawn = trials.iter().zip(scores).zip(&mut rngs);
        drawn
            .map(|((trial, score), rng)| self.composite.best_of(score, models, trial, values, rng))
            .collect()
    }
}

impl Proposer for Thompson {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        let mut growing = history.clone();
        let mut queries = Vec::with_capacity(count);
        while queries.len() < count {
            let Some(query) = self.opened(&growing)? else { break };
            growing.ask(growing.next_trial(), query.point.clone());
            query.memory.iter().for_each(|memory| growing.remember(memory.clone()));
            queries.push(query);
        }
        if queries.len() < count {
            queries.extend(self.drawn(&mut growing, count - queries.len())?);
        }
        Ok(queries)
    }

    /// The rest of the design, then a group a core.
    fn at_once(&self, history: &History) -> usize {
        let designs = self.uncertainty.is_none() && self.composite.left(history) > 0;
        if designs {
            self.composite.at_once(history)
        } else {
            GROUP * cores()
        }
    }

    /// The process that the draws come from in the wide limit: it has a mean and deviations to report.
    fn model(&mut self, history: &History) -> Result<Option<Arc<dyn Model>>> {
        use hilltop_core::{Evidence, Previous, Surrogate};
        if history.len() < 2 {
            return Ok(None);
        }
        let (space, points, values) = (history.space(), history.points(), history.objective());
        let evidence = Evidence {
            space,
            points,
            values,
            seed: history.seed(),
            shares: &[],
        };
        self.surrogate.prior().fit(&evidence, Previous::default()).map(Some)
    }

    fn limits(&mut self, history: &History) -> Result<Vec<Limit>> {
        self.composite.limits(history)
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The results of independent computations in their order, on so many threads.
fn in_parallel<T: Send>(count: usize, threads: usize, compute: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = threads.min(count);
    if threads <= 1 {
        return (0..count).map(compute).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < count) {
                    let result = compute(index);
                    done.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
