//! Where a maximiser may stand: the space, the bounds of the round, and the points that are known already.

use faer::MatRef;
use hilltop_core::{Bounds, Context, Coordinate, Error, Result, Rng, Score, Space};

use super::known::Known;

/// A point with its score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// Where.
    pub(crate) point: Vec<f64>,
    /// The score; never NaN.
    pub(crate) value: f64,
    /// The scale at which the point was found.
    pub(crate) reach: f64,
}

/// The ground of one maximisation.
pub(crate) struct Terrain<'a> {
    /// The space.
    pub(crate) space: &'a Space,
    /// Where to look.
    pub(crate) bounds: &'a Bounds,
    whole: bool,
    known: Option<Known<'a>>,
}

/// Rows a score is asked for at once: enough to be fast, few enough for a model of twenty thousand observations.
const CHUNK: usize = 512;
/// Grids with more levels are climbed as if they were continuous and rounded afterwards.
const FINE: u64 = 50;
/// Projection rounds to decimals, so that a point on the edge of the bounds may lie this much outside.
const ROUNDING: f64 = 1e-9;
/// A space of at most so many points is listed to find one that is left.
const LISTED: usize = 100_000;
/// How many random points are tried before a space without a list counts as exhausted.
const TRIED: usize = 1000;

impl<'a> Terrain<'a> {
    /// The ground of a context.
    pub(crate) fn new(context: &Context<'a>) -> Self {
        let history = context.history;
        let bounds = context.bounds;
        let whole = bounds.low.iter().all(|&low| low <= 0.0) && bounds.high.iter().all(|&high| high >= 1.0);
        let known = (!history.is_noisy()).then(|| Known::new(history.known_points()));
        Self {
            space: history.space(),
            bounds,
            whole,
            known,
        }
    }

    /// Whether the bounds leave nothing out.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Moves a point to the nearest one that may be evaluated; `false` where there is none nearby.
    ///
    /// A level of a discrete parameter lies within the bounds when it is the nearest to some coordinate that does.
    pub(crate) fn admit(&self, point: &mut [f64], rng: &mut Rng) -> bool {
        self.bounds.clamp(point);
        self.space.project(point);
        if self.space.satisfies(point) {
            return true;
        }
        self.space.repair(point, rng) && self.contains(point)
    }

    /// Whether a projected point lies within the bounds.
    pub(crate) fn contains(&self, point: &[f64]) -> bool {
        if self.whole {
            return true;
        }
        let mut inside = point.to_vec();
        self.bounds.clamp(&mut inside);
        self.space.project(&mut inside);
        inside
            .iter()
            .zip(point)
            .all(|(inside, x)| (inside - x).abs() <= ROUNDING)
    }

    /// Whether a point may be proposed: always where there is noise, otherwise when it is not known.
    pub(crate) fn is_fresh(&self, point: &[f64]) -> bool {
        self.known.as_ref().is_none_or(|known| !known.contains(point))
    }

    /// The limits within which a gradient may move a point: discrete coordinates and those that take no part are held.
    /// The features of a table are climbed as if they were continuous; the nearest row is taken afterwards.
    pub(crate) fn limits(&self, point: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let active = self.space.active(point);
        let free = |coordinate: &Coordinate| match *coordinate {
            Coordinate::Continuous { parameter } => active[parameter],
            Coordinate::Grid { parameter, levels } => levels > FINE && active[parameter],
            Coordinate::OneHot { .. } => false,
        };
        let limit = |(axis, coordinate): (usize, &Coordinate)| {
            let (low, high) = (self.bounds.low[axis].max(0.0), self.bounds.high[axis].min(1.0));
            if free(coordinate) && low < high {
                (low, high)
            } else {
                (point[axis], point[axis])
            }
        };
        self.space.coordinates().iter().enumerate().map(limit).unzip()
    }

    /// Whether something moves continuously.
    pub(crate) fn is_continuous(&self) -> bool {
        let continuous = |coordinate: &Coordinate| matches!(coordinate, Coordinate::Continuous { .. });
        self.space.candidates().is_none() && self.space.coordinates().iter().any(continuous)
    }

    /// Whether there are known constraints.
    pub(crate) fn is_constrained(&self) -> bool {
        !self.space.known().is_empty()
    }

