//! From the description and the evidence to a model.

use std::sync::Arc;

use faer::Mat;
use hilltop_core::{Evidence, Previous, Result, Rng};
use hilltop_nn::{Architecture, Network};

use super::array::Arrays;
use super::encoding::{grouping, matrix, shares};
use super::finite::Finite;
use super::network::Encoded;
use super::prior::{profile, refit};
use super::source::{WideNetworks, unusable};
use super::trained::{Output, trained};
use super::{Expectation, Features, Fit, Ntk, Width};
use crate::process::{
    Condition, Fitted, Inner, Kernel, Mean, Observed, Origin, Posterior, ProcessModel, Refit, Standard, Variance,
    digest,
};

/// Streams of the study's seed.
const INITIAL_WEIGHTS: u64 = 0x4e54_4b00;
const TRAINING: u64 = 0x4e54_4b01;

/// What the first observations explain, and how many these are.
type Conditioned = (Box<dyn Condition>, usize);

/// Observations with the parameters that were fitted to them: what a network of the same family starts from.
pub(crate) struct Prepared {
    /// The observed points.
    pub(crate) points: Mat<f64>,
    /// Their values, standardised.
    pub(crate) values: Vec<f64>,
    /// What the standardised values stand for.
    pub(crate) standard: Standard,
    /// The weight of each coordinate before the network, the constant's last.
    pub(crate) weights: Vec<f64>,
    /// Signal, noise and the rest.
    pub(crate) fitted: Fitted,
    /// What the kernel `⟨g, g'⟩` of such a network is multiplied by.
    pub(crate) factor: f64,
    /// The network where points are arrays.
    pub(crate) architecture: Option<Architecture>,
}

/// A description on its way to a model.
pub(crate) struct Fitting<'a> {
    ntk: &'a Ntk,
    points: Mat<f64>,
    values: &'a [f64],
    standardised: Vec<f64>,
    standard: Standard,
    refit: Refit,
    /// The networks where points are arrays.
    arrays: Option<Arrays>,
    origin: Origin,
}

impl<'a> Fitting<'a> {
    /// Finds the parameters.
    pub(crate) fn new(ntk: &'a Ntk, evidence: &Evidence<'a>, previous: Previous<'_>) -> Result<Self> {
        let points = matrix(evidence)?;
        let arrays = Arrays::new(ntk, evidence.space, evidence.seed)?;
        let grouping = arrays
            .as_ref()
            .map_or_else(|| grouping(evidence.space), Arrays::grouping);
        let refit = refit(ntk, grouping);
        let shares = shares(evidence);
        let recipe = serde_json::to_string(ntk).unwrap_or_default();
        let older = origin(previous).filter(|older| older.begins(&recipe, evidence.seed, points.as_ref(), &shares));
        let own = older.and_then(|older| older.fitted.memory());
        let memory = previous.memory.or(own.as_ref());
        let seen = Observed {
            points: points.as_ref(),
            values: evidence.values,
            shares: &shares,
        };
        let fitted = match &arrays {
            Some(arrays) => arrays.follow(&refit, points.as_ref(), evidence.values, memory)?,
            None => refit.follow(seen, memory),
        };
        let digest = digest(points.as_ref());
        let base = ntk.base(&fitted, points.nrows());
        let (seed, observed) = (evidence.seed, points.nrows());
        let origin = Origin {
            recipe,
            seed,
            fitted,
            base,
            observed,
            digest,
            shares,
        };
        let standard = Standard::of(evidence.values);
        let standardised = standard.inward(evidence.values);
        Ok(Self {
            ntk,
            points,
            values: evidence.values,
            standardised,
            standard,
            refit,
            arrays,
            origin,
        })
    }

    /// The observations and the parameters alone.
    pub(crate) fn prepared(self) -> Result<Prepared> {
        let signal = self.origin.fitted.parameters.signal;
        let factor = self.start()?.map_or(signal, |start| self.factor(&start));
        Ok(Prepared {
            weights: self.weights(),
            architecture: self.architecture(),
            factor,
            points: self.points,
            values: self.standardised,
            standard: self.standard,
            fitted: self.origin.fitted,
        })
    }

    /// The model, grown from an earlier one where that is possible.
    pub(super) fn model(self, previous: Previous<'_>) -> Result<ProcessModel> {
        let start = self.start()?;
        let moved = self.moved(start.as_ref())?;
        let (mut condition, done) = match self.earlier(previous) {
            Some((earlier, observed)) => (earlier.condition.boxed(), observed),
            None => self.fresh(match self.ntk.features {
                Features::Initial => start.as_ref(),
                Features::Current => moved.as_ref(),
            })?,
        };
        let points = self.points.as_ref();
        (done..points.nrows()).for_each(|row| condition.push(points.subrows(row, 1), self.origin.shares[row]));
        let mean = match (self.ntk.mean, moved) {
            (Expectation::Trained | Expectation::OnePass, Some(network)) => Mean::Function(Arc::new(Output(network))),
            _ => Mean::Kernel(condition.weights(&self.standardised)),
        };
        Ok(ProcessModel::new(
            Posterior { condition, mean },
            self.standard,
            self.origin,
        ))
    }

