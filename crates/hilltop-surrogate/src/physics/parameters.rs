//! The parameters of a process with equations, and how they are found: by what the equations let expect of the
//! observations.
//!
//! An equation with a right-hand side is data: the parameters are those under which its values and the observations are most
//! probable. An equation without one (`Δf = 0`) would praise any function that is small or flat, so there only
//! what is expected of the observations *after* the equation counts, `p(y | u)`; the factor of the joint covariance has both.

use faer::MatRef;
use hilltop_core::{Lbfgs, Space};
use serde::{Deserialize, Serialize};

use super::rows::{Law, Rows};
use super::smooth::Smooth;
use crate::ntk::grouping;
use crate::process::{Factor, Grouping, Prior, Standard, subset};

/// Up to so many parameters of a study each has a length scale of its own.
const OWN_LENGTHS: usize = 6;
/// Parameters are fitted to at most so many rows of laws, and so many observations.
const LAWS: usize = 250;
const OBSERVATIONS: usize = 150;
/// At least so many rows of each law that is looked at.
const LEAST: usize = 20;
/// A step of the logarithms for difference quotients.
const STEP: f64 = 1e-4;

/// Everything that is fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Length scales of the product, one a group of coordinates.
    pub lengths: Vec<f64>,
    /// The length scale of the sum.
    pub alone: f64,
    /// The variance of the product.
    pub product: f64,
    /// The variance of the sum.
    pub sum: f64,
    /// The noise variance of standardised values.
    pub noise: f64,
    /// The doubt in the equations.
    pub slack: f64,
}

impl Parameters {
    /// What is searched: the logarithm of the middle of the length scales, how far each lies from it, and the logarithms of the
    /// rest.
    fn logs(&self) -> Vec<f64> {
        let own: Vec<f64> = self.lengths.iter().map(|length| length.ln()).collect();
        let middle = own.iter().sum::<f64>() / own.len().max(1) as f64;
        let apart = own.iter().map(|log| log - middle);
        let rest = [self.alone, self.product, self.sum, self.noise, self.slack];
        std::iter::once(middle).chain(apart).chain(rest.map(f64::ln)).collect()
    }

    fn of_logs(logs: &[f64]) -> Self {
        let groups = logs.len() - 6;
        let value = |index: usize| logs[groups + 1 + index].exp();
        Self {
            lengths: logs[1..=groups].iter().map(|log| (logs[0] + log).exp()).collect(),
            alone: value(0),
            product: value(1),
            sum: value(2),
            noise: value(3),
            slack: value(4),
        }
    }

    /// Whether every number is one that can be.
    pub fn is_sound(&self) -> bool {
        let mut logs = self.logs().into_iter();
        logs.all(f64::is_finite)
    }
}

/// Parameters, and to how many observations they were fitted; to none where there are too few for a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// How many observations.
    pub count: Option<usize>,
    /// The parameters.
    pub parameters: Parameters,
}

/// The coordinates as the kernel sees them, and what is believed of its parameters beforehand.
#[derive(Clone, Debug)]
pub struct Form {
    grouping: Grouping,
    priors: Vec<Prior>,
    additive: bool,
}

impl Form {
    /// The form of a space; without equations nothing is known of the doubt in them.
    pub fn new(space: &Space, lawful: bool) -> Self {
        let mut grouping = grouping(space);
        let dim = grouping.count.max(1) as f64;
        if grouping.count > OWN_LENGTHS {
            grouping.group.iter_mut().for_each(|group| *group = 0);
            grouping.count = 1;
        }
        let prior = |median: f64, spread: f64, low: f64, high: f64| Prior {
            median,
            spread,
            below: spread,
            low,
            high,
        };
        let additive = dim > 1.0;
        let apart = if grouping.count > 1 {
            prior(1.0, 0.4, 0.1, 10.0)
        } else {
            Prior::fixed(1.0)
        };
        let mut priors = vec![prior(0.4 * dim.sqrt(), 1.2, 5e-3, 50.0)];
        priors.extend(std::iter::repeat_n(apart, grouping.count));
        priors.extend([
            if additive {
                prior(0.4, 1.2, 5e-3, 50.0)
            } else {
                Prior::fixed(1.0)
            },
            prior(1.0, 2.0, 1e-4, 1e6),
            if additive {
                prior(1.0, 2.0, 1e-4, 1e6)
            } else {
                Prior::fixed(1e-12)
            },
            prior(1e-6, 3.0, 1e-9, 1.0),
            if lawful {
                prior(1e-9, 4.0, 1e-13, 1.0)
            } else {
                Prior::fixed(1e-6)
            },
        ]);
        Self {
            grouping,
            priors,
            additive,
        }
    }

    /// What is believed before the first fit.
    pub fn medians(&self) -> Parameters {
        Parameters::of_logs(&self.priors.iter().map(|prior| prior.median.ln()).collect::<Vec<_>>())
    }

    /// Whether parameters are of this form.
    pub fn suits(&self, parameters: &Parameters) -> bool {
        parameters.lengths.len() == self.grouping.count && parameters.is_sound()
    }

    /// The kernel of parameters.
    pub fn kernel(&self, parameters: &Parameters) -> Smooth {
        let Grouping { group, base, .. } = &self.grouping;
        let lengths = group
            .iter()
            .zip(base)
            .map(|(group, base)| parameters.lengths[*group] / base);
        Smooth {
            lengths: lengths.collect(),
            alone: base.iter().map(|base| parameters.alone / base).collect(),
            product: parameters.product,
            sum: if self.additive { parameters.sum } else { 0.0 },
        }
    }

