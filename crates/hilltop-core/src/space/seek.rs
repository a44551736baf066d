//! Looking for a feasible point: by steps against the gradient of each violated constraint, and by chance where those
//! stand still.

use super::axis::Axis;
use super::domain::Domain;
use super::tie::{System, settle};
use crate::Rng;
use crate::expression::UNMEASURED;

/// A search for feasible points that counts what it costs.
pub(crate) struct Seeker<'a> {
    domain: &'a Domain,
    /// What a usual violation of each constraint is.
    scales: Vec<f64>,
    /// Coordinates that constraints depend on.
    places: Vec<usize>,
    /// The continuous ones.
    floats: Vec<usize>,
    /// Coordinates along which a violation has a slope: floats and grids.
    sloped: Vec<usize>,
    /// How often constraints have been evaluated.
    pub(crate) evaluations: usize,
    /// The smallest violation met, and where.
    pub(crate) closest: Option<(f64, Vec<f64>)>,
}

impl<'a> Seeker<'a> {
    /// A search that takes violations as they are.
    pub(crate) fn new(domain: &'a Domain) -> Self {
        let (floats, discrete) = domain.split();
        let places: Vec<usize> = floats.iter().chain(&discrete).copied().collect();
        let is_choice = |place: &usize| matches!(domain.axes[domain.free[*place]], Axis::OneHot { .. });
        let sloped = places.iter().copied().filter(|place| !is_choice(place)).collect();
        Self {
            domain,
            scales: vec![1.0; domain.constraints.len()],
            places,
            floats,
            sloped,
            evaluations: 0,
            closest: None,
        }
    }

    /// The same search with violations relative to those of random points.
    pub(crate) fn scaled(self, rng: &mut Rng) -> Self {
        Self {
            scales: scales(self.domain, rng),
            ..self
        }
    }

    /// The sum of all violations, each on its scale.
    fn total(&mut self, w: &[f64]) -> f64 {
        self.evaluations += self.domain.constraints.len();
        let violations = self.domain.violations(w);
        let total = violations
            .iter()
            .zip(&self.scales)
            .map(|(violation, scale)| violation / scale)
            .sum();
        if self.closest.as_ref().is_none_or(|(least, _)| total < *least) {
            self.closest = Some((total, w.to_vec()));
        }
        total
    }

    /// Brings a point onto the ties, at what that costs.
    fn settle(&mut self, w: &mut [f64]) -> bool {
        let settled = settle(self.domain, w);
        let rounds = if settled { 2 } else { 4 * w.len() };
        self.evaluations += self.domain.ties.len() * rounds * (2 * w.len() + 1);
        settled
    }

    /// The constraint that is missed by most at the closest point, and by how much.
    pub(crate) fn obstacle(&self) -> Option<(usize, f64, &[f64])> {
        let (_, w) = self.closest.as_ref()?;
        let violations = self.domain.violations(w);
        let relative = |constraint: &usize| violations[*constraint] / self.scales[*constraint];
        let worst = (0..violations.len()).max_by(|a, b| relative(a).total_cmp(&relative(b)))?;
        Some((worst, violations[worst], w))
    }

    /// Moves a point to a feasible one; false where it was not found.
    pub(crate) fn seek(&mut self, w: &mut [f64], rng: &mut Rng) -> bool {
        for _ in 0..8 {
            let overshoot = 1.0 + rng.uniform();
            if self.descend(w, false, overshoot) {
                return true;
            }
            self.perturb(w, 40 + 10 * w.len(), rng);
        }
        self.descend(w, false, 1.2)
    }

    /// Steps onto the violated constraints one after the other. Discrete parameters may be held. An overshoot of 1
    /// ends on the border of a linear constraint, more ends behind it.
    pub(crate) fn descend(&mut self, w: &mut [f64], hold_discrete: bool, overshoot: f64) -> bool {
        for _ in 0..30 {
            let settled = self.settle(w);
            self.evaluations += self.domain.constraints.len();
            if settled && self.domain.allows(w) {
                return true;
            }
            if !self.sweep(w, hold_discrete, overshoot) {
                break;
            }
        }
        self.total(w);
        false
    }

