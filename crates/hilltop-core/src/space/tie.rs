//! Equalities between floats: linear ones tie their parameters together, others are refused.
//!
//! `a + b + c == 1` leaves a set without inside, which no sampler meets by chance. It must be linear in the floats (their
//! factors may depend on discrete parameters); then moves stay in its null space, and a point near it is brought back
//! by the shortest way.

use super::axis::Axis;
use super::domain::Domain;
use super::{Parameter, SpaceError};
use crate::expression::{Dependence, Expression, Number, list_of_names};

/// An equality that is linear in its floats.
#[derive(Debug, Clone)]
pub(crate) struct Tie {
    sides: (Number, Number),
    /// The constraint it belongs to.
    pub(crate) constraint: usize,
    /// The floats it ties.
    floats: Vec<usize>,
}

impl Tie {
    /// Whether it ties a parameter.
    pub(crate) fn binds(&self, parameter: usize) -> bool {
        self.floats.contains(&parameter)
    }

    /// Left side minus right side.
    fn residual(&self, slots: &[f64]) -> f64 {
        self.sides.0.value(slots) - self.sides.1.value(slots)
    }

    /// The change of the residual from the lower to the upper bound of each float.
    fn slopes<'a>(&'a self, domain: &'a Domain, slots: &'a mut [f64]) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.floats.iter().map(move |&float| {
            let (low, high) = domain.axes[float].bounds();
            let here = std::mem::replace(&mut slots[float], high);
            let above = self.residual(slots);
            slots[float] = low;
            let below = self.residual(slots);
            slots[float] = here;
            (float, above - below)
        })
    }
}

/// The ties among the known constraints.
pub(crate) fn ties(domain: &Domain, parameters: &[Parameter], known: &[Expression]) -> Result<Vec<Tie>, SpaceError> {
    let is_float = |slot: usize| domain.axes[slot].levels().is_none();
    let mut found = Vec::new();
    for (constraint, guard) in domain.constraints.iter().enumerate() {
        for sides in guard.truth.equalities() {
            let side = |slot: usize| {
                let only = |other: usize| other == slot;
                sides.0.dependence(&only).max(sides.1.dependence(&only)) != Dependence::Constant
            };
            let floats: Vec<usize> = guard
                .mentions
                .iter()
                .copied()
                .filter(|&slot| is_float(slot) && side(slot))
                .collect();
            match sides.0.dependence(&is_float).max(sides.1.dependence(&is_float)) {
                Dependence::Constant => {}
                Dependence::Affine => found.push(Tie {
                    sides: sides.clone(),
                    constraint,
                    floats,
                }),
                Dependence::Nonlinear => return Err(nonlinear(&known[guard.known], parameters, &floats)),
            }
        }
    }
    Ok(found)
}

fn nonlinear(constraint: &Expression, parameters: &[Parameter], floats: &[usize]) -> SpaceError {
    let names = list_of_names(floats.iter().map(|&float| parameters[float].name.as_str()));
    SpaceError::NonlinearEquality {
        constraint: constraint.to_string(),
        names,
    }
}

/// A system of linear equations for the walk coordinates: orthonormal rows, and how far each is from holding.
#[derive(Debug, Default)]
pub(crate) struct System {
    rows: Vec<(Vec<f64>, f64)>,
}

impl System {
    /// The ties at a point of the walk. Coordinates that are `frozen` do not move.
    pub(crate) fn at(domain: &Domain, w: &[f64], frozen: &[bool]) -> Option<Self> {
        let mut system = Self::default();
        domain.lend(|slots| {
            domain.fill_walk(w, slots);
            for tie in &domain.ties {
                if domain.constraints[tie.constraint].is_vacuous(slots) {
                    continue;
                }
                let residual = tie.residual(slots);
                let mut row = vec![0.0; w.len()];
                for (float, slope) in tie.slopes(domain, slots) {
                    let place = domain.unit_place(float);
                    row[place] = if frozen[place] { 0.0 } else { slope };
                }
                system.add(row, residual)?;
            }
            Some(())
        })?;
        Some(system)
    }

