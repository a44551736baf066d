//! `cma-es`: covariance matrix adaptation, the classic of evolutionary search.
//!
//! Asks nothing of the problem but values that can be ranked; a failed evaluation ranks last.
//!
//! N. Hansen, *The CMA Evolution Strategy: A Tutorial* (2016), with its default constants, positive weights only.
//!
//! Departs from the tutorial in two ways. The state is a fold over the history, so that a study continues after a
//! crash: generation `g` is the `g`-th run of λ settled trials. And the search lives in the unit cube: coordinates
//! that leave it are reflected, and the reflected point is what the update sees.

use faer::{Mat, Side};
use hilltop_acquire::maximiser::Known;
use hilltop_acquire::{Design, Layout};
use hilltop_core::{Error, History, Proposer, Query, Result, Rng};
use serde::{Deserialize, Serialize};

use crate::composite::one_by_one;

/// The settings of `cma-es`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CmaEs {
    /// Offspring a generation; by default `4 + ⌊3 ln d⌋`.
    pub population: Option<usize>,
    /// The first step size, as a share of a parameter's range.
    pub step: f64,
}

impl Default for CmaEs {
    fn default() -> Self {
        Self {
            population: None,
            step: 0.3,
        }
    }
}

impl CmaEs {
    /// Refuses settings that cannot work.
    pub fn check(&self) -> Result<()> {
        let refuse = |setting: &str, value: String, allowed: &str| {
            Err(Error::Setting {
                setting: setting.into(),
                value,
                allowed: allowed.into(),
            })
        };
        if self
            .population
            .is_some_and(|population| !(2..=100_000).contains(&population))
        {
            return refuse("population", format!("{:?}", self.population), "2 to 100000");
        }
        if !(self.step > 0.0 && self.step <= 1.0) {
            return refuse("step", self.step.to_string(), "above 0, at most 1");
        }
        Ok(())
    }
}

impl CmaEs {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        self.check()?;
        Ok(Box::new(Evolution::new(self.clone())))
    }
}

/// The proposer: settings, and the state of the generations folded so far as a cache.
pub(crate) struct Evolution {
    settings: CmaEs,
    folded: Option<Folded>,
}

struct Folded {
    generations: Vec<Vec<u64>>,
    state: State,
}

impl Evolution {
    pub(crate) fn new(settings: CmaEs) -> Self {
        Self { settings, folded: None }
    }

    /// The state after every whole generation of the history.
    fn state(&mut self, history: &History) -> Result<&State> {
        let constants = Constants::new(history.space().dim(), self.settings.population);
        let settled = settled(history);
        let generations: Vec<&[Settled<'_>]> = settled.chunks_exact(constants.offspring).collect();
        let names = |generation: &[Settled<'_>]| generation.iter().map(|one| one.trial).collect::<Vec<_>>();
        let fresh = || Folded {
            generations: Vec::new(),
            state: State::new(&constants, self.settings.step),
        };
        let mut folded = self.folded.take().unwrap_or_else(fresh);
        let prefix = folded
            .generations
            .iter()
            .zip(&generations)
            .all(|(old, new)| *old == names(new));
        if !prefix || folded.generations.len() > generations.len() {
            folded = fresh();
        }
        for generation in &generations[folded.generations.len()..] {
            folded.state.update(&constants, generation)?;
            folded.generations.push(names(generation));
        }
        Ok(&self.folded.insert(folded).state)
    }
}

impl Proposer for Evolution {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        let state = self.state(history)?;
        one_by_one(history, count, |history| offspring(state, history).map(Query::from))
    }
}

/// How often another offspring is drawn in place of one that is forbidden or known already.
const ATTEMPTS: usize = 100;

/// A point of the search distribution that may be evaluated; where there is none, one of what is left of the space.
fn offspring(state: &State, history: &History) -> Result<Vec<f64>> {
    let (space, trial) = (history.space(), history.next_trial());
    let mut rng = history.rng(trial);
    let known = Known::new(history.known_points());
    for _ in 0..ATTEMPTS {
        let mut point = state.sample(&mut rng);
        space.project(&mut point);
        let sound = space.satisfies(&point) || space.repair(&mut point, &mut rng);
        if sound && (history.is_noisy() || !known.contains(&point)) {
            return Ok(point);
        }
    }
    Design {
        kind: Layout::Uniform,
        count: None,
    }
    .propose(history, trial)
}

/// A trial that ended, with the rank that its result deserves.
struct Settled<'a> {
    trial: u64,
    point: &'a [f64],
    rank: (f64, f64),
}

