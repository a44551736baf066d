//! Where evaluations fail: a process on the depth of points in their region, and the vote of the nearest points.
//!
//! Verdicts are 1 where an evaluation failed and -1 where it did not. A regression on them is cheap, also at ten thousand
//! points, but flat inside a region: it cannot tell its middle from its edge. So the process sees a verdict times the
//! distance to the nearest point of the other verdict, which is zero on the border and grows away from it. It knows the
//! course of the border from few points and blurs it at the scale of its noise. The vote, the logarithm of how much nearer
//! failed points are than others by inverse powers of the distance, knows no scale: between two points that are close it is
//! as sharp as between two that are far apart. A point is as dangerous as the more worried of the two says: `P(failure) = Φ(z)` with `z` the smooth
//! maximum of `μ/√(c²σ² + ν²)` and `κv`, and with the `c` and `κ` that are most probable for the verdicts given what is
//! believed of each without it (after Rasmussen and Williams, 2006, §6.5). As a model that is a hidden quantity of mean `z`
//! and deviation one.

use std::any::Any;
use std::sync::Arc;

use faer::MatRef;
use hilltop_core::{
    Beliefs, Capabilities, Evidence, HeldOut, Lbfgs, Marginals, Model, Paths, Points, Previous, Result, Slopes,
    Surrogate,
};
use serde::{Deserialize, Serialize};

use crate::Ntk;

/// The description of a model of failures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Danger {
    /// The process on the verdicts.
    pub process: Ntk,
}

impl Surrogate for Danger {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        let older = previous
            .model
            .and_then(|model| model.as_any().downcast_ref::<DangerModel>());
        let within = Previous {
            model: older.map(|older| older.process.as_ref()),
            memory: previous.memory,
        };
        let depths = depths(evidence.points, evidence.values);
        let deep = Evidence {
            values: &depths,
            ..*evidence
        };
        let process = self.process.fit(&deep, within)?;
        let polls = Polls {
            points: evidence.points.clone(),
            verdicts: evidence.values.to_vec(),
        };
        let balance = Balance::fitted(&depths, &process.held_out(), &polls);
        let noise = process.marginals().map_or(0.0, Marginals::noise);
        Ok(Arc::new(DangerModel {
            process,
            polls,
            balance,
            noise,
        }))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "danger",
            marginals: true,
            paths: false,
            smooth: true,
            weights: false,
            information: false,
        }
    }
}

/// Verdicts times the distance to the nearest point of the other verdict; in units of their mean, and all alike where
/// there is one verdict only.
fn depths(points: &Points, verdicts: &[f64]) -> Vec<f64> {
    let (failed, passed): (Vec<usize>, Vec<usize>) = (0..verdicts.len()).partition(|&index| verdicts[index] > 0.0);
    if failed.is_empty() || passed.is_empty() {
        return verdicts.to_vec();
    }
    let depth = |index: usize| {
        let row = points.row(index);
        let others = if verdicts[index] > 0.0 { &passed } else { &failed };
        let nearest = others.iter().map(|&other| squared(row, points.row(other)));
        nearest.fold(f64::INFINITY, f64::min).sqrt()
    };
    let depths: Vec<f64> = (0..verdicts.len()).map(depth).collect();
    let mean = (depths.iter().sum::<f64>() / depths.len() as f64).max(f64::MIN_POSITIVE);
    depths
        .iter()
        .zip(verdicts)
        .map(|(depth, verdict)| verdict * depth / mean)
        .collect()
}

fn row_of(points: MatRef<'_, f64>, row: usize) -> Vec<f64> {
    points.row(row).iter().copied().collect()
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// How much process and vote count.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Balance {
    /// How many deviations of the process count as one.
    caution: f64,
    /// How many deviations a unit of the vote is worth.
    vote: f64,
}

/// What is believed of the logarithms of both before anything failed: these medians and deviations.
const PRIOR: [(f64, f64); 2] = [(1.0, 0.7), (1.0, 0.5)];

