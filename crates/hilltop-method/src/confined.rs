//! The local search where there are limits: the minimum of the local model among points that the local models of all
//! limits let pass.
//!
//! The region is folded as in [`Descent`], with observations that keep the limits ahead of those that do not and failures
//! behind all. Near its centre every limited output has a model of its own, and so have failures where some lie nearby;
//! their means, a deviation towards the safe side, must keep the limits. The optimum is mostly on their edge, where
//! neither weighing nor cutting is exact; an augmented Lagrangian is.

use hilltop_core::{Evidence, History, Limit, Models, Points, Previous, Result, Rng, Settled, Space, Surrogate};
use hilltop_surrogate::{Danger, Ntk};

use hilltop_acquire::Budget;

use crate::descent::{Descent, Region, Zoom, once};
use crate::lagrangian::{Program, Quantity, Side};
use crate::limits::{View, danger, limited, stretch, view};
use crate::transform::normal_quantile;

impl Descent {
    /// The local search's point among those that keep the limits; `None` where there is nothing to move or too little to
    /// fit.
    pub(crate) fn confined(
        &self,
        history: &History,
        initial: usize,
        surrogate: &Ntk,
        rng: &mut Rng,
    ) -> Result<Option<Vec<f64>>> {
        let Some(region) = self.ranked_region(history, initial) else {
            return Ok(None);
        };
        let Some(zoom) = Zoom::straight(history, region, self.nearest) else {
            return Ok(None);
        };
        let models = local(history, &zoom, surrogate)?;
        let seeking = history.violation(region.centre) > 0.0;
        let program = believed(&models, seeking, caution(history));
        let found = program.solve(&zoom.inward(&zoom.centre), &zoom.bounds, rng);
        Ok(found.map(|point| zoom.outward(&point)))
    }

    /// The region around the best observation, folded over everything that settled.
    fn ranked_region(&self, history: &History, initial: usize) -> Option<Region> {
        let settled = history.settled();
        let merit = |settled: &Settled| match *settled {
            Settled::Observed(index) => (history.violation(index), history.objective()[index]),
            Settled::Failed(_) | Settled::Seen(_) => (f64::INFINITY, f64::INFINITY),
        };
        let merits: Vec<(f64, f64)> = settled.iter().map(merit).collect();
        let mut order: Vec<usize> = (0..merits.len()).collect();
        let compare = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        order.sort_by(|&a, &b| compare(&merits[a], &merits[b]));
        let mut ranks = vec![0.0; merits.len()];
        for pair in order.windows(2) {
            let step = f64::from(u8::from(compare(&merits[pair[0]], &merits[pair[1]]).is_lt()));
            ranks[pair[1]] = ranks[pair[0]] + step;
        }
        let point = |settled: &Settled| match *settled {
            Settled::Observed(index) => history.points().row(index),
            Settled::Failed(index) => &history.failures()[index].point,
            Settled::Seen(index) => &history.sightings()[index].point,
        };
        let points = Points::from_rows(history.space().dim(), settled.iter().map(point));
        let region = self.region(&points, &ranks, initial)?;
        match settled[region.centre] {
            Settled::Observed(centre) => Some(Region { centre, ..region }),
            Settled::Failed(_) | Settled::Seen(_) => None,
        }
    }
}

/// The models of a neighbourhood.
pub(crate) fn local(history: &History, zoom: &Zoom, surrogate: &Ntk) -> Result<Models> {
    let space = Space::unit_box(zoom.axes.len());
    let surrogate = &once(surrogate, zoom.points.len());
    let fit = |values: &[f64], shares: &[f64]| {
        let evidence = Evidence {
            space: &space,
            points: &zoom.points,
            values,
            seed: history.seed(),
            shares,
        };
        surrogate.fit(&evidence, Previous::default())
    };
    let objective = fit(&zoom.values, &[])?;
    let mut limits = Vec::new();
    for index in limited(history) {
        let output = &history.outputs()[index];
        let all = history.values(index);
        let View {
            values,
            shares,
            low,
            high,
            scale,
        } = view(history, index, &zoom.near.iter().map(|&k| all[k]).collect::<Vec<f64>>());
        let model = fit(&values, &shares)?;
        limits.push(Limit {
            name: output.name.clone(),
            stretch: history.allowance().map_or(1.0, |_| stretch(model.as_ref())),
            model,
            low,
            high,
            scale,
        });
    }
    limits.extend(endangered(history, zoom, &space, surrogate)?);
    Ok(Models { objective, limits })
}

/// The lowest mean where limits are kept with some caution; where nothing keeps them, the least violation.
fn believed(models: &Models, seeking: bool, caution: f64) -> Program<'_> {
    let limits = models.limits.iter();
    Program {
        objective: (!seeking).then(|| Quantity::Believed(models.objective.as_ref())),
        sides: limits
            .flat_map(|limit| sides(limit, &Quantity::Believed(limit.model.as_ref()), caution))
            .collect(),
    }
}

/// The sides of a limit.
pub(crate) fn sides<'a>(limit: &Limit, quantity: &Quantity<'a>, caution: f64) -> Vec<Side<'a>> {
    // A failure is not a matter of digits: as likely as not would fail every second time.
    let caution = if limit.is_failure() { FAILURE } else { caution };
    let side = |bound: Option<f64>, sign: f64| {
        bound.map(|bound| Side {
            quantity: quantity.clone(),
            bound,
            sign,
            caution: caution * limit.stretch,
            scale: limit.scale,
        })
    };
    [side(limit.high, 1.0), side(limit.low, -1.0)]
        .into_iter()
        .flatten()
        .collect()
}

/// How many deviations a limited output stays away from its limit.
const CAUTION: f64 = 1.0;

/// The same as the study's violation budget asks for it, where it has one.
pub(crate) fn caution(history: &History) -> f64 {
    let risk = history.allowance().map(|share| Budget { share }.risk(history));
    let held = risk.filter(|risk| *risk < 1.0);
    held.map_or(CAUTION, |risk| normal_quantile(1.0 - risk).max(0.0))
}

/// How many deviations the hidden quantity behind failures stays below zero: few follow.
const FAILURE: f64 = 1.2;

/// The local model of failures, where some lie in the neighbourhood.
fn endangered(history: &History, zoom: &Zoom, space: &Space, surrogate: &Ntk) -> Result<Option<Limit>> {
    let telling = history.failures().iter().filter(|failure| failure.telling);
    let near: Vec<Vec<f64>> = telling
        .map(|failure| zoom.inward(&failure.point))
        .filter(|local| local.iter().all(|x| (-0.5..=1.5).contains(x)))
        .collect();
    if near.is_empty() {
        return Ok(None);
    }
    let mut points = zoom.points.clone();
    let mut verdicts = vec![-1.0; points.len()];
    for failed in &near {
        points.push(failed);
        verdicts.push(1.0);
    }
    let evidence = Evidence {
        space,
        points: &points,
        values: &verdicts,
        seed: history.seed(),
        shares: &[],
    };
    let process = Danger {
        process: surrogate.clone(),
    };
    process
        .fit(&evidence, Previous::default())
        .map(|model| Some(danger(model)))
}
