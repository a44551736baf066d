//! Bends of coordinates: the curves, and what they do to points and gradients.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::Model;
use serde::{Deserialize, Serialize};

use super::Chosen;
use super::model::BentModel;

/// One number `k` a coordinate: 0 is straight, above it `ln(1 + kx)/ln(1 + k)`, which spreads the lower end, below it the mirror image,
/// which spreads the upper one. Outside `[0,1]` a bend goes on straight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bends(Vec<f64>);

/// No sensible bend is sharper: twelve orders of magnitude.
const SHARPEST: f64 = 1e12;

impl Bends {
    /// Coordinates as they are.
    pub fn straight(dim: usize) -> Self {
        Self(vec![0.0; dim])
    }

    /// The same with one coordinate bent otherwise.
    #[must_use]
    pub fn with(&self, coordinate: usize, k: f64) -> Self {
        let mut bends = self.clone();
        bends.0[coordinate] = k;
        bends
    }

    /// How many coordinates there are.
    pub fn dim(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is bent.
    pub fn is_straight(&self) -> bool {
        self.0.iter().all(|k| *k == 0.0)
    }

    /// Whether every number describes a curve.
    pub fn is_sound(&self) -> bool {
        self.0.iter().all(|k| k.abs() <= SHARPEST)
    }

    /// A point in bent coordinates.
    pub fn inward(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.0).map(|(x, k)| bend(*k, *x).0).collect()
    }

    /// The point that lies there in bent coordinates.
    pub fn outward(&self, bent: &[f64]) -> Vec<f64> {
        bent.iter().zip(&self.0).map(|(y, k)| unbend(*k, *y)).collect()
    }

    /// Points in bent coordinates, one a row.
    pub fn all_inward(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        Mat::from_fn(points.nrows(), points.ncols(), |i, j| bend(self.0[j], points[(i, j)]).0)
    }

    /// A model of points in bent coordinates as one of the points' own.
    pub fn seen_through(&self, model: Arc<dyn Model>) -> Arc<dyn Model> {
        Arc::new(BentModel {
            inner: model,
            chosen: Chosen {
                count: 0,
                bends: self.clone(),
            },
        })
    }

    /// Turns gradients in bent coordinates at these points, one a row, into gradients in the points' own.
    pub fn pull_back(&self, points: MatRef<'_, f64>, mut gradients: MatMut<'_, f64>) {
        for (j, k) in self.0.iter().enumerate().filter(|(_, k)| **k != 0.0) {
            for i in 0..points.nrows() {
                gradients[(i, j)] *= bend(*k, points[(i, j)]).1;
            }
        }
    }
}

/// The bent coordinate and its derivative.
fn bend(k: f64, x: f64) -> (f64, f64) {
    if k == 0.0 {
        return (x, 1.0);
    }
    if k < 0.0 {
        let (mirrored, slope) = bend(-k, 1.0 - x);
        return (1.0 - mirrored, slope);
    }
    let (inside, unit) = (x.clamp(0.0, 1.0), k.ln_1p());
    let slope = k / ((1.0 + k * inside) * unit);
    ((k * inside).ln_1p() / unit + slope * (x - inside), slope)
}

/// The coordinate that is bent to this one.
fn unbend(k: f64, y: f64) -> f64 {
    if k == 0.0 {
        return y;
    }
    if k < 0.0 {
        return 1.0 - unbend(-k, 1.0 - y);
    }
    let inside = y.clamp(0.0, 1.0);
    let x = (inside * k.ln_1p()).exp_m1() / k;
    x + (y - inside) / bend(k, x).1
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURVES: [f64; 5] = [0.0, 8.0, 500.0, -8.0, -500.0];

    #[test]
    fn a_bend_keeps_the_ends_and_the_order_and_its_slope_is_the_difference_quotient() {
        for k in CURVES {
            assert!(
                bend(k, 0.0).0.abs() < 1e-12 && (bend(k, 1.0).0 - 1.0).abs() < 1e-12,
                "{k}"
            );
            for step in -5..25 {
                let x = 0.05 * f64::from(step) + 0.01;
                let (low, high) = (bend(k, x - 1e-6).0, bend(k, x + 1e-6).0);
                let quotient = (high - low) / 2e-6;
                let slope = bend(k, x).1;
                assert!(
                    (unbend(k, bend(k, x).0) - x).abs() < 1e-12,
                    "{k} there and back from {x}"
                );
                assert!(
                    high > low && (quotient / slope - 1.0).abs() < 1e-3,
                    "{k} at {x}: {quotient} {slope}"
                );
            }
        }
    }

    #[test]
    fn a_bend_is_the_logarithm_of_a_range_over_orders_of_magnitude() {
        let (low, high) = (0.1_f64, 60.0_f64);
        for value in [0.1, 0.5, 3.0, 40.0, 60.0] {
            let logarithm = (value / low).ln() / (high / low).ln();
            let (bent, _) = bend(high / low - 1.0, (value - low) / (high - low));
            assert!((bent - logarithm).abs() < 1e-12, "{value}: {bent} {logarithm}");
        }
    }

    #[test]
    fn the_other_way_round_is_the_mirror_image() {
        for x in [0.0, 0.01, 0.3, 0.99] {
            assert!((bend(-50.0, x).0 - (1.0 - bend(50.0, 1.0 - x).0)).abs() < 1e-12);
        }
    }
}
