//! The parameters of a process, what is believed of them beforehand, and which coordinates share one.

use serde::{Deserialize, Serialize};

/// What is believed of a parameter before anything is observed, and where it may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// The median.
    pub median: f64,
    /// The deviation of the logarithm above the median.
    pub spread: f64,
    /// The same below it.
    pub below: f64,
    /// The smallest value allowed.
    pub low: f64,
    /// The largest value allowed.
    pub high: f64,
}

impl Prior {
    /// A parameter that is known.
    pub fn fixed(value: f64) -> Self {
        Self {
            median: value,
            spread: 1.0,
            below: 1.0,
            low: value,
            high: value,
        }
    }

    /// The negative logarithm of the density at a log-parameter, up to a constant, and its derivative.
    pub(crate) fn cost(&self, log: f64) -> (f64, f64) {
        let away = log - self.median.ln();
        let spread = if away < 0.0 { self.below } else { self.spread };
        let distance = away / spread;
        (0.5 * distance * distance, distance / spread)
    }
}

/// Everything about a process that is fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hyperparameters {
    /// Input scales, one a group.
    pub scales: Vec<f64>,
    /// The constant coordinate's scale.
    pub constant: f64,
    /// Signal variance.
    pub signal: f64,
    /// Noise variance.
    pub noise: f64,
}

impl Hyperparameters {
    pub(super) fn logs(&self) -> Vec<f64> {
        let rest = [self.constant, self.signal, self.noise];
        self.scales.iter().chain(&rest).map(|value| value.ln()).collect()
    }

    pub(super) fn of_logs(logs: &[f64]) -> Self {
        let groups = logs.len() - 3;
        let value = |index: usize| logs[index].exp();
        let scales = (0..groups).map(value).collect();
        Self {
            scales,
            constant: value(groups),
            signal: value(groups + 1),
            noise: value(groups + 2),
        }
    }
}

/// The priors of all parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Priors {
    /// Of every input scale.
    pub scales: Prior,
    /// Of the constant's scale.
    pub constant: Prior,
    /// Of the signal variance.
    pub signal: Prior,
    /// Of the noise variance.
    pub noise: Prior,
}

impl Priors {
    pub(super) fn list(&self, groups: usize) -> Vec<Prior> {
        let mut list = vec![self.scales; groups];
        list.extend([self.constant, self.signal, self.noise]);
        list
    }

    /// The medians: what is believed before anything is observed.
    pub fn medians(&self, groups: usize) -> Hyperparameters {
        let [constant, signal, noise] = [self.constant, self.signal, self.noise].map(|prior| prior.median);
        Hyperparameters {
            scales: vec![self.scales.median; groups],
            constant,
            signal,
            noise,
        }
    }
}

/// The coordinates as the scales see them.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouping {
    /// The group whose scale a coordinate has.
    pub group: Vec<usize>,
    /// What its scale is multiplied by.
    pub base: Vec<f64>,
    /// How many groups there are.
    pub count: usize,
}

impl Grouping {
    /// The weights of all coordinates, the constant's last.
    pub fn weights(&self, parameters: &Hyperparameters) -> Vec<f64> {
        let weight = |(group, base): (&usize, &f64)| parameters.scales[*group] * base;
        self.group
            .iter()
            .zip(&self.base)
            .map(weight)
            .chain([parameters.constant])
            .collect()
    }
}
