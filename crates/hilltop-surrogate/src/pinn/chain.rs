//! Trainings one after another: whole ones at fixed numbers of observations, and a shorter one for the latest.

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::physics::Collocation;
use hilltop_core::{Error, Evidence, Result, Rng};
use hilltop_nn::{Network, Parameterisation};

use super::block::{Information, Rows, likelihoods};
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
    /// At the initial weights.
    pub(super) start: Network,
    pub(super) network: Network,
    pub(super) reach: f64,
    pub(super) frame: Frame,
    pub(super) inputs: Mat<f64>,
    pub(super) equations: Vec<Collocated>,
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
    /// The initial weights with a reach of one.
    drawn: Network,
}

impl<'a> Task<'a> {
    fn new(pinn: &'a Pinn, evidence: &'a Evidence<'a>) -> Result<Self> {
        let shape = pinn.training.shape(evidence.space.dim());
        let mut rng = Rng::keyed(evidence.seed, &[INITIAL_WEIGHTS]);
        Ok(Self {
            pinn,
            evidence,
            points: matrix(evidence)?,
            drawn: Network::init(&shape, &mut rng).map_err(|error| unusable(&error))?,
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
            places: Arc::new(self.places(0)),
            trained: None,
        }
    }

    /// Evenly spread points of every equation.
    fn places(&self, round: usize) -> Vec<Mat<f64>> {
        let points = self.pinn.points();
        let seed = Rng::keyed(self.evidence.seed, &[round as u64]).bits();
        let equations = self.pinn.knowledge.equations.iter();
        equations
            .map(|equation| spread(equation.as_ref(), self.evidence.space, seed, points))
            .collect()
    }

    /// A whole training on the first observations.
    fn next(&self, link: &Link, count: usize) -> Result<Link> {
        let trained = self.train(link, count, true)?;
        let places = match self.pinn.knowledge.collocation {
            Collocation::Fixed => link.places.clone(),
            Collocation::Redrawn => Arc::new(self.places(count)),
            Collocation::Adaptive => Arc::new(self.denser(link, &trained, count)?),
        };
        Ok(Link {
            count,
            places,
            trained: Some(Arc::new(trained)),
        })
    }

    fn denser(&self, link: &Link, trained: &Trained, count: usize) -> Result<Vec<Mat<f64>>> {
        let pools = self.places(count);
        let fresh = self.places(0);
        let equations = self.collocated(&trained.start, &pools, &trained.frame)?;
        let denser = |index: usize| {
            let residuals = equations[index].residuals(&trained.network);
            denser(&fresh[index], SHARE, equations[index].points(), &residuals)
        };
        Ok((0..link.places.len()).map(denser).collect())
    }

    fn collocated(&self, start: &Network, places: &[Mat<f64>], frame: &Frame) -> Result<Vec<Collocated>> {
        let equations = self.pinn.knowledge.equations.iter().zip(places);
        let made = equations.map(|(equation, points)| {
            let inputs = frame.inputs(points.as_ref());
            let prior = Prior::new(start, inputs.as_ref());
            Collocated::new(equation, points, frame, &prior).map_err(|error| unusable(&error))
        });
        made.collect()
    }

    /// The initial network of a reach: its first layer looks so many times as closely. Were the inputs larger instead, the first layer's weights would
    /// rule the tangent features, and training would be far from linear in them.
    fn start(&self, reach: f64) -> Network {
        let mut network = self.drawn.clone();
        let first = network.layer_weights(0);
        let (inputs, size) = (
            first.ncols(),
            first.nrows() * first.ncols() + network.layer_biases(0).len(),
        );
        // Only the ntk form divides by the root of the number of inputs itself.
        let reach = match self.pinn.training.parameterisation {
            Parameterisation::Ntk => reach,
            _ => reach / (inputs as f64).sqrt(),
        };
        let weights = network.weights_mut();
        weights[..size].iter_mut().for_each(|weight| *weight *= reach);
        network
    }

    /// A network before its training, with what it is trained on.
    fn prepared(&self, link: &Link, count: usize, reach: f64) -> Result<Trained> {
        let network = self.start(reach);
        let frame = Frame::new(
            self.evidence.space.coordinates(),
            Standard::of(&self.evidence.values[..count]),
        );
        Ok(Trained {
            inputs: frame.inputs(self.points.as_ref().subrows(0, count)),
            equations: self.collocated(&network, &link.places, &frame)?,
            information: Information::default(),
            support: None,
            trusted: true,
            rest: 0.0,
            reach,
            start: network.clone(),
            network,
            frame,
        })
    }

    /// The reach under which the observations are most likely, with the equations or, where these make them much less likely, without.
    fn best(&self, link: &Link, count: usize) -> Result<Trained> {
        let Training { reach, trust, .. } = &self.pinn.training;
        if let ([only], None) = (reach.as_slice(), trust) {
            return self.prepared(link, count, *only);
        }
        let [mut with, mut without]: [Option<(f64, Trained)>; 2] = [None, None];
        for &reach in reach {
            let prepared = self.prepared(link, count, reach)?;
            let targets = prepared.frame.standard.inward(&self.evidence.values[..count]);
            let [given, alone] = likelihoods(&self.rows(&prepared), &targets).unwrap_or([f64::NEG_INFINITY; 2]);
            keep_likelier(&mut with, given, &prepared);
            keep_likelier(&mut without, alone, &prepared);
        }
        let (Some((given, mut with)), Some((alone, mut without))) = (with, without) else {
            return self.prepared(link, count, 1.0);
        };
        let support = (given - alone).is_finite().then_some(given - alone);
        with.support = support;
        if trust.zip(support).is_some_and(|(trust, support)| trust + support < 0.0) {
            (without.support, without.trusted) = (support, false);
            return Ok(without);
        }
        Ok(with)
    }

    fn rows<'b>(&self, trained: &'b Trained) -> Rows<'b> {
        Rows {
            network: &trained.network,
            inputs: trained.inputs.as_ref(),
            equations: trained.laws(),
            spread: trained.frame.spread,
            noise: self.pinn.training.noise,
            limit: self.pinn.training.rows,
        }
    }

    /// A whole training finds its reach and starts from the last weights where that is the same; a shorter one goes on from the last weights.
    fn train(&self, link: &Link, count: usize, whole: bool) -> Result<Trained> {
        let mut trained = match &link.trained {
            Some(last) if !whole => Trained {
                support: last.support,
                trusted: last.trusted,
                ..self.prepared(link, count, last.reach)?
            },
            _ => self.best(link, count)?,
        };
        trained.information = Information::of(&self.rows(&trained))?;
        trained.frame.spread = self.pinn.training.spread(&trained.information);
        trained.equations = self.collocated(&trained.start, &link.places, &trained.frame)?;
        #[expect(clippy::float_cmp, reason = "the same choice among the same numbers")]
        if let Some(last) = link.trained.as_ref().filter(|last| last.reach == trained.reach) {
            trained.network.weights_mut().copy_from_slice(last.network.weights());
        }
        let joint = Joint {
            inputs: &trained.inputs,
            targets: &trained.frame.standard.inward(&self.evidence.values[..count]),
            spread: trained.frame.spread,
            equations: trained.laws(),
            weight: self.pinn.training.weight,
        };
        let effort = self.pinn.effort(whole);
        let mut rng = Rng::keyed(self.evidence.seed, &[BATCHES, count as u64]);
        let mut network = trained.network.clone();
        joint.train(&mut network, &effort, &mut rng);
        let rest = joint.rest(&network);
        Ok(Trained {
            network,
            rest,
            ..trained
        })
    }
}

fn keep_likelier(best: &mut Option<(f64, Trained)>, likelihood: f64, candidate: &Trained) {
    if best.as_ref().is_none_or(|(most, _)| likelihood > *most) {
        *best = Some((likelihood, candidate.clone()));
    }
}

fn unusable(error: &hilltop_nn::Error) -> Error {
    Error::Numerical {
        what: "a physics-informed network",
        detail: error.to_string(),
    }
}
