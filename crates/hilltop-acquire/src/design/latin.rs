//! Latin hypercubes: on every axis each of `count` equal cells holds one point.

use hilltop_core::Rng;

/// Tells these random numbers from others of the same seed.
const TAG: u64 = 0x1a71;

/// Point `index` of the hypercubes of a seed; after `count` points another hypercube begins.
pub(crate) fn point(seed: u64, dim: usize, count: usize, index: u64) -> Vec<f64> {
    let count = count.max(1);
    let (cube, place) = (index / count as u64, (index % count as u64) as usize);
    let coordinate = |axis: usize| {
        let mut rng = Rng::keyed(seed, &[TAG, cube, axis as u64]);
        let mut cells: Vec<usize> = (0..count).collect();
        rng.shuffle(&mut cells);
        let inside = Rng::keyed(seed, &[TAG, cube, axis as u64, place as u64]).uniform();
        (cells[place] as f64 + inside) / count as f64
    };
    (0..dim).map(coordinate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_of_each_axis_holds_one_point() {
        for axis in 0..5 {
            let mut cells: Vec<u32> = (0..13)
                .map(|index| (point(3, 5, 13, index)[axis] * 13.0) as u32)
                .collect();
            cells.sort_unstable();
            assert_eq!(cells, (0..13).collect::<Vec<_>>());
        }
    }

    #[test]
    fn another_hypercube_begins_after_the_last_point() {
        assert_ne!(point(3, 4, 10, 2), point(3, 4, 10, 12));
    }
}
