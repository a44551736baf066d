//! Parameters as a chain of fits.
//!
//! `θ_k` is fitted to the first `n_k` observations, starting from `θ_{k−1}`, at the counts of a [`Schedule`]. So the parameters
//! of a model are a function of its observations, however it came about; what an earlier fit leaves (a *memory*) only
//! shortens the chain.

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::Lbfgs;
use serde::{Deserialize, Serialize};

use super::likelihood::Likelihood;
use super::parameters::{Grouping, Hyperparameters, Priors};
use super::profile::Profile;
use super::schedule::{Schedule, subset};
use super::standard::Standard;

/// How parameters are fitted.
#[derive(Clone, Debug)]
pub struct Refit {
    /// The kernel.
    pub profile: Arc<dyn Profile>,
    /// Which coordinates share a scale.
    pub grouping: Grouping,
    /// What is believed beforehand.
    pub priors: Priors,
    /// When.
    pub schedule: Schedule,
    /// To at most so many observations.
    pub limit: usize,
    /// How each fit searches.
    pub search: Lbfgs,
}

/// Parameters and the number of observations they were fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// How many observations; none where there were too few for a fit.
    pub count: Option<usize>,
    /// The parameters.
    #[serde(flatten)]
    pub parameters: Hyperparameters,
}

/// Up to so many observations a fit also starts from the priors' medians, and the better end counts.
const FRESH_START: usize = 64;

impl Refit {
    /// The parameters for these observations. `memory` is what [`Fitted::memory`] gave for some of the first of them.
    pub fn follow(&self, points: MatRef<'_, f64>, values: &[f64], memory: Option<&serde_json::Value>) -> Fitted {
        let mut fitted = memory
            .and_then(|memory| self.recall(memory, values.len()))
            .unwrap_or_else(|| self.start());
        for count in self.schedule.between(fitted.count, values.len()) {
            let parameters = self.fit(points.subrows(0, count), &values[..count], &fitted.parameters);
            fitted = Fitted {
                count: Some(count),
                parameters,
            };
        }
        fitted
    }

    /// What is believed before the first fit.
    pub(crate) fn start(&self) -> Fitted {
        Fitted {
            count: None,
            parameters: self.priors.medians(self.grouping.count),
        }
    }

    /// What is remembered, unless it is of other observations or another schedule.
    pub(crate) fn recall(&self, memory: &serde_json::Value, count: usize) -> Option<Fitted> {
        let fitted = Fitted::deserialize(memory).ok()?;
        let parameters = &fitted.parameters;
        let numbers = parameters
            .scales
            .iter()
            .chain([&parameters.constant, &parameters.signal, &parameters.noise]);
        let sound = numbers.into_iter().all(|value| value.is_finite() && *value > 0.0);
        let fits = parameters.scales.len() == self.grouping.count && fitted.count? <= count;
        (sound && fits && self.schedule.contains(fitted.count?)).then_some(fitted)
    }

    /// One fit.
    fn fit(&self, points: MatRef<'_, f64>, values: &[f64], start: &Hyperparameters) -> Hyperparameters {
        let chosen = subset(values, self.limit);
        let standardised = Standard::of(values).inward(values);
        let values: Vec<f64> = chosen.iter().map(|&i| standardised[i]).collect();
        let points = Mat::from_fn(chosen.len(), points.ncols(), |i, j| points[(chosen[i], j)]);
        let likelihood = Likelihood {
            profile: self.profile.clone(),
            points: points.as_ref(),
            values: &values,
            grouping: &self.grouping,
            priors: &self.priors,
        };
        let (warm, warm_cost) = likelihood.maximise(start, &self.search);
        if values.len() > FRESH_START {
            return warm;
        }
        let (fresh, fresh_cost) = likelihood.maximise(&self.priors.medians(self.grouping.count), &self.search);
        if fresh_cost < warm_cost { fresh } else { warm }
    }
}

impl Fitted {
    /// What a later fit wants to find again.
    pub fn memory(&self) -> Option<serde_json::Value> {
        self.count.and_then(|_| serde_json::to_value(self).ok())
    }
}
