//! The alternating direction method of multipliers over points: a copy for the objective, one for every limit.
//!
//! `min f(x) + Σ_i M·1[c_i(z_i) > 0]` subject to `x = z_i`. The objective's copy minimises
//! `f(x) + ρ/2 Σ_i ‖x − z_i + y_i/ρ‖²`, a limit's copy `1[c_i(z) > 0] + ρ/2M ‖x − z + y_i/ρ‖²`, and the multipliers follow
//! what the copies disagree by, `y_i ← y_i + ρ(x − z_i)`. The penalty `ρ` doubles where copies disagree by much more
//! than they move, and halves where they move by much more than they disagree (Boyd et al., 2011, §3.4.1).

use serde::{Deserialize, Serialize};

/// Where the alternation stands: all that must be found again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// `ρ`.
    pub(crate) penalty: f64,
    /// `x`.
    pub(crate) point: Vec<f64>,
    /// `z_i`.
    pub(crate) copies: Vec<Vec<f64>>,
    /// `y_i`.
    pub(crate) multipliers: Vec<Vec<f64>>,
    /// Whose turn it is: 0 is the objective, `i` the i-th limit.
    pub(crate) block: usize,
    /// How many points the block has proposed.
    pub(crate) step: usize,
    /// How far the copies have moved in this round, squared.
    pub(crate) moved: f64,
}

/// Beyond this ratio of disagreement to movement, or of movement to disagreement, the penalty changes.
const BALANCE: f64 = 10.0;
/// By this factor.
const FACTOR: f64 = 2.0;
/// The penalties that make sense on a cube whose sides are one and values whose deviation is one.
const PENALTIES: (f64, f64) = (1e-3, 1e4);
/// Copies that agree and rest within this have converged.
const CONVERGED: f64 = 1e-2;

impl State {
    /// All copies at one point, nothing owed.
    pub(crate) fn at(point: Vec<f64>, limits: usize, penalty: f64) -> Self {
        let zeros = vec![0.0; point.len()];
        Self {
            penalty,
            copies: vec![point.clone(); limits],
            multipliers: vec![zeros; limits],
            point,
            block: 0,
            step: 0,
            moved: 0.0,
        }
    }

    /// `ρ/2 Σ_i ‖x − z_i + y_i/ρ‖²` with its gradient added to `slope`.
    pub(crate) fn pull(&self, x: &[f64], slope: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (copy, multiplier) in self.copies.iter().zip(&self.multipliers) {
            for axis in 0..x.len() {
                let away = x[axis] - copy[axis] + multiplier[axis] / self.penalty;
                sum += 0.5 * self.penalty * away * away;
                slope[axis] += self.penalty * away;
            }
        }
        sum
    }

    /// `ρ/2M ‖x − z + y_i/ρ‖²` of a limit's copy.
    pub(crate) fn tie(&self, limit: usize, z: &[f64], barrier: f64) -> f64 {
        let multiplier = &self.multipliers[limit];
        let away = |axis: usize| self.point[axis] - z[axis] + multiplier[axis] / self.penalty;
        let sum: f64 = (0..z.len()).map(|axis| away(axis).powi(2)).sum();
        0.5 * self.penalty / barrier * sum
    }

    /// The objective's block found its point.
    pub(crate) fn settle_objective(&mut self, point: Vec<f64>) {
        self.point = point;
        self.advance();
    }

    /// A limit's block found its copy. After the last of them the penalty is adapted; true where a round has converged.
    pub(crate) fn settle_limit(&mut self, copy: Vec<f64>) -> bool {
        let limit = self.block - 1;
        self.moved += distance(&copy, &self.copies[limit]);
        self.copies[limit] = copy;
        for axis in 0..self.point.len() {
            self.multipliers[limit][axis] += self.penalty * (self.point[axis] - self.copies[limit][axis]);
        }
        self.advance();
        self.block == 0 && self.adapt()
    }

    fn advance(&mut self) {
        self.step = 0;
        self.block = (self.block + 1) % (self.copies.len() + 1);
    }

    fn adapt(&mut self) -> bool {
        let apart: f64 = self.copies.iter().map(|copy| distance(copy, &self.point)).sum();
        let (primal, dual) = (apart.sqrt(), self.penalty * self.moved.sqrt());
        let factor = if primal > BALANCE * dual {
            FACTOR
        } else if dual > BALANCE * primal {
            1.0 / FACTOR
        } else {
            1.0
        };
        self.penalty = (self.penalty * factor).clamp(PENALTIES.0, PENALTIES.1);
        let rests = self.moved.sqrt() <= CONVERGED;
        self.moved = 0.0;
        primal <= CONVERGED && rests
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact alternation on `min (x − 1)²` subject to `z <= 0.3`.
    fn alternate(rounds: usize, penalty: f64) -> State {
        let mut state = State::at(vec![0.9], 1, penalty);
        for _ in 0..rounds {
            let centre = state.copies[0][0] - state.multipliers[0][0] / state.penalty;
            let point = (2.0 + state.penalty * centre) / (2.0 + state.penalty);
            state.settle_objective(vec![point]);
            let copy = (state.point[0] + state.multipliers[0][0] / state.penalty).min(0.3);
            state.settle_limit(vec![copy]);
        }
        state
    }

    #[test]
    fn solved_exactly_the_alternation_comes_to_the_constrained_minimum_and_its_multiplier() {
        for penalty in [0.1, 1.0, 20.0] {
            let state = alternate(200, penalty);
            assert!((state.point[0] - 0.3).abs() < 1e-3, "{state:?}");
            // Stationarity: 2 (x − 1) + y = 0.
            assert!((state.multipliers[0][0] - 1.4).abs() < 1e-2, "{state:?}");
        }
    }

    #[test]
    fn the_penalty_grows_where_copies_disagree_and_falls_where_they_move() {
        let mut state = State::at(vec![0.0], 1, 1.0);
        state.settle_objective(vec![1.0]);
        assert!(!state.settle_limit(vec![0.0]));
        assert!((state.penalty - 2.0).abs() < 1e-12);
        state.settle_objective(vec![1.0]);
        state.settle_limit(vec![1.0]);
        assert!((state.penalty - 1.0).abs() < 1e-12);
        state.settle_objective(vec![1.0]);
        assert!(state.settle_limit(vec![1.0]), "agreed and at rest");
    }

    #[test]
    fn the_pull_has_the_slope_of_its_value() {
        let mut state = State::at(vec![0.2, 0.7], 2, 3.0);
        state.multipliers = vec![vec![0.5, -0.1], vec![0.0, 2.0]];
        let x = [0.4, 0.1];
        let mut slope = [0.0; 2];
        state.pull(&x, &mut slope);
        for axis in 0..2 {
            let at = |step: f64| {
                let mut x = x;
                x[axis] += step;
                state.pull(&x, &mut [0.0; 2])
            };
            assert!((slope[axis] - (at(1e-5) - at(-1e-5)) / 2e-5).abs() < 1e-8);
        }
    }
}
