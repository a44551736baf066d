//! Coordinate sweeps: one coordinate after another is moved to the best of many places.
//!
//! A gradient climbs the hill it stands on. Where the score is nearly a sum over the coordinates, as that of a model of parts is, a
//! sweep finds the highest of exponentially many hills.

use hilltop_core::{Rng, Score};

use super::terrain::{Candidate, Terrain};

/// So many places of a coordinate are tried.
const PLACES: usize = 24;

/// The best point that sweeps over all coordinates lead to from a start.
pub(crate) fn swept(
    score: &dyn Score,
    terrain: &Terrain<'_>,
    start: &Candidate,
    sweeps: usize,
    rng: &mut Rng,
) -> Candidate {
    let mut best = start.clone();
    for _ in 0..sweeps {
        let before = best.value;
        let mut order: Vec<usize> = (0..best.point.len()).collect();
        rng.shuffle(&mut order);
        for axis in order {
            if let Some(better) = along(score, terrain, &best, axis, rng) {
                best = better;
            }
        }
        if best.value <= before {
            break;
        }
    }
    best
}

/// The best of many places of one coordinate, where it is better than where the point stands.
fn along(score: &dyn Score, terrain: &Terrain<'_>, best: &Candidate, axis: usize, rng: &mut Rng) -> Option<Candidate> {
    let (low, high) = terrain.limits(&best.point);
    let (low, width) = (low[axis], high[axis] - low[axis]);
    if width <= 0.0 {
        return None;
    }
    let shift = rng.uniform();
    let mut points = Vec::with_capacity(PLACES);
    for place in 0..PLACES {
        let mut point = best.point.clone();
        point[axis] = low + width * (place as f64 + shift) / PLACES as f64;
        if terrain.admit(&mut point, rng) {
            points.push(point);
        }
    }
    let reach = vec![width / PLACES as f64; points.len()];
    let found = Terrain::candidates(score, points, &reach);
    found
        .into_iter()
        .max_by(|a, b| a.value.total_cmp(&b.value))
        .filter(|found| found.value > best.value)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use faer::MatRef;
    use hilltop_core::{Bounds, Context, Evidence, Goal, History, Output, Points, Space};

    use super::*;

    /// A sum over coordinates with five hills each, the highest at 0.7.
    struct Hills;

    impl Score for Hills {
        fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
            for (i, slot) in out.iter_mut().enumerate() {
                let hill = |x: &f64| (10.0 * std::f64::consts::PI * (x - 0.7)).cos() - 8.0 * (x - 0.7).powi(2);
                *slot = points.row(i).iter().map(hill).sum();
            }
        }
    }

    #[test]
    fn the_highest_of_many_hills_of_a_sum_is_found() {
        let (space, outputs) = (
            Arc::new(Space::unit_box(12)),
            Arc::from([Output {
                name: "f".into(),
                goal: Goal::Minimize,
            }]),
        );
        let history = History::new(space, outputs, 1);
        let (points, bounds) = (Points::new(12), Bounds::unit(12));
        let evidence = Evidence {
            space: history.space(),
            points: &points,
            values: &[],
            seed: 1,
            shares: &[],
        };
        let context = Context::new(&history, evidence, &bounds);
        let terrain = Terrain::new(&context);
        let start = Candidate {
            point: vec![0.1; 12],
            value: f64::NEG_INFINITY,
            reach: 1.0,
        };
        let found = swept(&Hills, &terrain, &start, 2, &mut Rng::new(3));
        assert!(found.point.iter().all(|x| (x - 0.7).abs() < 0.05), "{:?}", found.point);
    }
}
