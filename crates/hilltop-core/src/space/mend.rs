//! Bringing a point that violates known constraints to a feasible one nearby.

use super::axis::Axis;
use super::domain::Domain;
use super::interior::Interior;
use super::seek::Seeker;
use super::tie::settle;
use crate::Rng;

/// Members towards which a way is tried.
const WAYS: usize = 4;
/// Halvings of a way.
const HALVINGS: usize = 24;

/// A feasible point near coordinates that violate a constraint.
pub(crate) fn mended(domain: &Domain, interior: &Interior, z: &[f64], rng: &mut Rng) -> Option<Vec<f64>> {
    let by_distance = |a: &Vec<f64>, b: &Vec<f64>| distance(a, z).total_cmp(&distance(b, z));
    if let Some(all) = interior.list() {
        return all.iter().min_by(|a, b| by_distance(a, b)).cloned();
    }
    let start = domain.to_walk(z);
    pushed(domain, &start, false).or_else(|| {
        let members = nearest_members(interior, &start).into_iter();
        members
            .filter_map(|member| way(domain, &start, member, rng))
            .min_by(by_distance)
    })
}

/// The point pushed out of the violated constraints, in coordinates.
pub(crate) fn pushed(domain: &Domain, start: &[f64], hold_discrete: bool) -> Option<Vec<f64>> {
    let mut seeker = Seeker::new(domain);
    for overshoot in [1.001, 1.3] {
        let mut w = start.to_vec();
        if seeker.descend(&mut w, hold_discrete, overshoot)
            && let Some(z) = domain.encoded(&w)
        {
            return Some(z);
        }
    }
    None
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

fn nearest_members<'a>(interior: &'a Interior, start: &[f64]) -> Vec<&'a [f64]> {
    let mut ranked: Vec<(f64, &[f64])> = interior
        .members
        .iter()
        .map(|member| (distance(member, start), member.as_slice()))
        .collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.into_iter().take(WAYS).map(|(_, member)| member).collect()
}

/// The feasible point on the way to a member that halving finds nearest to the start.
fn way(domain: &Domain, start: &[f64], member: &[f64], rng: &mut Rng) -> Option<Vec<f64>> {
    let switches: Vec<f64> = start.iter().map(|_| rng.uniform()).collect();
    let at = |t: f64| {
        let mut w = between(domain, start, member, t, &switches);
        (settle(domain, &mut w) && domain.allows(&w)).then_some(w)
    };
    let (mut outside, mut inside) = (0.0, 1.0);
    let mut best = domain.encoded(member);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(outside, inside);
        match at(middle).and_then(|w| domain.encoded(&w)) {
            Some(z) => {
                best = Some(z);
                inside = middle;
            }
            None => outside = middle,
        }
    }
    best
}

/// A point between two: numbers go along, options switch one after the other.
fn between(domain: &Domain, start: &[f64], member: &[f64], t: f64, switches: &[f64]) -> Vec<f64> {
    let coordinate = |place: usize| {
        if matches!(domain.axes[domain.free[place]], Axis::OneHot { .. }) {
            if t > switches[place] {
                member[place]
            } else {
                start[place]
            }
        } else {
            start[place] + t * (member[place] - start[place])
        }
    };
    (0..start.len()).map(coordinate).collect()
}
