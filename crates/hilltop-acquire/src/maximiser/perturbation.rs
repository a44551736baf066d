//! Points beside a good one, at every scale.

use hilltop_core::{Context, Coordinate, Rng, Space};

use super::terrain::Terrain;

/// The smallest and the largest scale, as powers of ten of the coordinate's range.
const SCALES: (f64, f64) = (-6.0, -0.7);
/// Perturbations of a few coordinates move about so many of them.
const FEW: f64 = 4.0;

/// The best observed points, best first: the centres that are worth a look around.
pub(crate) fn centres(context: &Context<'_>, terrain: &Terrain<'_>, count: usize) -> Vec<Vec<f64>> {
    let points = context
        .ranked()
        .into_iter()
        .map(|index| context.evidence.points.row(index));
    points
        .filter(|point| terrain.contains(point))
        .take(count)
        .map(<[f64]>::to_vec)
        .collect()
}

/// A scale, every power of ten equally likely.
pub(crate) fn scale(rng: &mut Rng) -> f64 {
    10_f64.powf(rng.between(SCALES.0, SCALES.1))
}

/// A point beside `centre`: all coordinates moved, or a few of them. Neither projected nor confined.
pub(crate) fn beside(space: &Space, centre: &[f64], scale: f64, rng: &mut Rng) -> Vec<f64> {
    let active = space.active(centre);
    let few = (FEW / centre.len().max(1) as f64).min(1.0);
    let share = if rng.uniform() < 0.5 { 1.0 } else { few };
    let mut point = centre.to_vec();
    for (axis, coordinate) in space.coordinates().iter().enumerate() {
        match *coordinate {
            // What takes no part may come to do so when a choice changes: anywhere, then.
            Coordinate::Continuous { parameter } | Coordinate::Grid { parameter, .. } if !active[parameter] => {
                point[axis] = rng.uniform();
            }
            Coordinate::Continuous { .. } if rng.uniform() < share => point[axis] += scale * rng.normal(),
            Coordinate::Grid { levels, .. } if rng.uniform() < share => {
                let level = 0.7 / levels.saturating_sub(1).max(1) as f64;
                point[axis] += scale.max(level) * rng.normal();
            }
            Coordinate::OneHot {
                option: 0,
                first,
                count,
                ..
            } if rng.uniform() < few.min(0.3) => {
                point[first..first + count].fill(0.0);
                point[first + rng.below(count)] = 1.0;
            }
            _ => {}
        }
    }
    point
}
