//! The limits of a study as models: one for each output that must keep an interval, one for the danger of failure.
//!
//! A model is fitted to a limited output in units in which its limit is zero. Where its values reach far beyond the limit
//! on either side they are compressed by an inverse hyperbolic sine, because what counts is where they cross it. That compresses
//! noise as well, most of it far from the limit, and a model with one noise for all would be too sure near the limit and learn
//! too little from afar: so each value has its share of the noise.

use std::collections::BTreeMap;
use std::sync::Arc;

use hilltop_core::{Evidence, Goal, History, Limit, Model, Models, Points, Previous, Result, Settled, Surrogate};
use hilltop_surrogate::{Bent, Danger, Ntk};
use serde_json::Value;

/// The models of limits, each kept because the next fit can start from it.
#[derive(Default)]
pub(crate) struct Limits {
    /// What is believed about outputs; the tangent-kernel model where nothing else is said.
    surrogate: Option<Arc<dyn Surrogate>>,
    /// Whether the tangent-kernel model may bend coordinates.
    bending: bool,
    kept: BTreeMap<String, Kept>,
}

/// A fit, kept because the next one can start from it.
pub(crate) struct Kept {
    trials: Vec<u64>,
    values: Vec<f64>,
    model: Arc<dyn Model>,
}

impl Kept {
    /// The model of this evidence, whose trials are these; what was kept is used and replaced.
    pub(crate) fn refit(
        kept: &mut Option<Self>,
        surrogate: &dyn Surrogate,
        evidence: &Evidence<'_>,
        trials: &[u64],
        memory: Option<&Value>,
    ) -> Result<Arc<dyn Model>> {
        if let Some(same) = kept
            .as_ref()
            .filter(|kept| kept.trials == trials && kept.values == evidence.values)
        {
            return Ok(Arc::clone(&same.model));
        }
        let last = kept.take().filter(|last| trials.starts_with(&last.trials));
        let previous = Previous {
            model: last.as_ref().map(|last| last.model.as_ref()),
            memory,
        };
        let model = surrogate.fit(evidence, previous)?;
        *kept = Some(Self {
            trials: trials.to_vec(),
            values: evidence.values.to_vec(),
            model: Arc::clone(&model),
        });
        Ok(model)
    }
}

impl Limits {
    /// Limits whose outputs are modelled by this surrogate.
    pub(crate) fn of(surrogate: Arc<dyn Surrogate>) -> Self {
        Self {
            surrogate: Some(surrogate),
            ..Self::default()
        }
    }

    /// Limits whose outputs are modelled by the tangent kernel in coordinates that may bend.
    pub(crate) fn bending() -> Self {
        Self {
            bending: true,
            ..Self::default()
        }
    }

    /// The limits as of a history; none where no output has one and nothing failed.
    pub(crate) fn fit(&mut self, history: &History) -> Result<Vec<Limit>> {
        let limited = limited(history);
        let inner = Ntk {
            noisy: history.is_noisy(),
            sparse: history.is_noisy(),
            ..modest(&Ntk::default(), limited.len())
        };
        let default = || Bent::where_wanted(self.bending, inner);
        let surrogate = self.surrogate.clone().unwrap_or_else(default);
        let mut limits = Vec::with_capacity(limited.len() + 1);
        for index in limited {
            limits.push(self.output(history, index, surrogate.as_ref())?);
        }
        if let Some((points, verdicts)) = history.verdicts() {
            limits.push(self.danger(history, &points, &verdicts)?);
        }
        Ok(limits)
    }

    fn output(&mut self, history: &History, index: usize, surrogate: &dyn Surrogate) -> Result<Limit> {
        let output = &history.outputs()[index];
        let seen = history.seen(index);
        // Methods with models of their own are their papers', which know one noise for all.
        let view = match self.surrogate {
            Some(_) if history.allowance().is_none() => View::of(output.goal, &seen.values).evenly(),
            _ => view(history, index, &seen.values),
        };
        let evidence = Evidence {
            space: history.space(),
            points: &seen.points,
            values: &view.values,
            seed: history.seed(),
            shares: &view.shares,
        };
        let mut kept = self.kept.remove(&output.name);
        let memory = remembered(history, &output.name);
        let model = Kept::refit(&mut kept, surrogate, &evidence, &seen.trials, memory)?;
        self.kept.extend(kept.map(|kept| (output.name.clone(), kept)));
        let name = output.name.clone();
        let View { low, high, scale, .. } = view;
        Ok(Limit {
            name,
            stretch: history.allowance().map_or(1.0, |_| stretch(model.as_ref())),
            model,
            low,
            high,
            scale,
        })
    }

