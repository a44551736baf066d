//! The last steps: a local search around the best point, folded out of the history.
//!
//! A model of the whole space knows where the valley is and not where its floor is: its values span the whole range,
//! and the last digits drown in its noise. Close to the best point a model of the nearest observations alone, in
//! coordinates and units of their own, sees them. A trust region says how far it is believed: it grows with steps that
//! succeed and shrinks with those that do not. Nothing is stored: the region is a fold over the observations.

use std::sync::Arc;

use faer::Mat;
use hilltop_acquire::{Gradient, Mean, Pool, acquisition};
use hilltop_core::{
    Acquisition, Bounds, Context, Coordinate, Error, Evidence, Goal, History, Maximiser, Models, Output, Points,
    Previous, Result, Rng, Space, Surrogate,
};
use hilltop_surrogate::Ntk;
use hilltop_surrogate::process::Schedule;
use serde::{Deserialize, Serialize};

use crate::valley;

/// How the local search steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Descent {
    /// Half the region's first width, as a share of a parameter's range.
    pub width: f64,
    /// The region is given up below this width.
    pub smallest: f64,
    /// At most so many observations are modelled.
    pub nearest: usize,
}

impl Default for Descent {
    fn default() -> Self {
        Self {
            width: 0.2,
            smallest: 1e-8,
            nearest: 80,
        }
    }
}

/// Where the local search stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    /// The observation in its middle: the best.
    pub(crate) centre: usize,
    /// Half its width.
    pub(crate) width: f64,
}

impl Descent {
    /// Refuses settings that cannot work.
    pub(crate) fn check(&self) -> Result<()> {
        let refuse = |setting: &str, value: String, allowed: &str| {
            Err(Error::Setting {
                setting: format!("descent.{setting}"),
                value,
                allowed: allowed.into(),
            })
        };
        if !(self.width > 0.0 && self.width <= 0.5) {
            return refuse("width", self.width.to_string(), "above 0, at most 0.5");
        }
        if !(self.smallest > 0.0 && self.smallest < self.width) {
            return refuse("smallest", self.smallest.to_string(), "above 0, below the width");
        }
        if self.nearest < 4 {
            return refuse("nearest", self.nearest.to_string(), "at least 4 observations");
        }
        Ok(())
    }

    /// The region after these observations, the first `initial` of which only say where the best is.
    pub(crate) fn region(&self, points: &Points, values: &[f64], initial: usize) -> Option<Region> {
        let mut region: Option<Region> = None;
        for (index, value) in values.iter().enumerate() {
            region = Some(match region {
                None => self.fresh(index),
                Some(region) if *value < values[region.centre] && index < initial => self.fresh(index),
                Some(region) if *value < values[region.centre] => self.improved(region, points, index),
                Some(region) if index < initial => region,
                Some(region) => self.missed(region, points, index),
            });
        }
        region
    }

    fn fresh(&self, centre: usize) -> Region {
        Region {
            centre,
            width: self.width,
        }
    }

    /// A point inside that did not improve on the best halves the region; one that became too small starts anew.
    fn missed(&self, region: Region, points: &Points, index: usize) -> Region {
        let halved = 0.5 * region.width;
        if !region.holds(distance(points.row(index), points.row(region.centre))) {
            region
        } else if halved < self.smallest {
            self.fresh(region.centre)
        } else {
            Region {
                width: halved,
                ..region
            }
        }
    }

    /// The region moves to a better point: as wide as two of the steps that led there, growing and shrinking by no more
    /// than makes sense at once.
    fn improved(&self, region: Region, points: &Points, index: usize) -> Region {
        let step = distance(points.row(index), points.row(region.centre));
        let width = if region.holds(step) {
            (2.0 * step).max(0.3 * region.width).min(2.0 * self.width)
        } else {
            region.width.max((2.0 * step).min(self.width))
        };
        Region { centre: index, width }
    }

