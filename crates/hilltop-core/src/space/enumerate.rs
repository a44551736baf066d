//! Counting and listing the points of a space that has finitely many.

use super::axis::{Axis, NOWHERE};
use super::domain::Domain;

/// Looking through combinations ends after so many.
pub(crate) const PATIENCE: u64 = 2_000_000;

/// How many distinct points there are, known constraints left aside; none where a parameter is continuous.
///
/// Exact unless the parameters that conditions mention have more than two million combinations; then it is the number
/// without conditions, which is larger.
pub(crate) fn cardinality(domain: &Domain) -> Option<u64> {
    let levels: Vec<u64> = domain.axes.iter().map(Axis::levels).collect::<Option<_>>()?;
    let product = |product: u64, place: usize| product.saturating_mul(levels[place]);
    let mentioned = |place: &usize| {
        domain
            .conditions
            .iter()
            .flatten()
            .any(|guard| guard.mentions.contains(place))
    };
    let (deciding, others): (Vec<usize>, Vec<usize>) = domain.order.iter().partition(|place| mentioned(place));
    let everything = domain.order.iter().copied().fold(1, product);
    if deciding.is_empty() {
        return Some(everything);
    }
    let mut count = 0_u64;
    let mut combinations = Combinations::new(domain, &deciding, PATIENCE);
    let complete = combinations.descend(0, &mut |now| {
        let active = others.iter().copied().filter(|&place| now.is_active(place));
        count = count.saturating_add(active.fold(1, product));
        true
    });
    Some(if complete { count } else { everything })
}

/// All feasible points, or none where there are more than `limit`, a continuum, or too many combinations to look at.
pub(crate) fn enumerate(domain: &Domain, limit: usize, patience: u64) -> Option<Vec<Vec<f64>>> {
    domain.axes.iter().try_for_each(|axis| axis.levels().map(|_| ()))?;
    let mut found = Vec::new();
    let mut combinations = Combinations::new(domain, &domain.order, patience);
    combinations.schedule();
    let complete = combinations.descend(0, &mut |now| {
        found.push(now.point());
        found.len() <= limit
    });
    complete.then_some(found)
}

/// A walk through all combinations of some parameters that leaves a branch as soon as a constraint forbids it.
struct Combinations<'a> {
    domain: &'a Domain,
    order: &'a [usize],
    positions: Vec<f64>,
    slots: Vec<f64>,
    /// The constraints that can be judged once so many parameters are settled.
    due: Vec<Vec<usize>>,
    /// How many more may be looked at.
    patience: u64,
}

impl<'a> Combinations<'a> {
    fn new(domain: &'a Domain, order: &'a [usize], patience: u64) -> Self {
        let count = domain.axes.len();
        Self {
            domain,
            order,
            positions: vec![0.0; count],
            slots: vec![f64::NAN; count],
            due: vec![Vec::new(); order.len() + 1],
            patience,
        }
    }

    /// Plans when each constraint is judged.
    fn schedule(&mut self) {
        for (constraint, guard) in self.domain.constraints.iter().enumerate() {
            let settled = |place: &usize| {
                self.order
                    .iter()
                    .position(|other| other == place)
                    .map_or(0, |at| at + 1)
            };
            let depth = guard.mentions.iter().map(settled).max().unwrap_or(0);
            self.due[depth].push(constraint);
        }
    }

    fn is_active(&self, parameter: usize) -> bool {
        self.domain.conditions[parameter]
            .as_ref()
            .is_none_or(|guard| guard.activates(&self.slots))
    }

    fn is_permitted(&self, depth: usize) -> bool {
        self.due[depth]
            .iter()
            .all(|&constraint| self.domain.constraints[constraint].permits(&self.slots))
    }

    /// Goes through all combinations from a depth on; false where it was stopped.
    fn descend(&mut self, depth: usize, visit: &mut dyn FnMut(&Self) -> bool) -> bool {
        if self.patience == 0 {
            return false;
        }
        self.patience -= 1;
        if !self.is_permitted(depth) {
            return true;
        }
        let Some(&parameter) = self.order.get(depth) else {
            return visit(self);
        };
        let levels = if self.is_active(parameter) {
            self.domain.axes[parameter].levels()
        } else {
            None
        };
        let mut going = levels.is_some() || self.descend(depth + 1, visit);
        for level in 0..levels.unwrap_or(0) {
            self.positions[parameter] = level as f64;
            self.slots[parameter] = self.domain.axes[parameter].slot(level as f64);
            going = going && self.descend(depth + 1, visit);
            if !going {
                break;
            }
        }
        self.slots[parameter] = f64::NAN;
        going
    }

    /// The coordinates of the present combination.
    fn point(&self) -> Vec<f64> {
        let mut z = vec![NOWHERE; self.domain.dim];
        for (parameter, axis) in self.domain.axes.iter().enumerate() {
            if !self.slots[parameter].is_nan() {
                axis.write(self.positions[parameter], &mut z[self.domain.range(parameter)]);
            }
        }
        z
    }
}
