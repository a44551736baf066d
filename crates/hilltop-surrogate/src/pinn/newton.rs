//! Gauss–Newton steps on observations and residuals together, in the dual.
//!
//! Each step takes all observations (up to a number) and a batch of residuals, and moves the weights least so that these are met to
//! first order: `δ = −Ξᵀ(ΞΞᵀ + μI)⁻¹ r`. The next step takes other residuals. As long as there are more weights than rows, what one step achieved
//! another hardly undoes.
//!
//! The damping `μ` falls after a step that keeps its promise and rises after one that does not.

use faer::Mat;
use hilltop_core::Rng;
use hilltop_nn::{JetTangent, Jets, Network};

use super::block::{gram, merged};
use super::training::{Deck, Joint};
use crate::process::Factor;

/// Observations in a step, at most.
const OBSERVATIONS: usize = 300;
/// The damping of the first step, as a share of the mean square of a row.
const DAMPING: f64 = 1e-2;
/// The least damping, as such a share.
const LEAST: f64 = 1e-9;
/// How often the damping of a step rises before none is taken.
pub(super) const RAISES: usize = 6;

/// Rows of a step: tangent features and what is left of each.
pub(super) struct Batch {
    pub(super) parts: Vec<JetTangent>,
    pub(super) rests: Vec<f64>,
}

impl Joint<'_> {
    /// Takes steps with so many residuals of every equation each.
    pub(super) fn newton(&self, network: &mut Network, steps: usize, size: usize, rng: &mut Rng) {
        let mut decks: Vec<Deck> = self
            .equations
            .iter()
            .map(|equation| Deck::new(equation.len()))
            .collect();
        let mut observations = Deck::new(self.targets.len());
        let mut damping = DAMPING;
        for _ in 0..steps {
            let observed = observations.draw(OBSERVATIONS, rng);
            let rows: Vec<Vec<usize>> = decks.iter_mut().map(|deck| deck.draw(size, rng)).collect();
            damping = self.newton_step(network, &observed, &rows, damping);
        }
    }

    /// One step; returns the damping of the next.
    fn newton_step(&self, network: &mut Network, observed: &[usize], rows: &[Vec<usize>], mut damping: f64) -> f64 {
        let shares = self.shares(observed, rows);
        let batch = self.batch(network, observed, rows, shares);
        let gram = gram(&batch.parts.iter().collect::<Vec<_>>());
        let size = gram.nrows();
        let mean = (0..size).map(|i| gram[(i, i)]).sum::<f64>() / size.max(1) as f64;
        let before = squares(&batch.rests);
        if !(mean.is_finite() && mean > 0.0 && before.is_finite()) {
            return damping;
        }
        for _ in 0..RAISES {
            let Some(factor) = Factor::exactly(gram.clone(), damping * mean) else {
                damping *= 10.0;
                continue;
            };
            let solved = factor.solve(&batch.rests);
            let moved = step(network, &batch.parts, &solved);
            let after = self.left(&moved, observed, rows, shares);
            // To first order `μ (ΞΞᵀ + μI)⁻¹ r` is left.
            let promised = before - (damping * mean).powi(2) * squares(&solved);
            if after < before - 0.1 * promised {
                *network = moved;
                let kept = (before - after) / promised;
                return if kept > 0.7 {
                    (0.3 * damping).max(LEAST)
                } else {
                    damping
                };
            }
            damping *= 10.0;
        }
        damping.min(1.0)
    }

    pub(super) fn batch(
        &self,
        network: &Network,
        observed: &[usize],
        rows: &[Vec<usize>],
        [one, law]: [f64; 2],
    ) -> Batch {
        let inputs = self.observed(observed);
        let factors = Mat::full(observed.len(), 1, self.spread * one);
        let tangents = self.equations.iter().zip(rows).map(|(equation, rows)| {
            let (inputs, mut slopes) = equation.features(network, rows);
            slopes *= faer::Scale(law);
            network.jet_tangent(inputs.as_ref(), equation.jets(), slopes.as_ref())
        });
        let mut parts = vec![network.jet_tangent(inputs.as_ref(), &Jets::value(), factors.as_ref())];
        parts.extend(merged(tangents.collect()));
        Batch {
            parts,
            rests: self.rests(network, observed, rows, [one, law]),
        }
    }

    /// What is left of every row.
    pub(super) fn rests(
        &self,
        network: &Network,
        observed: &[usize],
        rows: &[Vec<usize>],
        [one, law]: [f64; 2],
    ) -> Vec<f64> {
        let values = network.forward(self.observed(observed).as_ref());
        let misses = values
            .iter()
            .zip(observed)
            .map(|(value, &i)| one * (self.spread * value - self.targets[i]));
        let mut rests: Vec<f64> = misses.collect();
        for (equation, rows) in self.equations.iter().zip(rows) {
            let sound = |rest: f64| if rest.is_finite() { law * rest } else { 0.0 };
            rests.extend(equation.some_residuals(network, rows).into_iter().map(sound));
        }
        rests
    }

    fn left(&self, network: &Network, observed: &[usize], rows: &[Vec<usize>], shares: [f64; 2]) -> f64 {
        let left = squares(&self.rests(network, observed, rows, shares));
        if left.is_finite() { left } else { f64::INFINITY }
    }

    fn observed(&self, observed: &[usize]) -> Mat<f64> {
        Mat::from_fn(observed.len(), self.inputs.ncols(), |i, j| {
            self.inputs[(observed[i], j)]
        })
    }

    /// The roots of the shares of an observation and of a residual in the loss.
    fn shares(&self, observed: &[usize], rows: &[Vec<usize>]) -> [f64; 2] {
        let residuals: usize = rows.iter().map(Vec::len).sum();
        let mean = |count: usize| (count.max(1) as f64).recip();
        let law = self.weight * self.equations.len() as f64 * mean(residuals);
        [mean(observed.len()).sqrt(), law.sqrt()]
    }
}

pub(super) fn squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

/// The network after `−Ξᵀ a`.
pub(super) fn step(network: &Network, parts: &[JetTangent], solved: &[f64]) -> Network {
    let mut moved = network.clone();
    let mut top = 0;
    for part in parts {
        let pull = part.combination(&solved[top..top + part.len()]);
        moved
            .weights_mut()
            .iter_mut()
            .zip(&pull)
            .for_each(|(weight, pull)| *weight -= pull);
        top += part.len();
    }
    moved
}
