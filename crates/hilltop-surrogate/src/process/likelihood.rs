//! How probable the observations are under given scales, signal and noise: the posterior density of these, with gradient.
//!
//! Parameters are logarithms: of the input scales (coordinates of one group share theirs), of the constant's scale, of the
//! signal variance, of the noise variance. Each has a log-normal prior. The gradient never forms a matrix for a
//! scale: with `M = ½(K⁻¹ − ααᵀ)` and the profile's partial derivatives, all of them are one product `(M∘F_q)X` and one
//! vector of row sums.

use std::sync::Arc;

use faer::dyn_stack::MemBuffer;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use hilltop_core::Lbfgs;

use super::embedded::Embedded;
use super::factor::{NUGGET, factorise, inverse_into, inverse_scratch, solve};
use super::parameters::{Grouping, Hyperparameters, Prior, Priors};
use super::profile::{Part, Partials, Profile};
use super::pull::pull;

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
    /// Each value's share of the noise.
    pub shares: &'a [f64],
    /// Groups that do not count: their scales are the smallest allowed.
    pub left_out: Vec<usize>,
}

/// The matrices of one evaluation, kept for the next: fresh memory costs as much as the arithmetic on it.
struct Workspace {
    products: Mat<f64>,
    partials: Partials,
    gram: Mat<f64>,
    pull: Mat<f64>,
    scratch: MemBuffer,
}

impl Workspace {
    fn new(count: usize) -> Self {
        let square = || Mat::zeros(count, count);
        let partials = Partials::zeros(count, count);
        Self {
            products: square(),
            partials,
            gram: square(),
            pull: square(),
            scratch: inverse_scratch(count),
        }
    }
}

impl Likelihood<'_> {
    /// What is believed of each parameter beforehand.
    fn beliefs(&self) -> Vec<Prior> {
        let mut list = self.priors.list(self.grouping.count);
        for &group in &self.left_out {
            list[group] = Prior::fixed(list[group].low);
        }
        list
    }

    /// The most probable parameters that descent from `start` leads to, with their cost.
    pub fn maximise(&self, start: &Hyperparameters, search: &Lbfgs) -> (Hyperparameters, f64) {
        let priors = self.beliefs();
        let low: Vec<f64> = priors.iter().map(|prior| prior.low.ln()).collect();
        let high: Vec<f64> = priors.iter().map(|prior| prior.high.ln()).collect();
        let mut workspace = Workspace::new(self.values.len());
        let cost = |logs: &[f64], slopes: &mut [f64]| self.evaluate(logs, slopes, &mut workspace);
        let found = search.minimise(&start.logs(), &low, &high, cost);
        (Hyperparameters::of_logs(&found.point), found.value)
    }

    /// The negative logarithm of the posterior density at log-parameters, up to a constant, with its gradient.
    /// Infinite where the kernel matrix has no factor.
    pub fn cost(&self, logs: &[f64], slopes: &mut [f64]) -> f64 {
        self.evaluate(logs, slopes, &mut Workspace::new(self.values.len()))
    }

    fn evaluate(&self, logs: &[f64], slopes: &mut [f64], workspace: &mut Workspace) -> f64 {
        let parameters = Hyperparameters::of_logs(logs);
        let weights = self.grouping.weights(&parameters);
        let embedded = Embedded::new(self.profile.as_ref(), self.points, &weights);
        slopes.fill(0.0);
        let Some(alpha) = self.factorise(&parameters, &embedded, workspace) else {
            return f64::INFINITY;
        };
        let data = 0.5 * dot(self.values, &alpha) + half_log_determinant(&workspace.gram);
        inverse_into(workspace.gram.as_ref(), workspace.pull.as_mut(), &mut workspace.scratch);
        subtract_outer(&mut workspace.pull, &alpha);
        self.slopes(&parameters, &embedded, workspace, slopes);
        self.beliefs().iter().enumerate().fold(data, |sum, (index, prior)| {
            let (cost, slope) = prior.cost(logs[index]);
            slopes[index] += slope;
            sum + cost
        })
    }

    /// Kernel matrix and derivatives, the factor in `gram`, and `α = K⁻¹y`.
    fn factorise(&self, parameters: &Hyperparameters, points: &Embedded, work: &mut Workspace) -> Option<Vec<f64>> {
        points.own_products_into(work.products.as_mut());
        let (tables, products) = (&points.tables, work.products.as_ref());
        self.profile
            .partials(tables, tables, Part::Lower, products, &mut work.partials);
        for j in 0..self.values.len() {
            let values = &work.partials.value.col_as_slice(j)[j..];
            let entries = &mut work.gram.col_as_slice_mut(j)[j..];
            entries
                .iter_mut()
                .zip(values)
                .for_each(|(entry, value)| *entry = parameters.signal * value);
            entries[0] = (1.0 + NUGGET) * parameters.signal * tables.value[j] + parameters.noise * self.shares[j];
        }
        factorise(work.gram.as_mut()).then(|| solve(work.gram.as_ref(), self.values))
    }

    /// Adds the gradient of the data term; `pull` is `K⁻¹ − ααᵀ` on and below the diagonal.
    fn slopes(&self, parameters: &Hyperparameters, points: &Embedded, workspace: &mut Workspace, slopes: &mut [f64]) {
        let (groups, features) = (self.grouping.count, &points.features);
        let own = |(j, share): (usize, &f64)| workspace.pull[(j, j)] * share;
        let noisy: f64 = self.shares.iter().enumerate().map(own).sum();
        let sums = pull(&mut workspace.pull, &workspace.partials, &points.tables);
        slopes[groups + 1] += 0.5 * parameters.signal * sums.value;
        slopes[groups + 2] += 0.5 * parameters.noise * noisy;
        let mut image = Mat::zeros(features.nrows(), features.ncols());
        matmul(&mut image, Accum::Replace, &workspace.pull, features, 1.0, Par::Seq);
        for j in 0..features.ncols() {
            let (feature, image) = (features.col_as_slice(j), image.col_as_slice(j));
            let terms = feature
                .iter()
                .zip(image)
                .zip(&sums.norm)
                .map(|((x, y), own)| 2.0 * x * y + own * x * x);
            let index = self.grouping.group.get(j).copied().unwrap_or(groups);
            slopes[index] += parameters.signal * terms.sum::<f64>();
        }
    }
}

fn half_log_determinant(lower: &Mat<f64>) -> f64 {
    (0..lower.nrows()).map(|i| lower[(i, i)].ln()).sum()
}

fn subtract_outer(matrix: &mut Mat<f64>, alpha: &[f64]) {
    for j in 0..alpha.len() {
        let column = &mut matrix.col_as_slice_mut(j)[j..];
        column
            .iter_mut()
            .zip(&alpha[j..])
            .for_each(|(entry, a)| *entry -= a * alpha[j]);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
