//! What equations and observations together explain: the block kernel of values and residuals.
//!
//! An equation is observed like a value, at its collocation points: rows of residuals come first, values after them. All is the
//! exact posterior of a Gaussian process conditioned on both (Lemma 5.3.4).

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::physics::Partial;
use hilltop_core::{Result, Rng};

use super::rows::Rows;
use super::smooth::{Plan, Smooth};
use super::waves::Waves;
use crate::process::{Bordered, Condition, Crossing, Crossings, Factor, Field, Variance};

/// What rows of laws are observed with: each has variance one, this much of it is doubt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// The variance by which an equation, measured in its own deviations, may be wrong.
    pub slack: f64,
    /// The noise variance of standardised values.
    pub noise: f64,
}

/// A nugget as a share of a variance: a kernel matrix is known up to rounding.
const NUGGET: f64 = 1e-12;

/// Laws and observed values, and the factor of their covariance.
#[derive(Clone)]
pub struct Informed {
    kernel: Arc<Smooth>,
    laws: Arc<Vec<Rows>>,
    targets: Arc<Vec<f64>>,
    base: Arc<Rows>,
    later: Option<Arc<Rows>>,
    factor: Bordered,
    doubt: Doubt,
}

impl Informed {
    /// The posterior after laws, each scaled to variance one, with their targets in standardised units, and values at points.
    pub fn new(
        kernel: Arc<Smooth>,
        laws: Vec<Rows>,
        targets: Vec<f64>,
        points: MatRef<'_, f64>,
        doubt: Doubt,
    ) -> Result<Self> {
        let base = Rows::values(points);
        let blocks: Vec<&Rows> = laws.iter().chain([&base]).collect();
        let mut gram = kernel.gram(&blocks);
        for i in 0..gram.nrows() {
            let own = if i < targets.len() { doubt.slack } else { doubt.noise };
            gram[(i, i)] = gram[(i, i)] * (1.0 + NUGGET) + own;
        }
        let (factor, jitter) = Factor::nearly(&gram, 0.0)?;
        let doubt = Doubt {
            slack: doubt.slack + jitter,
            noise: doubt.noise + jitter,
        };
        Ok(Self {
            kernel,
            laws: Arc::new(laws),
            targets: Arc::new(targets),
            base: Arc::new(base),
            later: None,
            factor: Bordered::new(Arc::new(factor)),
            doubt,
        })
    }

    /// The same with the laws' right-hand sides replaced: units may change, the covariance does not.
    pub fn retarget(&mut self, targets: Vec<f64>) {
        self.targets = Arc::new(targets);
    }

    /// How many rows are laws.
    pub fn lawful(&self) -> usize {
        self.targets.len()
    }

    fn parts(&self) -> impl Iterator<Item = &Rows> {
        let values = [Some(&*self.base), self.later.as_deref()].into_iter().flatten();
        self.laws.iter().chain(values)
    }

    /// The mean of every derivative of some rows at their points, for weights of all anchors: a row a point.
    pub fn jets(&self, partials: &[Partial], points: MatRef<'_, f64>, weights: &[f64]) -> Mat<f64> {
        let plans: Vec<Vec<Plan>> = self.parts().map(|part| plans(part, partials)).collect();
        let mut out = Mat::zeros(points.nrows(), partials.len());
        for q in 0..points.nrows() {
            let point: Vec<f64> = points.row(q).iter().copied().collect();
            let mut start = 0;
            for (part, plans) in self.parts().zip(&plans) {
                let mut columns = Mat::zeros(part.count(), partials.len());
                self.kernel.columns(part, &point, &each(plans), columns.as_mut());
                for j in 0..partials.len() {
                    let own = weights[start..].iter().zip(columns.col_as_slice(j));
                    out[(q, j)] += own.map(|(weight, value)| weight * value).sum::<f64>();
                }
                start += part.count();
            }
        }
        out
    }
}

impl Condition for Informed {
    fn push(&mut self, point: MatRef<'_, f64>, share: f64) {
        let mut covariances = self.cross(point);
        let variance = self.kernel.product + self.kernel.sum;
        let least = self.doubt.noise * share + NUGGET * variance;
        self.factor.push(covariances.as_mut(), variance + least, least);
        let known = self.later.as_ref().map_or(0, |rows| rows.count());
        let row = |i: usize, j: usize| match &self.later {
            Some(rows) if i < known => rows.points[(i, j)],
            _ => point[(0, j)],
        };
        let points = Mat::from_fn(known + 1, point.ncols(), row);
        self.later = Some(Arc::new(Rows::values(points.as_ref())));
    }