impl Balance {
    /// The most probable balance for depths that were held out.
    fn fitted(depths: &[f64], held_out: &[HeldOut], polls: &Polls) -> Self {
        let cases: Vec<[f64; 3]> = held_out
            .iter()
            .map(|held| {
                let depth = depths[held.observation];
                let without = polls.vote(polls.points.row(held.observation), Some(held.observation)).0;
                [
                    depth.signum() * (depth - held.miss) / held.deviation,
                    depth.signum() * without,
                    depth.signum(),
                ]
            })
            .collect();
        let cost = |logs: &[f64], slopes: &mut [f64]| {
            let mut sum = 0.0;
            for (k, (median, spread)) in PRIOR.iter().enumerate() {
                let away = (logs[k] - median.ln()) / spread;
                sum += 0.5 * away * away;
                slopes[k] = away / spread;
            }
            let (caution, vote) = (logs[0].exp(), logs[1].exp());
            for [standing, without, verdict] in &cases {
                // Both are positive where a verdict is foreseen; a failure is foreseen by the more worried.
                let (process, vote) = (standing * verdict / caution, vote * without * verdict);
                let (z, share) = worried(process, vote);
                let hazard = hazard(verdict * z) * verdict;
                slopes[0] += hazard * share * process;
                slopes[1] -= hazard * (1.0 - share) * vote;
                sum -= tail(verdict * z).ln();
            }
            sum
        };
        let start = PRIOR.map(|(median, _)| median.ln());
        let (low, high) = ([0.25_f64.ln(), 0.1_f64.ln()], [8_f64.ln(), 5_f64.ln()]);
        let found = Lbfgs::default().minimise(&start, &low, &high, cost);
        Self {
            caution: found.point[0].exp(),
            vote: found.point[1].exp(),
        }
    }
}

/// How sharply the more worried of two voices decides.
const SHARPNESS: f64 = 2.0;

/// The smooth maximum of two numbers, and the share of the first in it.
fn worried(a: f64, b: f64) -> (f64, f64) {
    let top = a.max(b);
    let (first, second) = ((SHARPNESS * (a - top)).exp(), (SHARPNESS * (b - top)).exp());
    (top + (first + second).ln() / SHARPNESS, first / (first + second))
}

/// The points that vote, with their verdicts.
struct Polls {
    points: Points,
    verdicts: Vec<f64>,
}

impl Polls {
    /// Half the logarithm of how much nearer the failed points are than the others, by inverse powers of the distance, and
    /// its gradient; `without` one of the points.
    fn vote(&self, point: &[f64], without: Option<usize>) -> (f64, Vec<f64>) {
        let distances: Vec<f64> = self.points.rows().map(|row| squared(row, point)).collect();
        let others = |(index, _): &(usize, &f64)| Some(*index) != without;
        let nearest = distances
            .iter()
            .enumerate()
            .filter(others)
            .map(|(_, distance)| *distance);
        let nearest = nearest.fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
        // Half the power of the distance: large enough that the nearest points decide in any number of dimensions.
        let power = (0.5 * (point.len() as f64 + 2.0)).min(6.0);
        let mut camps = [(LEAST, vec![0.0; point.len()]), (LEAST, vec![0.0; point.len()])];
        for (index, distance) in distances.iter().enumerate().filter(others) {
            let distance = distance.max(f64::MIN_POSITIVE);
            let weight = (nearest / distance).powf(power);
            let camp = &mut camps[usize::from(self.verdicts[index] > 0.0)];
            camp.0 += weight;
            let pull = -2.0 * power * weight / distance;
            if pull.is_finite() {
                let row = self.points.row(index).iter();
                for ((slope, x), own) in camp.1.iter_mut().zip(row).zip(point) {
                    *slope += pull * (own - x);
                }
            }
        }
        let [(passed, by_passed), (failed, by_failed)] = camps;
        let slopes = by_failed.iter().zip(&by_passed);
        let gradient = slopes.map(|(by_failed, by_passed)| 0.5 * (by_failed / failed - by_passed / passed));
        (0.5 * (failed / passed).ln(), gradient.collect())
    }
}

/// What a camp weighs that has no point nearby, as a share of the nearest point's weight.
const LEAST: f64 = 1e-6;

/// `Φ(z)`, above zero.
fn tail(z: f64) -> f64 {
    (0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)).max(1e-300)
}

