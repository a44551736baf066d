//! Where equations are asked for: points spread evenly, anew where wanted, or denser where the residuals are large.

use faer::Mat;
use hilltop_core::physics::Equation;
use hilltop_core::{Rng, Sobol, Space};

/// Tells these points from others of the same seed.
const TAG: u64 = 0x9177;
/// Points tried for every one that is wanted, before it is concluded that there are no more.
const TRIES: usize = 4;

/// The first points of a scrambled Sobol sequence at which an equation holds and that the known constraints allow; fewer
/// where those leave little of the space.
pub(crate) fn spread(equation: &dyn Equation, space: &Space, seed: u64, count: usize) -> Mat<f64> {
    let sobol = Sobol::scrambled(Rng::keyed(seed, &[TAG]).bits() as u32, space.unit_dim());
    let mut found: Vec<Vec<f64>> = Vec::with_capacity(count);
    for index in 0..(TRIES * count) as u64 {
        if found.len() == count {
            break;
        }
        let mut point = space.from_unit(&sobol.point(index));
        if equation.place(&mut point) && space.satisfies(&point) {
            found.push(point);
        }
    }
    Mat::from_fn(found.len(), space.dim(), |i, j| found[i][j])
}

/// Keeps the first of the old points and fills up with those of a pool that have the largest residuals.
pub(crate) fn denser(old: &Mat<f64>, share: f64, pool: &Mat<f64>, residuals: &[f64]) -> Mat<f64> {
    let fresh = ((share * old.nrows() as f64) as usize).min(pool.nrows());
    let kept = old.nrows() - fresh;
    let mut order: Vec<usize> = (0..pool.nrows()).filter(|&i| residuals[i].is_finite()).collect();
    order.sort_by(|&a, &b| residuals[b].abs().total_cmp(&residuals[a].abs()).then(a.cmp(&b)));
    order.truncate(fresh);
    Mat::from_fn(kept + order.len(), old.ncols(), |i, j| {
        if i < kept {
            old[(i, j)]
        } else {
            pool[(order[i - kept], j)]
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    use super::*;

    #[test]
    fn points_with_large_residuals_take_the_place_of_the_last() {
        let old = Mat::from_fn(6, 1, |i, _| i as f64);
        let pool = Mat::from_fn(5, 1, |i, _| 10.0 + i as f64);
        let points = denser(&old, 0.34, &pool, &[0.1, -3.0, f64::NAN, 2.0, 0.0]);
        let found: Vec<f64> = (0..6).map(|i| points[(i, 0)]).collect();
        assert_eq!(found, [0.0, 1.0, 2.0, 3.0, 11.0, 13.0]);
    }
}
