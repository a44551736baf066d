//! The knowledge gradient at points: slopes of the alternatives' means from drawn functions, and the gain they promise.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Beliefs, Marginals, Model, Score, SmoothScore};

use super::envelope::Envelope;

/// Points that may turn out best, as the model sees them now.
pub(crate) struct Alternatives {
    beliefs: Beliefs,
    /// What each drawn function (row) is above the mean at each alternative (column), columns of length one.
    residuals: Mat<f64>,
    /// The deviation of an observation around the function.
    noise: f64,
}

impl Alternatives {
    pub(crate) fn new(marginals: &dyn Marginals, paths: &[Arc<dyn Score>], places: MatRef<'_, f64>) -> Self {
        let beliefs = marginals.beliefs(places);
        let mut residuals = drawn(paths, places, &beliefs.mean);
        for column in 0..residuals.ncols() {
            let length = residuals.col(column).norm_l2().max(1e-300);
            residuals
                .col_as_slice_mut(column)
                .iter_mut()
                .for_each(|residual| *residual /= length);
        }
        Self {
            beliefs,
            residuals,
            noise: marginals.noise(),
        }
    }

    fn count(&self) -> usize {
        self.beliefs.mean.len()
    }
}

/// What drawn functions (rows) are above the means of points (columns).
fn drawn(paths: &[Arc<dyn Score>], points: MatRef<'_, f64>, means: &[f64]) -> Mat<f64> {
    let mut out = Mat::zeros(paths.len(), points.nrows());
    let mut scores = vec![0.0; points.nrows()];
    for (row, path) in paths.iter().enumerate() {
        path.values(points, &mut scores);
        (0..scores.len()).for_each(|column| out[(row, column)] = -scores[column] - means[column]);
    }
    out
}

/// The knowledge gradient of a model.
pub(crate) struct Knowledge {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) paths: Vec<Arc<dyn Score>>,
    pub(crate) alternatives: Alternatives,
    pub(crate) smooth: bool,
}

/// The lines of one point: those of the alternatives and last its own.
struct Lines {
    heights: Vec<f64>,
    slopes: Vec<f64>,
    correlations: Vec<f64>,
}

impl Knowledge {
    fn lines(&self, mean: f64, deviation: f64, residual: &[f64]) -> Lines {
        let Alternatives {
            beliefs,
            residuals,
            noise,
        } = &self.alternatives;
        let length = norm(residual).max(1e-300);
        let total = deviation.hypot(*noise).max(1e-300);
        let correlation = |i: usize| dot(residuals.col_as_slice(i), residual) / length;
        let correlations: Vec<f64> = (0..self.alternatives.count()).map(correlation).collect();
        let slope = |(i, c): (usize, &f64)| self.shrunk(*c).0 * beliefs.deviation[i] * deviation / total;
        let slopes = correlations
            .iter()
            .enumerate()
            .map(slope)
            .chain([deviation * deviation / total])
            .collect();
        let heights = beliefs.mean.iter().map(|mean| -mean).chain([-mean]).collect();
        Lines {
            heights,
            slopes,
            correlations,
        }
    }

    /// A correlation less what chance gives it on average over so many draws, and the derivative.
    fn shrunk(&self, correlation: f64) -> (f64, f64) {
        let chance = 1.0 / self.paths.len() as f64;
        let square = correlation * correlation;
        if square > chance {
            (correlation - chance / correlation, 1.0 + chance / square)
        } else {
            (0.0, 0.0)
        }
    }

    /// The gain at a point and its derivatives in the mean, in the deviation and in what each drawn function is above
    /// the mean.
    fn change(&self, mean: f64, deviation: f64, residual: &[f64]) -> (f64, f64, f64, Vec<f64>) {
        let Alternatives {
            beliefs,
            residuals,
            noise,
        } = &self.alternatives;
        let lines = self.lines(mean, deviation, residual);
        let envelope = Envelope::new(&lines.heights, &lines.slopes);
        let own = self.alternatives.count();
        let change = envelope.change(own + 1);
        let (variance, noise) = (deviation * deviation, noise * noise);
        let total = deviation.hypot(noise.sqrt()).max(1e-300);
        let cubed = total.powi(3);
        let mut by_deviation = change.slopes[own] * deviation * (variance + 2.0 * noise) / cubed;
        let length = norm(residual).max(1e-300);
        let mut by_residual = vec![0.0; residual.len()];
        for (i, &correlation) in lines.correlations.iter().enumerate() {
            let (shrunk, slope) = self.shrunk(correlation);
            let weight = change.slopes[i] * beliefs.deviation[i];
            by_deviation += weight * shrunk * noise / cubed;
            let pull = weight * slope * deviation / total / length;
            for (out, (theirs, ours)) in by_residual
                .iter_mut()
                .zip(residuals.col_as_slice(i).iter().zip(residual))
            {
                *out += pull * (theirs - correlation * ours / length);
            }
        }
        (
            envelope.gain(&lines.slopes),
            -change.heights[own],
            by_deviation,
            by_residual,
        )
    }
}

impl Score for Knowledge {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let Some(marginals) = self.model.marginals() else {
            return out.fill(f64::NAN);
        };
        let beliefs = marginals.beliefs(points);
        let residuals = drawn(&self.paths, points, &beliefs.mean);
        for (point, out) in out.iter_mut().enumerate() {
            let lines = self.lines(
                beliefs.mean[point],
                beliefs.deviation[point],
                residuals.col_as_slice(point),
            );
            *out = Envelope::new(&lines.heights, &lines.slopes).gain(&lines.slopes);
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        self.smooth.then_some(self)
    }
}

impl SmoothScore for Knowledge {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let Some(slopes) = self.model.marginals().and_then(|marginals| marginals.slopes(points)) else {
            return values.fill(f64::NAN);
        };
        let residuals = drawn(&self.paths, points, &slopes.beliefs.mean);
        let mut pulls = Mat::zeros(self.paths.len(), points.nrows());
        for point in 0..points.nrows() {
            let (mean, deviation) = (slopes.beliefs.mean[point], slopes.beliefs.deviation[point]);
            let (value, by_mean, by_deviation, by_residual) =
                self.change(mean, deviation, residuals.col_as_slice(point));
            values[point] = value;
            let by_mean = by_mean - by_residual.iter().sum::<f64>();
            for axis in 0..points.ncols() {
                gradients[(point, axis)] =
                    by_mean * slopes.mean[(point, axis)] + by_deviation * slopes.deviation[(point, axis)];
            }
            pulls.col_as_slice_mut(point).copy_from_slice(&by_residual);
        }
        self.add_paths(points, &pulls, gradients);
    }
}

impl Knowledge {
    /// What the drawn functions' own gradients add.
    fn add_paths(&self, points: MatRef<'_, f64>, pulls: &Mat<f64>, mut gradients: MatMut<'_, f64>) {
        let mut scores = vec![0.0; points.nrows()];
        let mut inner = Mat::zeros(points.nrows(), points.ncols());
        for (row, path) in self.paths.iter().enumerate() {
            let Some(path) = path.smooth() else { continue };
            path.values_and_gradients(points, &mut scores, inner.as_mut());
            for point in 0..points.nrows() {
                for axis in 0..points.ncols() {
                    gradients[(point, axis)] -= pulls[(row, point)] * inner[(point, axis)];
                }
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
