//! The best of many points: spread over the space, and around the best observations at every scale.

use std::collections::BTreeSet;

use hilltop_core::{Candidates, Context, Coordinate, Maximiser, Result, Rng, Score, Sobol};
use serde::{Deserialize, Serialize};

use super::perturbation;
use super::terrain::{Candidate, Terrain};
use crate::design::bits;

/// A pool of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pool {
    /// How many points are spread over the space.
    pub points: usize,
    /// How many lie beside the best observations.
    pub near: usize,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            points: 1000,
            near: 500,
        }
    }
}

/// Observations that are looked around.
const CENTRES: usize = 5;
/// The scale of points that are spread over everything.
pub(crate) const WIDE: f64 = 0.1;
/// The share of a constrained pool that is drawn one by one where hardly any spread point satisfies the constraints.
const DRAWN: usize = 4;

impl Maximiser for Pool {
    fn maximise(&self, score: &dyn Score, context: &Context<'_>, rng: &mut Rng) -> Result<Vec<f64>> {
        let terrain = Terrain::new(context);
        let found = self.survey(score, context, &terrain, rng)?;
        terrain.choose(score, found, rng)
    }
}

impl Pool {
    /// All points of the pool with their scores.
    pub(crate) fn survey(
        &self,
        score: &dyn Score,
        context: &Context<'_>,
        terrain: &Terrain<'_>,
        rng: &mut Rng,
    ) -> Result<Vec<Candidate>> {
        let spread = self.spread(terrain, rng)?.into_iter().map(|point| (point, WIDE));
        let mut places: Vec<(Vec<f64>, f64)> = spread.chain(self.beside(context, terrain, rng)).collect();
        if terrain.is_discrete() {
            let mut seen = BTreeSet::new();
            places.retain(|(point, _)| seen.insert(bits(point)));
        }
        let (points, reach): (Vec<_>, Vec<_>) = places.into_iter().unzip();
        Ok(Terrain::candidates(score, points, &reach))
    }

    /// Points spread over the bounds.
    fn spread(&self, terrain: &Terrain<'_>, rng: &mut Rng) -> Result<Vec<Vec<f64>>> {
        let space = terrain.space;
        if let Some(table) = space.candidates() {
            return Ok(self.rows(table, terrain, rng));
        }
        let sobol = Sobol::new(rng.bits(), space.unit_dim());
        let spread = (0..self.points as u64).map(|index| stretch(space.from_unit(&sobol.point(index)), terrain));
        let mut points: Vec<_> = spread.filter(|point| space.satisfies(point)).collect();
        for _ in points.len()..self.points.div_ceil(DRAWN) {
            let mut point = stretch(space.sample(rng)?, terrain);
            if terrain.admit(&mut point, rng) {
                points.push(point);
            }
        }
        Ok(points)
    }

    /// Rows of a table, all of them where they are few enough.
    fn rows(&self, table: &Candidates, terrain: &Terrain<'_>, rng: &mut Rng) -> Vec<Vec<f64>> {
        let mut order: Vec<usize> = (0..table.len()).collect();
        if table.len() > self.points {
            rng.shuffle(&mut order);
        }
        let rows = order
            .into_iter()
            .take(self.points)
            .map(|row| table.features(row).to_vec());
        rows.filter(|point| terrain.contains(point)).collect()
    }

    /// Points beside the best observations with their scales; half of them beside the very best.
    fn beside(&self, context: &Context<'_>, terrain: &Terrain<'_>, rng: &mut Rng) -> Vec<(Vec<f64>, f64)> {
        let centres = perturbation::centres(context, terrain, CENTRES);
        if terrain.space.candidates().is_some() {
            let around = centres.iter().flat_map(|centre| terrain.space.neighbours(centre));
            return around
                .filter(|point| terrain.contains(point))
                .map(|point| (point, WIDE))
                .collect();
        }
        let mut beside = Vec::with_capacity(self.near);
        for index in 0..if centres.is_empty() { 0 } else { self.near } {
            let centre = &centres[if index % 2 == 0 { 0 } else { (index / 2) % centres.len() }];
            let scale = perturbation::scale(rng);
            let mut point = perturbation::beside(terrain.space, centre, scale, rng);
            if terrain.admit(&mut point, rng) {
                beside.push((point, scale));
            }
        }
        beside
    }
}

/// Maps a point of the whole cube into the bounds: numbers proportionally, discrete coordinates to the nearest.
fn stretch(mut point: Vec<f64>, terrain: &Terrain<'_>) -> Vec<f64> {
    if terrain.is_whole() {
        return point;
    }
    let bounds = terrain.bounds;
    for (axis, coordinate) in terrain.space.coordinates().iter().enumerate() {
        if !matches!(coordinate, Coordinate::OneHot { .. }) {
            point[axis] = bounds.low[axis] + point[axis] * (bounds.high[axis] - bounds.low[axis]);
        }
    }
    bounds.clamp(&mut point);
    terrain.space.project(&mut point);
    point
}
