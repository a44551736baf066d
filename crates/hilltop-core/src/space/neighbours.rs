//! The discrete neighbours of a point: one parameter changed, the rest as it is.

use super::axis::Axis;
use super::domain::Domain;

/// Grids with more levels than this also get jumps.
const MANY_LEVELS: u64 = 8;

/// Projected points that differ from `z` in one discrete parameter (and what its conditions bring along). They need not
/// satisfy the known constraints.
pub(crate) fn one_changed(domain: &Domain, z: &[f64]) -> Vec<Vec<f64>> {
    let mut here = z.to_vec();
    domain.project(&mut here);
    let active: Vec<bool> = domain.with_slots(&here, |slots| slots.iter().map(|slot| !slot.is_nan()).collect());
    let mut found: Vec<Vec<f64>> = Vec::new();
    for parameter in (0..domain.axes.len()).filter(|&parameter| active[parameter]) {
        let axis = &domain.axes[parameter];
        for position in other_positions(axis, domain.position(&here, parameter)) {
            let mut there = here.clone();
            axis.write(position, &mut there[domain.range(parameter)]);
            domain.project(&mut there);
            if there != here && !found.contains(&there) {
                found.push(there);
            }
        }
    }
    found
}

/// Every other option of a choice; the next levels of a grid, and some further away where there are many.
fn other_positions(axis: &Axis, position: f64) -> Vec<f64> {
    let Some(levels) = axis.levels() else { return Vec::new() };
    if matches!(axis, Axis::OneHot { .. }) {
        return (0..levels)
            .map(|level| level as f64)
            .filter(|&other| other != position)
            .collect();
    }
    let mut found: Vec<f64> = Vec::new();
    for jump in jumps(axis, position, levels) {
        for other in [position - jump, position + jump] {
            if other >= 0.0 && other < levels as f64 && !found.contains(&other) {
                found.push(other);
            }
        }
    }
    found
}

/// How far to go: a level, a tenth and a third of the grid; on a logarithmic grid also in proportion to the value.
fn jumps(axis: &Axis, position: f64, levels: u64) -> Vec<f64> {
    let mut jumps = vec![1.0];
    if levels > MANY_LEVELS {
        jumps.extend([(levels as f64 / 10.0).ceil(), (levels as f64 / 3.0).ceil()]);
    }
    if matches!(axis, Axis::LogWhole { .. }) {
        let value = axis.slot(position);
        jumps.extend([(value / 10.0).ceil(), (value / 2.0).ceil()]);
    }
    jumps
}
