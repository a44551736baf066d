//! How probable the observations are under given scales, signal and noise: the posterior density of these, with gradient.
//!
//! Parameters are logarithms: of the input scales (coordinates of one group share theirs), of the constant's scale, of the
//! signal variance, of the noise variance. Each has a log-normal prior. The gradient never forms a matrix for a
//! scale: with `M = ½(K⁻¹ − ααᵀ)` and the profile's partial derivatives, all of them are one product `(M∘F_q)X` and one
//! vector of row sums.

use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use hilltop_core::Lbfgs;
use serde::{Deserialize, Serialize};

use super::factor::{Factor, inverse};
use super::inner::Embedded;
use super::profile::{Part, Partials, Profile};

/// What is believed of a parameter before anything is observed, and where it may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// The median.
    pub median: f64,
    /// The deviation of the logarithm.
    pub spread: f64,
    /// The smallest value allowed.
    pub low: f64,
    /// The largest value allowed.
    pub high: f64,
}

impl Prior {
    /// A parameter that is known.
    pub fn fixed(value: f64) -> Self {
        Self { median: value, spread: 1.0, low: value, high: value }
    }

    /// The negative logarithm of the density at a log-parameter, up to a constant, and its derivative.
    fn cost(&self, log: f64) -> (f64, f64) {
        let distance = (log - self.median.ln()) / self.spread;
        (0.5 * distance * distance, distance / self.spread)
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
    fn logs(&self) -> Vec<f64> {
        let rest = [self.constant, self.signal, self.noise];
        self.scales.iter().chain(&rest).map(|value| value.ln()).collect()
    }

    fn of_logs(logs: &[f64]) -> Self {
        let groups = logs.len() - 3;
        let value = |index: usize| logs[index].exp();
        let scales = (0..groups).map(value).collect();
        Self { scales, constant: value(groups), signal: value(groups + 1), noise: value(groups + 2) }
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
    fn list(&self, groups: usize) -> Vec<Prior> {
        let mut list = vec![self.scales; groups];
        list.extend([self.constant, self.signal, self.noise]);
        list
    }

    /// The medians: what is believed before anything is observed.
    pub fn medians(&self, groups: usize) -> Hyperparameters {
        let [constant, signal, noise] = [self.constant, self.signal, self.noise].map(|prior| prior.median);
        Hyperparameters { scales: vec![self.scales.median; groups], constant, signal, noise }
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
        self.group.iter().zip(&self.base).map(weight).chain([parameters.constant]).collect()
    }
}

/// The posterior density of parameters given observations.
pub struct Likelihood<'a> {
    /// The kernel.
    pub profile: Arc<dyn Profile>,
    /// Encoded points, one a row.
    pub points: MatRef<'a, f64>,
    /// Standardised values.
    pub values: &'a [f64],
    /// Which coordinates share a scale.
    pub grouping: &'a Grouping,
    /// What is believed beforehand.
    pub priors: &'a Priors,
}

impl Likelihood<'_> {
    /// The most probable parameters that descent from `start` leads to, with their cost.
    pub fn maximise(&self, start: &Hyperparameters, search: &Lbfgs) -> (Hyperparameters, f64) {
        let priors = self.priors.list(self.grouping.count);
        let low: Vec<f64> = priors.iter().map(|prior| prior.low.ln()).collect();
        let high: Vec<f64> = priors.iter().map(|prior| prior.high.ln()).collect();
        let found = search.minimise(&start.logs(), &low, &high, |logs, slopes| self.cost(logs, slopes));
        (Hyperparameters::of_logs(&found.point), found.value)
    }