    fn danger(&mut self, history: &History, points: &Points, verdicts: &[f64]) -> Result<Limit> {
        let evidence = Evidence {
            space: history.space(),
            points,
            values: verdicts,
            seed: history.seed(),
            shares: &[],
        };
        let name = Limit::FAILURE.to_owned();
        let mut kept = self.kept.remove(&name);
        let memory = remembered(history, &name);
        let model = Kept::refit(&mut kept, &Danger::default(), &evidence, &told(history), memory)?;
        self.kept.extend(kept.map(|kept| (name.clone(), kept)));
        Ok(danger(model))
    }
}

/// The danger of failure as a limit.
pub(crate) fn danger(model: Arc<dyn Model>) -> Limit {
    Limit {
        name: Limit::FAILURE.to_owned(),
        model,
        low: None,
        high: Some(0.0),
        scale: 1.0,
        stretch: 1.0,
    }
}

/// With a violation budget a limit is aimed at from within, this share of the output's deviation away: at the limit itself
/// every second result would lie beyond, if only by rounding.
const WITHIN: f64 = 1e-4;

/// What is wanted of an output, as a search should see it.
pub(crate) fn aimed(history: &History, index: usize) -> Goal {
    let goal = history.outputs()[index].goal;
    let (Goal::Within { min, max }, Some(_)) = (goal, history.allowance()) else {
        return goal;
    };
    let inset = WITHIN * variance(&history.seen(index).values).sqrt();
    let (min, max) = (min.map(|min| min + inset), max.map(|max| max - inset));
    match (min, max) {
        (Some(low), Some(high)) if low > high => goal,
        (min, max) => Goal::Within { min, max },
    }
}

/// How much wider a model's deviations must be for nine in ten observations that were held out to lie within what nine in
/// ten should; drawn towards one while there are few.
pub(crate) fn stretch(model: &dyn Model) -> f64 {
    let mut sizes: Vec<f64> = model
        .held_out()
        .iter()
        .map(|held| (held.miss / held.deviation).abs())
        .filter(|size| size.is_finite())
        .collect();
    sizes.sort_by(f64::total_cmp);
    let Some(&ninth) = sizes.get((0.9 * sizes.len() as f64) as usize) else {
        return 1.0;
    };
    let share = sizes.len() as f64 / (sizes.len() as f64 + 10.0);
    ((ninth / 1.645).max(0.05).ln() * share).exp().clamp(1.0, 5.0)
}

/// The outputs that must keep an interval.
pub(crate) fn limited(history: &History) -> Vec<usize> {
    let outputs = history.outputs();
    let bound = |index: &usize| matches!(outputs[*index].goal, Goal::Within { min, max } if min.or(max).is_some());
    (0..outputs.len()).filter(bound).collect()
}

/// The trials that say where evaluations fail, in the order in which they became known.
fn told(history: &History) -> Vec<u64> {
    let trial = |settled: &Settled| match *settled {
        Settled::Observed(index) => Some(history.trials()[index]),
        Settled::Seen(index) => Some(history.sightings()[index].trial),
        Settled::Failed(index) => Some(&history.failures()[index])
            .filter(|failure| failure.telling)
            .map(|failure| failure.trial),
    };
    history.settled().iter().filter_map(trial).collect()
}

/// The surrogate for one of so many outputs: the more there are, the fewer observations each treats exactly.
pub(crate) fn modest(whole: &Ntk, count: usize) -> Ntk {
    let share = 1.0 / (count.max(1) as f64).sqrt();
    let of = |most: usize, least: usize| ((most as f64 * share) as usize).max(least);
    Ntk {
        exact_limit: of(whole.exact_limit, 300),
        landmarks: of(whole.landmarks, 200),
        fit_limit: of(whole.fit_limit, 150),
        ..whole.clone()
    }
}

/// These values of an output as the tangent-kernel model should see them.
pub(crate) fn view(history: &History, index: usize, values: &[f64]) -> View {
    match (history.allowance(), history.is_noisy()) {
        (None, noisy) => View::seen(history.outputs()[index].goal, values, noisy),
        (Some(_), true) => View::sober(aimed(history, index), values),
        (Some(_), false) => View::sober(aimed(history, index), values).evenly(),
    }
}

/// An output as its model sees it.
pub(crate) struct View {
    pub(crate) values: Vec<f64>,
    /// How much of the noise's variance each has; empty where all have the same.
    pub(crate) shares: Vec<f64>,
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    pub(crate) scale: f64,
}

