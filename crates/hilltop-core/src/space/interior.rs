//! The points that satisfy the known constraints: how they are found, drawn, and come back to.

use super::domain::Domain;
use super::enumerate::enumerate;
use super::seek::Seeker;
use super::walk::Walker;
use super::{Parameter, Parameters, SpaceError};
use crate::Rng;
use crate::expression::Expression;

/// Members of the population.
const MEMBERS: usize = 64;
/// Rejection is good enough where so many draws give all members.
const DRAWS: usize = 4096;
/// Constraint evaluations spent on looking for members.
const EFFORT: usize = 400_000;
/// Discrete sets up to this size are listed.
const LISTED: usize = 10_000;
/// Combinations looked at for listing.
const LOOKED_AT: u64 = 100_000;

/// What is known about the feasible set.
#[derive(Debug, Clone)]
pub(crate) struct Interior {
    manner: Manner,
    /// Feasible points of the walk, spread over the set.
    pub(crate) members: Vec<Vec<f64>>,
}

/// How feasible points are drawn.
#[derive(Debug, Clone)]
enum Manner {
    /// Anywhere, until one is feasible.
    Rejection,
    /// By walking from a member, or from a point sought anew.
    Walk,
    /// From the list of all coordinates.
    List(Vec<Vec<f64>>),
}

impl Interior {
    /// Explores the feasible set, from a seed of its own, so that a space is a function of its description.
    pub(crate) fn explore(
        domain: &Domain,
        parameters: &[Parameter],
        known: &[Expression],
    ) -> Result<Option<Self>, SpaceError> {
        if domain.constraints.is_empty() {
            return Ok(None);
        }
        let mut rng = Rng::keyed(0, &[domain.dim as u64]);
        if let Some(all) = enumerate(domain, LISTED, LOOKED_AT).filter(|all| !all.is_empty()) {
            let members = all.iter().take(MEMBERS).map(|z| domain.to_walk(z)).collect();
            return Ok(Some(Self {
                manner: Manner::List(all),
                members,
            }));
        }
        let members = met_by_chance(domain, &mut rng);
        if members.len() == MEMBERS {
            return Ok(Some(Self {
                manner: Manner::Rejection,
                members,
            }));
        }
        let members = sought(domain, members, &mut rng).map_err(|(constraint, violation, w)| {
            infeasible(
                domain,
                parameters,
                &known[domain.constraints[constraint].known],
                violation,
                &w,
            )
        })?;
        Ok(Some(Self {
            manner: Manner::Walk,
            members: spread(domain, &members, &mut rng),
        }))
    }

    /// A random feasible point, in coordinates.
    pub(crate) fn sample(&self, domain: &Domain, rng: &mut Rng) -> Vec<f64> {
        match &self.manner {
            Manner::List(all) => all[rng.below(all.len())].clone(),
            Manner::Rejection => (0..20 * DRAWS)
                .find_map(|_| drawn(domain, rng))
                .map_or_else(|| self.walked(domain, rng), |w| domain.encoded_anyway(&w)),
            Manner::Walk => self.walked(domain, rng),
        }
    }

    /// Where a walk starts: at a member or, half of the time, at a point sought anew, so that a few members do not decide
    /// what is seen of a set with many corners.
    fn start(&self, domain: &Domain, rng: &mut Rng) -> Vec<f64> {
        if rng.uniform() < 0.5 {
            let mut w = domain.anywhere(rng);
            centre(domain, &mut w);
            let overshoot = 1.0 + rng.uniform();
            if Seeker::new(domain).descend(&mut w, false, overshoot) {
                centre(domain, &mut w);
                return w;
            }
        }
        self.members[rng.below(self.members.len())].clone()
    }

    /// A point far from where it started.
    fn walked(&self, domain: &Domain, rng: &mut Rng) -> Vec<f64> {
        let walker = Walker::new(domain, &self.members);
        let mut w = self.start(domain, rng);
        domain.redraw_rest(&mut w, rng);
        for _ in 0..3 {
            walker.wander(&mut w, rng);
            if let Some(z) = domain.encoded(&w) {
                return z;
            }
        }
        domain.encoded_anyway(&self.members[rng.below(self.members.len())])
    }

    /// The list of all points, where there is one.
    pub(crate) fn list(&self) -> Option<&[Vec<f64>]> {
        match &self.manner {
            Manner::List(all) => Some(all),
            _ => None,
        }
    }
}

/// A random point, where it is feasible.
fn drawn(domain: &Domain, rng: &mut Rng) -> Option<Vec<f64>> {
    let w = domain.anywhere(rng);
    domain.allows(&w).then_some(w)
}

/// The feasible ones among random points.
fn met_by_chance(domain: &Domain, rng: &mut Rng) -> Vec<Vec<f64>> {
    if !domain.ties.is_empty() {
        return Vec::new();
    }
    let mut members: Vec<Vec<f64>> = (0..DRAWS).filter_map(|_| drawn(domain, rng)).take(MEMBERS).collect();
    for member in &mut members {
        centre(domain, member);
    }
    members
}

type Obstacle = (usize, f64, Vec<f64>);

/// Completes a population by searching from random points; the obstacle where nothing feasible was found.
fn sought(domain: &Domain, mut members: Vec<Vec<f64>>, rng: &mut Rng) -> Result<Vec<Vec<f64>>, Obstacle> {
    let mut seeker = Seeker::new(domain).scaled(rng);
    let effort = EFFORT / (1 + domain.free.len() / 20);
    while members.len() < MEMBERS && seeker.evaluations < effort {
        let mut w = domain.anywhere(rng);
        centre(domain, &mut w);
        if seeker.seek(&mut w, rng) && domain.encoded(&w).is_some() {
            centre(domain, &mut w);
            members.push(w);
        }
    }
    if members.is_empty() {
        let (constraint, violation, w) = seeker.obstacle().unwrap_or((0, f64::INFINITY, &[]));
        return Err((constraint, violation, w.to_vec()));
    }
    Ok(members)
}

/// Discrete coordinates to the middle of their levels.
fn centre(domain: &Domain, w: &mut [f64]) {
    for place in domain.split().1 {
        w[place] = domain.centred(place, w[place]);
    }
}

/// Fills a population up with copies, and lets all of them wander.
fn spread(domain: &Domain, found: &[Vec<f64>], rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut members: Vec<Vec<f64>> = found.iter().cycle().take(MEMBERS).cloned().collect();
    for _ in 0..Walker::new(domain, &members).rounds() {
        for member in 0..MEMBERS {
            let mut w = members[member].clone();
            Walker::new(domain, &members).wander(&mut w, rng);
            if domain.encoded(&w).is_some() {
                members[member] = w;
            }
        }
    }
    members
}

fn infeasible(
    domain: &Domain,
    parameters: &[Parameter],
    constraint: &Expression,
    violation: f64,
    w: &[f64],
) -> SpaceError {
    let mut nearest = Parameters::new();
    if w.len() == domain.free.len() {
        for (parameter, value) in parameters.iter().zip(domain.values(&domain.encoded_anyway(w))) {
            if let Some(value) = value {
                nearest.push(&parameter.name, value);
            }
        }
    }
    SpaceError::Infeasible {
        constraint: constraint.to_string(),
        violation,
        nearest: nearest.to_string(),
    }
}
