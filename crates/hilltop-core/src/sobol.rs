//! Scrambled Sobol points.

/// Numbers of a sequence before it is begun again with another scramble.
const LENGTH: u64 = 1 << 16;
/// Sets of four dimensions that have direction numbers of their own.
const SETS: u32 = sobol_burley::NUM_DIMENSION_SETS_4D;

/// An Owen-scrambled Sobol sequence of the unit cube: every piece of it is spread evenly.
///
/// Beyond 256 dimensions and 65,536 points it goes on with independent scrambles.
#[derive(Clone, Copy, Debug)]
pub struct Sobol {
    seed: u32,
    factor: u32,
    dim: usize,
}

impl Sobol {
    /// Dimensions up to which a sequence is spread in all of them together.
    pub const DIMENSIONS: usize = sobol_burley::NUM_DIMENSIONS as usize;

    /// The sequence of a seed, which may be any number.
    pub fn new(seed: u64, dim: usize) -> Self {
        Self {
            seed: (seed ^ (seed >> 32)) as u32,
            factor: 0x9e37_79b1,
            dim,
        }
    }

    /// The sequence with a scramble that is random already.
    pub fn scrambled(scramble: u32, dim: usize) -> Self {
        Self {
            seed: scramble,
            factor: 1,
            dim,
        }
    }

    /// The point of an index.
    pub fn point(&self, index: u64) -> Vec<f64> {
        let mut point = Vec::with_capacity(self.dim + 3);
        for set in 0..self.dim.div_ceil(4) as u32 {
            let scramble = self.scramble(index / LENGTH, set / SETS);
            let four = sobol_burley::sample_4d((index % LENGTH) as u32, set % SETS, scramble);
            point.extend(four.map(f64::from));
        }
        point.truncate(self.dim);
        point
    }

    fn scramble(&self, block: u64, page: u32) -> u32 {
        (self.seed ^ (block << 8) as u32)
            .wrapping_mul(self.factor)
            .wrapping_add(page.wrapping_mul(0x85eb_ca6b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sixteenth_of_each_axis_holds_one_of_sixteen_points() {
        let sobol = Sobol::new(7, 6);
        for axis in 0..6 {
            let mut cells: Vec<u32> = (0..16).map(|index| (sobol.point(index)[axis] * 16.0) as u32).collect();
            cells.sort_unstable();
            assert_eq!(cells, (0..16).collect::<Vec<_>>(), "axis {axis}");
        }
    }

    #[test]
    fn seeds_blocks_and_pages_differ() {
        let point = |seed, index, axis: usize| Sobol::new(seed, 600).point(index)[axis];
        assert!((point(1, 0, 0) - point(2, 0, 0)).abs() > 0.0);
        assert!((point(1, 3, 1) - point(1, 3 + LENGTH, 1)).abs() > 0.0);
        assert!((point(1, 5, 2) - point(1, 5, 2 + Sobol::DIMENSIONS)).abs() > 0.0);
    }

    #[test]
    fn a_stored_point_never_changes() {
        let changed = "designs and collocation points of earlier versions would change";
        assert_eq!(Sobol::new(7, 2).point(3), DESIGNED, "{changed}");
        assert_eq!(Sobol::scrambled(7, 2).point(3), SCRAMBLED, "{changed}");
    }

    const DESIGNED: [f64; 2] = [0.723_691_344_261_169_4, 0.227_103_948_593_139_65];
    const SCRAMBLED: [f64; 2] = [0.481_580_615_043_640_14, 0.978_951_811_790_466_3];
}
