//! The coordinates in which feasible points are looked for: one number of `[0,1]` for every parameter with a choice.
//!
//! They are those of the unit cube, with two differences: tied floats are linear in them (even where they are searched in
//! the logarithm) and not rounded, so that equalities hold along straight lines. A parameter that takes no part keeps a
//! number, unseen, so that every point has the same shape.

use super::axis::NOWHERE;
use super::domain::Domain;
use super::tie;
use crate::Rng;

impl Domain {
    /// The position of a parameter at a point of the walk.
    pub(crate) fn walk_position(&self, w: &[f64], parameter: usize) -> f64 {
        if !self.tied[parameter] {
            return self.unit_position(w, parameter);
        }
        let (low, high) = self.axes[parameter].bounds();
        (low + w[self.unit_place(parameter)] * (high - low)).clamp(low, high)
    }

    /// Fills the slots that known constraints depend on, at a point of the walk.
    pub(crate) fn fill_walk(&self, w: &[f64], slots: &mut [f64]) {
        self.fill_some(&self.relevant, |parameter| self.walk_position(w, parameter), slots);
    }

    /// Whether the known constraints hold at a point of the walk.
    pub(crate) fn allows(&self, w: &[f64]) -> bool {
        self.lend(|slots| {
            self.fill_walk(w, slots);
            self.permits(slots)
        })
    }

    /// How far a constraint is from holding at a point of the walk.
    pub(crate) fn violation(&self, w: &[f64], constraint: usize) -> f64 {
        let guard = &self.constraints[constraint];
        self.lend(|slots| {
            self.fill_some(&guard.needs, |parameter| self.walk_position(w, parameter), slots);
            guard.violation(slots)
        })
    }

    /// How far each constraint is from holding at a point of the walk.
    pub(crate) fn violations(&self, w: &[f64]) -> Vec<f64> {
        self.lend(|slots| {
            self.fill_walk(w, slots);
            self.constraints.iter().map(|guard| guard.violation(slots)).collect()
        })
    }

    /// A point of the walk that encodes to these coordinates.
    pub(crate) fn to_walk(&self, z: &[f64]) -> Vec<f64> {
        let coordinate = |&parameter: &usize| {
            let (axis, position) = (&self.axes[parameter], self.position(z, parameter));
            let (low, high) = axis.bounds();
            if self.tied[parameter] {
                (position - low) / (high - low)
            } else {
                axis.unit_of_position(position)
            }
        };
        self.free.iter().map(coordinate).collect()
    }

    /// The coordinates of a point of the walk, without regard to known constraints.
    pub(crate) fn encoded_anyway(&self, w: &[f64]) -> Vec<f64> {
        let mut z = vec![NOWHERE; self.dim];
        for &parameter in &self.free {
            self.axes[parameter].write(self.walk_position(w, parameter), &mut z[self.range(parameter)]);
        }
        self.project(&mut z);
        tie::polish(self, &mut z);
        z
    }

    /// The coordinates of a point of the walk, where the known constraints hold at what they decode to.
    pub(crate) fn encoded(&self, w: &[f64]) -> Option<Vec<f64>> {
        let z = self.encoded_anyway(w);
        self.satisfies(&z).then_some(z)
    }

    /// Operations that it takes to judge a point, about.
    pub(crate) fn weight(&self) -> usize {
        4 * self.relevant.len() + self.constraints.iter().map(|guard| guard.size).sum::<usize>()
    }

    /// A uniformly random point of the walk.
    pub(crate) fn anywhere(&self, rng: &mut Rng) -> Vec<f64> {
        self.free.iter().map(|_| rng.uniform()).collect()
    }

    /// The coordinates of the walk that known constraints depend on: continuous ones, and the others.
    pub(crate) fn split(&self) -> (Vec<usize>, Vec<usize>) {
        let is_free = |parameter: &&usize| self.axes[**parameter].width() > 0;
        let places = self
            .relevant
            .iter()
            .filter(is_free)
            .map(|&parameter| self.unit_place(parameter));
        places.partition(|&place| self.axes[self.free[place]].levels().is_none())
    }

    /// Draws anew what no known constraint depends on.
    pub(crate) fn redraw_rest(&self, w: &mut [f64], rng: &mut Rng) {
        for &place in &self.loose {
            w[place] = rng.uniform();
        }
    }

    /// The coordinate of the walk in the middle of the level that `w` is in.
    pub(crate) fn centred(&self, place: usize, w: f64) -> f64 {
        let axis = &self.axes[self.free[place]];
        axis.unit_of_position(axis.position_of_unit(w))
    }
}
