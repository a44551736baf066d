//! Which bends make the observations most probable.

use hilltop_core::{Coordinate, Evidence, Kind, Lbfgs, Space};

use super::Bends;
use crate::Ntk;
use crate::ntk::{grouping, refit, shares};
use crate::process::{Fitted, Hyperparameters, Observed, Refit, Schedule, Telling};

/// The curves that are tried, each also mirrored: one to three orders of magnitude.
const CURVES: [f64; 6] = [8.0, 60.0, 500.0, -8.0, -60.0, -500.0];

/// How much more probable, as a logarithm, a bend must make the observations. Chance alone gives one or two; with less than this a bend
/// is mostly half right, and misjudges valleys that differ by little.
const EVIDENT: f64 = 6.0;

/// The same, amid noise, of a bend into the logarithm of a positive range: one guess, made before any observation, and mostly right.
/// Without noise the observations themselves soon say what suits them best.
const PLAUSIBLE: f64 = 1.0;

/// That guess is made where the upper bound is so many times the lower one; below, the logarithm is hardly bent.
const RATIO: f64 = 4.0;

/// A lower bound that is so many times smaller is as good as zero.
const LARGEST: f64 = 1e6;

/// Bends are learnt from so many observations at most.
const TELLING: usize = 100;

/// With more coordinates than this nothing is bent: trying them all would take longer than a suggestion may.
const COORDINATES: usize = 30;

/// When bends are chosen: from so many observations on, again when there are a third more, up to so many.
const WHEN: Schedule = Schedule {
    first: 16,
    each_until: 0,
    growth: 1.3,
};
/// The last choice is made by about so many.
const LAST: usize = 400;

/// The counts at which bends are chosen.
pub(super) fn counts(observed: usize) -> Vec<usize> {
    WHEN.between(None, observed.min(LAST))
}

/// The coordinates that may bend: numbers, where there are not too many of them.
pub(super) fn bendable(space: &Space) -> impl Iterator<Item = usize> + '_ {
    let numbers = |(_, coordinate): &(usize, &Coordinate)| !matches!(coordinate, Coordinate::OneHot { .. });
    let few = space.dim() <= COORDINATES;
    let coordinates = space.coordinates().iter().enumerate();
    coordinates
        .filter(move |entry| few && numbers(entry))
        .map(|(axis, _)| axis)
}

/// The coordinates whose range is positive and not stated as logarithmic, with the bends into their logarithms.
fn logarithms(space: &Space) -> impl Iterator<Item = (usize, f64)> + '_ {
    bendable(space).filter_map(|axis| {
        let (Coordinate::Continuous { parameter } | Coordinate::Grid { parameter, .. }) = space.coordinates()[axis]
        else {
            return None;
        };
        let ratio = match space.parameters()[parameter].kind {
            Kind::Float {
                low, high, log: false, ..
            } if low > 0.0 => high / low,
            Kind::Int {
                low, high, log: false, ..
            } if low > 0 => high as f64 / low as f64,
            _ => return None,
        };
        (RATIO..LARGEST).contains(&ratio).then_some((axis, ratio - 1.0))
    })
}

/// The bends that the first `count` observations ask for, with the parameters that go with them where there are any.
pub(super) fn learn(ntk: &Ntk, evidence: &Evidence<'_>, count: usize) -> (Bends, Option<Fitted>) {
    let trial = Trial::new(ntk, evidence, count);
    let mut best = trial.begin();
    for (axis, k) in logarithms(evidence.space).filter(|_| ntk.noisy) {
        let bent = trial.with(&best, axis, k);
        if bent.cost < best.cost - PLAUSIBLE {
            best = bent;
        }
    }
    let mut promising = trial.promising(&best, evidence.space);
    // The most promising coordinate first; what the others gain depends on it.
    promising.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (axis, _) in promising {
        let bent = trial.bent(&best, axis);
        if bent.cost < best.cost - EVIDENT {
            best = bent;
        }
    }
    let fitted = (!best.bends.is_straight()).then(|| Fitted {
        count: Some(count),
        parameters: if ntk.noisy {
            trial.settle(&best, evidence, count, ntk.fit_limit)
        } else {
            best.parameters.clone()
        },
    });
    (best.bends, fitted)
}

/// Bends with the most probable parameters, and their cost.
#[derive(Clone)]
struct Candidate {
    bends: Bends,
    parameters: Hyperparameters,
    cost: f64,
}

/// The observations that bends are tried on.
struct Trial {
    refit: Refit,
    telling: Telling,
}

impl Trial {
    fn new(ntk: &Ntk, evidence: &Evidence<'_>, count: usize) -> Self {
        let shares = shares(evidence);
        let seen = Observed {
            points: evidence.points.matrix(),
            values: evidence.values,
            shares: &shares,
        };
        Self {
            refit: refit(ntk, grouping(evidence.space)),
            telling: Telling::of(seen.first(count), TELLING),
        }
    }

    /// Straight coordinates, fitted from where any fit starts.
    fn begin(&self) -> Candidate {
        let bends = Bends::straight(self.telling.points.ncols());
        let start = self.refit.start().parameters;
        let ends = self.refit.starts(&start, self.telling.values.len()).into_iter();
        let ends = ends.map(|start| self.fit(bends.clone(), &start, &self.refit.search));
        let best = ends.reduce(|best, end| if end.cost < best.cost { end } else { best });
        best.unwrap_or(Candidate {
            bends,
            parameters: start,
            cost: f64::INFINITY,
        })
    }

    /// The coordinates that gain by a bend of their own, with the cost they reach.
    fn promising(&self, straight: &Candidate, space: &Space) -> Vec<(usize, f64)> {
        let reached = |axis| (axis, self.bent(straight, axis).cost);
        let gains = |(_, cost): &(usize, f64)| *cost < straight.cost - EVIDENT;
        bendable(space).map(reached).filter(gains).collect()
    }

    /// One coordinate bent so far.
    fn with(&self, from: &Candidate, axis: usize, k: f64) -> Candidate {
        let search = Lbfgs {
            iterations: 12,
            ..self.refit.search
        };
        self.fit(from.bends.with(axis, k), &from.parameters, &search)
    }

    /// The best bend of one coordinate.
    fn bent(&self, from: &Candidate, axis: usize) -> Candidate {
        let tried = CURVES.iter().map(|&k| self.with(from, axis, k));
        tried.fold(from.clone(), |best, end| if end.cost < best.cost { end } else { best })
    }

    /// The parameters that go with the bends amid noise, of all observations up to the count instead of those that chose: a parameter that
    /// few of them need would else be left out.
    fn settle(&self, best: &Candidate, evidence: &Evidence<'_>, count: usize, limit: usize) -> Hyperparameters {
        let shares = shares(evidence);
        let seen = Observed {
            points: evidence.points.matrix(),
            values: evidence.values,
            shares: &shares,
        };
        let telling = Telling::of(seen.first(count), limit);
        let points = best.bends.all_inward(telling.points.as_ref());
        let mut likelihood = telling.likelihood(&self.refit, points.as_ref());
        let (parameters, cost) = likelihood.maximise(&best.parameters, &self.refit.search);
        self.refit.leave_out(&mut likelihood, parameters, cost)
    }

    fn fit(&self, bends: Bends, start: &Hyperparameters, search: &Lbfgs) -> Candidate {
        let points = bends.all_inward(self.telling.points.as_ref());
        let likelihood = self.telling.likelihood(&self.refit, points.as_ref());
        let (parameters, cost) = likelihood.maximise(start, search);
        Candidate {
            bends,
            parameters,
            cost,
        }
    }
}
