//! The Gaussian process with a stationary kernel: squared exponential or Matérn, a length scale for every parameter.
//!
//! The surrogate of the papers' baselines. Length scales, signal and noise are the most probable under log-normal priors;
//! that of the length scales grows with the root of the number of parameters (Hvarfner, Hellsten and Nardi, 2024), because
//! distances do. Everything else, the factor and its border, landmarks, paths, is the linear algebra of
//! [`process`](crate::process).

mod stationary;
mod waves;

use std::sync::Arc;

use hilltop_core::{Capabilities, Evidence, Lbfgs, Model, Previous, Result, Surrogate};
use serde::{Deserialize, Serialize};

pub use stationary::Family;

use crate::ntk::{Fit, Ntk, grouping, matrix, refused, shares};
use crate::process::{
    Inner, Mean, Observed, Origin, Posterior, Prior, Priors, ProcessModel, Refit, Schedule, Standard, digest,
};

/// The description of a Gaussian process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gp {
    /// The kernel.
    pub kernel: Family,
    /// The noise variance of standardised values.
    pub noise: Fit,
    /// Up to so many observations the posterior is exact.
    pub exact_limit: usize,
    /// So many landmarks stand for more where there is noise.
    pub landmarks: usize,
    /// Parameters are fitted to at most so many observations.
    pub fit_limit: usize,
    /// When parameters are fitted.
    pub schedule: Schedule,
}

impl Default for Gp {
    fn default() -> Self {
        Self {
            kernel: Family::default(),
            noise: Fit::Fitted,
            exact_limit: 1500,
            landmarks: 800,
            fit_limit: 400,
            schedule: Schedule::default(),
        }
    }
}

impl Gp {
    /// Whether such a surrogate can be built.
    pub fn check(&self) -> Result<()> {
        if self.landmarks == 0 {
            return Err(refused("landmarks", &0, "at least 1"));
        }
        if self.fit_limit < 2 {
            return Err(refused("fit_limit", &self.fit_limit, "at least 2"));
        }
        Ok(())
    }

    fn refit(&self, evidence: &Evidence<'_>) -> Refit {
        let grouping = grouping(evidence.space);
        let priors = self.priors(grouping.count);
        Refit {
            profile: Arc::new(self.kernel),
            grouping,
            priors,
            schedule: self.schedule,
            limit: self.fit_limit,
            sparse: false,
            search: Lbfgs {
                iterations: 40,
                progress: 1e-6,
                gradient: 1e-3,
                ..Lbfgs::default()
            },
        }
    }

    /// A length scale has the median `e^√2·√d` of the unit cube; a coordinate is seen as `w(2z − 1)`, so `w` is half its
    /// inverse. A constant coordinate changes no distance.
    fn priors(&self, groups: usize) -> Priors {
        let length = 2_f64.sqrt().exp() * (groups.max(1) as f64).sqrt();
        let prior = |median: f64, spread: f64, low: f64, high: f64| Prior {
            median,
            spread,
            below: spread,
            low,
            high,
        };
        Priors {
            scales: prior(0.5 / length, 3_f64.sqrt(), 1e-3, 1e2),
            constant: Prior::fixed(1.0),
            signal: prior(1.0, 2.0, 1e-4, 1e6),
            noise: match self.noise {
                Fit::Fitted => prior(1e-6, 3.0, 1e-9, 1.0),
                Fit::Fixed(value) => Prior::fixed(value),
            },
        }
    }

    /// What the tangent-kernel surrogate decides by the same numbers.
    fn sizes(&self) -> Ntk {
        Ntk {
            exact_limit: self.exact_limit,
            landmarks: self.landmarks,
            ..Ntk::default()
        }
    }
}

impl Surrogate for Gp {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.check()?;
        let (points, refit) = (matrix(evidence)?, self.refit(evidence));
        let shares = shares(evidence);
        let recipe = format!("gp {}", serde_json::to_string(self).unwrap_or_default());
        let older = previous
            .model
            .and_then(|model| model.as_any().downcast_ref::<ProcessModel>());
        let begun = older.and_then(ProcessModel::origin);
        let begun = begun.filter(|origin| origin.begins(&recipe, evidence.seed, points.as_ref(), &shares));
        let own = begun.and_then(|origin| origin.fitted.memory());
        let seen = Observed {
            points: points.as_ref(),
            values: evidence.values,
            shares: &shares,
        };
        let fitted = refit.follow(seen, previous.memory.or(own.as_ref()));
        let base = self.sizes().base(&fitted, points.nrows());
        let origin = Origin {
            recipe,
            seed: evidence.seed,
            fitted,
            base,
            observed: points.nrows(),
            digest: digest(points.as_ref()),
            shares,
        };
        let parameters = &origin.fitted.parameters;
        let grown = older.filter(|_| begun.is_some_and(|begun| begun.grows_into(&origin, points.as_ref())));
        let (mut condition, done) = if let Some(older) = grown {
            (older.posterior().condition.boxed(), older.observed())
        } else {
            let weights = refit.grouping.weights(parameters);
            let family = Arc::new(self.kernel);
            let kernel = Arc::new(Inner::new(family.clone(), family, weights, parameters.signal));
            let head = points.as_ref().subrows(0, base).to_owned();
            let condition = self.sizes().condition(
                kernel,
                head,
                &evidence.values[..base],
                parameters.noise,
                &origin.shares[..base],
            )?;
            (condition, base)
        };
        (done..points.nrows()).for_each(|row| condition.push(points.as_ref().subrows(row, 1), origin.shares[row]));
        let standard = Standard::of(evidence.values);
        let mean = Mean::Kernel(condition.weights(&standard.inward(evidence.values)));
        let posterior = Posterior { condition, mean };
        Ok(Arc::new(ProcessModel::new(posterior, standard, origin)))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "gp",
            marginals: true,
            paths: true,
            smooth: true,
            weights: false,
            information: true,
        }
    }
}
