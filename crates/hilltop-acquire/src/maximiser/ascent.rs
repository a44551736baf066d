//! Multi-start projected L-BFGS in lock step: all climbers look at once, so that each iteration is one batch.
//!
//! A batch of six points costs a model little more than one. Each climber keeps its own line search (backtracking,
//! Armijo); one that is done drops out of the batch. What a climber does never depends on the others.

use faer::Mat;
use hilltop_core::{Points, SmoothScore};

use super::climber::{Climber, Settle, Start};

/// How an ascent runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ascent {
    /// At most so many batches.
    pub(crate) iterations: usize,
    /// Pairs of the limited memory.
    pub(crate) memory: usize,
    /// A rise that is not worth another batch.
    pub(crate) tolerance: f64,
}

/// Where a climb ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Summit {
    /// The point.
    pub(crate) point: Vec<f64>,
    /// Its score; not finite where the climb could not even begin.
    pub(crate) value: f64,
}

impl Ascent {
    /// Climbs from all starts together. Where `settle` refuses a point the step is shortened.
    pub(crate) fn climb(&self, score: &dyn SmoothScore, starts: Vec<Start>, settle: &mut Settle<'_>) -> Vec<Summit> {
        let mut climbers: Vec<Climber> = starts
            .into_iter()
            .map(|start| Climber::new(start, self.memory))
            .collect();
        let mut active: Vec<usize> = (0..climbers.len()).collect();
        let found = look(score, &climbers, &active);
        active = keep(&active, found, |index, value, gradient| {
            climbers[index].begin(value, gradient)
        });
        for _ in 1..self.iterations {
            active.retain(|&index| climbers[index].aim(settle));
            if active.is_empty() {
                break;
            }
            let found = look(score, &climbers, &active);
            active = keep(&active, found, |index, value, gradient| {
                climbers[index].judge(value, gradient, self.tolerance)
            });
        }
        climbers
            .into_iter()
            .map(|c| Summit {
                value: c.value,
                point: c.point().to_vec(),
            })
            .collect()
    }
}

/// Values and gradients at the trial points of the active climbers: one batch.
fn look(score: &dyn SmoothScore, climbers: &[Climber], active: &[usize]) -> Vec<(f64, Vec<f64>)> {
    let Some(&first) = active.first() else {
        return Vec::new();
    };
    let dim = climbers[first].trial().len();
    let trials = Points::from_rows(dim, active.iter().map(|&index| climbers[index].trial()));
    let mut values = vec![0.0; active.len()];
    let mut gradients = Mat::zeros(active.len(), dim);
    score.values_and_gradients(trials.matrix(), &mut values, gradients.as_mut());
    let row = |(row, value)| (value, (0..dim).map(|axis| gradients[(row, axis)]).collect());
    values.into_iter().enumerate().map(row).collect()
}

/// The climbers that go on after learning what was found.
fn keep(
    active: &[usize],
    found: Vec<(f64, Vec<f64>)>,
    mut learn: impl FnMut(usize, f64, Vec<f64>) -> bool,
) -> Vec<usize> {
    let pairs = active.iter().copied().zip(found);
    pairs
        .filter_map(|(index, (value, gradient))| learn(index, value, gradient).then_some(index))
        .collect()
}

#[cfg(test)]
mod tests {
    use faer::{MatMut, MatRef};

    use super::*;

    /// A score given by a function of one point that writes its gradient.
    struct Smooth<F>(F);

