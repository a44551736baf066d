//! From the description and the evidence to a model.

use std::sync::Arc;

use faer::Mat;
use hilltop_core::{Coordinate, Error, Evidence, Lbfgs, Previous, Result, Rng, Space};
use hilltop_nn::{Activation, Architecture, Network};

use super::finite::Finite;
use super::network::Encoded;
use super::source::{WideNetworks, unusable};
use super::trained::{Output, trained};
use super::{Expectation, Features, Fit, Ntk, Width, erf, relu};
use crate::process::{
    Condition, Exact, Fitted, Grouping, Inner, Kernel, Landmark, Mean, Origin, Posterior, Prior, Priors, ProcessModel,
    Profile, Refit, Standard, digest,
};

/// Streams of the study's seed.
const INITIAL_WEIGHTS: u64 = 0x4e54_4b00;
const TRAINING: u64 = 0x4e54_4b01;

/// A kernel, what the first observations explain of it, and how many these are.
type Conditioned = (Arc<dyn Kernel>, Box<dyn Condition>, usize);

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
}

/// A description on its way to a model.
pub(crate) struct Fitting<'a> {
    ntk: &'a Ntk,
    points: Mat<f64>,
    values: &'a [f64],
    standardised: Vec<f64>,
    standard: Standard,
    refit: Refit,
    origin: Origin,
}

impl<'a> Fitting<'a> {
    /// Finds the parameters.
    pub(crate) fn new(ntk: &'a Ntk, evidence: &Evidence<'a>, memory: Option<&serde_json::Value>) -> Result<Self> {
        let points = matrix(evidence)?;
        let refit = refit(ntk, evidence.space);
        let fitted = refit.follow(points.as_ref(), evidence.values, memory);
        let recipe = serde_json::to_string(ntk).unwrap_or_default();
        let digest = digest(points.as_ref());
        let origin = Origin {
            recipe,
            seed: evidence.seed,
            observed: points.nrows(),
            digest,
            fitted,
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
            origin,
        })
    }

    /// The observations and the parameters alone.
    pub(crate) fn prepared(self) -> Prepared {
        Prepared {
            weights: self.weights(),
            points: self.points,
            values: self.standardised,
            standard: self.standard,
            fitted: self.origin.fitted,
        }
    }

    /// The model, grown from an earlier one where that is possible.
    pub(super) fn model(self, previous: Previous<'_>) -> Result<ProcessModel> {
        let start = self.start()?;
        let moved = self.moved(start.as_ref())?;
        let (kernel, mut condition, done) = match self.earlier(previous) {
            Some(earlier) => (earlier.0.kernel.clone(), earlier.0.condition.boxed(), earlier.1),
            None => self.fresh(match self.ntk.features {
                Features::Initial => start.as_ref(),
                Features::Current => moved.as_ref(),
            })?,
        };
        let points = self.points.as_ref();
        (done..points.nrows()).for_each(|row| condition.push(points.subrows(row, 1)));
        let mean = match (self.ntk.mean, moved) {
            (Expectation::Trained, Some(network)) => Mean::Function(Arc::new(Output(network))),
            _ => Mean::Kernel(condition.weights(&self.standardised)),
        };
        Ok(ProcessModel::new(
            Posterior {
                kernel,
                condition,
                mean,
            },
            self.standard,
            self.origin,
        ))
    }

    /// How many observations are conditioned on in one piece; the rest follows row by row, so that growing a model
    /// and building it anew are the same computation.
    fn base(&self) -> usize {
        match self.ntk.features {
            Features::Initial => self.origin.fitted.count.unwrap_or(self.points.nrows()),
            Features::Current => self.points.nrows(),
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.refit.grouping.weights(&self.origin.fitted.parameters)
    }

    /// The network at its initial weights, where there is one.
    fn start(&self) -> Result<Option<Encoded>> {
        let Width::Finite(width) = self.ntk.width else {
            return Ok(None);
        };
        let weights = self.weights();
        let hidden = vec![width; self.ntk.depth];
        let Ntk {
            activation,
            parameterisation,
            ..
        } = *self.ntk;
        let architecture = Architecture::new(weights.len(), &hidden, activation, parameterisation);
        let mut rng = Rng::keyed(self.origin.seed, &[INITIAL_WEIGHTS]);
        let network = Network::init(&architecture, &mut rng).map_err(unusable)?;
        Ok(Some(Encoded::new(Arc::new(network), &weights)))
    }

    /// The network after training, where one is asked for.
    fn moved(&self, start: Option<&Encoded>) -> Result<Option<Encoded>> {
        let wanted = self.ntk.mean == Expectation::Trained || self.ntk.features == Features::Current;
        let Some(start) = start.filter(|_| wanted) else {
            return Ok(None);
        };
        let mut rng = Rng::keyed(self.origin.seed, &[TRAINING, self.points.nrows() as u64]);
        // The penalty whose minimum, were the network linear in its weights, is the mean of the process.
        let penalty = self.origin.fitted.parameters.noise / self.factor(start);
        let (points, values) = (self.points.as_ref(), &self.standardised);
        trained(start, self.ntk.training, penalty, points, values, &mut rng).map(Some)
    }

    /// What the kernel of a finite network is multiplied by: the mean variance at the observed points becomes that of the limit the
    /// signal was fitted to. A signal that is given multiplies the paper's kernel.
    fn factor(&self, network: &Encoded) -> f64 {
        let signal = self.origin.fitted.parameters.signal;
        if let Fit::Fixed(signal) = self.ntk.signal {
            return signal / network.network.architecture().kernel_divisor();
        }
        let points = self.points.as_ref().subrows(0, self.base().min(256));
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
        let grows = model.origin()?.grows_into(&self.origin, self.points.as_ref());
        (fixed && grows).then(|| (model.posterior(), model.observed()))
    }

    /// Kernel and condition of the base, from the network whose gradients are the features.
    fn fresh(&self, network: Option<&Encoded>) -> Result<Conditioned> {
        let kernel: Arc<dyn Kernel> = match network {
            Some(network) => Arc::new(Finite {
                encoded: network.clone(),
                factor: self.factor(network),
            }),
            None => Arc::new(self.limit(self.origin.fitted.parameters.signal)),
        };
        let (base, noise) = (self.base(), self.origin.fitted.parameters.noise);
        let head = self.points.as_ref().subrows(0, base).to_owned();
        let condition: Box<dyn Condition> = if base <= self.ntk.exact_limit {
            Box::new(Exact::new(kernel.clone(), head, noise)?)
        } else {
            Box::new(Landmark::new(
                &kernel,
                head,
                &self.values[..base],
                noise,
                self.ntk.landmarks,
            )?)
        };
        Ok((kernel, condition, base))
    }
}

