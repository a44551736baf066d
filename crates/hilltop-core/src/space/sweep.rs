//! Sweeps over single coordinates: the cheap part of the walk.
//!
//! A parameter that no condition mentions and no equality ties changes nothing but its own slot, so only the constraints
//! that mention it are judged, at slots that are kept from move to move.

use super::axis::Axis;
use super::domain::Domain;
use crate::Rng;

/// A slice that has been shortened so often is given up.
pub(crate) const SHORTENINGS: usize = 60;

/// The coordinates that a sweep moves, each with the constraints that mention it.
pub(crate) struct Sweep<'a> {
    domain: &'a Domain,
    places: Vec<(usize, Vec<usize>)>,
}

impl<'a> Sweep<'a> {
    /// All coordinates on a scale that stand for themselves alone.
    pub(crate) fn new(domain: &'a Domain) -> Self {
        let decides = |parameter: usize| {
            let conditions = domain.conditions.iter().flatten();
            conditions.into_iter().any(|guard| guard.mentions.contains(&parameter))
        };
        let alone = |parameter: &usize| {
            let axis = &domain.axes[*parameter];
            axis.width() == 1
                && !matches!(axis, Axis::OneHot { .. })
                && !domain.tied[*parameter]
                && !decides(*parameter)
        };
        let judges = |parameter: usize| {
            let mentions = |constraint: &usize| domain.constraints[*constraint].mentions.contains(&parameter);
            (0..domain.constraints.len()).filter(mentions).collect()
        };
        let places = domain.relevant.iter().copied().filter(alone);
        Self {
            domain,
            places: places.map(|one| (domain.unit_place(one), judges(one))).collect(),
        }
    }

    /// Moves every coordinate to a random feasible place of its slice.
    pub(crate) fn run(&self, w: &mut [f64], rng: &mut Rng) {
        if self.places.is_empty() {
            return;
        }
        let start = rng.below(self.places.len());
        self.domain.lend(|slots| {
            self.domain.fill_walk(w, slots);
            for (place, judges) in self.places[start..].iter().chain(&self.places[..start]) {
                self.slice(w, slots, *place, judges, rng);
            }
        });
    }

    fn slice(&self, w: &mut [f64], slots: &mut [f64], place: usize, judges: &[usize], rng: &mut Rng) {
        let parameter = self.domain.free[place];
        let axis = &self.domain.axes[parameter];
        let before = slots[parameter];
        if before.is_nan() {
            return;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..SHORTENINGS {
            let drawn = rng.between(low, high);
            slots[parameter] = axis.slot(axis.position_of_unit(drawn));
            if judges
                .iter()
                .all(|&judge| self.domain.constraints[judge].permits(slots))
            {
                let is_continuous = axis.levels().is_none();
                w[place] = if is_continuous {
                    drawn
                } else {
                    self.domain.centred(place, drawn)
                };
                return;
            }
            if drawn < w[place] {
                low = drawn;
            } else {
                high = drawn;
            }
        }
        slots[parameter] = before;
    }
}