    impl<F: Fn(&[f64], &mut [f64]) -> f64 + Send + Sync> SmoothScore for Smooth<F> {
        fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
            for row in 0..points.nrows() {
                let point: Vec<f64> = points.row(row).iter().copied().collect();
                let mut gradient = vec![0.0; point.len()];
                values[row] = (self.0)(&point, &mut gradient);
                (0..point.len()).for_each(|axis| gradients[(row, axis)] = gradient[axis]);
            }
        }
    }

    fn start(point: &[f64]) -> Start {
        Start {
            point: point.to_vec(),
            low: vec![0.0; point.len()],
            high: vec![1.0; point.len()],
            reach: 0.1,
        }
    }

    fn ascent(iterations: usize) -> Ascent {
        Ascent {
            iterations,
            memory: 8,
            tolerance: 0.0,
        }
    }

    /// Rosenbrock's valley over `[-2,2]^d`, upside down; the top is where every coordinate is 0.75.
    fn rosenbrock(z: &[f64], gradient: &mut [f64]) -> f64 {
        let x: Vec<f64> = z.iter().map(|z| 4.0 * z - 2.0).collect();
        gradient.fill(0.0);
        let mut value = 0.0;
        for k in 0..x.len() - 1 {
            let (bend, rest) = (x[k + 1] - x[k] * x[k], 1.0 - x[k]);
            value -= 100.0 * bend * bend + rest * rest;
            gradient[k] += 4.0 * (400.0 * bend * x[k] + 2.0 * rest);
            gradient[k + 1] -= 4.0 * 200.0 * bend;
        }
        value
    }

    /// A tilted quadratic whose free maximum lies outside the cube.
    fn quadratic(z: &[f64], gradient: &mut [f64]) -> f64 {
        let (a, b) = (z[0] - 1.4, z[1] - 0.3);
        gradient[0] = -(4.0 * a + b);
        gradient[1] = -(a + 2.0 * b);
        -(2.0 * a * a + a * b + b * b)
    }

    #[test]
    fn rosenbrocks_valley_is_climbed_to_its_top() {
        for dim in [2, 5, 10] {
            let starts = vec![start(&vec![0.2; dim]), start(&vec![0.6; dim])];
            let summits = ascent(300).climb(&Smooth(rosenbrock), starts, &mut |_| true);
            let best = summits
                .iter()
                .map(|summit| summit.value)
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(best > -1e-8, "{dim}: {best}");
        }
    }

    #[test]
    fn a_maximum_outside_the_cube_is_found_on_its_face() {
        let summits = ascent(60).climb(&Smooth(quadratic), vec![start(&[0.1, 0.9])], &mut |_| true);
        let point = &summits[0].point;
        assert!(
            (point[0] - 1.0).abs() < 1e-12 && (point[1] - 0.5).abs() < 1e-6,
            "{point:?}"
        );
    }

    #[test]
    fn a_coordinate_with_equal_limits_stays_where_it_is() {
        let mut held = start(&[0.25, 0.9]);
        (held.low[0], held.high[0]) = (0.25, 0.25);
        let summits = ascent(60).climb(&Smooth(quadratic), vec![held], &mut |_| true);
        assert!((summits[0].point[0] - 0.25).abs() <= 0.0);
        assert!((summits[0].point[1] - 0.875).abs() < 1e-6, "{summits:?}");
    }

    #[test]
    fn climbing_together_is_climbing_alone() {
        let starts: Vec<Start> = (0..5).map(|k| start(&[0.1 + 0.15 * f64::from(k), 0.8, 0.3])).collect();
        let together = ascent(40).climb(&Smooth(rosenbrock), starts.clone(), &mut |_| true);
        let alone = starts
            .into_iter()
            .flat_map(|one| ascent(40).climb(&Smooth(rosenbrock), vec![one], &mut |_| true));
        assert_eq!(together, alone.collect::<Vec<_>>());
    }

    #[test]
    fn refused_ground_is_never_stood_on() {
        let mut settle = |point: &mut [f64]| point[0] + point[1] <= 1.0;
        let summits = ascent(60).climb(&Smooth(quadratic), vec![start(&[0.1, 0.1])], &mut settle);
        let point = &summits[0].point;
        assert!(point[0] + point[1] <= 1.0 && point[0] + point[1] > 0.95, "{point:?}");
    }

    #[test]
    fn a_start_where_the_score_is_not_a_number_ends_at_once_and_disturbs_no_other() {
        let score = Smooth(|z: &[f64], g: &mut [f64]| if z[0] < 0.01 { f64::NAN } else { quadratic(z, g) });
        let summits = ascent(60).climb(&score, vec![start(&[0.0, 0.5]), start(&[0.1, 0.9])], &mut |_| true);
        assert!(summits[0].value.is_nan());
        assert!((summits[1].point[1] - 0.5).abs() < 1e-6);
    }
}
