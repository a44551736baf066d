//! The tangent-kernel surrogate: what a wide network believes.
//!
//! A network that is trained by small steps from random weights behaves like a Gaussian process whose kernel is the inner product of
//! its gradients (Jacot et al., 2018). Here the kernel comes from the closed form of infinite width or from a network of finite width at its
//! initial weights; input scales, signal and noise are fitted to the observations.

mod arc;
mod infinite;
mod layered;
mod network;
mod settings;
mod source;
mod sweep;

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::{
    Capabilities, Coordinate, Error, Evidence, Lbfgs, Model, Previous, Result, Space, Surrogate,
};
use hilltop_nn::{Activation, Parameterisation};
use serde::{Deserialize, Serialize};

pub use infinite::{Limit, erf, relu};
pub use settings::{Expectation, Features, Fit, Width};

use crate::process::{
    Condition, Exact, Fitted, Grouping, Inner, Kernel, Landmark, Mean, Origin, Posterior, Prior, Priors, ProcessModel, Profile,
    Refit, Schedule, Standard, digest,
};
use settings::refused;
use source::WideNetworks;

/// The description of a tangent-kernel surrogate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ntk {
    /// The width of the hidden layers.
    pub width: Width,
    /// The function between layers.
    pub activation: Activation,
    /// The number of hidden layers.
    pub depth: usize,
    /// Factors and initial weights of a finite network.
    pub parameterisation: Parameterisation,
    /// Which kernel of infinite width.
    pub kernel: Limit,
    /// The scales of the inputs in `[-1,1]`, one a parameter where they are fitted.
    pub scales: Fit,
    /// The scale of the constant input.
    pub constant: Fit,
    /// The factor of the kernel.
    pub signal: Fit,
    /// The noise variance `λ` of standardised values.
    pub noise: Fit,
    /// What is expected of the output.
    pub mean: Expectation,
    /// At which weights gradients are features.
    pub features: Features,
    /// Up to so many observations the posterior is exact.
    pub exact_limit: usize,
    /// So many landmarks stand for more.
    pub landmarks: usize,
    /// Parameters are fitted to at most so many observations.
    pub fit_limit: usize,
    /// When parameters are fitted.
    pub schedule: Schedule,
}

impl Default for Ntk {
    fn default() -> Self {
        Self {
            width: Width::Infinite,
            activation: Activation::Erf,
            depth: 1,
            parameterisation: Parameterisation::Ntk,
            kernel: Limit::Tangent,
            scales: Fit::Fitted,
            constant: Fit::Fitted,
            signal: Fit::Fitted,
            noise: Fit::Fitted,
            mean: Expectation::Kernel,
            features: Features::Initial,
            exact_limit: 1200,
            landmarks: 600,
            fit_limit: 400,
            schedule: Schedule::default(),
        }
    }
}

impl Ntk {
    /// Whether such a surrogate can be built.
    pub fn check(&self) -> Result<()> {
        let infinite = self.width == Width::Infinite;
        if !(1..=8).contains(&self.depth) {
            return Err(refused("depth", self.depth, "1 to 8 hidden layers"));
        }
        if infinite && !matches!(self.activation, Activation::Erf | Activation::Relu) {
            return Err(refused("activation", format!("{:?}", self.activation).to_lowercase(), "erf or relu where width is infinite"));
        }
        if infinite && (self.mean != Expectation::Kernel || self.features != Features::Initial) {
            return Err(refused("width", "infinite", "a number where mean = trained or features = current"));
        }
        Ok(())
    }

    fn profile(&self) -> Arc<dyn Profile> {
        match self.activation {
            Activation::Relu => relu(self.depth, self.kernel),
            _ => erf(self.depth, self.kernel),
        }
    }

    fn refit(&self, space: &Space) -> Refit {
        let grouping = grouping(space);
        let search = Lbfgs { iterations: 40, progress: 1e-6, gradient: 1e-3, ..Lbfgs::default() };
        let priors = self.priors(grouping.count);
        Refit { profile: self.profile(), grouping, priors, schedule: self.schedule, limit: self.fit_limit, search }
    }

