//! One fit of a physics-informed network: sites, the choice of reach and noise, a training.

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::physics::{Collocation, Equation};
use hilltop_core::{Error, Evidence, Result, Rng};
use hilltop_nn::{Network, Parameterisation};

use super::block::{Information, Rows};
use super::chain::{Link, Trained};
use super::collocated::Collocated;
use super::collocation::{denser, spread};
use super::frame::Frame;
use super::likelihood::{Likelihood, likelihoods};
use super::prior::Prior;
use super::site::Site;
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

/// One fit.
pub(super) struct Task<'a> {
    pinn: &'a Pinn,
    pub(super) evidence: &'a Evidence<'a>,
    points: Mat<f64>,
    /// The initial weights with a reach of one.
    drawn: Network,
}

impl<'a> Task<'a> {
    pub(super) fn new(pinn: &'a Pinn, evidence: &'a Evidence<'a>) -> Result<Self> {
        let shape = pinn.training.shape(evidence.space.dim());
        let mut rng = Rng::keyed(evidence.seed, &[INITIAL_WEIGHTS]);
        Ok(Self {
            pinn,
            evidence,
            points: matrix(evidence)?,
            drawn: Network::init(&shape, &mut rng).map_err(|error| unusable(&error))?,
        })
    }

    pub(super) fn digests(&self, count: usize) -> (u64, u64) {
        let values = MatRef::from_column_major_slice(&self.evidence.values[..count], count, 1);
        (digest(self.points.as_ref().subrows(0, count)), digest(values))
    }

    /// Before the first training.
    pub(super) fn first(&self) -> Link {
        Link {
            count: 0,
            sites: Arc::new(self.sites(0)),
            trained: None,
        }
    }

    /// Evenly spread points of every equation.
    fn sites(&self, round: usize) -> Vec<Site> {
        let points = self.pinn.points();
        let seed = Rng::keyed(self.evidence.seed, &[round as u64]).bits();
        let equations = self.pinn.knowledge.equations.iter();
        let at = |equation: &Arc<dyn Equation>| {
            let points = spread(equation.as_ref(), self.evidence.space, seed, points);
            Site::new(equation, points)
        };
        equations.map(at).collect()
    }

    /// A whole training on the first observations.
    pub(super) fn next(&self, link: &Link, count: usize) -> Result<Link> {
        let trained = self.train(link, count, true)?;
        let sites = match self.pinn.knowledge.collocation {
            Collocation::Fixed => link.sites.clone(),
            Collocation::Redrawn => Arc::new(self.sites(count)),
            Collocation::Adaptive => Arc::new(self.denser(&trained, count)?),
        };
        Ok(Link {
            count,
            sites,
            trained: Some(Arc::new(trained)),
        })
    }

    fn denser(&self, trained: &Trained, count: usize) -> Result<Vec<Site>> {
        let (pools, even) = (self.sites(count), self.sites(0));
        let equations = collocated(&trained.start, &pools, &trained.frame)?;
        let sites = equations.iter().zip(&even).map(|(equation, site)| {
            let residuals = equation.residuals(&trained.network);
            let points = denser(&site.points, SHARE, equation.points(), &residuals);
            Site::new(&site.equation, points)
        });
        Ok(sites.collect())
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
            equations: collocated(&network, &link.sites, &frame)?,
            information: Information::default(),
            noise: self.pinn.training.noise[0],
            size: 1.0,
            support: None,
            trusted: true,
            rest: 0.0,
            reach,
            start: network.clone(),
            network,
            frame,
        })
    }

    /// The reach and the noise under which the observations are most likely, with the equations or, where these make them much less likely, without.
    fn best(&self, link: &Link, count: usize) -> Result<Trained> {
        let Training {
            reach, noise, trust, ..
        } = &self.pinn.training;
        let [mut with, mut without]: [Option<(f64, Trained)>; 2] = [None, None];
        for &reach in reach {
            let prepared = self.prepared(link, count, reach)?;
            let targets = prepared.frame.standard.inward(&self.evidence.values[..count]);
            let found = likelihoods(&self.rows(&prepared), &targets, noise);
            for (&noise, [given, alone]) in noise.iter().zip(found) {
                keep_likelier(&mut with, &given, noise, &prepared);
                keep_likelier(&mut without, &alone, noise, &prepared);
            }
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
            noise: trained.noise,
            weight: self.pinn.training.weight,
            limit: self.pinn.training.rows,
        }
    }

    /// A whole training finds its reach and starts from the last weights where that is the same; a shorter one goes on from the last weights.
    pub(super) fn train(&self, link: &Link, count: usize, whole: bool) -> Result<Trained> {
        let mut trained = match &link.trained {
            Some(last) if !whole => Trained {
                support: last.support,
                trusted: last.trusted,
                noise: last.noise,
                size: last.size,
                ..self.prepared(link, count, last.reach)?
            },
            _ => self.best(link, count)?,
        };
        trained.information = Information::of(&self.rows(&trained))?;
        trained.frame.spread = trained.size * self.pinn.training.spread(&trained.information);
        trained.equations = collocated(&trained.start, &link.sites, &trained.frame)?;
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
            start: &trained.start,
            noise: trained.noise,
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

/// Equations in terms of a network's derivatives.
fn collocated(start: &Network, sites: &[Site], frame: &Frame) -> Result<Vec<Collocated>> {
    let made = sites.iter().map(|site| {
        let inputs = frame.inputs(site.points.as_ref());
        let prior = Prior::new(start, inputs.as_ref());
        Collocated::new(site, frame, &prior).map_err(|error| unusable(&error))
    });
    made.collect()
}

fn keep_likelier(best: &mut Option<(f64, Trained)>, found: &Likelihood, noise: f64, candidate: &Trained) {
    if best.as_ref().is_none_or(|(most, _)| found.value > *most) {
        let candidate = Trained {
            noise,
            size: found.size,
            ..candidate.clone()
        };
        *best = Some((found.value, candidate));
    }
}

fn unusable(error: &hilltop_nn::Error) -> Error {
    Error::Numerical {
        what: "a physics-informed network",
        detail: error.to_string(),
    }
}
