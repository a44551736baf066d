//! Points, functions and comparisons that the laws share.
#![allow(dead_code, clippy::unwrap_used)]

use faer::{Mat, MatRef};
use hilltop_core::{Evidence, Model, Points, Previous, Result, Rng, Space, Surrogate};
use hilltop_surrogate::ntk::{Limit, erf};
use hilltop_surrogate::process::{Field, Inner, Kernel, Source};
use std::sync::Arc;

/// Uniform points, one a row.
pub(crate) fn uniform(count: usize, dim: usize, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    Mat::from_fn(count, dim, |_, _| rng.uniform())
}

/// The points of a matrix as a table.
pub(crate) fn table(points: MatRef<'_, f64>) -> Points {
    let mut table = Points::new(points.ncols());
    for i in 0..points.nrows() {
        table.push(&points.row(i).iter().copied().collect::<Vec<_>>());
    }
    table
}

/// A smooth function with several scales.
pub(crate) fn wavy(points: MatRef<'_, f64>) -> Vec<f64> {
    let value = |i: usize| {
        let row = points.row(i);
        let terms = row
            .iter()
            .enumerate()
            .map(|(j, x)| (3.0 * x + j as f64).sin() + (x - 0.4).powi(2));
        5.0 + 2.0 * terms.sum::<f64>()
    };
    (0..points.nrows()).map(value).collect()
}

/// A source that is never asked.
struct Silent;

impl Source for Silent {
    fn draw(&self, _: &[f64], _: &mut Rng) -> Result<Arc<dyn Field>> {
        panic!("nothing is drawn here")
    }
}

/// The smooth kernel with one scale for all coordinates.
pub(crate) fn smooth_kernel(dim: usize, scale: f64) -> Arc<dyn Kernel> {
    let mut weights = vec![scale; dim];
    weights.push(1.0);
    Arc::new(Inner::new(erf(1, Limit::Tangent), Arc::new(Silent), weights, 1.3))
}

/// A model of a function at points.
pub(crate) fn fitted(surrogate: &dyn Surrogate, points: MatRef<'_, f64>, values: &[f64]) -> Arc<dyn Model> {
    let space = Space::unit_box(points.ncols());
    let table = table(points);
    let evidence = Evidence {
        space: &space,
        points: &table,
        values,
        seed: 7,
        shares: &[],
    };
    surrogate.fit(&evidence, Previous::default()).unwrap()
}

/// The largest difference of two slices.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Central differences of a function of points, one row a point.
pub(crate) fn differences(
    points: MatRef<'_, f64>,
    step: f64,
    values: impl Fn(MatRef<'_, f64>) -> Vec<f64>,
) -> Mat<f64> {
    let mut slopes = Mat::zeros(points.nrows(), points.ncols());
    for j in 0..points.ncols() {
        let moved = |by: f64| {
            let mut moved = points.to_owned();
            (0..points.nrows()).for_each(|i| moved[(i, j)] += by);
            values(moved.as_ref())
        };
        let (up, down) = (moved(step), moved(-step));
        (0..points.nrows()).for_each(|i| slopes[(i, j)] = (up[i] - down[i]) / (2.0 * step));
    }
    slopes
}

/// Whether two matrices agree up to an error relative to their largest entry.
pub(crate) fn assert_close(ours: &Mat<f64>, theirs: &Mat<f64>, tolerance: f64, what: &str) {
    let size = theirs.norm_max().max(1e-9);
    let error = (ours - theirs).norm_max();
    assert!(
        error <= tolerance * size,
        "{what}: off by {error} of {size}\n{ours:?}\n{theirs:?}"
    );
}