    /// The negative logarithm of the posterior density at log-parameters, up to a constant, with its gradient.
    /// Infinite where the kernel matrix has no factor.
    pub fn cost(&self, logs: &[f64], slopes: &mut [f64]) -> f64 {
        let parameters = Hyperparameters::of_logs(logs);
        let weights = self.grouping.weights(&parameters);
        let embedded = Embedded::new(self.profile.as_ref(), self.points, &weights);
        let products = embedded.own_products();
        let tables = &embedded.tables;
        let partials = self.profile.partials(tables, tables, Part::Lower, products.as_ref());
        drop(products);
        slopes.fill(0.0);
        let Some(factor) = Factor::exactly(scaled(&partials.value, &embedded, &parameters), 0.0) else {
            return f64::INFINITY;
        };
        let alpha = factor.solve(self.values);
        let data = 0.5 * dot(self.values, &alpha) + factor.half_log_determinant();
        let mut pull = inverse(&factor);
        subtract_outer(&mut pull, &alpha);
        self.slopes(&parameters, &weights, &embedded, &partials, pull, slopes);
        self.priors.list(self.grouping.count).iter().enumerate().fold(data, |sum, (index, prior)| {
            let (cost, slope) = prior.cost(logs[index]);
            slopes[index] += slope;
            sum + cost
        })
    }

    /// Adds the gradient of the data term; `pull` is `K⁻¹ − ααᵀ` on and below the diagonal.
    fn slopes(
        &self,
        parameters: &Hyperparameters,
        weights: &[f64],
        embedded: &Embedded,
        partials: &Partials,
        mut pull: Mat<f64>,
        slopes: &mut [f64],
    ) {
        let groups = self.grouping.count;
        let count = pull.nrows();
        let mut own = vec![0.0; count];
        let (mut signal, mut noise) = (0.0, 0.0);
        for j in 0..count {
            let diagonal = pull[(j, j)];
            noise += diagonal;
            signal += diagonal * embedded.tables.value[j];
            own[j] += diagonal * embedded.tables.slope[j];
            pull[(j, j)] = 0.0;
            let entries = &mut pull.col_as_slice_mut(j)[j + 1..];
            let value = &partials.value.col_as_slice(j)[j + 1..];
            let product = &partials.product.col_as_slice(j)[j + 1..];
            let row = &partials.row.col_as_slice(j)[j + 1..];
            let column = &partials.column.col_as_slice(j)[j + 1..];
            let mut sums = [0.0; 2];
            for (i, entry) in entries.iter_mut().enumerate() {
                sums[0] += *entry * value[i];
                sums[1] += *entry * column[i];
                own[j + 1 + i] += 2.0 * *entry * row[i];
                *entry *= product[i];
            }
            signal += 2.0 * sums[0];
            own[j] += 2.0 * sums[1];
        }
        slopes[groups + 1] += 0.5 * parameters.signal * signal;
        slopes[groups + 2] += 0.5 * parameters.noise * noise;
        let mut image = Mat::zeros(count, weights.len());
        matmul(&mut image, Accum::Replace, &pull, &embedded.features, 1.0, Par::Seq);
        for j in 0..weights.len() {
            let (feature, image) = (embedded.features.col_as_slice(j), image.col_as_slice(j));
            let terms = feature.iter().zip(image).zip(&own).map(|((x, y), own)| 2.0 * x * y + own * x * x);
            let index = self.grouping.group.get(j).copied().unwrap_or(groups);
            slopes[index] += parameters.signal * terms.sum::<f64>();
        }
    }
}

/// The kernel matrix of observations: signal times profile plus noise.
fn scaled(profile: &Mat<f64>, embedded: &Embedded, parameters: &Hyperparameters) -> Mat<f64> {
    let mut gram = profile.clone();
    for j in 0..gram.ncols() {
        gram.col_as_slice_mut(j)[j..].iter_mut().for_each(|entry| *entry *= parameters.signal);
        gram[(j, j)] = parameters.signal * embedded.tables.value[j] + parameters.noise;
    }
    gram
}

fn subtract_outer(matrix: &mut Mat<f64>, alpha: &[f64]) {
    for j in 0..alpha.len() {
        let column = &mut matrix.col_as_slice_mut(j)[j..];
        column.iter_mut().zip(&alpha[j..]).for_each(|(entry, a)| *entry -= a * alpha[j]);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