    fn weights(&self, values: &[f64]) -> Vec<f64> {
        let all: Vec<f64> = self.targets.iter().chain(values).copied().collect();
        self.factor.solve(&all)
    }

    fn prior(&self) -> &dyn Variance {
        self.kernel.as_ref()
    }

    fn noise(&self) -> f64 {
        self.doubt.noise
    }

    fn cross(&self, queries: MatRef<'_, f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.factor.count(), queries.nrows());
        let mut start = 0;
        for part in self.parts() {
            self.kernel
                .cross(part, queries, out.as_mut().subrows_mut(start, part.count()));
            start += part.count();
        }
        out
    }

    fn crossing(&self, queries: MatRef<'_, f64>) -> Crossings {
        let part = |rows: &Rows| Box::new(SmoothCrossing::new(&self.kernel, rows, queries)) as Box<dyn Crossing>;
        Crossings(self.parts().map(part).collect())
    }

    fn explained(&self, cross: MatMut<'_, f64>) -> Vec<f64> {
        self.factor.explained(cross)
    }

    fn duals(&self, cross: MatMut<'_, f64>) -> Vec<f64> {
        self.factor.duals(cross)
    }

    /// Matheron's rule, with residuals of the drawn function beside its values.
    fn draw(&self, rng: &mut Rng) -> Result<(Arc<dyn Field>, Vec<f64>)> {
        let waves = Waves::drawn(&self.kernel, rng);
        let mut values: Vec<f64> = self.parts().flat_map(|rows| waves.functionals(rows)).collect();
        for (i, value) in values.iter_mut().enumerate() {
            let doubt = if i < self.lawful() {
                self.doubt.slack
            } else {
                self.doubt.noise
            };
            *value = -(*value + doubt.sqrt() * rng.normal());
        }
        let weights = self.factor.solve(&values);
        Ok((Arc::new(waves), weights))
    }

    fn latest_inverse(&self, count: usize) -> Vec<f64> {
        let values = self.factor.count() - self.lawful();
        self.factor.latest_inverse(count.min(values))
    }

    fn observation(&self, anchor: usize) -> usize {
        anchor - self.lawful()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn Condition> {
        Box::new(self.clone())
    }
}

/// The plans of rows for each of some derivatives alone.
fn plans(rows: &Rows, partials: &[Partial]) -> Vec<Plan> {
    let plan = |partial| Plan::new(rows.points.ncols(), &rows.partials, std::slice::from_ref(partial));
    partials.iter().map(plan).collect()
}

/// Each derivative once.
fn each(plans: &[Plan]) -> Vec<(&Plan, &[f64])> {
    plans.iter().map(|plan| (plan, &[1.0][..])).collect()
}

/// Covariances of rows with values at queries, and their gradients in the queries.
struct SmoothCrossing {
    values: Mat<f64>,
    /// For each query the slopes, a column a coordinate.
    slopes: Vec<Mat<f64>>,
}

impl SmoothCrossing {
    fn new(kernel: &Smooth, rows: &Rows, queries: MatRef<'_, f64>) -> Self {
        let dim = queries.ncols();
        let partials: Vec<Partial> = std::iter::once(Partial::value())
            .chain((0..dim).map(|axis| Partial::of(&[axis])))
            .collect();
        let plans = plans(rows, &partials);
        let mut values = Mat::zeros(rows.count(), queries.nrows());
        let mut slopes = Vec::with_capacity(queries.nrows());
        for q in 0..queries.nrows() {
            let point: Vec<f64> = queries.row(q).iter().copied().collect();
            let mut columns = Mat::zeros(rows.count(), dim + 1);
            kernel.columns(rows, &point, &each(&plans), columns.as_mut());
            values.as_mut().col_mut(q).copy_from(columns.col(0));
            slopes.push(columns);
        }
        Self { values, slopes }
    }
}

impl Crossing for SmoothCrossing {
    fn values(&self) -> MatRef<'_, f64> {
        self.values.as_ref()
    }

    fn gradients(&self, coefficients: MatRef<'_, f64>) -> Mat<f64> {
        let dim = self.slopes.first().map_or(0, |columns| columns.ncols() - 1);
        let slope = |q: usize, axis: usize| {
            let own = self.slopes[q].col_as_slice(axis + 1).iter();
            own.zip(coefficients.col(q).iter()).map(|(slope, c)| slope * c).sum()
        };
        Mat::from_fn(self.slopes.len(), dim, slope)
    }
}

impl Variance for Smooth {
    fn diagonal(&self, points: MatRef<'_, f64>) -> Vec<f64> {
        vec![self.product + self.sum; points.nrows()]
    }

    fn diagonal_slopes(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        (self.diagonal(points), Mat::zeros(points.nrows(), points.ncols()))
    }
}