    /// The most probable parameters that descent from the best of a few starts leads to.
    pub fn fit(&self, laws: &[Law], points: MatRef<'_, f64>, values: &[f64], start: &Parameters) -> Parameters {
        let sample = Sample::new(laws, points, values);
        let low: Vec<f64> = self.priors.iter().map(|prior| prior.low.ln()).collect();
        let high: Vec<f64> = self.priors.iter().map(|prior| prior.high.ln()).collect();
        let starts = self.starts(start);
        let costs = starts.iter().map(|start| self.cost(&sample, start));
        let best = costs.zip(&starts).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, start)) = best else { return start.clone() };
        let search = Lbfgs {
            iterations: 25,
            progress: 3e-4,
            gradient: 5e-2,
            ..Lbfgs::default()
        };
        let cost = |logs: &[f64], slopes: &mut [f64]| self.cost_and_slopes(&sample, logs, slopes);
        Parameters::of_logs(&search.minimise(start, &low, &high, cost).point)
    }

    /// Where a fit may start: at the parameters so far, and where things change at other speeds.
    fn starts(&self, previous: &Parameters) -> Vec<Vec<f64>> {
        let groups = self.grouping.count;
        let mut starts = vec![previous.logs()];
        let medians = self.medians().logs();
        for speed in [1.0_f64, 0.4, 0.15, 0.05] {
            for along in [1.0_f64, 0.3, 0.1] {
                let mut start = medians.clone();
                start[0] += speed.ln();
                start[groups + 1] += if self.additive { along.ln() } else { 0.0 };
                starts.push(start);
                if !self.additive {
                    break;
                }
            }
        }
        starts
    }

    fn cost_and_slopes(&self, sample: &Sample, logs: &[f64], slopes: &mut [f64]) -> f64 {
        let value = self.cost(sample, logs);
        let mut moved = logs.to_vec();
        for (i, slope) in slopes.iter_mut().enumerate() {
            let fixed = self.priors[i].low >= self.priors[i].high;
            *slope = 0.0;
            if !fixed && value.is_finite() {
                moved[i] = logs[i] + STEP;
                *slope = (self.cost(sample, &moved) - value) / STEP;
                moved[i] = logs[i];
            }
        }
        value
    }

    /// The negative logarithm of the posterior density of parameters, up to a constant.
    fn cost(&self, sample: &Sample, logs: &[f64]) -> f64 {
        let prior: f64 = self
            .priors
            .iter()
            .zip(logs)
            .map(|(prior, log)| prior.cost(*log).0)
            .sum();
        let parameters = Parameters::of_logs(logs);
        prior
            + sample
                .cost(&self.kernel(&parameters), &parameters)
                .unwrap_or(f64::INFINITY)
    }
}

/// The rows that parameters are fitted to.
struct Sample {
    blocks: Vec<Rows>,
    wanted: Vec<f64>,
    lawful: usize,
    homogeneous: bool,
}

/// Which laws parameters are fitted to, and at how many points each: rather few laws at many points, because what changes fast
/// is not seen at few.
fn shares(laws: &[Law]) -> Vec<(&Law, usize)> {
    let most = (LAWS / LEAST).max(1);
    let stride = laws.len().div_ceil(most).max(1);
    let chosen: Vec<&Law> = laws.iter().step_by(stride).collect();
    let count = LAWS / chosen.len().max(1);
    chosen
        .into_iter()
        .map(|law| (law, count.min(law.targets.len())))
        .collect()
}

impl Sample {
    fn new(laws: &[Law], points: MatRef<'_, f64>, values: &[f64]) -> Self {
        let standard = Standard::of(values);
        let (mut blocks, mut wanted) = (Vec::new(), Vec::new());
        for (law, count) in shares(laws) {
            let targets = law.standardised(standard.offset, standard.scale);
            let chosen: Vec<usize> = (0..count).map(|k| k * targets.len() / count).collect();
            wanted.extend(chosen.iter().map(|&i| targets[i]));
            blocks.push(law.rows.selected(&chosen));
        }
        let lawful = wanted.len();
        let homogeneous = laws.iter().all(|law| law.targets.iter().all(|target| *target == 0.0));
        let observed = subset(values, OBSERVATIONS);
        let inner = standard.inward(values);
        wanted.extend(observed.iter().map(|&i| inner[i]));
        blocks.push(Rows::values(points).selected(&observed));
        Self {
            blocks,
            wanted,
            lawful,
            homogeneous,
        }
    }

    fn cost(&self, kernel: &Smooth, parameters: &Parameters) -> Option<f64> {
        let blocks: Vec<&Rows> = self.blocks.iter().collect();
        let mut gram = kernel.gram(&blocks);
        let deviations: Vec<f64> = (0..gram.nrows())
            .map(|i| if i < self.lawful { gram[(i, i)].sqrt() } else { 1.0 })
            .collect();
        for j in 0..gram.ncols() {
            for i in j..gram.nrows() {
                gram[(i, j)] /= deviations[i] * deviations[j];
            }
            let doubt = if j < self.lawful {
                parameters.slack
            } else {
                parameters.noise
            };
            gram[(j, j)] = gram[(j, j)] * (1.0 + 1e-12) + doubt;
        }
        let factor = Factor::exactly(gram, 0.0)?;
        let mut wanted = faer::Mat::from_fn(self.wanted.len(), 1, |i, _| self.wanted[i] / deviations[i]);
        factor.forward(wanted.as_mut());
        let first = if self.homogeneous { self.lawful } else { 0 };
        let jacobian: f64 = deviations[first..].iter().map(|deviation| deviation.ln()).sum();
        let own = |i: usize| 0.5 * wanted[(i, 0)].powi(2) + factor.lower()[(i, i)].ln();
        let cost = jacobian + (first..self.wanted.len()).map(own).sum::<f64>();
        cost.is_finite().then_some(cost)
    }
}