    /// Weak priors: each input's share of the inner product shrinks with the number of inputs.
    fn priors(&self, groups: usize) -> Priors {
        let dim = groups.max(1) as f64;
        let prior = |fit: Fit, median: f64, spread: f64, low: f64, high: f64| match fit {
            Fit::Fitted => Prior { median, spread, low, high },
            Fit::Fixed(value) => Prior::fixed(value),
        };
        Priors {
            scales: prior(self.scales, 1.0 / dim.sqrt(), 1.5, 1e-3, 1e2),
            constant: prior(self.constant, 1.0, 1.0, 1e-2, 1e2),
            signal: prior(self.signal, 1.0, 2.0, 1e-4, 1e6),
            noise: prior(self.noise, 1e-4, 3.0, 1e-8, 1.0),
        }
    }

    fn kernel(&self, weights: Vec<f64>, signal: f64) -> Arc<dyn Kernel> {
        let source = WideNetworks { activation: self.activation, depth: self.depth, limit: self.kernel };
        Arc::new(Inner::new(self.profile(), Arc::new(source), weights, signal))
    }

    /// What the observations explain: in one piece up to the last fit of the parameters, row by row after it.
    fn condition(
        &self,
        kernel: &Arc<dyn Kernel>,
        points: MatRef<'_, f64>,
        values: &[f64],
        fitted: &Fitted,
    ) -> Result<Box<dyn Condition>> {
        let base = fitted.count.unwrap_or(points.nrows());
        let head = points.subrows(0, base).to_owned();
        let noise = fitted.parameters.noise;
        Ok(if base <= self.exact_limit {
            Box::new(Exact::new(kernel.clone(), head, noise)?)
        } else {
            Box::new(Landmark::new(kernel, head, &values[..base], noise, self.landmarks)?)
        })
    }
}

impl Surrogate for Ntk {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.check()?;
        let points = matrix(evidence)?;
        let refit = self.refit(evidence.space);
        let fitted = refit.follow(points.as_ref(), evidence.values, previous.memory);
        let origin = Origin {
            recipe: serde_json::to_string(self).unwrap_or_default(),
            seed: evidence.seed,
            observed: points.nrows(),
            digest: digest(points.as_ref()),
            fitted,
        };
        let earlier = previous.model.and_then(|model| model.as_any().downcast_ref::<ProcessModel>());
        let earlier = earlier.filter(|model| model.origin().is_some_and(|old| old.grows_into(&origin, points.as_ref())));
        let (kernel, mut condition, done) = if let Some(earlier) = earlier {
            let posterior = earlier.posterior();
            (posterior.kernel.clone(), posterior.condition.boxed(), earlier.observed())
        } else {
            let parameters = &origin.fitted.parameters;
            let kernel = self.kernel(refit.grouping.weights(parameters), parameters.signal);
            let condition = self.condition(&kernel, points.as_ref(), evidence.values, &origin.fitted)?;
            (kernel, condition, origin.fitted.count.unwrap_or(points.nrows()))
        };
        (done..points.nrows()).for_each(|row| condition.push(points.as_ref().subrows(row, 1)));
        let standard = Standard::of(evidence.values);
        let mean = Mean::Kernel(condition.weights(&standard.inward(evidence.values)));
        Ok(Arc::new(ProcessModel::new(Posterior { kernel, condition, mean }, standard, origin)))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { name: "ntk", marginals: true, paths: true, smooth: true }
    }
}

/// The points of evidence as a matrix, also where they have no coordinates.
fn matrix(evidence: &Evidence<'_>) -> Result<Mat<f64>> {
    let (count, points) = (evidence.values.len(), evidence.points);
    if points.dim() > 0 && points.len() != count {
        let detail = format!("{count} values of {} points", points.len());
        return Err(Error::Numerical { what: "the evidence of a surrogate", detail });
    }
    if let Some(index) = evidence.values.iter().position(|value| !value.is_finite()) {
        let detail = format!("value {index} is {}", evidence.values[index]);
        return Err(Error::Numerical { what: "the evidence of a surrogate", detail });
    }
    Ok(if points.dim() == 0 { Mat::zeros(count, 0) } else { points.matrix().to_owned() })
}

/// Coordinates of one parameter share a scale. One-hot coordinates are weighed so that another option is as far away as
/// half a range of a number.
fn grouping(space: &Space) -> Grouping {
    let mut grouping = Grouping { group: Vec::new(), base: Vec::new(), count: 0 };
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
