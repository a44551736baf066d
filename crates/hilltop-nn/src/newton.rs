//! Training to convergence: damped Gauss–Newton steps, solved among the examples.
//!
//! The objective is `½ Σ (h(x_i;θ) − y_i)² + ½ λ ‖θ − θ_0‖²`. With `J = ∂h/∂θ` at the present weights a full step leads to
//!
//! ```text
//! θ_0 + Jᵀ (JJᵀ + λI)⁻¹ (y − h(θ) + J(θ − θ_0))
//! ```
//!
//! where `JJᵀ` is the tangent kernel, so that the system has a row an example and not a row a weight. The first step from
//! `θ_0` is the solution of the linearised network, exact in the wide limit; each later one makes up for what the network bends.
//! A handful of steps ends where tens of thousands of plain gradient steps would, however small the penalty.

use crate::columns::Columns;
use crate::forward::{Order, Workspace};
use crate::tangent::Tangent;
use crate::training::check_examples;
use crate::{Error, Network, Result, lanes};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{self, factor::LltRegularization};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatRef, Par, Spec};
use serde::{Deserialize, Serialize};

/// How often a step that does not lead down is halved.
const HALVINGS: usize = 20;
/// The share of the promised fall that a step must keep.
const KEPT: f64 = 1e-4;
/// What is added to the kernel's diagonal, relative to its mean, where it has no factor without.
const JITTERS: [f64; 5] = [0.0, 1e-14, 1e-12, 1e-10, 1e-8];

/// Gauss–Newton training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Newton {
    /// Converged when the next step promises to lower the objective by less than this share of it.
    pub tolerance: f64,
    /// At most so many steps.
    pub steps: usize,
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            tolerance: 1e-4,
            steps: 20,
        }
    }
}

/// What a Gauss–Newton training came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// The objective at the final weights, penalty included.
    pub objective: f64,
    /// The share of it by which one more step would have lowered it, to first order.
    pub promise: f64,
    /// Steps taken.
    pub steps: usize,
    /// Whether the promise is within the tolerance, or no step leads down any more.
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
        self.check()?;
        check_penalty(penalty)?;
        let anchor = network.weights().to_vec();
        let column = MatRef::from_column_major_slice(targets, targets.len(), 1);
        check_examples(std::slice::from_ref(network), &[&anchor], points, column)?;
        let mut descent = Descent::new(network, anchor, points, targets, penalty);
        let mut steps = 0;
        let mut promise = descent.aim()?;
        while steps < self.steps && promise > self.tolerance {
            if !descent.step(promise) {
                promise = 0.0;
                break;
            }
            steps += 1;
            promise = descent.aim()?;
        }
        Ok(Settled {
            objective: descent.objective,
            promise,
            steps,
            converged: promise <= self.tolerance,
        })
    }
}

/// A network on its way down.
struct Descent<'a> {
    network: &'a mut Network,
    anchor: Vec<f64>,
    targets: &'a [f64],
    penalty: f64,
    workspace: Workspace,
    /// `y − h` at the present weights.
    residuals: Vec<f64>,
    objective: f64,
    /// From the present weights to the end of a full step.
    direction: Vec<f64>,
}

impl<'a> Descent<'a> {
    fn new(
        network: &'a mut Network,
        anchor: Vec<f64>,
        points: MatRef<'_, f64>,
        targets: &'a [f64],
        penalty: f64,
    ) -> Self {
        let mut workspace = Workspace::new(network.architecture());
        network.load(points, 0..points.nrows(), &mut workspace);
        let mut descent = Self {
            network,
            anchor,
            targets,
            penalty,
            workspace,
            residuals: vec![0.0; targets.len()],
            objective: 0.0,
            direction: Vec::new(),
        };
        descent.objective = descent.look();
        descent
    }

    /// The objective at the present weights; leaves activations, slopes and residuals behind.
    fn look(&mut self) -> f64 {
        self.network.propagate(&mut self.workspace, Order::Slope);
        self.network.output(&self.workspace, &mut self.residuals);
        for (value, target) in self.residuals.iter_mut().zip(self.targets) {
            *value = target - *value;
        }
        let distance = lanes::squared_distance(self.network.weights(), &self.anchor);
        0.5 * (lanes::dot(&self.residuals, &self.residuals) + self.penalty * distance)
    }

