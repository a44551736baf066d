//! Signal and noise of a kernel that is known up to its factor: the likelihood through the kernel's eigenvalues.
//!
//! With `K = Q Λ Qᵀ` and `z = Qᵀ y` the density of `y` under `sK + vI` is a product over eigenvalues, so that one
//! decomposition serves every signal `s` and noise `v`.

use faer::{Mat, Side};
use hilltop_core::{Error, Lbfgs, Result};

use crate::process::Prior;

/// A kernel matrix and values in the basis of its eigenvectors.
pub(super) struct Spectrum {
    eigenvalues: Vec<f64>,
    /// The squares of the values' coordinates.
    squares: Vec<f64>,
}

impl Spectrum {
    /// Decomposes a kernel matrix.
    pub(super) fn new(kernel: &Mat<f64>, values: &[f64]) -> Result<Self> {
        let failed = |error| Error::Numerical {
            what: "the decomposition of a kernel matrix",
            detail: format!("{error:?}"),
        };
        let eigen = kernel.self_adjoint_eigen(Side::Lower).map_err(failed)?;
        let vectors = eigen.U();
        let coordinate = |k: usize| vectors.col(k).iter().zip(values).map(|(q, y)| q * y).sum::<f64>();
        Ok(Self {
            eigenvalues: eigen.S().column_vector().iter().map(|value| value.max(0.0)).collect(),
            squares: (0..values.len()).map(|k| coordinate(k).powi(2)).collect(),
        })
    }

    /// The most probable signal and noise with their cost, the negative logarithm of the density.
    pub(super) fn maximise(&self, signal: Prior, noise: Prior) -> ((f64, f64), f64) {
        let priors = [signal, noise];
        let cost = |logs: &[f64], slopes: &mut [f64]| {
            let (data, signal, noise) = self.cost(logs[0].exp(), logs[1].exp());
            slopes.copy_from_slice(&[signal, noise]);
            priors.iter().enumerate().fold(data, |sum, (index, prior)| {
                let (cost, slope) = prior.cost(logs[index]);
                slopes[index] += slope;
                sum + cost
            })
        };
        let start = priors.map(|prior| prior.median.ln());
        let low = priors.map(|prior| prior.low.ln());
        let high = priors.map(|prior| prior.high.ln());
        let found = Lbfgs::default().minimise(&start, &low, &high, cost);
        ((found.point[0].exp(), found.point[1].exp()), found.value)
    }

    /// The data's part of the cost, with its derivatives in the logarithms.
    fn cost(&self, signal: f64, noise: f64) -> (f64, f64, f64) {
        let terms = self.eigenvalues.iter().zip(&self.squares);
        terms.fold((0.0, 0.0, 0.0), |(cost, by_signal, by_noise), (value, square)| {
            let variance = signal * value + noise;
            let pull = 0.5 * (1.0 - square / variance) / variance;
            (
                cost + 0.5 * (variance.ln() + square / variance),
                by_signal + pull * signal * value,
                by_noise + pull * noise,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use hilltop_core::Rng;

    #[test]
    fn signal_and_noise_of_a_drawn_function_are_found() {
        let count = 400;
        let kernel = Mat::from_fn(count, count, |i, j| {
            (-0.5 * ((i as f64 - j as f64) / 3.0).powi(2)).exp() + f64::from(u8::from(i == j)) * 1e-9
        });
        let factor = kernel.llt(Side::Lower).unwrap();
        let mut rng = Rng::new(5);
        let (mut smooth, mut rough) = (vec![0.0; count], vec![0.0; count]);
        rng.normals(&mut smooth);
        rng.normals(&mut rough);
        let drawn = factor.L() * Mat::from_fn(count, 1, |i, _| smooth[i]);
        let values: Vec<f64> = (0..count).map(|i| 2.0 * drawn[(i, 0)] + 0.3 * rough[i]).collect();
        let wide = |median: f64| Prior {
            median,
            spread: 10.0,
            below: 10.0,
            low: 1e-8,
            high: 1e6,
        };
        let spectrum = Spectrum::new(&kernel, &values).unwrap();
        let ((signal, noise), cost) = spectrum.maximise(wide(1.0), wide(1e-3));
        assert!((signal / 4.0).ln().abs() < 0.35, "{signal}");
        assert!((noise / 0.09).ln().abs() < 0.25, "{noise}");
        assert!(cost <= spectrum.maximise(Prior::fixed(4.0), Prior::fixed(0.09)).1 + 0.1);
    }
}
