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

/// How often the damping of a step rises before none is taken.
const RAISES: usize = 20;
/// A step is taken when it keeps this share of the fall it promises; damping falls when it keeps the second share.
const KEPT: (f64, f64) = (0.1, 0.6);
/// The smallest damping, relative to the kernel's mean variance, and what it is multiplied and divided by.
const DAMPING: (f64, f64) = (1e-6, 8.0);
/// What is added to the kernel's diagonal, relative to its mean, where it has no factor without.
const JITTERS: [f64; 5] = [0.0, 1e-14, 1e-12, 1e-10, 1e-8];

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
            steps: 12,
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
        self.check()?;
        check_penalty(penalty)?;
        let anchor = network.weights().to_vec();
        let column = MatRef::from_column_major_slice(targets, targets.len(), 1);
        check_examples(std::slice::from_ref(network), &[&anchor], points, column)?;
        let mut descent = Descent::new(network, anchor, points, targets, penalty);
        let (mut steps, mut fall) = (0, f64::INFINITY);
        while steps < self.steps && fall > self.tolerance {
            fall = descent.step()?;
            steps += 1;
        }
        Ok(Settled {
            objective: descent.objective,
            fall,
            steps,
            converged: fall <= self.tolerance,
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
    damping: f64,
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
            damping: 0.0,
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

    /// One step down; returns the share of the objective by which it fell, zero where no step leads down.
    fn step(&mut self) -> Result<f64> {
        if self.objective <= 0.0 || self.targets.is_empty() {
            return Ok(0.0);
        }
        let ground = self.ground();
        let (before, least) = (self.objective, DAMPING.0 * ground.mean());
        for _ in 0..RAISES {
            let (direction, expected) = ground.direction(self)?;
            let weights = self.network.weights_mut();
            weights.copy_from_slice(&ground.start);
            lanes::add_scaled(weights, 1.0, &direction);
            let reached = self.look();
            let kept = (before - reached) / (before - expected).max(f64::MIN_POSITIVE);
            if reached < before && kept > KEPT.0 {
                if kept > KEPT.1 {
                    self.damping /= DAMPING.1;
                }
                if self.damping < least {
                    self.damping = 0.0;
                }
                self.objective = reached;
                return Ok((before - reached) / before);
            }
            self.damping = (self.damping * DAMPING.1).max(least);
        }
        self.network.weights_mut().copy_from_slice(&ground.start);
        Ok(0.0)
    }

    /// What steps from the present weights are made of.
    fn ground(&mut self) -> Ground {
        let tangent = self.network.tangent_of(&mut self.workspace);
        let start = self.network.weights().to_vec();
        let mut away = start.clone();
        lanes::add_scaled(&mut away, -1.0, &self.anchor);
        let moved = tangent.along(&away);
        let gram = tangent.gram();
        let residuals = self.residuals.clone();
        Ground {
            tangent,
            gram,
            start,
            away,
            moved,
            residuals,
        }
    }
}

/// The present weights and the network's linearisation there.
struct Ground {
    tangent: Tangent,
    gram: Mat<f64>,
    start: Vec<f64>,
    /// `θ − θ_0`.
    away: Vec<f64>,
    /// `J(θ − θ_0)`.
    moved: Vec<f64>,
    residuals: Vec<f64>,
}

impl Ground {
    /// The mean variance of the kernel.
    fn mean(&self) -> f64 {
        let count = self.gram.nrows();
        (0..count).map(|i| self.gram[(i, i)]).sum::<f64>() / count as f64
    }

    /// A step, and the objective of the linearised network at its end.
    fn direction(&self, descent: &Descent<'_>) -> Result<(Vec<f64>, f64)> {
        let total = descent.penalty + descent.damping;
        let back = descent.penalty / total;
        let wanted: Vec<f64> = (self.residuals.iter().zip(&self.moved))
            .map(|(r, m)| r + back * m)
            .collect();
        let (duals, added) = solve(&self.gram, total, self.mean(), &wanted)?;
        let mut direction = self.tangent.combination(&duals);
        lanes::add_scaled(&mut direction, -back, &self.away);
        // r − Jd = (λ + μ) α, with the jitter of the factor in it.
        let left = added * added * lanes::dot(&duals, &duals);
        let distance: f64 = self.away.iter().zip(&direction).map(|(a, d)| (a + d) * (a + d)).sum();
        Ok((direction, 0.5 * (left + descent.penalty * distance)))
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
fn solve(gram: &Mat<f64>, ridge: f64, mean: f64, vector: &[f64]) -> Result<(Vec<f64>, f64)> {
    for jitter in JITTERS {
        let added = ridge + jitter * mean;
        if let Some(duals) = solved(gram.clone(), added, vector) {
            return Ok((duals, added));
        }
    }
    let (examples, penalty) = (gram.nrows(), ridge);
    Err(Error::Singular { examples, penalty })
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
