//! Trainings one after another: whole ones at fixed numbers of observations, and a shorter one for the latest.

use std::sync::Arc;

use faer::Mat;
use hilltop_core::{Evidence, Result};
use hilltop_nn::Network;

use super::Pinn;
use super::block::Information;
use super::collocated::Collocated;
use super::frame::Frame;
use super::model::PinnModel;
use super::site::Site;
use super::task::Task;

/// A network trained on the first observations.
#[derive(Clone, Debug)]
pub(super) struct Trained {
    /// At the initial weights.
    pub(super) start: Network,
    pub(super) network: Network,
    pub(super) reach: f64,
    pub(super) frame: Frame,
    pub(super) inputs: Mat<f64>,
    pub(super) equations: Vec<Collocated>,
    /// The variance of noise over that of the weights, and the size of the function.
    pub(super) noise: f64,
    pub(super) size: f64,
    /// How much more likely the observations are with the linear equations than without, as a logarithm; none where that was not asked.
    pub(super) support: Option<f64>,
    /// Whether the equations are trained on.
    pub(super) trusted: bool,
    pub(super) information: Information,
    /// The root mean square of what is left of the observations, standardised.
    pub(super) rest: f64,
}

impl Trained {
    /// The equations that are believed.
    pub(super) fn laws(&self) -> &[Collocated] {
        if self.trusted { &self.equations } else { &[] }
    }
}

/// The last whole training.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) count: usize,
    /// Where each equation is asked for next.
    pub(super) sites: Arc<Vec<Site>>,
    /// What was trained; nothing before the first training.
    pub(super) trained: Option<Arc<Trained>>,
}

/// Where a model comes from.
#[derive(Clone, Debug)]
pub(super) struct Source {
    recipe: String,
    seed: u64,
    pub(super) link: Link,
    /// Of the points and values of the link.
    digests: (u64, u64),
}

impl Source {
    fn begins(&self, recipe: &str, task: &Task<'_>) -> bool {
        let count = self.link.count;
        let same = self.recipe == recipe && self.seed == task.evidence.seed && count <= task.evidence.values.len();
        same && self.digests == task.digests(count)
    }
}

/// The model of evidence, from where an older one left off where that is of the first observations of the same.
pub(super) fn follow(pinn: &Pinn, evidence: &Evidence<'_>, older: Option<&PinnModel>) -> Result<PinnModel> {
    let task = Task::new(pinn, evidence)?;
    let recipe = pinn.recipe();
    let known = older
        .map(PinnModel::source)
        .filter(|source| source.begins(&recipe, &task));
    let mut link = known.map_or_else(|| task.first(), |source| source.link.clone());
    let (every, count) = (pinn.training.every, evidence.values.len());
    while link.count + every <= count {
        link = task.next(&link, link.count + every)?;
    }
    let trained = match &link.trained {
        Some(trained) if link.count == count => trained.clone(),
        _ => Arc::new(task.train(&link, count, link.trained.is_none())?),
    };
    let source = Source {
        recipe,
        seed: evidence.seed,
        digests: task.digests(link.count),
        link,
    };
    Ok(PinnModel::new(trained, source, pinn.training.clone()))
}