/// The limit that parameters are fitted to; for activations without a closed form here the smooth one of erf.
fn profile(ntk: &Ntk) -> Arc<dyn Profile> {
    match ntk.activation {
        Activation::Relu => relu(ntk.depth, ntk.kernel),
        _ => erf(ntk.depth, ntk.kernel),
    }
}

fn refit(ntk: &Ntk, space: &Space) -> Refit {
    let grouping = grouping(space);
    let search = Lbfgs {
        iterations: 40,
        progress: 1e-6,
        gradient: 1e-3,
        ..Lbfgs::default()
    };
    let priors = priors(ntk, grouping.count);
    Refit {
        profile: profile(ntk),
        grouping,
        priors,
        schedule: ntk.schedule,
        limit: ntk.fit_limit,
        search,
    }
}

/// Weak priors: each input's share of the inner product shrinks with the number of inputs.
fn priors(ntk: &Ntk, groups: usize) -> Priors {
    let dim = groups.max(1) as f64;
    let prior = |fit: Fit, median: f64, spread: f64, low: f64, high: f64| match fit {
        Fit::Fitted => Prior {
            median,
            spread,
            low,
            high,
        },
        Fit::Fixed(value) => Prior::fixed(value),
    };
    Priors {
        scales: prior(ntk.scales, 1.0 / dim.sqrt(), 1.5, 1e-3, 1e2),
        constant: prior(ntk.constant, 1.0, 1.0, 1e-2, 1e2),
        signal: prior(ntk.signal, 1.0, 2.0, 1e-4, 1e6),
        noise: prior(ntk.noise, 1e-4, 3.0, 1e-8, 1.0),
    }
}

/// The points of evidence as a matrix, also where they have no coordinates.
fn matrix(evidence: &Evidence<'_>) -> Result<Mat<f64>> {
    let (count, points) = (evidence.values.len(), evidence.points);
    if points.dim() > 0 && points.len() != count {
        let detail = format!("{count} values of {} points", points.len());
        return Err(Error::Numerical {
            what: "the evidence of a surrogate",
            detail,
        });
    }
    if let Some(index) = evidence.values.iter().position(|value| !value.is_finite()) {
        let detail = format!("value {index} is {}", evidence.values[index]);
        return Err(Error::Numerical {
            what: "the evidence of a surrogate",
            detail,
        });
    }
    Ok(if points.dim() == 0 {
        Mat::zeros(count, 0)
    } else {
        points.matrix().to_owned()
    })
}

/// Coordinates of one parameter share a scale. One-hot coordinates are weighed so that another option is as far away as
/// half a range of a number.
fn grouping(space: &Space) -> Grouping {
    let mut grouping = Grouping {
        group: Vec::new(),
        base: Vec::new(),
        count: 0,
    };
    for coordinate in space.coordinates() {
        let (fresh, base) = match coordinate {
            // Two coordinates change by 2 of [-1,1] each: a distance of √8.
            Coordinate::OneHot { option, .. } => (*option == 0, 1.0 / 8_f64.sqrt()),
            _ => (true, 1.0),
        };
        grouping.count += usize::from(fresh);
        grouping.group.push(grouping.count.max(1) - 1);
        grouping.base.push(base);
    }
    grouping
}
