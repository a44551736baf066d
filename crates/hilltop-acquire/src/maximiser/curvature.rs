//! What recent steps say about the curvature: the limited memory of L-BFGS on the coordinates that are free to move.

use std::collections::VecDeque;

/// The last few pairs of a step and how much the gradient fell along it.
#[derive(Clone, Debug)]
pub(crate) struct Curvature {
    pairs: VecDeque<(Vec<f64>, Vec<f64>)>,
    capacity: usize,
}

impl Curvature {
    /// Nothing known yet, at most `capacity` pairs later.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            pairs: VecDeque::with_capacity(capacity + 1),
            capacity,
        }
    }

    /// Whether nothing is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Learns from a step and the fall of the gradient along it; `false` where the score bends upwards.
    pub(crate) fn learn(&mut self, step: Vec<f64>, fall: Vec<f64>) -> bool {
        let bend: f64 = step.iter().zip(&fall).map(|(s, y)| s * y).sum();
        let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let concave = bend > 1e-10 * length(&step) * length(&fall);
        if concave {
            self.pairs.push_back((step, fall));
            if self.pairs.len() > self.capacity {
                self.pairs.pop_front();
            }
        }
        concave
    }

    /// The inverse curvature times `gradient`, within the free coordinates: the two loops of L-BFGS, in place.
    pub(crate) fn precondition(&self, gradient: &mut [f64], free: &[bool]) {
        let mut weights = Vec::with_capacity(self.pairs.len());
        let mut scale = None;
        for (step, fall) in self.pairs.iter().rev() {
            let bend = inner(step, fall, free);
            if bend <= 0.0 {
                weights.push(None);
                continue;
            }
            scale.get_or_insert(bend / inner(fall, fall, free));
            let weight = inner(step, gradient, free) / bend;
            add(gradient, -weight, fall, free);
            weights.push(Some((weight, bend)));
        }
        let scale = scale.unwrap_or(1.0);
        for g in gradient.iter_mut() {
            *g *= scale;
        }
        for ((step, fall), weight) in self.pairs.iter().zip(weights.into_iter().rev()) {
            if let Some((weight, bend)) = weight {
                let back = inner(fall, gradient, free) / bend;
                add(gradient, weight - back, step, free);
            }
        }
    }
}

fn inner(a: &[f64], b: &[f64], free: &[bool]) -> f64 {
    let terms = a.iter().zip(b).zip(free);
    terms.map(|((a, b), &free)| if free { a * b } else { 0.0 }).sum()
}

fn add(target: &mut [f64], weight: f64, source: &[f64], free: &[bool]) {
    for ((t, s), &free) in target.iter_mut().zip(source).zip(free) {
        if free {
            *t += weight * s;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_steps_as_coordinates_give_the_exact_inverse_of_a_quadratic() {
        let scales = [4.0, 0.5, 10.0];
        let mut curvature = Curvature::new(3);
        for axis in 0..3 {
            let mut step = vec![0.0; 3];
            step[axis] = 0.3;
            let fall = step.iter().zip(scales).map(|(s, scale)| s * scale).collect();
            assert!(curvature.learn(step, fall));
        }
        let mut gradient = [1.0, -2.0, 3.0];
        curvature.precondition(&mut gradient, &[true; 3]);
        for (axis, expected) in [0.25, -4.0, 0.3].into_iter().enumerate() {
            assert!((gradient[axis] - expected).abs() < 1e-12, "{gradient:?}");
        }
    }

    #[test]
    fn a_step_along_which_the_score_bends_upwards_is_not_learnt() {
        let mut curvature = Curvature::new(3);
        assert!(!curvature.learn(vec![1.0, 0.0], vec![-1.0, 0.0]));
        assert!(curvature.is_empty());
    }
}