impl View {
    /// The values where observations are noisy or not.
    pub(crate) fn seen(goal: Goal, values: &[f64], noisy: bool) -> Self {
        if noisy {
            Self::amid_noise(goal, values)
        } else {
            Self::of(goal, values).evenly()
        }
    }

    /// Values whose one limit becomes zero; those with two limits stay as they are.
    pub(crate) fn of(goal: Goal, values: &[f64]) -> Self {
        Self::compressed(goal, values, values.len(), &[1.0, 0.2])
    }

    /// The same, compressed no more than the first results say. Later ones crowd at the limit, and what is bent at their scale
    /// is flat everywhere else: a model of that is sure where nothing was seen, which a violation budget must not be.
    pub(crate) fn sober(goal: Goal, values: &[f64]) -> Self {
        Self::compressed(goal, values, EARLY, &[1.0, 0.2])
    }

    /// The same amid noise, which would itself be compressed by smaller sizes.
    fn amid_noise(goal: Goal, values: &[f64]) -> Self {
        Self::compressed(goal, values, EARLY, &[2.0])
    }

    fn compressed(goal: Goal, values: &[f64], telling: usize, sizes: &[f64]) -> Self {
        let Goal::Within { min, max } = goal else {
            return Self::plain(values.to_vec(), None, None);
        };
        match (min, max) {
            (Some(min), Some(max)) => Self::plain(values.to_vec(), Some(min), Some(max)),
            (min, max) => {
                let limit = min.or(max).unwrap_or(0.0);
                let excess: Vec<f64> = values.iter().map(|value| value - limit).collect();
                let (low, high) = (min.map(|_| 0.0), max.map(|_| 0.0));
                let Some(s) = compression(&excess, telling, sizes) else {
                    return Self::plain(excess, low, high);
                };
                let compressed = excess.iter().map(|value| s * (value / s).asinh()).collect();
                Self {
                    // The square of the slope.
                    shares: excess.iter().map(|value| 1.0 / (1.0 + (value / s).powi(2))).collect(),
                    ..Self::plain(compressed, low, high)
                }
            }
        }
    }

    fn plain(values: Vec<f64>, low: Option<f64>, high: Option<f64>) -> Self {
        let deviation = variance(&values).sqrt();
        let scale = if deviation > 0.0 { deviation } else { 1.0 };
        Self {
            values,
            shares: Vec::new(),
            low,
            high,
            scale,
        }
    }

    /// The same with as much noise in one value as in another.
    fn evenly(self) -> Self {
        Self {
            shares: Vec::new(),
            ..self
        }
    }
}

/// So many first results lie all over the space, whatever the method.
pub(crate) const EARLY: usize = 15;

/// The `s` of `s·asinh(v/s)` that makes the values most normal, of some sizes relative to the middle one of the first so many; none
/// where they are about as normal as they are.
fn compression(values: &[f64], telling: usize, relative: &[f64]) -> Option<f64> {
    let mut sizes: Vec<f64> = values
        .iter()
        .take(telling)
        .map(|value| value.abs())
        .filter(|size| *size > 0.0)
        .collect();
    sizes.sort_by(f64::total_cmp);
    let middle = *sizes.get(sizes.len() / 2)?;
    let bent = |s: f64| values.iter().map(|value| s * (value / s).asinh()).collect::<Vec<f64>>();
    let merit = |bent: &[f64], s: f64| {
        let stretch: f64 = values.iter().map(|value| (value / s).powi(2).ln_1p()).sum();
        -0.5 * bent.len() as f64 * variance(bent).max(f64::MIN_POSITIVE).ln() - 0.5 * stretch
    };
    let plain = merit(values, f64::INFINITY);
    let candidates = relative.iter().map(|share| share * middle);
    let ranked = candidates.map(|s| (merit(&bent(s), s), s));
    let (merit, s) = ranked.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (merit > plain + 2.0).then_some(s)
}

pub(crate) fn variance(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count
}

/// How far each observation is believed to break the limits, in deviations of each output; empty where there are none.
///
/// Without noise what was observed counts. With noise a value on one side of a limit may come from the other, so the
/// models' means count, at the observations that matter.
pub(crate) fn violations(history: &History, limits: &[Limit], values: &[f64]) -> Vec<f64> {
    let outputs: Vec<(usize, &Limit)> = limited(history)
        .into_iter()
        .filter_map(|index| {
            Some((
                index,
                limits
                    .iter()
                    .find(|limit| limit.name == history.outputs()[index].name)?,
            ))
        })
        .collect();
    if outputs.is_empty() {
        return Vec::new();
    }
    let mut violations = vec![0.0; history.len()];
    for &(index, limit) in &outputs {
        let goal = history.outputs()[index].goal;
        for (sum, value) in violations.iter_mut().zip(history.values(index)) {
            *sum += goal.violation(*value).max(0.0) / limit.scale;
        }
    }
    if history.is_noisy() {
        believe(history, &outputs, values, &mut violations);
    }
    violations
}

