//! Functions drawn from a stationary process: a sum of waves with frequencies of its spectral density (Rahimi and Recht).

use faer::{Mat, MatRef};
use hilltop_core::Rng;

use super::Family;
use crate::process::Field;

/// So many waves: the covariance of a draw is the kernel's up to a thirtieth or so.
const WAVES: usize = 1024;

/// A sum of cosines.
pub(super) struct Waves {
    /// One a row, in the coordinates of points.
    frequencies: Mat<f64>,
    phases: Vec<f64>,
    amplitudes: Vec<f64>,
}

impl Waves {
    /// A function of the process at these weights, the last of which is the constant's and does nothing.
    pub(super) fn drawn(family: Family, weights: &[f64], rng: &mut Rng) -> Self {
        let dim = weights.len() - 1;
        let mut frequencies = Mat::zeros(WAVES, dim);
        let mut place = vec![0.0; dim];
        for wave in 0..WAVES {
            family.frequency(&mut place, rng);
            // A coordinate z of [0,1] is seen as w(2z − 1); where it begins is the phase's business.
            (0..dim).for_each(|axis| frequencies[(wave, axis)] = 2.0 * weights[axis] * place[axis]);
        }
        let phases = (0..WAVES).map(|_| std::f64::consts::TAU * rng.uniform()).collect();
        let mut amplitudes = vec![0.0; WAVES];
        rng.normals(&mut amplitudes);
        amplitudes.iter_mut().for_each(|a| *a *= (2.0 / WAVES as f64).sqrt());
        Self {
            frequencies,
            phases,
            amplitudes,
        }
    }

    fn angles(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        let mut angles = points * self.frequencies.transpose();
        for wave in 0..WAVES {
            let phase = self.phases[wave];
            angles
                .col_as_slice_mut(wave)
                .iter_mut()
                .for_each(|angle| *angle += phase);
        }
        angles
    }
}

impl Field for Waves {
    fn values(&self, points: MatRef<'_, f64>) -> Vec<f64> {
        let angles = self.angles(points);
        let mut values = vec![0.0; points.nrows()];
        for (wave, amplitude) in self.amplitudes.iter().enumerate() {
            let angles = angles.col_as_slice(wave);
            values
                .iter_mut()
                .zip(angles)
                .for_each(|(value, angle)| *value += amplitude * angle.cos());
        }
        values
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let angles = self.angles(points);
        let steep = Mat::from_fn(points.nrows(), WAVES, |row, wave| {
            -self.amplitudes[wave] * angles[(row, wave)].sin()
        });
        (self.values(points), steep * &self.frequencies)
    }
}
