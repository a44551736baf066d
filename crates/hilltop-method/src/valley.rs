//! The axes of a valley: those of the quadratic function nearest to observations around a point.
//!
//! A narrow valley that runs obliquely is steep in every coordinate, and no scale of a single coordinate describes it.
//! In coordinates along and across it one scale is short and the others are long, and a model that has a scale for each
//! coordinate sees it with few observations.

use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef, Side};
use hilltop_core::Points;

/// The coefficients are pulled towards zero by so much of an observation.
const RIDGE: f64 = 1e-6;

/// An orthogonal matrix, one axis a column. Observations are given by their displacements from a point and count the more the nearer
/// they are, half at a distance of `width` in each coordinate. `None` where they are too few to tell.
pub(crate) fn axes(displacements: &Points, values: &[f64], width: f64) -> Option<Mat<f64>> {
    let dim = displacements.dim();
    if dim < 2 || values.len() < (dim + 1) * (dim + 2) / 2 {
        return None;
    }
    let coefficients = nearest_quadratic(displacements, &unit_range(values)?, width)?;
    let curvature = curvature(coefficients.as_ref(), dim);
    let eigen = curvature.self_adjoint_eigen(Side::Lower).ok()?;
    let axes = eigen.U().to_owned();
    let sound = axes.norm_max().is_finite();
    sound.then_some(axes)
}

/// The values moved to `[0, 1]`; `None` where they are all the same or too large to subtract.
fn unit_range(values: &[f64]) -> Option<Vec<f64>> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let range = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low;
    let sound = range > 0.0 && range.is_finite();
    sound.then(|| values.iter().map(|value| (value - low) / range).collect())
}

/// The coefficients, by weighed least squares.
fn nearest_quadratic(displacements: &Points, values: &[f64], width: f64) -> Option<Mat<f64>> {
    let rows: Vec<(Vec<f64>, f64)> = displacements
        .rows()
        .zip(values)
        .map(|(row, value)| weighed(row, *value, width))
        .collect();
    let count = rows.first()?.0.len();
    let terms = Mat::from_fn(rows.len(), count, |i, j| rows[i].0[j]);
    let values = Mat::from_fn(rows.len(), 1, |i, _| rows[i].1);
    let normal = terms.transpose() * &terms + faer::Scale(RIDGE) * Mat::<f64>::identity(count, count);
    let factor = normal.llt(Side::Lower).ok()?;
    Some(factor.solve(terms.transpose() * &values))
}

/// The terms of a quadratic function at a displacement and the value there, times how much they count.
fn weighed(row: &[f64], value: f64, width: f64) -> (Vec<f64>, f64) {
    let scaled: Vec<f64> = row.iter().map(|x| x / width).collect();
    let distance = scaled.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
    let weight = 1.0 / (1.0 + distance);
    let mut terms = vec![1.0];
    terms.extend(&scaled);
    for (i, a) in scaled.iter().enumerate() {
        terms.extend(scaled[..=i].iter().map(|b| a * b));
    }
    terms.iter_mut().for_each(|term| *term *= weight);
    (terms, value * weight)
}

/// The matrix of second derivatives, from coefficients in the order of [`weighed`].
fn curvature(coefficients: MatRef<'_, f64>, dim: usize) -> Mat<f64> {
    let place = |i: usize, j: usize| 1 + dim + i * (i + 1) / 2 + j;
    Mat::from_fn(dim, dim, |i, j| {
        let entry = coefficients[(place(i.max(j), i.min(j)), 0)];
        if i == j { 2.0 * entry } else { entry }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use hilltop_core::Rng;

    use super::*;

    fn observations(count: usize, valley: impl Fn(&[f64]) -> f64) -> (Points, Vec<f64>) {
        let mut rng = Rng::new(1);
        let mut points = Points::new(3);
        (0..count).for_each(|_| points.push(&[0; 3].map(|_| 0.2 * rng.uniform() - 0.1)));
        let values = points.rows().map(valley).collect();
        (points, values)
    }

    /// Steep along (1, 1, 0), flat along (1, −1, 0), in between along the third coordinate.
    fn oblique(x: &[f64]) -> f64 {
        1e4 * (x[0] + x[1]).powi(2) + (x[0] - x[1]).powi(2) + 100.0 * x[2] * x[2] + x[0] - 3.0
    }

    #[test]
    fn the_axes_of_an_oblique_valley_are_found() {
        let (points, values) = observations(15, oblique);
        let axes = axes(&points, &values, 0.1).unwrap();
        let half = 0.5_f64.sqrt();
        let expected = [[half, -half, 0.0], [0.0, 0.0, 1.0], [half, half, 0.0]];
        for (column, expected) in expected.iter().enumerate() {
            let along: f64 = (0..3).map(|row| axes[(row, column)] * expected[row]).sum();
            assert!((along.abs() - 1.0).abs() < 1e-4, "{column}: {along}");
        }
        assert!((axes.transpose() * &axes - Mat::<f64>::identity(3, 3)).norm_max() < 1e-12);
    }

    #[test]
    fn too_few_or_equal_or_infinite_values_have_no_axes() {
        let (points, values) = observations(15, oblique);
        assert!(axes(&points.head(9), &values[..9], 0.1).is_none());
        assert!(axes(&points, &[1.0; 15], 0.1).is_none());
        let mut huge = values;
        (huge[0], huge[1]) = (f64::MAX, f64::MIN);
        assert!(axes(&points, &huge, 0.1).is_none());
    }
}