/// So many of the lowest observations are asked what their limits' models believe of them.
const ASKED: usize = 200;

fn believe(history: &History, outputs: &[(usize, &Limit)], values: &[f64], violations: &mut [f64]) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order.truncate(ASKED);
    let points = Points::from_rows(
        history.space().dim(),
        order.iter().map(|&index| history.points().row(index)),
    );
    order.iter().for_each(|&index| violations[index] = 0.0);
    for (_, limit) in outputs {
        let Some(marginals) = limit.model.marginals() else {
            continue;
        };
        for (&index, mean) in order.iter().zip(marginals.beliefs(points.matrix()).mean) {
            let above = limit.high.map_or(0.0, |high| mean - high);
            let below = limit.low.map_or(0.0, |low| low - mean);
            violations[index] += above.max(below).max(0.0) / limit.scale;
        }
    }
}

/// What the objective's model left to find again.
pub(crate) fn own_memory(history: &History) -> Option<&Value> {
    let memory = history.memory()?;
    Some(memory.get(OWN).unwrap_or(memory)).filter(|memory| !memory.is_null())
}

/// What the model of a limit left to find again.
fn remembered<'h>(history: &'h History, name: &str) -> Option<&'h Value> {
    history.memory()?.get(OTHERS)?.get(name)
}

/// What a proposer left to find again under a name of its own.
pub(crate) fn left<'h>(history: &'h History, name: &str) -> Option<&'h Value> {
    history.memory()?.get(name)
}

/// What all models want to find again, and the proposer itself under a name of its own.
pub(crate) fn memory_with(models: &Models, name: &str, own: &impl serde::Serialize) -> Value {
    let others: serde_json::Map<String, Value> = remembered_by(&models.limits).collect();
    serde_json::json!({ OWN: models.objective.memory(), OTHERS: others, name: own })
}

fn remembered_by(limits: &[Limit]) -> impl Iterator<Item = (String, Value)> {
    limits
        .iter()
        .filter_map(|limit| Some((limit.name.clone(), limit.model.memory()?)))
}

const OWN: &str = "objective";
const OTHERS: &str = "limits";

/// What all models want to find again: the objective's alone where there are no limits.
pub(crate) fn memory(objective: &dyn Model, limits: &[Limit]) -> Option<Value> {
    let others: serde_json::Map<String, Value> = remembered_by(limits).collect();
    if others.is_empty() {
        return objective.memory();
    }
    Some(serde_json::json!({ OWN: objective.memory(), OTHERS: others }))
}

#[cfg(test)]
mod tests {
    use hilltop_core::Rng;

    use super::*;

    #[test]
    fn a_compressed_value_has_its_share_of_the_noise() {
        let goal = Goal::Within {
            min: None,
            max: Some(1.0),
        };
        // The first results say of what size the values are; the others are two values seen again and again.
        let first = (0..EARLY).map(|k| 1.0 + 0.3 * f64::from(k as u8) * if k % 2 == 0 { 1.0 } else { -1.0 });
        let mut rng = Rng::new(1);
        let again = (0..4000).map(|k| if k % 2 == 0 { 1.05 } else { 61.0 } + 0.05 * rng.normal());
        let values: Vec<f64> = first.chain(again).collect();
        let view = View::amid_noise(goal, &values);
        let [near, far] = [EARLY, EARLY + 1].map(|start| {
            let own: Vec<f64> = view.values[start..].iter().step_by(2).copied().collect();
            (variance(&own), view.shares[start])
        });
        assert!(near.1 > 0.9 && far.1 < 0.01, "{near:?} {far:?}");
        let ratio = far.0 / near.0;
        assert!((ratio * near.1 / far.1 - 1.0).abs() < 0.1, "{near:?} {far:?}");
    }

    #[test]
    fn values_that_are_left_alone_all_have_the_same_noise() {
        let goal = Goal::Within {
            min: Some(0.0),
            max: None,
        };
        let values: Vec<f64> = (0..40).map(|k| (f64::from(k) * 0.7).sin()).collect();
        let view = View::amid_noise(goal, &values);
        assert_eq!((view.values.as_slice(), view.shares.len()), (values.as_slice(), 0));
    }
}