    /// The minimum of the local model within the region; `None` where there is nothing to move or too little to fit.
    pub(crate) fn step(
        &self,
        history: &History,
        region: Region,
        surrogate: &Ntk,
        rng: &mut Rng,
    ) -> Result<Option<Vec<f64>>> {
        let Some(zoom) = Zoom::new(history, region, self.nearest) else {
            return Ok(None);
        };
        let space = Arc::new(Space::unit_box(zoom.axes.len()));
        let evidence = Evidence {
            space: &space,
            points: &zoom.points,
            values: &zoom.values,
            seed: history.seed(),
            shares: &[],
        };
        let model = once(surrogate, zoom.values.len()).fit(&evidence, Previous::default())?;
        let outputs = [Output {
            name: String::new(),
            goal: Goal::Minimize,
        }];
        let fresh = History::new(Arc::clone(&space), outputs.into(), history.seed()).with_noise(true);
        let context = Context::new(&fresh, evidence, &zoom.bounds);
        let greedy = acquisition::Kind::Mean(Mean::default());
        let score = greedy.bind(&Models::from(model), &context, rng)?;
        let search = Gradient {
            pool: Pool { points: 200, near: 200 },
            starts: 4,
            iterations: 60,
            ..Gradient::default()
        };
        let found = search.maximise(score.as_ref(), &context, rng)?;
        Ok(Some(zoom.outward(&found)))
    }
}

/// The surrogate with one fit to all of these observations: a neighbourhood has no past to start from.
pub(crate) fn once(surrogate: &Ntk, count: usize) -> Ntk {
    let schedule = Schedule {
        first: count,
        ..surrogate.schedule
    };
    Ntk {
        schedule,
        ..surrogate.clone()
    }
}

impl Region {
    /// Whether a point at this distance from the centre lies inside.
    fn holds(self, distance: f64) -> bool {
        distance <= self.width * (1.0 + 1e-9)
    }
}

/// The largest difference of two points in any coordinate.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The neighbourhood of the best point in coordinates of its own, turned along the valley: its nearest observations
/// fill the unit cube.
pub(crate) struct Zoom {
    pub(crate) centre: Vec<f64>,
    /// The coordinates that move: the continuous ones.
    pub(crate) axes: Vec<usize>,
    /// How long the region is in each of them, in widths.
    aspect: Vec<f64>,
    /// The directions of the local coordinates, one a column.
    turn: Mat<f64>,
    /// Half the region's width.
    width: f64,
    scale: f64,
    /// The observations that it holds, nearest first.
    pub(crate) near: Vec<usize>,
    pub(crate) points: Points,
    pub(crate) values: Vec<f64>,
    pub(crate) bounds: Bounds,
}

impl Zoom {
    /// The neighbourhood turned along the valley.
    fn new(history: &History, region: Region, limit: usize) -> Option<Self> {
        let mut zoom = Self::straight(history, region, limit)?;
        zoom.turn_along(history);
        zoom.fill(history);
        Some(zoom)
    }

    /// The neighbourhood in the space's own directions.
    pub(crate) fn straight(history: &History, region: Region, limit: usize) -> Option<Self> {
        Self::shaped(history, region, limit, &vec![1.0; history.space().dim()])
    }

    /// The same, in each coordinate so many times as long.
    pub(crate) fn shaped(history: &History, region: Region, limit: usize, aspect: &[f64]) -> Option<Self> {
        let space = history.space();
        let continuous = |axis: &usize| matches!(space.coordinates()[*axis], Coordinate::Continuous { .. });
        let axes: Vec<usize> = (0..space.dim()).filter(continuous).collect();
        let centre = history.points().row(region.centre).to_vec();
        let near = nearest(history.points(), &centre, aspect, &axes, region.width, limit);
        if axes.is_empty() || near.len() < axes.len() + 2 {
            return None;
        }
        let farthest = near.iter().map(|&(distance, _)| distance).fold(0.0, f64::max);
        let scale = region.width.max(0.5 * farthest);
        let mut zoom = Self {
            points: Points::new(axes.len()),
            near: near.iter().map(|&(_, index)| index).collect(),
            values: near.iter().map(|&(_, index)| history.objective()[index]).collect(),
            bounds: Bounds::unit(axes.len()),
            turn: Mat::identity(axes.len(), axes.len()),
            width: region.width,
            aspect: axes.iter().map(|&axis| aspect[axis]).collect(),
            centre,
            axes,
            scale,
        };
        zoom.fill(history);
        Some(zoom)
    }

