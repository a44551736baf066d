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
use super::parameters::{Grouping, Hyperparameters, Prior, Priors};
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
    /// Whether groups that the observations do not ask for are left out.
    pub sparse: bool,
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

/// What was observed, in its order.
#[derive(Clone, Copy)]
pub struct Observed<'a> {
    /// Encoded points, one a row.
    pub points: MatRef<'a, f64>,
    /// Their values, in the output's units.
    pub values: &'a [f64],
    /// How much of the noise's variance each has.
    pub shares: &'a [f64],
}

impl Observed<'_> {
    /// The first so many.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        Self {
            points: self.points.subrows(0, count),
            values: &self.values[..count],
            shares: &self.shares[..count],
        }
    }
}

/// The observations that parameters are fitted to, their values standardised.
pub(crate) struct Telling {
    pub(crate) points: Mat<f64>,
    pub(crate) values: Vec<f64>,
    shares: Vec<f64>,
}

impl Telling {
    /// At most so many of these.
    pub(crate) fn of(seen: Observed<'_>, limit: usize) -> Self {
        let chosen = subset(seen.values, limit);
        let standardised = Standard::of(seen.values).inward(seen.values);
        let points = seen.points;
        Self {
            points: Mat::from_fn(chosen.len(), points.ncols(), |i, j| points[(chosen[i], j)]),
            values: chosen.iter().map(|&i| standardised[i]).collect(),
            shares: chosen.iter().map(|&i| seen.shares[i]).collect(),
        }
    }

    /// How probable they are at these places, which may be others than their own.
    pub(crate) fn likelihood<'a>(&'a self, refit: &'a Refit, points: MatRef<'a, f64>) -> Likelihood<'a> {
        Likelihood {
            profile: refit.profile.clone(),
            points,
            values: &self.values,
            grouping: &refit.grouping,
            priors: &refit.priors,
            shares: &self.shares,
            left_out: Vec::new(),
        }
    }
}

/// Up to so many observations a fit also starts from afar, and the best end counts.
const FRESH_STARTS: usize = 100;

/// A group counts where it makes the observations so much more probable, as a logarithm.
const ASKED_FOR: f64 = 2.0;

/// A group that was left out is tried again from this share of its scale's median.
const REVIVED: f64 = 0.2;

/// From this noise variance on a fit also starts from little noise.
const MUCH_NOISE: f64 = 1e-2;

impl Refit {
    /// The parameters for these observations. `memory` is what [`Fitted::memory`] gave for some of the first of them.
    pub fn follow(&self, seen: Observed<'_>, memory: Option<&serde_json::Value>) -> Fitted {
        let count = seen.values.len();
        let mut fitted = memory
            .and_then(|memory| self.recall(memory, count))
            .unwrap_or_else(|| self.start());
        for count in self.schedule.between(fitted.count, count) {
            let parameters = self.fit(seen.first(count), &fitted.parameters);
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
    fn fit(&self, seen: Observed<'_>, start: &Hyperparameters) -> Hyperparameters {
        let telling = Telling::of(seen, self.limit);
        let mut likelihood = telling.likelihood(self, telling.points.as_ref());
        let ends = self
            .starts(start, telling.values.len())
            .into_iter()
            .map(|start| likelihood.maximise(&start, &self.search));
        let best = ends.reduce(|best, end| if end.1 < best.1 { end } else { best });
        best.map_or_else(
            || start.clone(),
            |(parameters, cost)| self.leave_out(&mut likelihood, parameters, cost),
        )
    }

    /// The most probable parameters without the groups that the observations do not ask for, the slowest first; the parameters
    /// themselves where none is to be left out. What is at least as fast as expected is always kept.
    pub(crate) fn leave_out(
        &self,
        likelihood: &mut Likelihood<'_>,
        mut parameters: Hyperparameters,
        mut cost: f64,
    ) -> Hyperparameters {
        let Prior { median, low, .. } = self.priors.scales;
        let slow = |group: &usize| self.sparse && parameters.scales[*group] < median;
        let mut groups: Vec<usize> = (0..self.grouping.count).filter(slow).collect();
        groups.sort_by(|&a, &b| parameters.scales[a].total_cmp(&parameters.scales[b]));
        let search = Lbfgs {
            iterations: 8,
            ..self.search
        };
        for group in groups {
            let mut start = parameters.clone();
            start.scales[group] = low;
            likelihood.left_out.push(group);
            let without = likelihood.maximise(&start, &search);
            if without.1 < cost + ASKED_FOR {
                (parameters, cost) = without;
            } else {
                likelihood.left_out.pop();
            }
        }
        parameters
    }

    /// Where a fit starts: at the parameters so far and, as long as there are few observations, among much noise and slow change, and
    /// among little noise and fast change. Later the last remains where much is taken for noise: with more
    /// observations it may turn out to be structure.
    pub(crate) fn starts(&self, previous: &Hyperparameters, count: usize) -> Vec<Hyperparameters> {
        let afar = |speed: f64, noise: f64| {
            let mut start = self.priors.medians(self.grouping.count);
            start.scales.iter_mut().for_each(|scale| *scale *= speed);
            start.noise *= noise;
            start
        };
        let mut first = previous.clone();
        if self.sparse {
            let least = REVIVED * self.priors.scales.median;
            first.scales.iter_mut().for_each(|scale| *scale = scale.max(least));
        }
        let mut starts = vec![first];
        if count <= FRESH_STARTS {
            starts.push(afar(0.3, 100.0));
        }
        if count <= FRESH_STARTS || previous.noise > MUCH_NOISE {
            starts.push(afar(4.0, 1e-3));
        }
        starts
    }
}

impl Fitted {
    /// What a later fit wants to find again.
    pub fn memory(&self) -> Option<serde_json::Value> {
        self.count.and_then(|_| serde_json::to_value(self).ok())
    }
}
