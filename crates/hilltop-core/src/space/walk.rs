//! A random walk inside the feasible set, whose stationary distribution is uniform.
//!
//! Hit-and-run with shrinking slices: a line through the present point, a point on it uniformly at random, and where that
//! is infeasible the part of the line behind it is given up. Directions are single coordinates, normal vectors, and differences
//! of two members of a population of feasible points, which already point along whatever thin shape the set has.
//! Discrete parameters are redrawn alone, or jump by the difference of two members, which keeps linear relations between
//! them.

use super::axis::Axis;
use super::domain::Domain;
use super::sweep::{SHORTENINGS, Sweep};
use super::tie::{System, settle};
use crate::Rng;

/// Sweeps of a walk, where the constraints are simple.
const SWEEPS: usize = 10;
/// Operations that a walk may cost.
const BUDGET: usize = 400_000;

/// A walker in a domain, with a population that lends it directions.
pub(crate) struct Walker<'a> {
    domain: &'a Domain,
    members: &'a [Vec<f64>],
    floats: Vec<usize>,
    discrete: Vec<usize>,
    sweep: Sweep<'a>,
    /// Sweeps of a walk, and steps between two of them.
    length: (usize, usize),
}

impl<'a> Walker<'a> {
    /// A walker among the members of a population.
    pub(crate) fn new(domain: &'a Domain, members: &'a [Vec<f64>]) -> Self {
        let (floats, discrete) = domain.split();
        let count = floats.len() + discrete.len();
        // A step evaluates everything about ten times.
        let affordable = BUDGET / (10 * domain.weight());
        let steps = (3 * count + 10).min(100).min(affordable).max(SWEEPS);
        let sweeps = SWEEPS.min(1 + affordable / (1 + count));
        Self {
            domain,
            members,
            floats,
            discrete,
            sweep: Sweep::new(domain),
            length: (sweeps, steps.div_ceil(sweeps)),
        }
    }

    /// How often a whole population can wander in reasonable time.
    pub(crate) fn rounds(&self) -> usize {
        let cost = 10 * self.length.0 * self.length.1 * self.domain.weight();
        (BUDGET / cost.max(1)).clamp(1, 4)
    }

    /// As many steps as make a point nearly independent of where it came from.
    pub(crate) fn wander(&self, w: &mut Vec<f64>, rng: &mut Rng) {
        let mut ties = None;
        for _ in 0..self.length.0 {
            self.sweep.run(w, rng);
            for _ in 0..self.length.1 {
                self.step(w, &mut ties, rng);
            }
        }
        settle(self.domain, w);
    }

    /// One step; the point stays feasible. The ties are kept as long as nothing changes them.
    fn step(&self, w: &mut Vec<f64>, ties: &mut Option<System>, rng: &mut Rng) {
        if self.floats.is_empty() && self.discrete.is_empty() {
            return;
        }
        let share = self.discrete.len() as f64 / (self.discrete.len() + self.floats.len()) as f64;
        let discrete_turn = rng.uniform() < share.clamp(0.3, 0.7);
        if self.floats.is_empty() || (discrete_turn && !self.discrete.is_empty()) {
            self.discrete_step(w, rng);
            *ties = None;
        } else {
            self.float_step(w, ties, rng);
        }
    }

    fn float_step(&self, w: &mut Vec<f64>, ties: &mut Option<System>, rng: &mut Rng) {
        let mut direction = self.direction(w, rng);
        if !self.domain.ties.is_empty() {
            if ties.is_none() || self.domain.conditions.iter().any(Option::is_some) {
                *ties = System::at(self.domain, w, &vec![false; w.len()]);
            }
            let Some(system) = ties else { return };
            if rng.uniform() < 0.5 {
                self.thin_out(&mut direction, system, rng);
            } else {
                system.flatten(&mut direction);
            }
        }
        let largest = direction
            .iter()
            .fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if largest > 1e-12 {
            for value in &mut direction {
                *value /= largest;
            }
            self.slice(w, &direction, rng);
        }
    }

    fn direction(&self, w: &[f64], rng: &mut Rng) -> Vec<f64> {
        let mut direction = vec![0.0; w.len()];
        match rng.below(3) {
            0 => direction[self.floats[rng.below(self.floats.len())]] = 1.0,
            1 => {
                let (a, b) = self.two_members(rng);
                self.floats
                    .iter()
                    .for_each(|&place| direction[place] = a[place] - b[place]);
            }
            _ => self.floats.iter().for_each(|&place| direction[place] = rng.normal()),
        }
        direction
    }

