//! Functions drawn from the smooth process: networks of sines, with all their derivatives.

use std::f64::consts::{FRAC_PI_2, TAU};

use faer::{Mat, MatRef};
use hilltop_core::Rng;
use hilltop_core::physics::Partial;

use super::rows::Rows;
use super::smooth::Smooth;
use crate::process::Field;

/// So many units of the network see all inputs.
const TOGETHER: usize = 1024;
/// So many see each input alone.
const ALONE: usize = 128;

/// A sum of waves `A cos(⟨ω, z⟩ + φ)`.
#[derive(Debug)]
pub(super) struct Waves {
    /// One a row.
    frequencies: Mat<f64>,
    phases: Vec<f64>,
    amplitudes: Vec<f64>,
}

impl Waves {
    /// A function of the centred process with this kernel.
    pub(super) fn drawn(kernel: &Smooth, rng: &mut Rng) -> Self {
        let dim = kernel.dim();
        let together = if kernel.product > 0.0 { TOGETHER } else { 0 };
        let alone = if kernel.sum > 0.0 { ALONE } else { 0 };
        let count = together + alone * dim;
        let mut frequencies = Mat::zeros(count, dim);
        let mut amplitudes = Vec::with_capacity(count);
        for wave in 0..together {
            (0..dim).for_each(|axis| frequencies[(wave, axis)] = rng.normal() / kernel.lengths[axis]);
            amplitudes.push((2.0 * kernel.product / together as f64).sqrt() * rng.normal());
        }
        for axis in 0..dim {
            for k in 0..alone {
                frequencies[(together + axis * alone + k, axis)] = rng.normal() / kernel.alone[axis];
                let share = kernel.sum / dim as f64;
                amplitudes.push((2.0 * share / alone as f64).sqrt() * rng.normal());
            }
        }
        let phases = (0..count).map(|_| TAU * rng.uniform()).collect();
        Self {
            frequencies,
            phases,
            amplitudes,
        }
    }

    /// The waves at points, turned by so many quarters: that many derivatives of a cosine.
    fn turned(&self, points: MatRef<'_, f64>, quarters: usize) -> Mat<f64> {
        let mut waves = points * self.frequencies.transpose();
        for (wave, phase) in self.phases.iter().enumerate() {
            let phase = phase + FRAC_PI_2 * quarters as f64;
            waves
                .col_as_slice_mut(wave)
                .iter_mut()
                .for_each(|angle| *angle = (*angle + phase).cos());
        }
        waves
    }

    /// The factor of each wave in a derivative.
    fn factors(&self, partial: &Partial) -> Mat<f64> {
        let factor = |wave: usize| {
            let powers = partial
                .axes()
                .iter()
                .map(|&(axis, order)| self.frequencies[(wave, axis)].powi(order as i32));
            self.amplitudes[wave] * powers.product::<f64>()
        };
        Mat::from_fn(self.amplitudes.len(), 1, |wave, _| factor(wave))
    }

    /// The functionals of the function.
    pub(super) fn functionals(&self, rows: &Rows) -> Vec<f64> {
        let mut out = vec![0.0; rows.count()];
        for (j, partial) in rows.partials.iter().enumerate() {
            let values = self.turned(rows.points.as_ref(), partial.order()) * self.factors(partial);
            let terms = rows.coefficients.col_as_slice(j).iter().zip(values.col_as_slice(0));
            out.iter_mut()
                .zip(terms)
                .for_each(|(slot, (c, value))| *slot += c * value);
        }
        out
    }
}

impl Field for Waves {
    fn values(&self, points: MatRef<'_, f64>) -> Vec<f64> {
        let values = self.turned(points, 0) * self.factors(&Partial::value());
        values.col_as_slice(0).to_vec()
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let mut steep = self.turned(points, 1);
        for (wave, amplitude) in self.amplitudes.iter().enumerate() {
            steep
                .col_as_slice_mut(wave)
                .iter_mut()
                .for_each(|value| *value *= amplitude);
        }
        (self.values(points), steep * &self.frequencies)
    }
}
