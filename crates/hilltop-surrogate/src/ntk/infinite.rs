//! The infinitely wide layers: error function and rectifier.
//!
//! Erf (Williams, 1997): with `A = (1+2σ_xx)^{-1/2}` of each point, `c = 2σAB`, `σ' = (2/π) asin c` and
//! `σ̇ = (4/π) AB / √(1−c²)`. Rectifier (Cho & Saul, 2009; with the factor 2 that keeps variances): with `A = σ_xx^{-1/2}`, `ρ = σAB`,
//! `σ' = κ₁(ρ)/(AB)` and `σ̇ = κ₀(ρ)`; its tangent kernel has a kink where points coincide, so its slopes there are
//! those of a kernel rounded off at a distance of 1e-7.
#![allow(
    clippy::inline_always,
    reason = "a loop takes the instruction set of the function it is inlined into"
)]

use std::f64::consts::{FRAC_1_PI, FRAC_2_PI};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::arc::asin;
use super::layered::{Bend, Diagonal, Layer, Layered};
use crate::process::Profile;

/// Which kernel of the infinitely wide network is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The tangent kernel: all weights move.
    #[default]
    Tangent,
    /// The mean of tangent and conjugate kernel (Definition 1 of the `NeuralBO` paper).
    Average,
    /// The conjugate kernel: only the last layer moves.
    Conjugate,
}

impl Limit {
    /// The shares of all layers but the last, and of the last.
    pub(super) fn shares(self) -> (f64, f64) {
        let (tangent, conjugate) = self.weights();
        (tangent, tangent + conjugate)
    }

    /// The weights of tangent and conjugate kernel.
    fn weights(self) -> (f64, f64) {
        match self {
            Self::Tangent => (1.0, 0.0),
            Self::Average => (0.5, 0.5),
            Self::Conjugate => (0.0, 1.0),
        }
    }
}

/// The kernel of infinitely wide layers of the error function.
pub fn erf(depth: usize, limit: Limit) -> Arc<dyn Profile> {
    let (tangent, conjugate) = limit.weights();
    Arc::new(Layered::<Erf>::new(depth, tangent, conjugate))
}

/// The kernel of infinitely wide layers of rectifiers.
pub fn relu(depth: usize, limit: Limit) -> Arc<dyn Profile> {
    let (tangent, conjugate) = limit.weights();
    Arc::new(Layered::<Relu>::new(depth, tangent, conjugate))
}

/// Keeps `1 − c²` away from zero.
const ROUND: f64 = 1e-14;

#[derive(Clone, Copy, Debug)]
struct Erf;

impl Layer for Erf {
    fn factor(variance: f64) -> f64 {
        1.0 / (1.0 + 2.0 * variance).sqrt()
    }

    fn diagonal(variance: f64) -> Diagonal {
        let (wide, wider) = (1.0 + 2.0 * variance, 1.0 + 4.0 * variance);
        let rate = 2.0 * FRAC_2_PI / wider.sqrt();
        Diagonal {
            next: FRAC_2_PI * asin(2.0 * variance / wide),
            next_slope: rate / wide,
            rate,
            rate_slope: -2.0 * rate / wider,
        }
    }

    #[inline(always)]
    fn step(covariance: f64, row: f64, column: f64) -> (f64, f64) {
        let twice = 2.0 * (row * column);
        let c = (covariance * twice).clamp(-1.0, 1.0);
        let rest = ((1.0 - c) * (1.0 + c)).max(ROUND);
        (FRAC_2_PI * asin(c), FRAC_2_PI * twice / rest.sqrt())
    }

    #[inline(always)]
    fn bend(covariance: f64, row: f64, column: f64) -> Bend {
        let twice = 2.0 * (row * column);
        let c = (covariance * twice).clamp(-1.0, 1.0);
        let inverse = 1.0 / ((1.0 - c) * (1.0 + c)).max(ROUND);
        let root = inverse.sqrt();
        let rate = FRAC_2_PI * twice * root;
        let (row2, column2) = (row * row, column * column);
        let sink = FRAC_2_PI * root * c;
        let spread = rate * inverse;
        Bend {
            next: FRAC_2_PI * asin(c),
            next_row: -sink * row2,
            next_column: -sink * column2,
            rate,
            rate_covariance: spread * c * twice,
            rate_row: -spread * row2,
            rate_column: -spread * column2,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Relu;

impl Layer for Relu {
    fn factor(variance: f64) -> f64 {
        1.0 / variance.max(f64::MIN_POSITIVE).sqrt()
    }

    fn diagonal(variance: f64) -> Diagonal {
        Diagonal {
            next: variance,
            next_slope: 1.0,
            rate: 1.0,
            rate_slope: 0.0,
        }
    }

    #[inline(always)]
    fn step(covariance: f64, row: f64, column: f64) -> (f64, f64) {
        let both = row * column;
        let rho = (covariance * both).clamp(-1.0, 1.0);
        let share = 0.5 + FRAC_1_PI * asin(rho);
        let rest = ((1.0 - rho) * (1.0 + rho)).sqrt();
        ((FRAC_1_PI * rest + rho * share) / both, share)
    }

    #[inline(always)]
    fn bend(covariance: f64, row: f64, column: f64) -> Bend {
        let both = row * column;
        let rho = (covariance * both).clamp(-1.0, 1.0);
        let share = 0.5 + FRAC_1_PI * asin(rho);
        let rest = ((1.0 - rho) * (1.0 + rho)).max(ROUND).sqrt();
        let kink = FRAC_1_PI / rest;
        let shrink = 0.5 * FRAC_1_PI * rest / both;
        let fall = -0.5 * kink * rho;
        Bend {
            next: (FRAC_1_PI * rest + rho * share) / both,
            next_row: shrink * row * row,
            next_column: shrink * column * column,
            rate: share,
            rate_covariance: kink * both,
            rate_row: fall * row * row,
            rate_column: fall * column * column,
        }
    }
}