    fn weights(&self) -> Vec<f64> {
        self.refit.grouping.weights(&self.origin.fitted.parameters)
    }

    /// What the network looks like, where there is one.
    fn architecture(&self) -> Option<Architecture> {
        if let Some(arrays) = &self.arrays {
            return Some(arrays.architecture(&self.origin.fitted.parameters));
        }
        let Width::Finite(width) = self.ntk.width else {
            return None;
        };
        let hidden = vec![width; self.ntk.depth];
        let inputs = self.weights().len();
        let (activation, form) = (self.ntk.activation, self.ntk.parameterisation);
        Some(Architecture::new(inputs, &hidden, activation, form))
    }

    /// The network at its initial weights, where there is one.
    fn start(&self) -> Result<Option<Encoded>> {
        let start = |architecture| initial(&architecture, &self.weights(), self.origin.seed);
        self.architecture().map(start).transpose()
    }

    /// The network after training, where one is asked for.
    fn moved(&self, start: Option<&Encoded>) -> Result<Option<Encoded>> {
        let wanted = self.ntk.mean != Expectation::Kernel || self.ntk.features == Features::Current;
        let Some(start) = start.filter(|_| wanted) else {
            return Ok(None);
        };
        let mut rng = Rng::keyed(self.origin.seed, &[TRAINING, self.points.nrows() as u64]);
        // The penalty whose minimum, were the network linear in its weights, is the mean of the process.
        let penalty = match self.ntk.mean {
            Expectation::OnePass => 0.0,
            _ => self.origin.fitted.parameters.noise / self.factor(start),
        };
        let (points, values) = (self.points.as_ref(), &self.standardised);
        trained(start, self.ntk.training, penalty, points, values, &mut rng).map(Some)
    }

    /// What the kernel of a finite network is multiplied by: the mean variance at the observed points becomes that of the limit the
    /// signal was fitted to. A signal that is given multiplies the paper's kernel.
    fn factor(&self, network: &Encoded) -> f64 {
        let signal = self.origin.fitted.parameters.signal;
        if let Some(arrays) = &self.arrays {
            let base = self.points.as_ref().subrows(0, self.origin.base);
            return signal / arrays.unit(network, base);
        }
        if let Fit::Fixed(signal) = self.ntk.signal {
            return signal / network.network.architecture().kernel_divisor();
        }
        let points = self.points.as_ref().subrows(0, self.origin.base.min(256));
        let own = Finite {
            encoded: network.clone(),
            factor: 1.0,
        }
        .diagonal(points);
        let limit = self.limit(1.0).diagonal(points);
        let (own, limit) = (own.iter().sum::<f64>(), limit.iter().sum::<f64>());
        if own > 0.0 && limit > 0.0 {
            signal * limit / own
        } else {
            signal
        }
    }

    fn limit(&self, signal: f64) -> Inner {
        let Ntk {
            activation,
            depth,
            kernel,
            ..
        } = *self.ntk;
        let source = WideNetworks {
            activation,
            depth,
            limit: kernel,
        };
        Inner::new(profile(self.ntk), Arc::new(source), self.weights(), signal)
    }

    /// An earlier posterior that may grow, and how many observations it has.
    fn earlier<'m>(&self, previous: Previous<'m>) -> Option<(&'m Posterior, usize)> {
        let model = previous.model?.as_any().downcast_ref::<ProcessModel>()?;
        let fixed = self.ntk.features == Features::Initial;
        let grows = origin(previous)?.grows_into(&self.origin, self.points.as_ref());
        (fixed && grows).then(|| (model.posterior(), model.observed()))
    }

    /// The condition of the base, from the network whose gradients are the features.
    fn fresh(&self, network: Option<&Encoded>) -> Result<Conditioned> {
        let kernel: Arc<dyn Kernel> = match network {
            Some(network) => Arc::new(Finite {
                encoded: network.clone(),
                factor: self.factor(network),
            }),
            None => Arc::new(self.limit(self.origin.fitted.parameters.signal)),
        };
        let (base, noise) = (self.origin.base, self.origin.fitted.parameters.noise);
        let head = self.points.as_ref().subrows(0, base).to_owned();
        let condition = self
            .ntk
            .condition(kernel, head, &self.values[..base], noise, &self.origin.shares[..base])?;
        Ok((condition, base))
    }
}

/// Where the previous model comes from, if it is one of ours.
fn origin(previous: Previous<'_>) -> Option<&Origin> {
    previous.model?.as_any().downcast_ref::<ProcessModel>()?.origin()
}

/// A network at the initial weights of a study's seed, behind the weights of the coordinates.
pub(super) fn initial(architecture: &Architecture, weights: &[f64], seed: u64) -> Result<Encoded> {
    let mut rng = Rng::keyed(seed, &[INITIAL_WEIGHTS]);
    let network = Network::init(architecture, &mut rng).map_err(unusable)?;
    Ok(Encoded::new(Arc::new(network), weights))
}
