//! The discrete neighbours of a point: one parameter changed, the rest as it is.

use super::axis::Axis;
use super::domain::Domain;
use super::mend::pushed;

/// Grids with more levels than this also get jumps.
const MANY_LEVELS: u64 = 8;
/// Spaces with more grids than this get no changes in pairs.
const MANY_GRIDS: usize = 40;

/// Feasible, projected points that differ from `z` in a discrete parameter, and what its change brings along.
pub(crate) fn neighbours(domain: &Domain, z: &[f64]) -> Vec<Vec<f64>> {
    let mut here = z.to_vec();
    domain.project(&mut here);
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut keep = |there: Vec<f64>| {
        if let Some(there) = feasible(domain, there)
            && there != here
            && !found.contains(&there)
        {
            found.push(there);
        }
    };
    one_changed(domain, &here).into_iter().for_each(&mut keep);
    if found.is_empty() && !domain.constraints.is_empty() {
        let mut keep = |there: Vec<f64>| found.extend(feasible(domain, there).filter(|there| *there != here));
        two_changed(domain, &here).into_iter().for_each(&mut keep);
    }
    found
}

/// The point itself, or with floats moved out of the way of a violated constraint.
fn feasible(domain: &Domain, z: Vec<f64>) -> Option<Vec<f64>> {
    if domain.satisfies(&z) {
        return Some(z);
    }
    let has_floats = domain.axes.iter().any(|axis| axis.levels().is_none());
    if has_floats {
        pushed(domain, &domain.to_walk(&z), true)
    } else {
        None
    }
}

/// A point with a parameter at another position.
fn changed(domain: &Domain, z: &[f64], parameter: usize, position: f64) -> Vec<f64> {
    let mut there = z.to_vec();
    domain.axes[parameter].write(position, &mut there[domain.range(parameter)]);
    domain.project(&mut there);
    there
}

fn active(domain: &Domain, z: &[f64]) -> Vec<usize> {
    domain.with_slots(z, |slots| {
        (0..slots.len())
            .filter(|&parameter| !slots[parameter].is_nan())
            .collect()
    })
}

fn one_changed(domain: &Domain, here: &[f64]) -> Vec<Vec<f64>> {
    let changes = |&parameter: &usize| {
        let positions = other_positions(&domain.axes[parameter], domain.position(here, parameter));
        positions
            .into_iter()
            .map(move |position| changed(domain, here, parameter, position))
    };
    active(domain, here).iter().flat_map(changes).collect()
}

/// Two grids a level each, in all directions.
fn two_changed(domain: &Domain, here: &[f64]) -> Vec<Vec<f64>> {
    let is_grid = |parameter: &usize| {
        let axis = &domain.axes[*parameter];
        axis.width() == 1 && axis.levels().is_some() && !matches!(axis, Axis::OneHot { .. })
    };
    let grids: Vec<usize> = active(domain, here)
        .into_iter()
        .filter(is_grid)
        .take(MANY_GRIDS)
        .collect();
    let mut found = Vec::new();
    for (place, &first) in grids.iter().enumerate() {
        for a in next_positions(domain, here, first) {
            let there = changed(domain, here, first, a);
            for &second in &grids[place + 1..] {
                let next = next_positions(domain, here, second);
                found.extend(next.map(|b| changed(domain, &there, second, b)));
            }
        }
    }
    found
}

fn next_positions(domain: &Domain, here: &[f64], parameter: usize) -> impl Iterator<Item = f64> {
    let position = domain.position(here, parameter);
    let levels = domain.axes[parameter].levels().unwrap_or(0) as f64;
    [position - 1.0, position + 1.0]
        .into_iter()
        .filter(move |next| (0.0..levels).contains(next))
}

/// Every other option of a choice; the next levels of a grid, and some further away where there are many.
fn other_positions(axis: &Axis, position: f64) -> Vec<f64> {
    let Some(levels) = axis.levels() else { return Vec::new() };
    if matches!(axis, Axis::OneHot { .. }) {
        return (0..levels)
            .filter(|&level| level != position as u64)
            .map(|level| level as f64)
            .collect();
    }
    let mut found: Vec<f64> = Vec::new();
    for jump in jumps(axis, position, levels) {
        for other in [position - jump, position + jump] {
            if (0.0..levels as f64).contains(&other) && !found.contains(&other) {
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