    /// Takes the observations in, and the region.
    fn fill(&mut self, history: &History) {
        let rows: Vec<Vec<f64>> = self
            .near
            .iter()
            .map(|&index| self.inward(history.points().row(index)))
            .collect();
        self.points = Points::from_rows(self.axes.len(), rows.iter().map(Vec::as_slice));
        self.bounds = self.region();
    }

    /// Whether the region keeps clear of the space's bounds in this coordinate.
    fn is_clear(&self, k: usize) -> bool {
        let (middle, width) = (self.centre[self.axes[k]], self.width * self.aspect[k]);
        middle >= width && middle <= 1.0 - width
    }

    /// Turns the coordinates along the valley, where there is one. Those in which the region meets the space's bounds stay:
    /// a minimum on a bound is found along it.
    fn turn_along(&mut self, history: &History) {
        let clear: Vec<usize> = (0..self.axes.len()).filter(|&k| self.is_clear(k)).collect();
        let mut displacements = Points::new(clear.len());
        for &index in &self.near {
            let row = history.points().row(index);
            let from_centre = |&k: &usize| row[self.axes[k]] - self.centre[self.axes[k]];
            displacements.push(&clear.iter().map(from_centre).collect::<Vec<_>>());
        }
        let Some(axes) = valley::axes(&displacements, &self.values, self.width) else {
            return;
        };
        for (i, &k) in clear.iter().enumerate() {
            for (j, &l) in clear.iter().enumerate() {
                self.turn[(k, l)] = axes[(i, j)];
            }
        }
    }

    /// The region in local coordinates.
    fn region(&self) -> Bounds {
        let mut bounds = Bounds::unit(self.axes.len());
        for (k, &axis) in self.axes.iter().enumerate() {
            let (mut low, mut high) = (-self.width, self.width);
            if !self.is_clear(k) {
                low = low.max(-self.centre[axis] / self.aspect[k]);
                high = high.min((1.0 - self.centre[axis]) / self.aspect[k]);
            }
            bounds.low[k] = 0.5 + 0.5 * low / self.scale;
            bounds.high[k] = 0.5 + 0.5 * high / self.scale;
        }
        bounds
    }

    pub(crate) fn inward(&self, point: &[f64]) -> Vec<f64> {
        let axes = self.axes.iter().zip(&self.aspect);
        let away: Vec<f64> = axes
            .map(|(&axis, aspect)| (point[axis] - self.centre[axis]) / aspect)
            .collect();
        let along = |j: usize| -> f64 { away.iter().enumerate().map(|(i, part)| self.turn[(i, j)] * part).sum() };
        (0..away.len()).map(|j| 0.5 + 0.5 * along(j) / self.scale).collect()
    }

    pub(crate) fn outward(&self, local: &[f64]) -> Vec<f64> {
        let part = |i: usize| -> f64 {
            let parts = local.iter().enumerate();
            parts.map(|(j, local)| self.turn[(i, j)] * (local - 0.5)).sum()
        };
        let step: Vec<f64> = (0..local.len()).map(|i| 2.0 * self.scale * part(i)).collect();
        // The corners of a turned region lie farther out than its width.
        let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
        let share = (self.width / longest).min(1.0);
        let mut point = self.centre.clone();
        for (k, part) in step.into_iter().enumerate() {
            let axis = self.axes[k];
            point[axis] = (self.centre[axis] + share * self.aspect[k] * part).clamp(0.0, 1.0);
        }
        point
    }
}