    /// Finds the direction of the next step; returns the share of the objective that it promises to save.
    fn aim(&mut self) -> Result<f64> {
        if self.objective <= 0.0 || self.targets.is_empty() {
            return Ok(0.0);
        }
        let tangent = self.network.tangent_of(&mut self.workspace);
        let mut away = self.network.weights().to_vec();
        lanes::add_scaled(&mut away, -1.0, &self.anchor);
        let moved = tangent.along(&away);
        let wanted: Vec<f64> = self.residuals.iter().zip(&moved).map(|(r, m)| r + m).collect();
        let (duals, added) = solve(&tangent, self.penalty, &wanted)?;
        self.direction = tangent.combination(&duals);
        lanes::add_scaled(&mut self.direction, -1.0, &away);
        // J d = JJᵀα − J(θ − θ_0), and JJᵀα = wanted − (λ + jitter)α.
        let fall: f64 = (0..duals.len())
            .map(|i| self.residuals[i] * (wanted[i] - added * duals[i] - moved[i]))
            .sum();
        let pull = self.penalty * lanes::dot(&away, &self.direction);
        Ok((fall - pull) / self.objective)
    }

    /// Goes as far in the direction as the objective falls; `false` where it does not at all.
    fn step(&mut self, promise: f64) -> bool {
        let start = self.network.weights().to_vec();
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let weights = self.network.weights_mut();
            weights.copy_from_slice(&start);
            lanes::add_scaled(weights, length, &self.direction);
            let reached = self.look();
            if reached <= self.objective * (1.0 - KEPT * length * promise) {
                self.objective = reached;
                return true;
            }
            length *= 0.5;
        }
        self.network.weights_mut().copy_from_slice(&start);
        false
    }
}

impl Tangent {
    /// `⟨g(x_i), v⟩` for every point, the derivative along a direction of the weights.
    ///
    /// # Panics
    /// If the direction does not have a component for every weight.
    pub fn along(&self, direction: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.len()];
        let mut start = 0;
        let mut pushed = Columns::default();
        for factor in &self.factors {
            let end = start + factor.signals.rows() * (factor.activations.rows() + usize::from(factor.bias));
            factor.add_along(&direction[start..end], &mut pushed, &mut values);
            start = end;
        }
        assert_eq!(start, direction.len(), "a component for every weight");
        values
    }
}

/// `(K + λI)⁻¹` times a vector, and what was added to the diagonal in the end.
fn solve(tangent: &Tangent, penalty: f64, vector: &[f64]) -> Result<(Vec<f64>, f64)> {
    let gram = tangent.gram();
    let count = gram.nrows();
    let mean = (0..count).map(|i| gram[(i, i)]).sum::<f64>() / count as f64;
    for jitter in JITTERS {
        let added = penalty + jitter * mean;
        if let Some(duals) = solved(gram.clone(), added, vector) {
            return Ok((duals, added));
        }
    }
    Err(Error::Singular {
        examples: count,
        penalty,
    })
}

fn solved(mut gram: Mat<f64>, added: f64, vector: &[f64]) -> Option<Vec<f64>> {
    (0..gram.nrows()).for_each(|i| gram[(i, i)] += added);
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(gram.nrows(), Par::Seq, Spec::default());
    let mut buffer = MemBuffer::new(scratch);
    let (stack, regular) = (MemStack::new(&mut buffer), LltRegularization::default());
    llt::factor::cholesky_in_place(gram.as_mut(), regular, Par::Seq, stack, Spec::default()).ok()?;
    let mut column = Mat::from_fn(vector.len(), 1, |i, _| vector[i]);
    solve_lower_triangular_in_place(gram.as_ref(), column.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(gram.transpose(), column.as_mut(), Par::Seq);
    let duals = column.col_as_slice(0).to_vec();
    duals.iter().all(|value| value.is_finite()).then_some(duals)
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
