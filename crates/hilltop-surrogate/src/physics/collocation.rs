//! Where equations are asked for: collocation points, spread evenly over the space.

use faer::Mat;
use hilltop_core::physics::Equation;
use hilltop_core::{Rng, Space};

/// Tells these points from others of the same seed.
const TAG: u64 = 0xc011;
/// Numbers of a Sobol sequence before it is begun again with another scramble.
const LENGTH: u64 = 1 << 16;

/// The first points of a scrambled Sobol sequence at which an equation holds and that the known constraints allow; fewer where
/// those leave little of the space.
pub fn collocation(equation: &dyn Equation, space: &Space, seed: u64, count: usize) -> Mat<f64> {
    let mut found: Vec<Vec<f64>> = Vec::with_capacity(count);
    let mut rng = Rng::keyed(seed, &[TAG]);
    for index in 0..4 * count as u64 {
        if found.len() == count {
            break;
        }
        let mut point = space.from_unit(&unit_point(space.unit_dim(), seed, index, &mut rng));
        if equation.place(&mut point) && space.satisfies(&point) {
            found.push(point);
        }
    }
    Mat::from_fn(found.len(), space.dim(), |i, j| found[i][j])
}

fn unit_point(dim: usize, seed: u64, index: u64, rng: &mut Rng) -> Vec<f64> {
    let mut point = Vec::with_capacity(dim + 3);
    for set in 0..dim.div_ceil(4) as u32 {
        if set < sobol_burley::NUM_DIMENSION_SETS_4D {
            let scramble = ((seed ^ (seed >> 32) ^ TAG ^ (index / LENGTH) << 8) as u32).wrapping_mul(0x9e37_79b1);
            point.extend(sobol_burley::sample_4d((index % LENGTH) as u32, set, scramble).map(f64::from));
        } else {
            point.extend((0..4).map(|_| rng.uniform()));
        }
    }
    point.truncate(dim);
    point
}
