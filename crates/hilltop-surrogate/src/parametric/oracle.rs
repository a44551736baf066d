//! The regression oracle of the first phase: non-linear least squares by Levenberg and Marquardt, with restarts.
//!
//! Minimises `½ Σ (f_w(x_i) − y_i)² + ½ penalty ‖w − w_init‖²` (eq. 2 where the penalty is zero). With fewer observations than
//! weights the minimum is no point but a surface; descent from `w_init` ends where it is near, and of several starts
//! the one that had to move least is taken.

use faer::{Mat, MatRef};
use hilltop_core::Result;
use hilltop_nn::Network;

use super::family::gradients;
use super::information::Information;

/// How least squares are sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Oracle {
    /// What distance from the initial weights costs.
    pub(super) penalty: f64,
    /// At most so many steps.
    pub(super) iterations: usize,
}

/// A network where a descent ended, and what it cost.
pub(super) struct Solution {
    pub(super) network: Network,
    pub(super) cost: f64,
}

/// The distance from the initial weights counts at least so much, to choose among perfect fits.
const LEAST_PENALTY: f64 = 1e-9;

impl Oracle {
    /// The least squares that descent from a network's own weights leads to.
    pub(super) fn descend(&self, network: Network, inputs: MatRef<'_, f64>, targets: &[f64]) -> Result<Solution> {
        let anchor = network.weights().to_vec();
        let penalty = self.penalty.max(LEAST_PENALTY);
        let cost = |network: &Network| {
            let away = network
                .weights()
                .iter()
                .zip(&anchor)
                .map(|(w, a)| (w - a).powi(2))
                .sum::<f64>();
            0.5 * residuals(network, inputs, targets).iter().map(|r| r * r).sum::<f64>() + 0.5 * penalty * away
        };
        let mut here = Solution {
            cost: cost(&network),
            network,
        };
        let mut damping = 1e-2;
        let mut slope = Slope::at(&here.network, inputs, targets, &anchor, penalty);
        for _ in 0..self.iterations {
            let next = slope.step(&here.network, penalty + damping * slope.scale)?;
            let value = cost(&next);
            if value < here.cost {
                let gain = here.cost - value;
                here = Solution {
                    network: next,
                    cost: value,
                };
                damping = (0.2 * damping).max(1e-12);
                if gain <= 1e-10 * here.cost.max(1e-12) {
                    break;
                }
                slope = Slope::at(&here.network, inputs, targets, &anchor, penalty);
            } else if damping > 1e8 {
                break;
            } else {
                damping *= 5.0;
            }
        }
        Ok(here)
    }
}

/// What a step is made of.
struct Slope {
    gradients: Mat<f64>,
    downhill: Mat<f64>,
    /// The mean squared gradient, in units of which steps are damped.
    scale: f64,
}

impl Slope {
    fn at(network: &Network, inputs: MatRef<'_, f64>, targets: &[f64], anchor: &[f64], penalty: f64) -> Self {
        let size = network.parameter_count();
        let gradients = gradients(&network.tangent(inputs), size);
        let pulls = network.weight_gradient(inputs, &residuals(network, inputs, targets));
        let downhill = Mat::from_fn(size, 1, |i, _| -pulls[i] - penalty * (network.weights()[i] - anchor[i]));
        let scale = gradients.squared_norm_l2() / inputs.nrows().max(1) as f64;
        Self {
            gradients,
            downhill,
            scale: scale.max(f64::MIN_POSITIVE),
        }
    }

    /// Gauss and Newton's step with this much added to the diagonal.
    fn step(&self, from: &Network, diagonal: f64) -> Result<Network> {
        let mut step = self.downhill.clone();
        Information::of(self.gradients.as_ref(), diagonal)?.solve(step.as_mut());
        let mut next = from.clone();
        next.weights_mut()
            .iter_mut()
            .zip(step.col_as_slice(0))
            .for_each(|(w, s)| *w += s);
        Ok(next)
    }
}

/// What a network is off by.
pub(super) fn residuals(network: &Network, inputs: MatRef<'_, f64>, targets: &[f64]) -> Vec<f64> {
    network
        .forward(inputs)
        .iter()
        .zip(targets)
        .map(|(value, target)| value - target)
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use hilltop_core::Rng;
    use hilltop_nn::{Activation, Architecture, Parameterisation};

    use super::*;

    fn network(hidden: usize, seed: u64) -> Network {
        let shape = Architecture::new(2, &[hidden], Activation::Sigmoid, Parameterisation::Ntk).with_bias(1.0);
        Network::init(&shape, &mut Rng::new(seed)).unwrap()
    }

    #[test]
    fn a_network_of_the_family_is_found_again_from_its_values() {
        let mut rng = Rng::new(1);
        let inputs = Mat::from_fn(60, 2, |_, _| rng.between(-3.0, 3.0));
        let targets = network(3, 7).forward(inputs.as_ref());
        let oracle = Oracle {
            penalty: 0.0,
            iterations: 300,
        };
        let starts = (0..6).map(|seed| {
            oracle
                .descend(network(3, 20 + seed), inputs.as_ref(), &targets)
                .unwrap()
        });
        let best = starts.min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap();
        let worst = residuals(&best.network, inputs.as_ref(), &targets)
            .into_iter()
            .fold(0.0, |w: f64, r| w.max(r.abs()));
        assert!(worst < 1e-3, "{worst}");
    }

    #[test]
    fn fewer_observations_than_weights_are_met_exactly() {
        let mut rng = Rng::new(1);
        let inputs = Mat::from_fn(6, 2, |_, _| rng.between(-1.0, 1.0));
        let targets: Vec<f64> = (0..6).map(|_| rng.normal()).collect();
        let oracle = Oracle {
            penalty: 0.0,
            iterations: 100,
        };
        let found = oracle.descend(network(25, 3), inputs.as_ref(), &targets).unwrap();
        let off = residuals(&found.network, inputs.as_ref(), &targets);
        assert!(off.iter().all(|r| r.abs() < 1e-4), "{off:?}");
    }
}
