//! The choice of landmarks: the best and the latest observations, then a Cholesky factorisation whose pivots are the points
//! that are known least.

use std::collections::VecDeque;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::kernel::Kernel;
use super::schedule::subset;

/// Landmarks are chosen from so many times as many points.
const CANDIDATES: usize = 3;

/// The indices of at most `count` points: a quarter of them the best, a quarter the latest, then one after the other that whose
/// variance, given those before it, is largest. There are fewer where these leave no more variance than all observations
/// together would.
pub(super) fn landmarks(
    kernel: &dyn Kernel,
    points: MatRef<'_, f64>,
    values: &[f64],
    count: usize,
    noise: f64,
) -> Vec<usize> {
    let candidates = subset(values, CANDIDATES * count);
    let first = foremost(&candidates.iter().map(|&i| values[i]).collect::<Vec<_>>(), count / 4);
    let chosen = Mat::from_fn(candidates.len(), points.ncols(), |i, j| points[(candidates[i], j)]);
    // A mean over n observations has the variance λ/n.
    let enough = noise / values.len().max(1) as f64;
    let pivots = pivots(kernel, chosen.as_ref(), first, count.min(candidates.len()), enough);
    pivots.into_iter().map(|pivot| candidates[pivot]).collect()
}

/// So many of the best, and so many of the latest.
fn foremost(values: &[f64], count: usize) -> VecDeque<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]).then(a.cmp(b)));
    order.truncate(count);
    order.extend(values.len().saturating_sub(count)..values.len());
    order.into()
}

/// Pivots of the factorisation, `first` before the others, until `count` are found or no variance above `enough` is left.
fn pivots(
    kernel: &dyn Kernel,
    points: MatRef<'_, f64>,
    mut first: VecDeque<usize>,
    count: usize,
    enough: f64,
) -> Vec<usize> {
    let anchors = kernel.anchors(points);
    let mut left = kernel.diagonal(points);
    // Smaller pivots would be known to too few digits to divide by.
    let enough = left.iter().fold(enough, |enough, variance| enough.max(1e-9 * variance));
    let mut columns = Mat::<f64>::zeros(points.nrows(), count);
    let mut pivots = Vec::with_capacity(count);
    while pivots.len() < count {
        let widest = || (0..left.len()).max_by(|a, b| left[*a].total_cmp(&left[*b]));
        let asked = first.pop_front();
        let Some(pivot) = asked.or_else(widest).filter(|pivot| left[*pivot] > enough) else {
            if asked.is_some() {
                continue;
            }
            break;
        };
        let (done, mut rest) = columns.as_mut().split_at_col_mut(pivots.len());
        let column = residual(anchors.cross(points.subrows(pivot, 1)), done.as_ref(), pivot);
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

/// What the columns so far leave of a pivot's covariances.
fn residual(mut column: Mat<f64>, done: MatRef<'_, f64>, pivot: usize) -> Mat<f64> {
    let own = done.row(pivot).transpose().as_mat().to_owned();
    matmul(&mut column, Accum::Add, done, &own, -1.0, Par::Seq);
    column
}
