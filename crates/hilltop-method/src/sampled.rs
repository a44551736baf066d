//! The search for the last digits where observations are noisy: the minimum of functions drawn from the models.
//!
//! With noise the best observation is mostly a lucky one, and a region that shrinks around it sees nothing but noise. So a
//! function is drawn from the model of the objective and a point where it is least is evaluated that keeps the limits, of functions
//! drawn from their models or, every second time, as they are believed with some caution or some hope (Thompson, 1933; with limits
//! Eriksson and Poloczek, 2021): points scatter as far as the optimum is uncertain, and gather as it becomes certain. Not the lowest
//! point itself is taken, which lies on a bound wherever the function falls towards it by chance, but any that is lowest as far as
//! the model can tell. And of a few draws that one is used in which all that was evaluated falls shortest of the lowest point: what counts
//! in the end is the best point evaluated, so another one where a draw has a good one already brings nothing, and a valley that is
//! probably not the lowest is still looked into (after the idea of Russo, 2016, to draw again as long as a draw only confirms the leader).
//!
//! Where no output is limited, every second time the models are those of a neighbourhood of what is believed best, which see what a model
//! of everything blurs; it is long where the objective changes slowly and short where it changes fast. With limits, which run through
//! any neighbourhood and are known better from all observations, rounds of the whole space alone measured better.
//!
//! The leader's options and integers compete with the most promising of their neighbours.

use faer::MatRef;
use hilltop_core::{Bounds, Coordinate, History, Limit, Marginals, Models, Points, Result, Rng, Space};
use hilltop_surrogate::Ntk;

use crate::confined::{caution, local, sides};
use crate::descent::{Descent, Region, Zoom};
use crate::lagrangian::{Program, Quantity};
use crate::limits::{limited, view};

impl Descent {
    /// The next point, `models` being those of the whole space; `None` where there is nothing to move.
    pub(crate) fn sampled(
        &self,
        history: &History,
        models: &Models,
        surrogate: &Ntk,
        rng: &mut Rng,
    ) -> Result<Option<Vec<f64>>> {
        let Some(leader) = Leader::of(history, models) else {
            return Ok(None);
        };
        let near = history.next_trial() % 2 == 1 && limited(history).is_empty();
        let region = Region {
            centre: leader.observation,
            width: self.width,
        };
        let zoom = near
            .then(|| Zoom::shaped(history, region, self.nearest, &aspect(history.space(), models)))
            .flatten();
        let Some(zoom) = zoom else {
            return Ok(anywhere(history, models, leader, rng));
        };
        let models = local(history, &zoom, surrogate)?;
        let program = drawn(history, &models, leader.seeking, rng);
        let found = program.solve(&zoom.inward(&zoom.centre), &zoom.bounds, rng);
        Ok(found.map(|point| zoom.outward(&point)))
    }
}

/// The next point of the whole space.
fn anywhere(history: &History, models: &Models, leader: Leader, rng: &mut Rng) -> Option<Vec<f64>> {
    let centre = history.points().row(leader.observation);
    let count = if leader.seeking { 1 } else { DRAWS };
    let draws = (0..count).filter_map(|_| {
        let program = drawn(history, models, leader.seeking, rng);
        let best = lowest(&program, history.space(), centre, rng)?;
        let regret = program.regret(history.points().matrix(), &best)?;
        Some((regret, best, program))
    });
    let (_, best, program) = draws.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let bounds = continuous(history.space(), &best);
    let more = LEVEL * deviation(models, &best);
    Some(program.stray(best, &bounds, more, rng))
}

/// Of so many draws the one counts in which everything evaluated so far falls shortest of the optimum.
const DRAWS: usize = 3;

/// The lowest point of a program. What is not continuous changes one step at a time: the most promising one.
fn lowest(program: &Program<'_>, space: &Space, centre: &[f64], rng: &mut Rng) -> Option<Vec<f64>> {
    let rival = program.best(space.neighbours(centre).into_iter());
    let starts = [Some(centre.to_vec()), rival].into_iter().flatten();
    let ends: Vec<Vec<f64>> = starts
        .filter_map(|start| program.solve(&start, &continuous(space, &start), rng))
        .collect();
    program.best(ends.into_iter())
}

/// What a drawn function puts higher than its lowest point by less than so many of the model's deviations there is as good.
const LEVEL: f64 = 1.5;

/// How many deviations of caution, or of hope, believed limits have at most.
const MOST: f64 = 2.0;

