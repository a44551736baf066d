//! What speaks for the equations: observations that are held out, with them and without.

use hilltop_core::Model;
use hilltop_core::physics::Standing;

use super::condition::Informed;
use crate::process::{ProcessModel, Standard};

/// What the equations have in their favour before any observation, as a logarithm of odds: the user stated them.
const TRUST: f64 = 2.0;
/// The degrees of freedom of an observation that was held out.
const FREEDOM: f64 = 4.0;
/// A deviation of an observation that was held out is at least this share of the deviation of all.
const LEAST: f64 = 0.02;

/// How much the equations are believed, from observations held out with and without them.
pub(super) fn weighed(informed: &ProcessModel, plain: &ProcessModel, standard: Standard, dropped: usize) -> Standing {
    let least = LEAST * standard.scale;
    let (with, without) = (density(informed, least), density(plain, least));
    let rows = informed
        .posterior()
        .condition
        .as_any()
        .downcast_ref::<Informed>()
        .map_or(0, Informed::lawful);
    let count = informed.held_out().len() as f64;
    let odds = TRUST + count * (with - without);
    Standing {
        weight: 1.0 / (1.0 + (-odds).exp()),
        with,
        without,
        rows,
        dropped,
        course: Vec::new(),
    }
}

/// The mean logarithm of the density of observations that were held out: Student's, because a deviation that was fitted to few
/// of them is known no better than that. No deviation counts as smaller than `least`: who knows the last digits of points that lie
/// side by side says nothing about equations.
fn density(model: &ProcessModel, least: f64) -> f64 {
    let held_out = model.held_out();
    let log = |miss: f64, deviation: f64| {
        let deviation = deviation.hypot(least);
        -0.5 * (FREEDOM + 1.0) * ((miss / deviation).powi(2) / FREEDOM).ln_1p() - deviation.ln()
    };
    let sum: f64 = held_out.iter().map(|held| log(held.miss, held.deviation)).sum();
    sum / held_out.len().max(1) as f64
}