/// The observations that differ from the centre in continuous coordinates only, nearest first: all within twice the
/// region, enough for a quadratic function elsewhere, at most `limit`.
fn nearest(
    points: &Points,
    centre: &[f64],
    aspect: &[f64],
    axes: &[usize],
    width: f64,
    limit: usize,
) -> Vec<(f64, usize)> {
    let same_slice = |row: &[f64]| (0..centre.len()).all(|k| axes.contains(&k) || (row[k] - centre[k]).abs() < 1e-9);
    let away = |row: &[f64], k: usize| (row[k] - centre[k]).abs() / aspect[k];
    let distance = |row: &[f64]| axes.iter().map(|&k| away(row, k)).fold(0.0, f64::max);
    let rows = points.rows().enumerate().filter(|(_, row)| same_slice(row));
    let mut near: Vec<(f64, usize)> = rows.map(|(index, row)| (distance(row), index)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let inside = near.partition_point(|&(distance, _)| distance <= 2.0 * width);
    let quadratic = (axes.len() + 1) * (axes.len() + 2);
    near.truncate(inside.max(quadratic).min(limit));
    near
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp)]

    use super::*;

    fn fold(rows: &[([f64; 2], f64)], initial: usize) -> Region {
        let points = Points::from_rows(2, rows.iter().map(|(point, _)| point.as_slice()));
        let values: Vec<f64> = rows.iter().map(|(_, value)| *value).collect();
        Descent::default().region(&points, &values, initial).unwrap()
    }

    #[test]
    fn the_initial_design_moves_the_centre_and_leaves_the_width() {
        let region = fold(&[([0.1, 0.1], 3.0), ([0.9, 0.9], 1.0), ([0.5, 0.5], 2.0)], 3);
        assert_eq!((region.centre, region.width), (1, 0.2));
    }

    #[test]
    fn a_miss_inside_halves_the_region_and_one_outside_does_not() {
        let start = ([0.5, 0.5], 1.0);
        assert_eq!(fold(&[start, ([0.55, 0.5], 2.0)], 1).width, 0.1);
        assert_eq!(fold(&[start, ([0.9, 0.5], 2.0)], 1).width, 0.2);
    }

    #[test]
    fn a_success_moves_the_region_and_fits_its_width_to_the_step() {
        let region = fold(&[([0.5, 0.5], 1.0), ([0.51, 0.5], 0.5)], 1);
        assert_eq!(region.centre, 1);
        assert!((region.width - 0.06).abs() < 1e-12, "{}", region.width);
        let region = fold(&[([0.5, 0.5], 1.0), ([0.6, 0.65], 0.5)], 1);
        assert!((region.width - 0.3).abs() < 1e-12, "{}", region.width);
    }

    #[test]
    fn a_shaped_neighbourhood_is_long_where_it_was_said_to_be_and_ends_at_the_bounds() {
        let space = Arc::new(Space::unit_box(2));
        let output = Output {
            name: String::new(),
            goal: Goal::Minimize,
        };
        let mut history = History::new(space, [output].into(), 1);
        for k in 0..20_u32 {
            let point = [0.5 + 0.01 * f64::from(k), f64::from(k) / 19.0];
            history.observe(k.into(), &point, &[f64::from(k)]);
        }
        let region = Region { centre: 0, width: 0.1 };
        let zoom = Zoom::shaped(&history, region, 80, &[0.2, 5.0]).unwrap();
        // 0.02 to either side in the first coordinate, from the lower bound half way up in the second.
        let corners = [&zoom.bounds.low, &zoom.bounds.high].map(|corner| zoom.outward(corner));
        for (corner, expected) in corners.iter().zip([[0.48, 0.0], [0.52, 0.5]]) {
            let misses = corner.iter().zip(expected).map(|(a, b)| (a - b).abs());
            assert!(misses.fold(0.0, f64::max) < 1e-12, "{corners:?}");
        }
        let back = zoom.outward(&zoom.inward(&[0.49, 0.3]));
        assert!(
            (back[0] - 0.49).abs() < 1e-12 && (back[1] - 0.3).abs() < 1e-12,
            "{back:?}"
        );
        assert!(zoom.near.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", zoom.near);
    }

    #[test]
    fn a_region_that_became_too_small_starts_anew() {
        let misses = (0..26).map(|_| ([0.5, 0.5 + 1e-12], 2.0));
        let rows: Vec<_> = std::iter::once(([0.5, 0.5], 1.0)).chain(misses).collect();
        let widths: Vec<f64> = (1..=rows.len()).map(|count| fold(&rows[..count], 1).width).collect();
        assert!(
            widths.iter().any(|width| *width < 2e-8) && widths[widths.len() - 1] > 1e-2,
            "{widths:?}"
        );
    }
}