    /// A direction along the ties that moves only a few floats: one more than there are ties, or two.
    fn thin_out(&self, direction: &mut [f64], ties: &System, rng: &mut Rng) {
        let mut moving = vec![false; direction.len()];
        for _ in 0..ties.len() + 1 + rng.below(2) {
            moving[self.floats[rng.below(self.floats.len())]] = true;
        }
        for (value, moves) in direction.iter_mut().zip(&moving) {
            *value = if *moves { rng.normal() } else { 0.0 };
        }
        ties.only(&moving).flatten(direction);
    }

    fn two_members(&self, rng: &mut Rng) -> (&[f64], &[f64]) {
        let count = self.members.len();
        (&self.members[rng.below(count)], &self.members[rng.below(count)])
    }

    /// Moves to a uniformly random feasible point of the line, as far as the slices find it.
    fn slice(&self, w: &mut Vec<f64>, direction: &[f64], rng: &mut Rng) {
        let (mut low, mut high) = chord(w, direction);
        let mut there = w.clone();
        for _ in 0..SHORTENINGS {
            let t = rng.between(low, high);
            for ((new, old), part) in there.iter_mut().zip(&*w).zip(direction) {
                *new = (old + t * part).clamp(0.0, 1.0);
            }
            if self.domain.allows(&there) {
                std::mem::swap(w, &mut there);
                return;
            }
            if t < 0.0 {
                low = t;
            } else {
                high = t;
            }
        }
    }

    fn discrete_step(&self, w: &mut Vec<f64>, rng: &mut Rng) {
        let place = self.discrete[rng.below(self.discrete.len())];
        let is_choice = matches!(self.domain.axes[self.domain.free[place]], Axis::OneHot { .. });
        match (is_choice, rng.below(3)) {
            (_, 0) => self.jump(w, rng),
            (true, _) => self.redraw(w, place, rng),
            (false, _) => self.level_slice(w, place, rng),
        }
    }

    /// Moves there where it is feasible.
    fn accept(&self, w: &mut Vec<f64>, mut there: Vec<f64>) -> bool {
        let feasible = settle(self.domain, &mut there) && self.domain.allows(&there);
        if feasible {
            *w = there;
        }
        feasible
    }

    /// All discrete parameters by the difference of two members.
    fn jump(&self, w: &mut Vec<f64>, rng: &mut Rng) {
        let (a, b) = self.two_members(rng);
        let mut there = w.clone();
        for &place in &self.discrete {
            let moved = w[place] + a[place] - b[place];
            if !(0.0..1.0).contains(&moved) {
                return;
            }
            there[place] = self.domain.centred(place, moved);
        }
        self.accept(w, there);
    }

    /// Another option, whichever is feasible.
    fn redraw(&self, w: &mut Vec<f64>, place: usize, rng: &mut Rng) {
        for _ in 0..4 {
            let mut there = w.clone();
            there[place] = self.domain.centred(place, rng.uniform());
            if self.accept(w, there) {
                return;
            }
        }
    }

    /// Another level of a grid.
    #[expect(clippy::float_cmp, reason = "the middle of a level is always the same number")]
    fn level_slice(&self, w: &mut Vec<f64>, place: usize, rng: &mut Rng) {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..SHORTENINGS {
            let drawn = rng.between(low, high);
            let mut there = w.clone();
            there[place] = self.domain.centred(place, drawn);
            if there[place] == w[place] || self.accept(w, there) {
                return;
            }
            if drawn < w[place] {
                low = drawn;
            } else {
                high = drawn;
            }
        }
    }
}

/// How far a line goes inside the box, backward and forward.
fn chord(w: &[f64], direction: &[f64]) -> (f64, f64) {
    let mut reach = (f64::NEG_INFINITY, f64::INFINITY);
    for (value, part) in w.iter().zip(direction).filter(|(_, part)| **part != 0.0) {
        let (a, b) = (-value / part, (1.0 - value) / part);
        reach = (reach.0.max(a.min(b)), reach.1.min(a.max(b)));
    }
    (reach.0.min(0.0), reach.1.max(0.0))
}
