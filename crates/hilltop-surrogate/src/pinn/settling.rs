//! Training where there is noise: values and residuals are weighed against the distance from the initial weights.
//!
//! The least of `Σ r²/g + ‖θ − θ_0‖²` is sought by Gauss–Newton steps on the same rows, each towards `θ_0 − Ξᵀ(ΞΞᵀ + gI)⁻¹(r − Ξ(θ − θ_0))`.

use hilltop_nn::Network;

use super::block::{gram, law_factor};
use super::newton::{RAISES, squares, step};
use super::training::Joint;
use crate::process::{Factor, subset};

/// Observations where there is noise, at most.
const SETTLED: usize = 600;
/// Steps end when one gains less than this share.
const SETTLING: f64 = 1e-4;

impl Joint<'_> {
    /// Steps towards the least of `Σ r²/g + ‖θ − θ_0‖²`, over the observations and the first residuals of every equation.
    pub(super) fn settle(&self, network: &mut Network, steps: usize, size: usize) {
        let observed = subset(self.targets, SETTLED);
        let rows: Vec<Vec<usize>> = self
            .equations
            .iter()
            .map(|equation| (0..equation.len().min(size)).collect())
            .collect();
        let (one, law) = (self.spread.recip(), law_factor(self.weight, self.spread));
        for _ in 0..steps {
            let batch = self.batch(network, &observed, &rows, [one, law]);
            let before = self.regret(network, &batch.rests);
            let gone: Vec<f64> = network
                .weights()
                .iter()
                .zip(self.start.weights())
                .map(|(now, start)| now - start)
                .collect();
            let along = batch.parts.iter().flat_map(|part| part.along(&gone));
            let asked: Vec<f64> = batch
                .rests
                .iter()
                .zip(along)
                .map(|(rest, along)| rest - along)
                .collect();
            let gram = gram(&batch.parts.iter().collect::<Vec<_>>());
            let Some(factor) = Factor::exactly(gram, self.noise) else {
                return;
            };
            let target = step(self.start, &batch.parts, &factor.solve(&asked));
            let Some((moved, after)) = self.towards(network, &target, before, &observed, &rows) else {
                return;
            };
            *network = moved;
            if after > (1.0 - SETTLING) * before {
                return;
            }
        }
    }

    /// The first of the target, halfway to it, a quarter of the way and so on that is better.
    fn towards(
        &self,
        network: &Network,
        target: &Network,
        before: f64,
        observed: &[usize],
        rows: &[Vec<usize>],
    ) -> Option<(Network, f64)> {
        let shares = [self.spread.recip(), law_factor(self.weight, self.spread)];
        let mut moved = target.clone();
        for _ in 0..RAISES {
            let after = self.regret(&moved, &self.rests(&moved, observed, rows, shares));
            if after < before {
                return Some((moved, after));
            }
            let halfway = moved.weights_mut().iter_mut().zip(network.weights());
            halfway.for_each(|(weight, old)| *weight = 0.5 * (*weight + old));
        }
        None
    }

    fn regret(&self, network: &Network, rests: &[f64]) -> f64 {
        let gone = network
            .weights()
            .iter()
            .zip(self.start.weights())
            .map(|(now, start)| (now - start).powi(2));
        squares(rests) / self.noise + gone.sum::<f64>()
    }
}
