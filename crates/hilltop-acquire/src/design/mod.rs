//! Initial designs: where to look before anything is believed.
//!
//! Point `k` of a design is a function of the space, the seed and `k`, so that a study continues where it stopped. All
//! points satisfy the known constraints, and no two are equal.

mod latin;

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;

use hilltop_core::{Error, History, Result, Rng, Sobol, Space};
use serde::{Deserialize, Serialize};

use crate::maximiser::{Known, same};

/// An initial design.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Design {
    /// How its points are laid out.
    pub kind: Layout,
    /// How many there are; eight more than parameters, at most 50, where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
}

/// How the points of a design are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// A scrambled Sobol sequence; a Latin hypercube beyond 256 parameters.
    #[default]
    Sobol,
    /// A Latin hypercube of the design's count.
    LatinHypercube,
    /// Independent points.
    Uniform,
}

/// Tells these random numbers from others of the same seed.
const TAG: u64 = 0xde51;
/// How often another point is tried in place of one that is there already.
const ATTEMPTS: u64 = 100;
/// A space of at most so many points is listed to find one that is left.
const LISTED: usize = 100_000;

impl Design {
    /// How many points the design has in a space. An array is one thing, however many numbers it has.
    pub fn count(&self, space: &Space) -> usize {
        let most = if space.shape().is_some() { 20 } else { 50 };
        self.count.unwrap_or_else(|| (space.unit_dim() + 8).min(most))
    }

    /// Point `index` of the design of a seed; one after the last goes on in the same way.
    ///
    /// In a finite space it is none of the points before it, and after the last point the space is exhausted.
    pub fn point(&self, space: &Space, seed: u64, index: u64) -> Result<Vec<f64>> {
        if space.cardinality().is_none() {
            return self.candidate(space, seed, index, 0);
        }
        let mut taken = BTreeSet::new();
        for before in 0..index {
            let point = self.other_than(space, seed, before, &|point| taken.contains(&bits(point)))?;
            taken.insert(bits(&point));
        }
        self.other_than(space, seed, index, &|point| taken.contains(&bits(point)))
    }

    /// The first points of the design of a seed.
    pub fn points(&self, space: &Space, seed: u64, count: usize) -> Result<Vec<Vec<f64>>> {
        let mut taken = BTreeSet::new();
        let mut points = Vec::with_capacity(count);
        for index in 0..count as u64 {
            let point = self.other_than(space, seed, index, &|point| taken.contains(&bits(point)))?;
            taken.insert(bits(&point));
            points.push(point);
        }
        Ok(points)
    }

    /// Point `index` of the design of a study, or the next in its place where it is known already and asking again
    /// would tell nothing new.
    pub fn propose(&self, history: &History, index: u64) -> Result<Vec<f64>> {
        // Mostly one comparison with every point is enough; more of them are worth a set.
        let (compared, known) = (Cell::new(false), OnceCell::new());
        let taken = |point: &[f64]| {
            if history.is_noisy() {
                false
            } else if compared.replace(true) {
                known.get_or_init(|| Known::new(history.known_points())).contains(point)
            } else {
                history.known_points().any(|other| same(other, point))
            }
        };
        self.other_than(history.space(), history.seed(), index, &taken)
    }

    /// The first candidate for a place that is not taken.
    fn other_than(&self, space: &Space, seed: u64, index: u64, taken: &dyn Fn(&[f64]) -> bool) -> Result<Vec<f64>> {
        for attempt in 0..ATTEMPTS {
            let point = self.candidate(space, seed, index, attempt)?;
            if !taken(&point) {
                return Ok(point);
            }
        }
        remaining(space, Rng::keyed(seed, &[TAG, index, ATTEMPTS]), taken)
    }

    /// A candidate for a place: the layout's own point first, then random ones. What the known constraints forbid is
    /// replaced by a random point, because a repaired one would crowd the border. Arrays are drawn from the table: few rows
    /// are nearest to most points of the cube.
    fn candidate(&self, space: &Space, seed: u64, index: u64, attempt: u64) -> Result<Vec<f64>> {
        let mut rng = Rng::keyed(seed, &[TAG, index, attempt]);
        if attempt == 0 && space.shape().is_none() {
            let point = space.from_unit(&self.unit_point(space, seed, index, &mut rng));
            if space.satisfies(&point) {
                return Ok(point);
            }
        }
        Ok(space.sample(&mut rng)?)
    }

    fn unit_point(&self, space: &Space, seed: u64, index: u64, rng: &mut Rng) -> Vec<f64> {
        let dim = space.unit_dim();
        match self.kind {
            Layout::Uniform => (0..dim).map(|_| rng.uniform()).collect(),
            Layout::Sobol if dim <= Sobol::DIMENSIONS => Sobol::new(seed, dim).point(index),
            Layout::Sobol | Layout::LatinHypercube => latin::point(seed, dim, self.count(space), index),
        }
    }
}

/// A random one of the points that are left.
fn remaining(space: &Space, mut rng: Rng, taken: &dyn Fn(&[f64]) -> bool) -> Result<Vec<f64>> {
    let all = space.enumerate(LISTED).unwrap_or_default();
    let points = if all.is_empty() {
        space.cardinality().unwrap_or(1)
    } else {
        all.len() as u64
    };
    let mut left: Vec<_> = all.into_iter().filter(|point| !taken(point)).collect();
    if left.is_empty() {
        Err(Error::Exhausted { points })
    } else {
        Ok(left.swap_remove(rng.below(left.len())))
    }
}

/// A point as a key; zero has one sign.
pub(crate) fn bits(point: &[f64]) -> Vec<u64> {
    point.iter().map(|x| (x + 0.0).to_bits()).collect()
}