/// `φ(z)/Φ(z)`.
fn hazard(z: f64) -> f64 {
    if z < -30.0 {
        -z
    } else {
        (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt() / tail(z)
    }
}

/// A fitted model of failures.
pub struct DangerModel {
    process: Arc<dyn Model>,
    polls: Polls,
    balance: Balance,
    /// How far the process blurs the border.
    noise: f64,
}

impl Model for DangerModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        Some(self)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        None
    }

    /// A point under way says nothing of whether it fails.
    fn believe(&self, _pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        None
    }

    fn memory(&self) -> Option<serde_json::Value> {
        self.process.memory()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl DangerModel {
    fn deviation(&self, deviation: f64) -> f64 {
        (self.balance.caution * deviation)
            .hypot(self.noise)
            .max(f64::MIN_POSITIVE)
    }
}

impl Marginals for DangerModel {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let Some(marginals) = self.process.marginals() else {
            let nothing = vec![f64::NAN; points.nrows()];
            return Beliefs {
                mean: nothing.clone(),
                deviation: nothing,
            };
        };
        let mut beliefs = marginals.beliefs(points);
        for row in 0..points.nrows() {
            let process = beliefs.mean[row] / self.deviation(beliefs.deviation[row]);
            let vote = self.balance.vote * self.polls.vote(&row_of(points, row), None).0;
            beliefs.mean[row] = worried(process, vote).0;
            beliefs.deviation[row] = 1.0;
        }
        beliefs
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let mut slopes = self.process.marginals()?.slopes(points)?;
        for row in 0..points.nrows() {
            let before = slopes.beliefs.deviation[row];
            let after = self.deviation(before);
            let process = slopes.beliefs.mean[row] / after;
            let growth = self.balance.caution.powi(2) * before / after;
            let (vote, by_point) = self.polls.vote(&row_of(points, row), None);
            let worth = self.balance.vote;
            let (z, share) = worried(process, worth * vote);
            (slopes.beliefs.mean[row], slopes.beliefs.deviation[row]) = (z, 1.0);
            for axis in 0..points.ncols() {
                let by_process = (slopes.mean[(row, axis)] - process * growth * slopes.deviation[(row, axis)]) / after;
                slopes.mean[(row, axis)] = share * by_process + (1.0 - share) * worth * by_point[axis];
                slopes.deviation[(row, axis)] = 0.0;
            }
        }
        Some(slopes)
    }

    fn noise(&self) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use hilltop_core::{Rng, Space};

    use super::*;

    fn fitted(count: usize) -> (Arc<dyn Model>, Space) {
        let space = Space::unit_box(2);
        let mut rng = Rng::new(3);
        let (mut points, mut verdicts) = (Points::new(2), Vec::new());
        for _ in 0..count {
            let point = [rng.uniform(), rng.uniform()];
            points.push(&point);
            verdicts.push(if point[0] + point[1] < 0.7 { 1.0 } else { -1.0 });
        }
        let evidence = Evidence {
            space: &space,
            points: &points,
            values: &verdicts,
            seed: 1,
            shares: &[],
        };
        (
            Danger::default().fit(&evidence, Previous::default()).unwrap(),
            space.clone(),
        )
    }

    fn probability(model: &dyn Model, point: [f64; 2]) -> f64 {
        let points = Points::from_rows(2, [point.as_slice()]);
        let beliefs = model.marginals().unwrap().beliefs(points.matrix());
        0.5 * libm::erfc(-beliefs.mean[0] / beliefs.deviation[0] / 2_f64.sqrt())
    }

    #[test]
    fn a_region_of_failures_is_told_from_the_rest() {
        let (model, _) = fitted(60);
        assert!(probability(model.as_ref(), [0.1, 0.1]) > 0.9);
        assert!(probability(model.as_ref(), [0.8, 0.8]) < 0.1);
        let edge = probability(model.as_ref(), [0.35, 0.35]);
        assert!(edge > 0.15 && edge < 0.85, "{edge}");
    }

    #[test]
    fn gradients_agree_with_differences() {
        let (model, _) = fitted(30);
        let marginals = model.marginals().unwrap();
        let at = |x: f64, y: f64| {
            let points = Points::from_rows(2, [[x, y].as_slice()]);
            let beliefs = marginals.beliefs(points.matrix());
            (beliefs.mean[0], beliefs.deviation[0])
        };
        let points = Points::from_rows(2, [[0.4, 0.45].as_slice()]);
        let slopes = marginals.slopes(points.matrix()).unwrap();
        let step = 1e-5;
        let (more, less) = (at(0.4 + step, 0.45), at(0.4 - step, 0.45));
        let numeric = ((more.0 - less.0) / (2.0 * step), (more.1 - less.1) / (2.0 * step));
        assert!((slopes.mean[(0, 0)] - numeric.0).abs() < 1e-4 * (1.0 + numeric.0.abs()));
        assert!((slopes.deviation[(0, 0)] - numeric.1).abs() < 1e-4 * (1.0 + numeric.1.abs()));
    }

    #[test]
    fn failures_alone_make_everything_suspicious() {
        let space = Space::unit_box(2);
        let points = Points::from_rows(2, [[0.1, 0.2].as_slice(), [0.8, 0.3].as_slice(), [0.5, 0.9].as_slice()]);
        let evidence = Evidence {
            space: &space,
            points: &points,
            values: &[1.0; 3],
            seed: 1,
            shares: &[],
        };
        let model = Danger::default().fit(&evidence, Previous::default()).unwrap();
        assert!(probability(model.as_ref(), [0.4, 0.4]) > 0.5);
    }
}