/// An objective that is drawn, and limits that are drawn or believed; under a violation budget always believed, with its caution.
fn drawn<'a>(history: &History, models: &'a Models, seeking: bool, rng: &mut Rng) -> Program<'a> {
    let caution = match history.allowance() {
        Some(_) => Some(caution(history)),
        None => (rng.uniform() < 0.5).then(|| rng.between(-MOST, MOST)),
    };
    let mut limits = Vec::new();
    for limit in &models.limits {
        let model = limit.model.as_ref();
        let quantity = caution.map_or_else(|| Quantity::drawn(model, rng), |_| Quantity::Believed(model));
        limits.extend(sides(limit, &quantity, caution.unwrap_or(0.0)));
    }
    Program {
        objective: (!seeking).then(|| Quantity::drawn(models.objective.as_ref(), rng)),
        sides: limits,
    }
}

/// The deviation of the objective's model at a point.
fn deviation(models: &Models, point: &[f64]) -> f64 {
    let point = MatRef::from_row_major_slice(point, 1, point.len());
    let known = models.objective.marginals();
    known.map_or(0.0, |known| known.beliefs(point).deviation[0])
}

/// How long a neighbourhood is in each coordinate: the inverse of the model's scale there, one on average of the logarithms; one
/// everywhere where the model has no scales.
fn aspect(space: &Space, models: &Models) -> Vec<f64> {
    let known = models.objective.scales().unwrap_or_default();
    let slowness = |group: usize| match known.get(group) {
        Some(&scale) if scale > 0.0 => -scale.ln(),
        _ => 0.0,
    };
    let logs: Vec<f64> = space.groups().into_iter().map(slowness).collect();
    let middle = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    logs.iter().map(|log| (log - middle).exp()).collect()
}

/// The whole space in continuous coordinates, one point in the others.
fn continuous(space: &Space, point: &[f64]) -> Bounds {
    let mut bounds = Bounds::unit(point.len());
    for (axis, coordinate) in space.coordinates().iter().enumerate() {
        if !matches!(coordinate, Coordinate::Continuous { .. }) {
            (bounds.low[axis], bounds.high[axis]) = (point[axis], point[axis]);
        }
    }
    bounds
}

/// The observation that is believed best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leader {
    pub(crate) observation: usize,
    /// Whether nothing is believed to keep the limits.
    pub(crate) seeking: bool,
}

/// So many observations are asked for.
const ASKED: usize = 200;

impl Leader {
    /// The observation whose means are best, of those that may be.
    pub(crate) fn of(history: &History, models: &Models) -> Option<Self> {
        let contenders = contenders(history, models);
        let rows = contenders.iter().map(|&index| history.points().row(index));
        let points = Points::from_rows(history.space().dim(), rows);
        let means = models.objective.marginals()?.beliefs(points.matrix()).mean;
        let mut violations = vec![0.0; contenders.len()];
        for limit in models.limits.iter().filter(|limit| !limit.is_failure()) {
            let beliefs = limit.model.marginals()?.beliefs(points.matrix());
            for (sum, mean) in violations.iter_mut().zip(beliefs.mean) {
                *sum += excess(limit, mean).max(0.0) / limit.scale;
            }
        }
        let best = (0..contenders.len()).min_by(|&a, &b| {
            let violation = violations[a].total_cmp(&violations[b]);
            violation.then(means[a].total_cmp(&means[b]))
        })?;
        Some(Self {
            observation: contenders[best],
            seeking: violations[best] > 0.0,
        })
    }
}

/// How far a value lies outside.
fn excess(limit: &Limit, value: f64) -> f64 {
    let above = limit.high.map_or(f64::NEG_INFINITY, |high| value - high);
    let below = limit.low.map_or(f64::NEG_INFINITY, |low| low - value);
    above.max(below)
}

/// The observations that may be best: those whose limits may be kept by their values, then those that break them least.
fn contenders(history: &History, models: &Models) -> Vec<usize> {
    let mut violations = vec![0.0; history.len()];
    for index in limited(history) {
        let output = &history.outputs()[index];
        let Some(limit) = models.limits.iter().find(|limit| limit.name == output.name) else {
            continue;
        };
        let noise = limit.model.marginals().map_or(0.0, Marginals::noise);
        let seen = view(history, index, history.values(index)).values;
        for (sum, value) in violations.iter_mut().zip(seen) {
            *sum += ((excess(limit, value) - 2.0 * noise) / limit.scale).max(0.0);
        }
    }
    let values = history.objective();
    let mut order: Vec<usize> = (0..history.len()).collect();
    order.sort_by(|&a, &b| {
        let violation = violations[a].total_cmp(&violations[b]);
        violation.then(values[a].total_cmp(&values[b]))
    });
    order.truncate(ASKED);
    order
}
