//! A small quasi-Newton minimiser within a box, for smooth functions of a few dozen numbers.
//!
//! Limited-memory BFGS in the variables that are free, projection for those held by a bound (Bertsekas' two-metric
//! projection), backtracking by interpolation. A value that is not finite counts as too long a step, so an objective
//! may refuse points by returning infinity.

use std::collections::VecDeque;

/// How a function is minimised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lbfgs {
    /// How many steps are remembered.
    pub memory: usize,
    /// At most so many steps.
    pub iterations: usize,
    /// Done when no component of the projected gradient is larger.
    pub gradient: f64,
    /// Done when a step lowers the value by less than this share of it.
    pub progress: f64,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Self {
            memory: 8,
            iterations: 60,
            gradient: 1e-5,
            progress: 1e-9,
        }
    }
}

/// Where a minimisation ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The point.
    pub point: Vec<f64>,
    /// The function's value there.
    pub value: f64,
    /// How often the function was evaluated.
    pub evaluations: usize,
}

/// A box: lower and upper ends.
type Ends<'a> = (&'a [f64], &'a [f64]);

/// A pair of step and change of gradient, with the inverse of their product.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    weight: f64,
}

/// A point with its value and gradient.
#[derive(Clone)]
struct State {
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl Lbfgs {
    /// The minimum of `objective` between `low` and `high` that descent from `start` leads to.
    ///
    /// The objective writes its gradient and returns its value. Where both ends of a variable are equal it stays there.
    ///
    /// ```
    /// use hilltop_core::Lbfgs;
    /// let bowl = |x: &[f64], gradient: &mut [f64]| {
    ///     gradient[0] = 2.0 * (x[0] - 3.0);
    ///     (x[0] - 3.0).powi(2)
    /// };
    /// assert_eq!(Lbfgs::default().minimise(&[0.0], &[-1.0], &[1.0], bowl).point, vec![1.0]);
    /// ```
    pub fn minimise(
        &self,
        start: &[f64],
        low: &[f64],
        high: &[f64],
        mut objective: impl FnMut(&[f64], &mut [f64]) -> f64,
    ) -> Minimum {
        let ends = (low, high);
        let mut evaluations = 0;
        let mut at = |point: Vec<f64>| {
            evaluations += 1;
            let mut gradient = vec![0.0; point.len()];
            let value = objective(&point, &mut gradient);
            State { point, value, gradient }
        };
        let mut pairs: VecDeque<Pair> = VecDeque::with_capacity(self.memory);
        let mut here = at(projected(start, ends));
        for _ in 0..self.iterations {
            let free = free_variables(&here, ends);
            if !here.value.is_finite() || steepest(&here, &free) <= self.gradient {
                break;
            }
            let Some(next) = search(&here, &direction(&here, &free, &pairs), ends, &mut at)
                .or_else(|| search(&here, &downhill(&here, &free), ends, &mut at))
            else {
                break;
            };
            let gain = here.value - next.value;
            remember(&mut pairs, self.memory, &here, &next);
            here = next;
            if gain <= self.progress * here.value.abs().max(1.0) {
                break;
            }
        }
        Minimum {
            point: here.point,
            value: here.value,
            evaluations,
        }
    }
}

fn projected(point: &[f64], (low, high): Ends<'_>) -> Vec<f64> {
    point
        .iter()
        .zip(low.iter().zip(high))
        .map(|(x, (low, high))| x.max(*low).min(*high))
        .collect()
}

/// Variables that descent can move: those not held by a bound against their gradient.
fn free_variables(here: &State, (low, high): Ends<'_>) -> Vec<bool> {
    let held = |i: usize| {
        let (x, slope) = (here.point[i], here.gradient[i]);
        low[i] >= high[i] || (x <= low[i] && slope > 0.0) || (x >= high[i] && slope < 0.0)
    };
    (0..here.point.len()).map(|i| !held(i)).collect()
}

fn steepest(here: &State, free: &[bool]) -> f64 {
    here.gradient
        .iter()
        .zip(free)
        .filter(|(_, free)| **free)
        .map(|(slope, _)| slope.abs())
        .fold(0.0, f64::max)
}

/// The negative gradient in the free variables, no longer than one.
fn downhill(here: &State, free: &[bool]) -> Vec<f64> {
    let slopes: Vec<f64> = here
        .gradient
        .iter()
        .zip(free)
        .map(|(g, free)| if *free { -g } else { 0.0 })
        .collect();
    let length = dot(&slopes, &slopes).sqrt();
    slopes.iter().map(|slope| slope / length.max(1.0)).collect()
}

/// The two-loop recursion in the free variables; downhill where nothing is remembered.
fn direction(here: &State, free: &[bool], pairs: &VecDeque<Pair>) -> Vec<f64> {
    let Some(last) = pairs.back() else {
        return downhill(here, free);
    };
    let mask = |v: &mut [f64]| {
        v.iter_mut()
            .zip(free)
            .filter(|(_, free)| !**free)
            .for_each(|(x, _)| *x = 0.0);
    };
    let mut d: Vec<f64> = here.gradient.iter().map(|g| -g).collect();
    mask(&mut d);
    let mut shares = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let share = pair.weight * dot(&pair.step, &d);
        add(&mut d, -share, &pair.change);
        shares.push(share);
    }
    let scale = 1.0 / (last.weight * dot(&last.change, &last.change));
    for x in &mut d {
        *x *= scale;
    }
    for (pair, share) in pairs.iter().zip(shares.iter().rev()) {
        let back = pair.weight * dot(&pair.change, &d);
        add(&mut d, share - back, &pair.step);
    }
    mask(&mut d);
    d
}

