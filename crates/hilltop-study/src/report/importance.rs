//! How much each parameter matters.
//!
//! With a model: the share of the model's variance over the space that goes with a parameter (the total effect of
//! Sobol', by Jansen's estimator): points are drawn from the space, one parameter is exchanged between them, and the
//! mean square of the change of the model's mean is taken. It includes what the parameter does together with others.
//!
//! Without a model: how much of the variance of the trials' ranks the parameter explains alone (the correlation ratio
//! over up to eight groups of equal size, corrected for their number).

use faer::Mat;
use hilltop_core::{Coordinate, History, Kind, Marginals, Model, Rng, Space};

use super::belief::owner;

/// How many points are drawn, at most; fewer where a model is slow because it rests on many trials.
const DRAWN: usize = 512;
const WORK: f64 = 4e10;
/// Fewer trials say nothing.
const TRIALS: usize = 5;
const GROUPS: usize = 8;

/// Where the numbers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Model,
    Trials,
}

/// The shares of the parameters.
#[derive(Clone, Debug)]
pub(super) struct Importance {
    pub(super) source: Source,
    shares: Vec<f64>,
}

impl Importance {
    /// None where too little is known, or nothing changes anything.
    pub(super) fn of(history: &History, model: Option<&dyn Model>) -> Option<Self> {
        if history.len() < TRIALS {
            return None;
        }
        let from_model = model.and_then(|model| total_effects(history, model.marginals()?));
        let (source, effects) = match from_model {
            Some(effects) => (Source::Model, effects),
            None => (Source::Trials, correlation_ratios(history)),
        };
        let sum: f64 = effects.iter().sum();
        let shares = effects.iter().map(|effect| effect / sum).collect();
        (sum.is_finite() && sum > 0.0).then_some(Self { source, shares })
    }

    /// The share of a parameter, by its place in the space.
    pub(super) fn share(&self, place: usize) -> f64 {
        self.shares.get(place).copied().unwrap_or(0.0)
    }
}

fn total_effects(history: &History, marginals: &dyn Marginals) -> Option<Vec<f64>> {
    let space = history.space();
    let count = space.parameters().len();
    let cost = (count + 1) as f64 * (history.len().min(4000) as f64).powi(2);
    let drawn = ((WORK / cost) as usize).clamp(32, DRAWN);
    let mut rng = Rng::keyed(history.seed(), &[9]);
    let points = (0..drawn)
        .map(|_| space.sample(&mut rng))
        .collect::<Result<Vec<_>, _>>()
        .ok()?;
    let base = means(marginals, &points);
    let effect = |place: usize| {
        let changed: Vec<Vec<f64>> = (0..drawn).map(|row| exchanged(space, &points, place, row)).collect();
        let squares = means(marginals, &changed)
            .iter()
            .zip(&base)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>();
        squares / (2.0 * drawn as f64)
    };
    let fixed = |place: usize| matches!(space.parameters()[place].kind, Kind::Fixed { .. });
    Some(
        (0..count)
            .map(|place| if fixed(place) { 0.0 } else { effect(place) })
            .collect(),
    )
}

/// A point with a parameter of the next one.
fn exchanged(space: &Space, points: &[Vec<f64>], place: usize, row: usize) -> Vec<f64> {
    let (mut point, other) = (points[row].clone(), &points[(row + 1) % points.len()]);
    for (index, coordinate) in space.coordinates().iter().enumerate() {
        if owner(*coordinate) == place {
            point[index] = other[index];
        }
    }
    if space.candidates().is_none() {
        space.project(&mut point);
    }
    point
}

fn means(marginals: &dyn Marginals, points: &[Vec<f64>]) -> Vec<f64> {
    let dim = points.first().map_or(0, Vec::len);
    let matrix = Mat::from_fn(points.len(), dim, |row, column| points[row][column]);
    marginals.beliefs(matrix.as_ref()).mean
}

fn correlation_ratios(history: &History) -> Vec<f64> {
    let ranks = ranks(history.objective());
    let space = history.space();
    let ratio = |place: usize| {
        let owned = |coordinate: &Coordinate| owner(*coordinate) == place;
        let coordinates: Vec<usize> = (0..space.dim())
            .filter(|&index| owned(&space.coordinates()[index]))
            .collect();
        match coordinates[..] {
            [] => 0.0,
            [one] => explained(
                &grouped(&history.points().rows().map(|row| row[one]).collect::<Vec<_>>()),
                &ranks,
            ),
            ref several => explained(
                &history
                    .points()
                    .rows()
                    .map(|row| option(row, several))
                    .collect::<Vec<_>>(),
                &ranks,
            ),
        }
    };
    (0..space.parameters().len()).map(ratio).collect()
}

fn option(row: &[f64], coordinates: &[usize]) -> usize {
    let largest = |best: usize, k: usize| {
        if row[coordinates[k]] > row[coordinates[best]] {
            k
        } else {
            best
        }
    };
    (0..coordinates.len()).fold(0, largest)
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    for (rank, index) in order.into_iter().enumerate() {
        ranks[index] = rank as f64;
    }
    ranks
}

/// The group of each value: as many of equal size as the number of values bears; equal values stay together.
fn grouped(values: &[f64]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let groups = (values.len() / 4).clamp(2, GROUPS);
    let place = |value: &f64| sorted.partition_point(|other| other < value);
    values
        .iter()
        .map(|value| place(value) * groups / values.len())
        .collect()
}

/// The share of the variance between groups, corrected for their number.
fn explained(groups: &[usize], values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let total: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let (mut between, mut used) = (0.0, 0.0);
    for group in 0..=groups.iter().copied().max().unwrap_or(0) {
        let members: Vec<f64> = groups
            .iter()
            .zip(values)
            .filter(|(g, _)| **g == group)
            .map(|(_, value)| *value)
            .collect();
        if !members.is_empty() {
            used += 1.0;
            between += members.len() as f64 * (members.iter().sum::<f64>() / members.len() as f64 - mean).powi(2);
        }
    }
    if total <= 0.0 || n <= used || used < 2.0 {
        return 0.0;
    }
    (1.0 - (1.0 - between / total) * (n - 1.0) / (n - used)).max(0.0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hilltop_core::{Goal, Output};

    use super::*;

    #[test]
    fn a_parameter_that_decides_has_a_larger_share_than_one_that_does_nothing() {
        let outputs: Arc<[Output]> = [Output {
            name: "f".into(),
            goal: Goal::Minimize,
        }]
        .into();
        let mut history = History::new(Arc::new(Space::unit_box(3)), outputs, 0);
        let mut rng = Rng::new(4);
        for trial in 0..200 {
            let point = [rng.uniform(), rng.uniform(), rng.uniform()];
            history.observe(trial, &point, &[(point[0] - 0.4).powi(2) + 0.05 * point[2]]);
        }
        let importance = Importance::of(&history, None);
        let shares: Vec<f64> = (0..3)
            .map(|k| importance.as_ref().map_or(0.0, |i| i.share(k)))
            .collect();
        assert!(shares[0] > 0.7 && shares[1] < 0.1 && shares[2] < 0.3, "{shares:?}");
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_constant_objective_has_no_importances() {
        let outputs: Arc<[Output]> = [Output {
            name: "f".into(),
            goal: Goal::Minimize,
        }]
        .into();
        let mut history = History::new(Arc::new(Space::unit_box(1)), outputs, 0);
        assert!(Importance::of(&history, None).is_none());
        (0..20).for_each(|trial| history.observe(trial, &[0.5], &[1.0]));
        assert!(Importance::of(&history, None).is_none());
    }
}