    /// Adds an equation, made orthogonal to those before; none where it contradicts them.
    fn add(&mut self, mut row: Vec<f64>, mut residual: f64) -> Option<()> {
        let size = norm(&row);
        for (unit, rest) in &self.rows {
            let share = dot(&row, unit);
            residual -= share * rest;
            row.iter_mut()
                .zip(unit)
                .for_each(|(value, direction)| *value -= share * direction);
        }
        let length = norm(&row);
        if !length.is_finite() || !residual.is_finite() {
            return None;
        }
        if length <= 1e-10 * size {
            return (residual.abs() <= 1e-9 * size.max(f64::MIN_POSITIVE)).then_some(());
        }
        for value in &mut row {
            *value /= length;
        }
        self.rows.push((row, residual / length));
        Some(())
    }

    /// How many independent equations.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The same equations where only some coordinates move.
    pub(crate) fn only(&self, moving: &[bool]) -> Self {
        let mut system = Self::default();
        for (row, _) in &self.rows {
            let part = row
                .iter()
                .zip(moving)
                .map(|(value, moves)| if *moves { *value } else { 0.0 })
                .collect();
            system.add(part, 0.0);
        }
        system
    }

    /// The largest distance from an equation.
    fn distance(&self) -> f64 {
        self.rows
            .iter()
            .fold(0.0, |largest, (_, residual)| largest.max(residual.abs()))
    }

    /// Takes everything out of a direction that would leave the ties.
    pub(crate) fn flatten(&self, direction: &mut [f64]) {
        for (unit, _) in &self.rows {
            let share = dot(direction, unit);
            direction
                .iter_mut()
                .zip(unit)
                .for_each(|(value, row)| *value -= share * row);
        }
    }

    fn step_onto(&self, w: &mut [f64]) {
        for (unit, residual) in &self.rows {
            w.iter_mut().zip(unit).for_each(|(value, row)| *value -= residual * row);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Brings a point of the walk onto the ties by a short way inside the box; false where that fails.
pub(crate) fn settle(domain: &Domain, w: &mut [f64]) -> bool {
    if domain.ties.is_empty() {
        return true;
    }
    let mut frozen = vec![false; w.len()];
    for _ in 0..4 * w.len() + 8 {
        let Some(system) = System::at(domain, w, &frozen) else {
            if !frozen.contains(&true) {
                return false;
            }
            frozen.fill(false);
            continue;
        };
        if system.distance() < 1e-15 {
            return true;
        }
        system.step_onto(w);
        let inside = clamp(w, &mut frozen);
        if inside && system.distance() < 1e-12 {
            return true;
        }
    }
    false
}

/// Into the box; coordinates that would leave it are frozen at its faces.
fn clamp(w: &mut [f64], frozen: &mut [bool]) -> bool {
    let mut inside = true;
    for (value, frozen) in w.iter_mut().zip(frozen) {
        if !(0.0..=1.0).contains(value) {
            *value = value.clamp(0.0, 1.0);
            *frozen = true;
            inside = false;
        }
    }
    inside
}

/// Makes up for the rounding of decoded values: the tied float that is rounded most finely takes what is missing.
pub(crate) fn polish(domain: &Domain, z: &mut [f64]) {
    for _ in 0..3 {
        for tie in &domain.ties {
            domain.lend(|slots| {
                domain.fill(|parameter| domain.position(z, parameter), slots);
                if !domain.constraints[tie.constraint].is_vacuous(slots) {
                    absorb(domain, tie, slots, z);
                }
            });
        }
    }
}

fn absorb(domain: &Domain, tie: &Tie, slots: &mut [f64], z: &mut [f64]) {
    let residual = tie.residual(slots);
    if residual == 0.0 {
        return;
    }
    let mut finest: Option<(f64, usize, f64)> = None;
    let slopes: Vec<(usize, f64)> = tie.slopes(domain, slots).collect();
    for (float, slope) in slopes {
        let (low, high) = domain.axes[float].bounds();
        let value = slots[float] - residual / (slope / (high - low));
        let coarseness = slope.abs() * domain.axes[float].spacing(slots[float]) / (high - low);
        let better = finest.is_none_or(|(least, ..)| coarseness < least);
        if slope != 0.0 && (low..=high).contains(&value) && better {
            finest = Some((coarseness, float, value));
        }
    }
    if let Some((_, float, value)) = finest {
        let axis: &Axis = &domain.axes[float];
        axis.write(axis.rounded(value), &mut z[domain.range(float)]);
    }
}
