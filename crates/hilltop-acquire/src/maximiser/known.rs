//! Whether a point is known already, in a time that hardly grows with how many are.
//!
//! Every point is summarised by one number, a fixed weighted sum of its coordinates. Equal points have equal sums, so
//! the few with nearly the same sum are found by bisection and compared coordinate by coordinate.

/// Coordinates closer than this are the same.
const TOLERANCE: f64 = 1e-12;

/// A set of points that can be asked whether it holds one, twenty thousand as quickly as a few.
#[derive(Clone, Debug, Default)]
pub struct Known<'a> {
    entries: Vec<(f64, &'a [f64])>,
}

impl<'a> Known<'a> {
    /// The set of these points.
    pub fn new(points: impl Iterator<Item = &'a [f64]>) -> Self {
        let mut entries: Vec<_> = points.map(|point| (sum(point), point)).collect();
        entries.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { entries }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a point is one of them, up to the last digits.
    pub fn contains(&self, point: &[f64]) -> bool {
        let near = 2.0 * TOLERANCE * (point.len() + 1) as f64;
        let centre = sum(point);
        let first = self.entries.partition_point(|entry| entry.0 < centre - near);
        let candidates = self.entries[first..]
            .iter()
            .take_while(|entry| entry.0 <= centre + near);
        candidates.into_iter().any(|(_, known)| same(known, point))
    }
}

/// Whether two points are the same.
pub(crate) fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= TOLERANCE)
}

/// Coordinates weighted by an additive recurrence, so that no two grids collide systematically; weights below 2.
fn sum(point: &[f64]) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut weight = 1.0;
    let mut sum = 0.0;
    for x in point {
        weight += if weight + GOLDEN < 2.0 { GOLDEN } else { GOLDEN - 1.0 };
        sum += weight * x;
    }
    sum
}

#[cfg(test)]
mod tests {
    use hilltop_core::Rng;

    use super::*;

    fn points(count: usize, dim: usize, levels: usize) -> Vec<Vec<f64>> {
        let mut rng = Rng::new(3);
        let coordinate = |rng: &mut Rng| rng.below(levels) as f64 / (levels - 1) as f64;
        (0..count)
            .map(|_| (0..dim).map(|_| coordinate(&mut rng)).collect())
            .collect()
    }

    #[test]
    fn the_set_knows_what_a_comparison_with_every_point_knows() {
        let stored = points(300, 4, 5);
        let known = Known::new(stored.iter().map(Vec::as_slice));
        for point in points(600, 4, 5) {
            assert_eq!(known.contains(&point), stored.iter().any(|other| same(other, &point)));
        }
        assert_eq!(known.len(), 300);
    }

    #[test]
    fn a_difference_below_the_tolerance_is_none_and_one_above_it_is_one() {
        let stored = points(2000, 10, 1_000_001);
        let known = Known::new(stored.iter().map(Vec::as_slice));
        let shifted = |by: f64| stored[7].iter().map(|x| x + by).collect::<Vec<_>>();
        assert!(known.contains(&shifted(5e-13)));
        assert!(!known.contains(&shifted(2e-12)));
    }
}
