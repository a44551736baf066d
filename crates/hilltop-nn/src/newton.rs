//! Training to convergence: Gauss–Newton steps with Levenberg and Marquardt's damping, solved among the examples.
//!
//! The objective is `½ Σ (h(x_i;θ) − y_i)² + ½ λ ‖θ − θ_0‖²`. With `J = ∂h/∂θ` at the present weights, `r = y − h` and damping `μ` a step is
//!
//! ```text
//! d = c + Jᵀ (JJᵀ + (λ+μ)I)⁻¹ (r − Jc),      c = −λ/(λ+μ) (θ − θ_0)
//! ```
//!
//! where `JJᵀ` is the tangent kernel, so that the system has a row an example and not a row a weight. Without damping the first step from
//! `θ_0` is the solution of the linearised network, exact in the wide limit; each later one makes up for what the network bends. Damping
//! rises where a step does not keep what it promises, and falls again. A dozen steps end where tens of thousands of plain gradient steps
//! would.

use crate::descent::{Bench, Descent};
use crate::training::check_examples;
use crate::{Error, Network, Result};
use faer::MatRef;
use serde::{Deserialize, Serialize};

/// Gauss–Newton training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Newton {
    /// Converged when a step lowers the objective by less than this share of it.
    pub tolerance: f64,
    /// At most so many steps.
    pub steps: usize,
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            tolerance: 1e-2,
            steps: 40,
        }
    }
}

/// What a Gauss–Newton training came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// The objective at the final weights, penalty included.
    pub objective: f64,
    /// The share of it by which the last step lowered it.
    pub fall: f64,
    /// Steps taken.
    pub steps: usize,
    /// Whether that is within the tolerance, or no step leads down any more.
    pub converged: bool,
}

impl Newton {
    /// Whether the settings are in their ranges.
    pub fn check(&self) -> Result<()> {
        if self.tolerance.is_finite() && self.tolerance >= 0.0 {
            return Ok(());
        }
        Err(Error::Setting {
            setting: "tolerance",
            value: self.tolerance,
            allowed: "it must be finite and not negative",
        })
    }

    /// Trains a network from its weights, which are also the anchor `θ_0` of the penalty.
    pub fn train(
        &self,
        network: &mut Network,
        points: MatRef<'_, f64>,
        targets: &[f64],
        penalty: f64,
    ) -> Result<Settled> {
        let targets = MatRef::from_column_major_slice(targets, targets.len(), 1);
        let settled = self.train_members(std::slice::from_mut(network), points, targets, penalty)?;
        settled.first().copied().ok_or(Error::Shape {
            what: "networks to train",
            expected: 1,
            found: 0,
        })
    }

    /// Trains several networks of one architecture on the same points, a column of targets each.
    ///
    /// They share the inputs, the products among these, and all memory; each ends where it would have ended alone.
    pub fn train_members(
        &self,
        networks: &mut [Network],
        points: MatRef<'_, f64>,
        targets: MatRef<'_, f64>,
        penalty: f64,
    ) -> Result<Vec<Settled>> {
        self.check()?;
        check_penalty(penalty)?;
        let starts: Vec<Vec<f64>> = networks.iter().map(|network| network.weights().to_vec()).collect();
        let anchors: Vec<&[f64]> = starts.iter().map(Vec::as_slice).collect();
        check_examples(networks, &anchors, points, targets)?;
        let Some(first) = networks.first() else {
            return Ok(Vec::new());
        };
        let mut bench = Bench::new(first.architecture(), points);
        let members = networks.iter_mut().zip(&starts).enumerate();
        members
            .map(|(column, (network, anchor))| {
                let targets: Vec<f64> = targets.col(column).iter().copied().collect();
                self.settle(Descent::new(network, anchor, &targets, penalty, &mut bench))
            })
            .collect()
    }

    fn settle(&self, mut descent: Descent<'_>) -> Result<Settled> {
        let (mut steps, mut fall) = (0, f64::INFINITY);
        while steps < self.steps && fall > self.tolerance {
            fall = descent.step()?;
            steps += 1;
        }
        Ok(Settled {
            objective: descent.objective(),
            fall,
            steps,
            converged: fall <= self.tolerance,
        })
    }
}

fn check_penalty(penalty: f64) -> Result<()> {
    if penalty.is_finite() && penalty > 0.0 {
        return Ok(());
    }
    Err(Error::Setting {
        setting: "penalty",
        value: penalty,
        allowed: "it must be finite and above 0",
    })
}
