//! What a block of the [alternation](crate::admm) proposes by: the expected improvement of what it minimises, in logarithms.

use std::sync::Arc;

use faer::{MatMut, MatRef};
use hilltop_acquire::feasibility;
use hilltop_acquire::normal::{improvement_ratios, log_improvement};
use hilltop_core::{Limit, Model, Score, SmoothScore};

use crate::admm::State;

/// Deviations below this are not told from none.
const FLOOR: f64 = 1e-10;

/// The objective's block: the improvement of `f(x) + ρ/2 Σ_i ‖x − z_i + y_i/ρ‖²`, of which only `f` is uncertain.
pub(crate) struct Lower {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) state: State,
    pub(crate) scale: f64,
    pub(crate) least: f64,
}

impl Lower {
    /// Value, slopes in mean, pull and deviation, in units of the objective's deviation.
    fn improvement(&self, mean: f64, deviation: f64, pull: f64) -> (f64, f64, f64) {
        let s = (deviation / self.scale).max(FLOOR);
        let z = (self.least - pull - mean / self.scale) / s;
        let (by_mean, by_deviation) = improvement_ratios(z);
        (s.ln() + log_improvement(z), -by_mean / s, by_deviation / s)
    }
}

fn row_of(points: MatRef<'_, f64>, row: usize) -> Vec<f64> {
    points.row(row).iter().copied().collect()
}

impl Score for Lower {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let Some(marginals) = self.model.marginals() else {
            return out.fill(f64::NAN);
        };
        let beliefs = marginals.beliefs(points);
        let mut slope = vec![0.0; points.ncols()];
        for (row, out) in out.iter_mut().enumerate() {
            let pull = self.state.pull(&row_of(points, row), &mut slope);
            *out = self.improvement(beliefs.mean[row], beliefs.deviation[row], pull).0;
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        Some(self)
    }

    fn is_logarithmic(&self) -> bool {
        true
    }
}

impl SmoothScore for Lower {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let Some(slopes) = self.model.marginals().and_then(|marginals| marginals.slopes(points)) else {
            return values.fill(f64::NAN);
        };
        for row in 0..points.nrows() {
            let mut pulled = vec![0.0; points.ncols()];
            let pull = self.state.pull(&row_of(points, row), &mut pulled);
            let (mean, deviation) = (slopes.beliefs.mean[row], slopes.beliefs.deviation[row]);
            let (value, by_mean, by_deviation) = self.improvement(mean, deviation, pull);
            values[row] = value;
            for (axis, pulled) in pulled.iter().enumerate() {
                gradients[(row, axis)] = by_mean * (slopes.mean[(row, axis)] / self.scale + pulled)
                    + by_deviation * slopes.deviation[(row, axis)] / self.scale;
            }
        }
    }
}

/// A limit's block: the improvement of `1[c(z) > 0] + ρ/2M ‖x − z + y/ρ‖²`, of which only the verdict is uncertain.
pub(crate) struct Nearer {
    pub(crate) limit: Limit,
    pub(crate) state: State,
    pub(crate) barrier: f64,
    pub(crate) least: f64,
}

impl Score for Nearer {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let chances = feasibility::chance(std::slice::from_ref(&self.limit), points);
        for (row, out) in out.iter_mut().enumerate() {
            let gain = self.least - self.state.tie(self.state.block - 1, &row_of(points, row), self.barrier);
            let expected = chances[row] * gain.max(0.0) + (1.0 - chances[row]) * (gain - 1.0).max(0.0);
            // Where nothing improves, the nearer the better.
            *out = if expected > f64::MIN_POSITIVE {
                expected.ln()
            } else {
                f64::MIN_POSITIVE.ln() + gain.min(0.0)
            };
        }
    }

    fn is_logarithmic(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use faer::Mat;
    use hilltop_core::{Evidence, Points, Previous, Space, Surrogate};
    use hilltop_surrogate::Gp;

    use super::*;

    fn process(value: impl Fn(&[f64]) -> f64) -> Arc<dyn Model> {
        let rows: Vec<[f64; 2]> = (0..16)
            .map(|k| [f64::from(k % 4) / 3.0, f64::from(k / 4) / 3.0])
            .collect();
        let points = Points::from_rows(2, rows.iter().map(<[f64; 2]>::as_slice));
        let values: Vec<f64> = rows.iter().map(|row| value(row)).collect();
        let evidence = Evidence {
            space: &Space::unit_box(2),
            points: &points,
            values: &values,
            seed: 1,
            shares: &[],
        };
        Gp::default().fit(&evidence, Previous::default()).unwrap()
    }

    fn values(score: &dyn Score, points: &Mat<f64>) -> Vec<f64> {
        let mut out = vec![0.0; points.nrows()];
        score.values(points.as_ref(), &mut out);
        out
    }

    #[test]
    fn the_slope_of_the_objectives_improvement_agrees_with_differences() {
        let lower = Lower {
            model: process(|x| (4.0 * x[0]).sin() + x[1] * x[1]),
            state: State::at(vec![0.3, 0.8], 2, 2.0),
            scale: 0.7,
            least: -0.4,
        };
        let points = Mat::from_fn(3, 2, |i, j| [[0.2, 0.9], [0.55, 0.1], [0.8, 0.6]][i][j]);
        let (mut found, mut slopes) = (vec![0.0; 3], Mat::zeros(3, 2));
        lower.values_and_gradients(points.as_ref(), &mut found, slopes.as_mut());
        for axis in 0..2 {
            let moved = |by: f64| {
                let mut moved = points.clone();
                (0..3).for_each(|row| moved[(row, axis)] += by);
                values(&lower, &moved)
            };
            let (up, down) = (moved(1e-6), moved(-1e-6));
            for row in 0..3 {
                let difference = (up[row] - down[row]) / 2e-6;
                let error = (slopes[(row, axis)] - difference).abs();
                assert!(error < 1e-3 * (1.0 + difference.abs()), "{row} {axis}");
            }
        }
    }

    #[test]
    fn a_limits_block_wants_points_that_keep_it_and_lie_near() {
        let nearer = Nearer {
            limit: Limit {
                name: "c".into(),
                model: process(|x| 0.5 - x[0]),
                low: None,
                high: Some(0.0),
                scale: 0.4,
                stretch: 1.0,
            },
            state: State {
                block: 1,
                ..State::at(vec![0.3, 0.5], 1, 1.0)
            },
            barrier: 20.0,
            least: 0.5,
        };
        // Kept and near, kept and far, broken.
        let points = Mat::from_fn(3, 2, |i, j| [[0.6, 0.5], [1.0, 1.0], [0.3, 0.5]][i][j]);
        let found = values(&nearer, &points);
        assert!(found[0] > found[1] && found[1] > found[2], "{found:?}");
    }
}
