//! Trainings one after another: whole ones at fixed numbers of observations, and a shorter one for the latest.

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::physics::Collocation;
use hilltop_core::{Error, Evidence, Result, Rng};
use hilltop_nn::Network;

use super::block::{Information, Rows};
use super::collocated::{Collocated, Prior};
use super::collocation::{denser, spread};
use super::frame::Frame;
use super::model::PinnModel;
use super::training::Joint;
use super::{Pinn, Training};
use crate::ntk::matrix;
use crate::process::{Standard, digest};

/// Tells the initial weights from other random numbers of the same seed.
const INITIAL_WEIGHTS: u64 = 0x9a11;
/// The same for batches.
const BATCHES: u64 = 0x9a12;
/// The share of collocation points that go where residuals are large.
const SHARE: f64 = 0.3;

/// A network trained on the first observations.
#[derive(Clone, Debug)]
pub(super) struct Trained {
    pub(super) network: Network,
    pub(super) frame: Frame,
    pub(super) inputs: Mat<f64>,
    pub(super) equations: Vec<Collocated>,
    pub(super) information: Information,
    /// The root mean square of what is left of the observations, standardised.
    pub(super) rest: f64,
}

/// The last whole training.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) count: usize,
    weights: Vec<f64>,
    /// Where each equation is asked for next.
    places: Arc<Vec<Mat<f64>>>,
    /// What was trained; nothing before the first training.
    trained: Option<Arc<Trained>>,
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

/// One fit.
struct Task<'a> {
    pinn: &'a Pinn,
    evidence: &'a Evidence<'a>,
    points: Mat<f64>,
    start: Network,
}

impl<'a> Task<'a> {
    fn new(pinn: &'a Pinn, evidence: &'a Evidence<'a>) -> Result<Self> {
        let shape = pinn.training.shape(evidence.space.dim());
        let mut rng = Rng::keyed(evidence.seed, &[INITIAL_WEIGHTS]);
        Ok(Self {
            pinn,
            evidence,
            points: matrix(evidence)?,
            start: Network::init(&shape, &mut rng).map_err(unusable)?,
        })
    }

    fn digests(&self, count: usize) -> (u64, u64) {
        let values = MatRef::from_column_major_slice(&self.evidence.values[..count], count, 1);
        (digest(self.points.as_ref().subrows(0, count)), digest(values))
    }

    /// Before the first training.
    fn first(&self) -> Link {
        Link {
            count: 0,
            weights: self.start.weights().to_vec(),
            places: Arc::new(self.places(0, self.pinn.knowledge.points)),
            trained: None,
        }
    }

    /// Evenly spread points of every equation.
    fn places(&self, round: usize, points: usize) -> Vec<Mat<f64>> {
        let seed = Rng::keyed(self.evidence.seed, &[round as u64]).bits();
        let equations = self.pinn.knowledge.equations.iter();
        equations
            .map(|equation| spread(equation.as_ref(), self.evidence.space, seed, points))
            .collect()
    }

    /// A whole training on the first observations.
    fn next(&self, link: &Link, count: usize) -> Result<Link> {
        let trained = self.train(link, count, true)?;
        let points = self.pinn.knowledge.points;
        let places = match self.pinn.knowledge.collocation {
            Collocation::Fixed => link.places.clone(),
            Collocation::Redrawn => Arc::new(self.places(count, points)),
            Collocation::Adaptive => Arc::new(self.denser(link, &trained, count)?),
        };
        Ok(Link {
            count,
            weights: trained.network.weights().to_vec(),
            places,
            trained: Some(Arc::new(trained)),
        })
    }

    fn denser(&self, link: &Link, trained: &Trained, count: usize) -> Result<Vec<Mat<f64>>> {
        let pools = self.places(count, self.pinn.knowledge.points);
        let fresh = self.places(0, self.pinn.knowledge.points);
        let equations = self.collocated(&pools, &trained.frame)?;
        let denser = |index: usize| {
            let residuals = equations[index].residuals(&trained.network);
            denser(&fresh[index], SHARE, equations[index].points(), &residuals)
        };
        Ok((0..link.places.len()).map(denser).collect())
    }

    fn collocated(&self, places: &[Mat<f64>], frame: &Frame) -> Result<Vec<Collocated>> {
        let equations = self.pinn.knowledge.equations.iter().zip(places);
        let made = equations.map(|(equation, points)| {
            let inputs = frame.inputs(points.as_ref());
            let prior = Prior::new(&self.start, inputs.as_ref());
            Collocated::new(equation, points, frame, &prior).map_err(unusable)
        });
        made.collect()
    }

    fn train(&self, link: &Link, count: usize, whole: bool) -> Result<Trained> {
        let Training {
            weight,
            noise,
            rows,
            reach,
            ..
        } = self.pinn.training;
        let values = &self.evidence.values[..count];
        let standard = Standard::of(values);
        let mut frame = Frame::new(self.evidence.space.coordinates(), reach, standard);
        let inputs = frame.inputs(self.points.as_ref().subrows(0, count));
        let equations = self.collocated(&link.places, &frame)?;
        let information = Information::of(&Rows {
            network: &self.start,
            inputs: inputs.as_ref(),
            equations: &equations,
            spread: frame.spread,
            noise,
            limit: rows,
        })?;
        frame.spread = self.pinn.training.spread(&information);
        let equations = self.collocated(&link.places, &frame)?;
        let targets = standard.inward(values);
        let joint = Joint {
            inputs: &inputs,
            targets: &targets,
            spread: frame.spread,
            equations: &equations,
            weight,
        };
        let mut network = self.start.with_weights(link.weights.clone()).map_err(unusable)?;
        let points = self.pinn.knowledge.points;
        let mut rng = Rng::keyed(self.evidence.seed, &[BATCHES, count as u64]);
        joint.train(&mut network, &self.pinn.training.effort(points, whole), &mut rng);
        let rest = joint.rest(&network);
        Ok(Trained {
            network,
            frame,
            inputs,
            information,
            rest,
            equations,
        })
    }
}

fn unusable(error: hilltop_nn::Error) -> Error {
    Error::Numerical {
        what: "a physics-informed network",
        detail: error.to_string(),
    }
}