/// The first point along the projected direction that lowers the value enough; `None` where there is none.
fn search(here: &State, d: &[f64], ends: Ends<'_>, at: &mut impl FnMut(Vec<f64>) -> State) -> Option<State> {
    if dot(d, &here.gradient) >= 0.0 {
        return None;
    }
    let mut length = 1.0;
    for _ in 0..25 {
        let ahead: Vec<f64> = here.point.iter().zip(d).map(|(x, d)| x + length * d).collect();
        let next = at(projected(&ahead, ends));
        let moved: Vec<f64> = next.point.iter().zip(&here.point).map(|(a, b)| a - b).collect();
        let expected = dot(&moved, &here.gradient);
        if next.value.is_finite() && next.value <= here.value + 1e-4 * expected && next.value < here.value {
            return Some(next);
        }
        let bend = next.value - here.value - expected;
        let guess = if bend.is_finite() && bend > 0.0 {
            -expected / (2.0 * bend)
        } else {
            0.2
        };
        length *= guess.clamp(0.1, 0.5);
    }
    None
}

/// Keeps the pair of a step unless the function bends the wrong way along it.
fn remember(pairs: &mut VecDeque<Pair>, memory: usize, here: &State, next: &State) {
    let step: Vec<f64> = next.point.iter().zip(&here.point).map(|(a, b)| a - b).collect();
    let change: Vec<f64> = next.gradient.iter().zip(&here.gradient).map(|(a, b)| a - b).collect();
    let product = dot(&step, &change);
    if memory > 0 && product > 1e-10 * dot(&change, &change).max(f64::MIN_POSITIVE) {
        if pairs.len() == memory {
            pairs.pop_front();
        }
        pairs.push_back(Pair {
            step,
            change,
            weight: 1.0 / product,
        });
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        (0..x.len() - 1).fold(0.0, |sum, i| {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            gradient[i] += -2.0 * a - 400.0 * b * x[i];
            gradient[i + 1] += 200.0 * b;
            sum + a * a + 100.0 * b * b
        })
    }

    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        let patient = Lbfgs {
            iterations: 400,
            progress: 0.0,
            ..Lbfgs::default()
        };
        let found = patient.minimise(&[-1.2, 1.0, -0.5, 0.8], &[-5.0; 4], &[5.0; 4], rosenbrock);
        assert!(found.point.iter().all(|x| (x - 1.0).abs() < 1e-5), "{found:?}");
    }

    #[test]
    fn bounds_hold_and_the_rest_is_optimal_within_them() {
        // (x - 2)² + (y + x)²  on  x <= 1, y >= -0.5: x = 0.75... without the bound on x, y at its own.
        let bowl = |p: &[f64], g: &mut [f64]| {
            let (a, b) = (p[0] - 2.0, p[1] + p[0]);
            g.copy_from_slice(&[2.0 * a + 2.0 * b, 2.0 * b]);
            a * a + b * b
        };
        let found = Lbfgs::default().minimise(&[-3.0, 4.0], &[-5.0, -0.5], &[1.0, 5.0], bowl);
        assert!(
            (found.point[0] - 1.0).abs() < 1e-9 && (found.point[1] + 0.5).abs() < 1e-9,
            "{found:?}"
        );
    }

    #[test]
    fn refused_points_are_stepped_back_from() {
        let barrier = |x: &[f64], g: &mut [f64]| {
            g[0] = 1.0 - 1.0 / x[0];
            if x[0] > 0.0 { x[0] - x[0].ln() } else { f64::INFINITY }
        };
        let found = Lbfgs::default().minimise(&[5.0], &[-10.0], &[10.0], barrier);
        assert!((found.point[0] - 1.0).abs() < 1e-4, "{found:?}");
    }
}
