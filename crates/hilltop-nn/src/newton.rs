//! Training to convergence: Gauss–Newton steps with Levenberg and Marquardt's damping, solved among the examples.
//!
//! The objective is `½ Σ (h(x_i;θ) − y_i)² + ½ λ ‖θ − θ_0‖²`. With `J = ∂h/∂θ` at the present weights, `r = y − h` and damping `μ` a step is
//!
//! ```text
//! d = c + Jᵀ (JJᵀ + (λ+μ)I)⁻¹ (r − Jc),      c = −λ/(λ+μ) (θ − θ_0)
//! ```
//!
//! where `JJᵀ` is the tangent kernel, so that the system has a row an example and not a row a weight. Without damping the first step from
//! `θ_0` is the solution of the linearised network, exact in the wide limit; each later one makes up for what the network bends. So do
//! corrections within a step, which keep its kernel. Damping rises where a step does not keep what it promises, and falls
//! again. A few steps end where tens of thousands of plain gradient steps would.

use crate::descent::{Descent, Effort};
use crate::stance::Stance;
use crate::training::check_examples;
use crate::{Architecture, Error, Network, Result};
use faer::MatRef;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Gauss–Newton training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Newton {
    /// Converged when a step lowers the objective by less than this share of it, or is seen to before it is made.
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

/// A term that is added to a network while it is trained: its derivative at the initial weights, `s ⟨∇h(x;θ_0), v⟩`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tilt<'a> {
    /// `v`, a component for every weight.
    pub direction: &'a [f64],
    /// `s`.
    pub factor: f64,
}

/// What trainings work in. Kept from one to the next, it spares the system finding the memory: two fifths of the time of a small training.
#[derive(Default)]
pub struct Memory(Option<(Architecture, Stance)>);

impl Memory {
    /// The memory with points in it, for networks of an architecture.
    fn loaded(&mut self, architecture: &Architecture, points: MatRef<'_, f64>) -> &mut Stance {
        let kept = self.0.take().filter(|(known, _)| known == architecture);
        let fresh = || (architecture.clone(), Stance::new(architecture));
        let (_, stance) = self.0.insert(kept.unwrap_or_else(fresh));
        stance.load(points);
        stance
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Memory")
            .field(&self.0.as_ref().map(|(known, _)| known))
            .finish()
    }
}

/// What a Gauss–Newton training came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// The objective at the final weights, penalty included.
    pub objective: f64,
    /// The share of it by which the last step lowered it, or would.
    pub fall: f64,
    /// Steps taken.
    pub steps: usize,
    /// Steps of these that formed and factored a kernel; the others kept one.
    pub kernels: usize,
    /// Weights at which the network was evaluated.
    pub trials: usize,
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
        let (networks, memory) = (std::slice::from_mut(network), &mut Memory::default());
        let settled = self.train_members(networks, points, targets, penalty, &[], memory)?;
        settled.first().copied().ok_or(Error::Shape {
            what: "networks to train",
            expected: 1,
            found: 0,
        })
    }

    /// Trains several networks of one architecture on the same points, a column of targets each.
    ///
    /// They share the inputs and the memory, which has no say in the outcome; each ends where it would have ended alone. The tilts, none or one a
    /// network, are taken off its targets.
    pub fn train_members(
        &self,
        networks: &mut [Network],
        points: MatRef<'_, f64>,
        targets: MatRef<'_, f64>,
        penalty: f64,
        tilts: &[Tilt<'_>],
        memory: &mut Memory,
    ) -> Result<Vec<Settled>> {
        self.check()?;
        check_penalty(penalty)?;
        let anchors: Vec<&[f64]> = networks.iter().map(Network::weights).collect();
        check_examples(networks, &anchors, points, targets)?;
        check_tilts(networks, tilts)?;
        let Some(first) = networks.first() else {
            return Ok(Vec::new());
        };
        let stance = memory.loaded(first.architecture(), points);
        let members = networks.iter_mut().enumerate();
        members
            .map(|(column, network)| {
                let targets = targets.col(column).iter().copied().collect();
                let mut descent = Descent::new(network, targets, penalty, stance);
                if let Some(tilt) = tilts.get(column) {
                    descent.tilt(tilt.direction, tilt.factor);
                }
                self.settle(descent)
            })
            .collect()
    }

    fn settle(&self, mut descent: Descent<'_>) -> Result<Settled> {
        let (mut steps, mut fall) = (0, f64::INFINITY);
        while steps < self.steps && fall > self.tolerance {
            fall = descent.step(self.tolerance)?;
            steps += 1;
        }
        descent.leave();
        let Effort { kernels, trials } = descent.effort;
        Ok(Settled {
            objective: descent.objective(),
            fall,
            steps,
            kernels,
            trials,
            converged: fall <= self.tolerance,
        })
    }
}

fn check_tilts(networks: &[Network], tilts: &[Tilt<'_>]) -> Result<()> {
    let shape = |what, expected, found| {
        if expected == found {
            return Ok(());
        }
        Err(Error::Shape { what, expected, found })
    };
    if !tilts.is_empty() {
        shape("tilts of networks", networks.len(), tilts.len())?;
    }
    let mut pairs = networks.iter().zip(tilts);
    pairs.try_for_each(|(network, tilt)| shape("components of a tilt", network.parameter_count(), tilt.direction.len()))
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