    /// Whether something moves in steps rather than continuously.
    pub(crate) fn is_discrete(&self) -> bool {
        let steps = |coordinate: &Coordinate| !matches!(coordinate, Coordinate::Continuous { .. });
        self.space.candidates().is_some() || self.space.coordinates().iter().any(steps)
    }

    /// The scores of points, in batches; what is not a number is worst.
    pub(crate) fn values(score: &dyn Score, points: &[Vec<f64>]) -> Vec<f64> {
        let mut values = vec![0.0; points.len()];
        for (points, values) in points.chunks(CHUNK).zip(values.chunks_mut(CHUNK)) {
            let rows = points.concat();
            score.values(
                MatRef::from_row_major_slice(&rows, points.len(), rows.len() / points.len()),
                values,
            );
        }
        values
            .iter_mut()
            .filter(|value| value.is_nan())
            .for_each(|value| *value = f64::NEG_INFINITY);
        values
    }

    /// The points as candidates, found at a scale each.
    pub(crate) fn candidates(score: &dyn Score, points: Vec<Vec<f64>>, reach: &[f64]) -> Vec<Candidate> {
        let values = Self::values(score, &points);
        let rows = points.into_iter().zip(values).zip(reach);
        rows.map(|((point, value), &reach)| Candidate { point, value, reach })
            .collect()
    }

    /// The best candidate that may be proposed; where all are known, the best of what else there is.
    pub(crate) fn choose(&self, score: &dyn Score, mut found: Vec<Candidate>, rng: &mut Rng) -> Result<Vec<f64>> {
        rank(&mut found);
        match found.iter().position(|candidate| self.is_fresh(&candidate.point)) {
            Some(index) => Ok(found.swap_remove(index).point),
            None => self.elsewhere(score, &found, rng),
        }
    }

    /// A fresh point beside the best ones, or anywhere.
    fn elsewhere(&self, score: &dyn Score, found: &[Candidate], rng: &mut Rng) -> Result<Vec<f64>> {
        let beside = found
            .iter()
            .take(20)
            .flat_map(|candidate| self.space.neighbours(&candidate.point));
        let beside: Vec<_> = beside
            .filter(|point| self.is_fresh(point) && self.contains(point))
            .collect();
        match best(score, beside) {
            Some(point) => Ok(point),
            None => self.anywhere(score, rng),
        }
    }

    /// A fresh point of the whole space, within the bounds where one is left there.
    pub(crate) fn anywhere(&self, score: &dyn Score, rng: &mut Rng) -> Result<Vec<f64>> {
        match self.space.enumerate(LISTED) {
            Some(all) => self.best_of_list(score, all),
            None => self.random(rng),
        }
    }

    /// The best fresh point of a list of everything.
    pub(crate) fn best_of_list(&self, score: &dyn Score, all: Vec<Vec<f64>>) -> Result<Vec<f64>> {
        let points = all.len() as u64;
        let fresh: Vec<_> = all.into_iter().filter(|point| self.is_fresh(point)).collect();
        let (inside, outside): (Vec<_>, Vec<_>) = fresh.into_iter().partition(|point| self.contains(point));
        best(score, inside)
            .or_else(|| best(score, outside))
            .ok_or(Error::Exhausted { points })
    }

    fn random(&self, rng: &mut Rng) -> Result<Vec<f64>> {
        for _ in 0..TRIED {
            let point = self.space.sample(rng)?;
            if self.is_fresh(&point) {
                return Ok(point);
            }
        }
        let known = self.known.as_ref().map_or(0, Known::len) as u64;
        Err(Error::Exhausted {
            points: self.space.cardinality().unwrap_or(known).min(known),
        })
    }
}

/// Best first; among equals the order in which they were found.
pub(crate) fn rank(found: &mut [Candidate]) {
    found.sort_by(|a, b| b.value.total_cmp(&a.value));
}

/// The point of the highest score, the first of several.
fn best(score: &dyn Score, mut points: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let values = Terrain::values(score, &points);
    let index = (0..points.len()).reduce(|best, index| if values[index] > values[best] { index } else { best })?;
    Some(points.swap_remove(index))
}
