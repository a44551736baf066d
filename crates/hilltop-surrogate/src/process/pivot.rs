//! The choice of landmarks: a Cholesky factorisation whose pivots are the points that are known least.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::kernel::Kernel;
use super::schedule::subset;

/// Landmarks are chosen from so many times as many points.
const CANDIDATES: usize = 3;

/// How much more a point with the smallest value counts than one with a median value.
const EMPHASIS: f64 = 9.0;

/// The indices of at most `count` points, in the order in which they were chosen: each is the one whose variance, given those
/// before it, is largest, weighed by how small its value is. There are fewer where `count` of them leave less than a tenth of the noise.
pub(super) fn landmarks(
    kernel: &dyn Kernel,
    points: MatRef<'_, f64>,
    values: &[f64],
    count: usize,
    noise: f64,
) -> Vec<usize> {
    let candidates = subset(values, CANDIDATES * count);
    let chosen = Mat::from_fn(candidates.len(), points.ncols(), |i, j| points[(candidates[i], j)]);
    let weights = emphasis(&candidates.iter().map(|&i| values[i]).collect::<Vec<_>>());
    let pivots = pivots(
        kernel,
        chosen.as_ref(),
        &weights,
        count.min(candidates.len()),
        0.1 * noise,
    );
    pivots.into_iter().map(|pivot| candidates[pivot]).collect()
}

/// The weight of each value by its rank.
fn emphasis(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]).then(a.cmp(b)));
    let mut weights = vec![1.0; values.len()];
    for (rank, index) in order.into_iter().enumerate() {
        let share = 1.0 - rank as f64 / values.len() as f64;
        weights[index] += EMPHASIS * share.powi(8);
    }
    weights
}

/// Pivots of the factorisation until `count` are found or no variance above `enough` is left.
fn pivots(kernel: &dyn Kernel, points: MatRef<'_, f64>, weights: &[f64], count: usize, enough: f64) -> Vec<usize> {
    let anchors = kernel.anchors(points);
    let mut left = kernel.diagonal(points);
    let mut columns = Mat::<f64>::zeros(points.nrows(), count);
    let mut pivots = Vec::with_capacity(count);
    for step in 0..count {
        let next = (0..left.len()).max_by(|a, b| (left[*a] * weights[*a]).total_cmp(&(left[*b] * weights[*b])));
        let Some(pivot) = next.filter(|pivot| left[*pivot] > enough) else {
            break;
        };
        let mut column = anchors.cross(points.subrows(pivot, 1));
        let (done, mut rest) = columns.as_mut().split_at_col_mut(step);
        let own = done.as_ref().row(pivot).transpose().as_mat().to_owned();
        matmul(&mut column, Accum::Add, done.as_ref(), &own, -1.0, Par::Seq);
        let scale = 1.0 / left[pivot].sqrt();
        for (i, left) in left.iter_mut().enumerate() {
            let entry = scale * column[(i, 0)];
            rest[(i, 0)] = entry;
            *left = (*left - entry * entry).max(0.0);
        }
        left[pivot] = 0.0;
        pivots.push(pivot);
    }
    pivots
}