/// Every settled trial in the order of their numbers; failures rank last.
fn settled(history: &History) -> Vec<Settled<'_>> {
    let observed = (0..history.len()).map(|index| Settled {
        trial: history.trials()[index],
        point: history.points().row(index),
        rank: (history.violation(index), history.objective()[index]),
    });
    let worst = (f64::INFINITY, f64::INFINITY);
    let failed = history.failures().iter().map(|failure| Settled {
        trial: failure.trial,
        point: &failure.point,
        rank: worst,
    });
    let mut settled: Vec<Settled<'_>> = observed.chain(failed).collect();
    settled.sort_by_key(|one| one.trial);
    settled
}

/// The strategy's constants (tutorial, Table 1).
struct Constants {
    dim: usize,
    offspring: usize,
    weights: Vec<f64>,
    effective: f64,
    c_sigma: f64,
    d_sigma: f64,
    c_path: f64,
    c_one: f64,
    c_mu: f64,
    expected_norm: f64,
}

impl Constants {
    fn new(dim: usize, population: Option<usize>) -> Self {
        let d = dim.max(1) as f64;
        let offspring = population.unwrap_or(4 + (3.0 * d.ln()).floor() as usize);
        let raw: Vec<f64> = (1..=offspring / 2)
            .map(|i| (offspring as f64 / 2.0 + 0.5).ln() - (i as f64).ln())
            .collect();
        let total: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / total).collect();
        let effective = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();
        let c_sigma = (effective + 2.0) / (d + effective + 5.0);
        let c_one = 2.0 / ((d + 1.3).powi(2) + effective);
        let c_mu = (2.0 * (effective - 2.0 + 1.0 / effective) / ((d + 2.0).powi(2) + effective)).min(1.0 - c_one);
        Self {
            dim,
            offspring,
            d_sigma: 1.0 + 2.0 * (((effective - 1.0) / (d + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma,
            c_path: (4.0 + effective / d) / (d + 4.0 + 2.0 * effective / d),
            expected_norm: d.sqrt() * (1.0 - 1.0 / (4.0 * d) + 1.0 / (21.0 * d * d)),
            weights,
            effective,
            c_sigma,
            c_one,
            c_mu,
        }
    }
}

/// The search distribution `N(mean, step² C)` and its evolution paths.
struct State {
    mean: Vec<f64>,
    step: f64,
    covariance: Mat<f64>,
    /// `B D`: eigenvectors scaled by the roots of their eigenvalues.
    root: Mat<f64>,
    /// `C^{-1/2}`.
    inverse_root: Mat<f64>,
    path_step: Vec<f64>,
    path_covariance: Vec<f64>,
    generation: u64,
}

impl State {
    fn new(constants: &Constants, step: f64) -> Self {
        let identity = || Mat::identity(constants.dim, constants.dim);
        Self {
            mean: vec![0.5; constants.dim],
            step,
            covariance: identity(),
            root: identity(),
            inverse_root: identity(),
            path_step: vec![0.0; constants.dim],
            path_covariance: vec![0.0; constants.dim],
            generation: 0,
        }
    }

    fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        let mut normal = vec![0.0; self.mean.len()];
        rng.normals(&mut normal);
        let shift = times(&self.root, &normal);
        self.mean
            .iter()
            .zip(shift)
            .map(|(mean, shift)| reflected(mean + self.step * shift))
            .collect()
    }

    /// One generation (tutorial, equations 38 to 47).
    fn update(&mut self, constants: &Constants, generation: &[Settled<'_>]) -> Result<()> {
        let mut order: Vec<&Settled<'_>> = generation.iter().collect();
        order.sort_by(|a, b| a.rank.0.total_cmp(&b.rank.0).then(a.rank.1.total_cmp(&b.rank.1)));
        let steps: Vec<Vec<f64>> = order
            .iter()
            .take(constants.weights.len())
            .map(|one| self.step_to(one.point))
            .collect();
        let mut shift = vec![0.0; constants.dim];
        for (step, weight) in steps.iter().zip(&constants.weights) {
            shift
                .iter_mut()
                .zip(step)
                .for_each(|(total, part)| *total += weight * part);
        }
        self.generation += 1;
        let keeps = self.update_paths(constants, &shift);
        self.update_covariance(constants, &steps, keeps);
        self.mean
            .iter_mut()
            .zip(&shift)
            .for_each(|(mean, part)| *mean += self.step * part);
        let length = norm(&self.path_step);
        let growth = (constants.c_sigma / constants.d_sigma) * (length / constants.expected_norm - 1.0);
        self.step = (self.step * growth.min(1.0).exp()).clamp(1e-12, 1.0);
        self.decompose()
    }

    fn step_to(&self, point: &[f64]) -> Vec<f64> {
        point
            .iter()
            .zip(&self.mean)
            .map(|(x, mean)| (x - mean) / self.step)
            .collect()
    }

    /// Moves both paths; whether the covariance's is kept moving (the tutorial's `h_σ`).
    fn update_paths(&mut self, constants: &Constants, shift: &[f64]) -> bool {
        let c = constants.c_sigma;
        let gain = (c * (2.0 - c) * constants.effective).sqrt();
        let whitened = times(&self.inverse_root, shift);
        self.path_step
            .iter_mut()
            .zip(whitened)
            .for_each(|(path, part)| *path = (1.0 - c) * *path + gain * part);
        let fading = (1.0 - (1.0 - c).powf(2.0 * self.generation as f64)).sqrt();
        let limit = (1.4 + 2.0 / (constants.dim as f64 + 1.0)) * constants.expected_norm;
        let keeps = norm(&self.path_step) / fading < limit;
        let c = constants.c_path;
        let gain = if keeps {
            (c * (2.0 - c) * constants.effective).sqrt()
        } else {
            0.0
        };
        self.path_covariance
            .iter_mut()
            .zip(shift)
            .for_each(|(path, part)| *path = (1.0 - c) * *path + gain * part);
        keeps
    }

    fn update_covariance(&mut self, constants: &Constants, steps: &[Vec<f64>], keeps: bool) {
        let lost = if keeps {
            0.0
        } else {
            constants.c_path * (2.0 - constants.c_path)
        };
        let old = 1.0 - constants.c_one * (1.0 - lost) - constants.c_mu;
        let path = &self.path_covariance;
        for column in 0..constants.dim {
            for row in 0..constants.dim {
                let rank_mu: f64 = steps
                    .iter()
                    .zip(&constants.weights)
                    .map(|(step, weight)| weight * step[row] * step[column])
                    .sum();
                let entry = &mut self.covariance[(row, column)];
                *entry = old * *entry + constants.c_one * path[row] * path[column] + constants.c_mu * rank_mu;
            }
        }
    }

    fn decompose(&mut self) -> Result<()> {
        let eigen = self
            .covariance
            .self_adjoint_eigen(Side::Lower)
            .map_err(|error| Error::Numerical {
                what: "the covariance's decomposition",
                detail: format!("{error:?}"),
            })?;
        let (vectors, values) = (eigen.U(), eigen.S().column_vector());
        let dim = self.mean.len();
        let deviation: Vec<f64> = (0..dim).map(|k| values[k].max(1e-20).sqrt()).collect();
        self.root = Mat::from_fn(dim, dim, |row, column| vectors[(row, column)] * deviation[column]);
        let scaled = Mat::from_fn(dim, dim, |row, column| vectors[(row, column)] / deviation[column]);
        self.inverse_root = &scaled * vectors.transpose();
        Ok(())
    }
}

fn times(matrix: &Mat<f64>, vector: &[f64]) -> Vec<f64> {
    (0..matrix.nrows())
        .map(|row| (0..vector.len()).map(|k| matrix[(row, k)] * vector[k]).sum())
        .collect()
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Folds the real line onto `[0, 1]` as mirrors at both ends would.
fn reflected(x: f64) -> f64 {
    let period = x.rem_euclid(2.0);
    if period > 1.0 { 2.0 - period } else { period }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use hilltop_core::{Goal, Output, Space};

    use super::*;

    fn sphere_after(evaluations: u64, seed: u64) -> (f64, Evolution, History) {
        let space = Arc::new(Space::unit_box(5));
        let outputs = [Output {
            name: "y".into(),
            goal: Goal::Minimize,
        }];
        let mut history = History::new(space, outputs.into(), seed);
        let mut evolution = Evolution::new(CmaEs::default());
        for trial in 0..evaluations {
            let point = evolution.propose(&history, 1).unwrap().remove(0).point;
            let value: f64 = point.iter().map(|x| (x - 0.3).powi(2)).sum();
            history.observe(trial, &point, &[value]);
        }
        let best = history.objective()[history.best().unwrap()];
        (best, evolution, history)
    }

    #[test]
    fn the_sphere_is_solved_to_a_millionth() {
        let mut gaps: Vec<f64> = (0..5).map(|seed| sphere_after(800, seed).0).collect();
        gaps.sort_by(f64::total_cmp);
        assert!(gaps[2] < 1e-6, "{gaps:?}");
    }

    #[test]
    fn dropping_the_cache_changes_no_proposal() {
        let (_, mut evolution, history) = sphere_after(100, 3);
        let cached = evolution.propose(&history, 3).unwrap();
        let fresh = Evolution::new(CmaEs::default()).propose(&history, 3).unwrap();
        assert_eq!(cached, fresh);
    }

    #[test]
    fn reflection_stays_in_the_cube_and_leaves_the_inside_alone() {
        assert!((reflected(-0.2) - 0.2).abs() < 1e-15);
        assert!((reflected(1.3) - 0.7).abs() < 1e-15);
        assert!((reflected(0.4) - 0.4).abs() < 1e-15);
    }
}