    /// One step for every violated constraint; false where none has a slope.
    fn sweep(&mut self, w: &mut [f64], hold_discrete: bool, overshoot: f64) -> bool {
        let mut moved = false;
        for constraint in 0..self.domain.constraints.len() {
            let violation = self.domain.violation(w, constraint);
            if violation <= 0.0 {
                continue;
            }
            let mut slope = self.slope(w, constraint, violation, hold_discrete);
            if !self.domain.ties.is_empty()
                && let Some(system) = System::at(self.domain, w, &vec![false; w.len()])
            {
                system.flatten(&mut slope);
            }
            let square: f64 = slope.iter().map(|value| value * value).sum();
            if square > 0.0 && square.is_finite() {
                let length = overshoot * violation / square;
                w.iter_mut()
                    .zip(&slope)
                    .for_each(|(value, part)| *value = (*value - length * part).clamp(0.0, 1.0));
                moved = true;
            }
        }
        moved
    }

    /// The gradient of a violation by differences.
    fn slope(&mut self, w: &mut [f64], constraint: usize, violation: f64, hold_discrete: bool) -> Vec<f64> {
        let domain = self.domain;
        let mut slope = vec![0.0; w.len()];
        let places = if hold_discrete { &self.floats } else { &self.sloped };
        let mentions = &domain.constraints[constraint].mentions;
        for &place in places.iter().filter(|&&place| mentions.contains(&domain.free[place])) {
            let size = domain.axes[domain.free[place]]
                .levels()
                .map_or(1e-7, |levels| 1.0 / levels as f64);
            let here = w[place];
            let step = if here + size <= 1.0 { size } else { -size };
            w[place] = here + step;
            let difference = (domain.violation(w, constraint) - violation) / step;
            w[place] = here;
            self.evaluations += 1;
            let leads_outside = (here <= 0.0 && difference > 0.0) || (here >= 1.0 && difference < 0.0);
            let usable = difference.abs() < UNMEASURED && !leads_outside;
            slope[place] = if usable { difference } else { 0.0 };
        }
        slope
    }

    /// Random changes of all sizes, kept where the sum of violations does not grow.
    fn perturb(&mut self, w: &mut [f64], tries: usize, rng: &mut Rng) {
        let mut total = self.total(w);
        if self.places.is_empty() {
            return;
        }
        for _ in 0..tries {
            let mut there = w.to_vec();
            self.change(&mut there, rng);
            let settled = self.settle(&mut there);
            let new = self.total(&there);
            if new <= total {
                w.copy_from_slice(&there);
                total = new;
            }
            if total <= 0.0 && settled {
                return;
            }
        }
    }

    fn change(&self, w: &mut [f64], rng: &mut Rng) {
        let size = 10_f64.powf(-6.0 * rng.uniform());
        if self.floats.len() > 1 && rng.uniform() < 0.3 {
            for &place in &self.floats {
                w[place] = (w[place] + size * rng.normal()).clamp(0.0, 1.0);
            }
            return;
        }
        let changes = if rng.uniform() < 0.3 { 2 } else { 1 };
        for _ in 0..changes {
            let place = self.places[rng.below(self.places.len())];
            w[place] = match self.domain.axes[self.domain.free[place]].levels() {
                None => (w[place] + size * rng.normal()).clamp(0.0, 1.0),
                Some(_) if rng.uniform() < 0.5 => self.domain.centred(place, rng.uniform()),
                Some(levels) => {
                    let sign = if rng.uniform() < 0.5 { 1.0 } else { -1.0 };
                    self.domain
                        .centred(place, (w[place] + sign / levels as f64).clamp(0.0, 1.0))
                }
            };
        }
    }
}

/// The mean violation of each constraint at random points that violate it.
fn scales(domain: &Domain, rng: &mut Rng) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); domain.constraints.len()];
    for _ in 0..64 {
        let violations = domain.violations(&domain.anywhere(rng));
        for (sum, violation) in sums.iter_mut().zip(violations) {
            if violation > 0.0 && violation < UNMEASURED {
                *sum = (sum.0 + violation, sum.1 + 1.0);
            }
        }
    }
    sums.into_iter()
        .map(|(sum, count)| if count > 0.0 { sum / count } else { 1.0 })
        .collect()
}
