//! One network on its way down: damped Gauss–Newton steps, and the memory they are made in.

use crate::columns::Columns;
use crate::forward::{Order, Workspace};
use crate::tangent::Tangent;
use crate::{Architecture, Error, Network, Result, lanes};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{self, factor::LltRegularization};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, MatRef, Par, Spec};

/// How often the damping of a step rises before none is taken.
const RAISES: usize = 20;
/// A step is taken when it keeps more of the fall it promises than this share.
const TAKEN: f64 = 0.1;
/// A step that keeps less than the first share is followed by one with more damping, one that keeps more than the second by one with
/// less; what a step of less than the second loses by going too far is looked for half way.
const KEPT: (f64, f64) = (0.25, 0.7);
/// The smallest damping, relative to the kernel's mean variance, and what damping is multiplied and divided by.
const DAMPING: (f64, f64) = (1e-6, 8.0);
/// What is added to the kernel's diagonal, relative to its mean, where it has no factor without.
const JITTERS: [f64; 5] = [0.0, 1e-14, 1e-12, 1e-10, 1e-8];

/// What all members of a training share: the points, and memory for a step.
pub(crate) struct Bench {
    /// The points at the weights that a step starts from; their columns are with the tangent meanwhile.
    here: Workspace,
    /// The points at the weights that are tried.
    there: Workspace,
    tangent: Tangent,
    gram: Mat<f64>,
    factor: Mat<f64>,
    scratch: MemBuffer,
    /// The weights that a step starts from.
    start: Vec<f64>,
    /// `θ − θ_0` there.
    away: Vec<f64>,
    direction: Vec<f64>,
    /// `J(θ − θ_0)` there.
    moved: Vec<f64>,
    /// `y − h` there, and at the weights that are tried.
    residuals: [Vec<f64>; 2],
    duals: Vec<f64>,
}

impl Bench {
    pub(crate) fn new(architecture: &Architecture, points: MatRef<'_, f64>) -> Self {
        let (count, size) = (points.nrows(), architecture.parameter_count());
        let mut workspace = Workspace::new(architecture);
        workspace.load(points, 0..count);
        let scratch = llt::factor::cholesky_in_place_scratch::<f64>(count, Par::Seq, Spec::default());
        Self {
            there: workspace.clone(),
            here: workspace,
            tangent: Tangent::default(),
            gram: Mat::zeros(count, count),
            factor: Mat::zeros(count, count),
            scratch: MemBuffer::new(scratch),
            start: vec![0.0; size],
            away: vec![0.0; size],
            direction: vec![0.0; size],
            moved: vec![0.0; count],
            residuals: [vec![0.0; count], vec![0.0; count]],
            duals: vec![0.0; count],
        }
    }

    /// The mean variance of the kernel.
    fn mean(&self) -> f64 {
        let count = self.gram.nrows();
        (0..count).map(|i| self.gram[(i, i)]).sum::<f64>() / count as f64
    }

    /// The duals of a step: `(K + ridge I)⁻¹ (r + share · J(θ − θ_0))`; returns what was added to the diagonal in the end.
    fn solve(&mut self, ridge: f64, share: f64) -> Result<f64> {
        let mean = self.mean();
        for jitter in JITTERS {
            self.duals.copy_from_slice(&self.residuals[0]);
            lanes::add_scaled(&mut self.duals, share, &self.moved);
            if self.solved(ridge + jitter * mean) {
                return Ok(ridge + jitter * mean);
            }
        }
        let (examples, penalty) = (self.gram.nrows(), ridge);
        Err(Error::Singular { examples, penalty })
    }

    /// Solves in place; `false` where there is no factor.
    fn solved(&mut self, added: f64) -> bool {
        let count = self.gram.nrows();
        for column in 0..count {
            let lower = &self.gram.col_as_slice(column)[column..];
            self.factor.col_as_slice_mut(column)[column..].copy_from_slice(lower);
            self.factor[(column, column)] += added;
        }
        let (stack, regular) = (MemStack::new(&mut self.scratch), LltRegularization::default());
        let factor = self.factor.as_mut();
        if llt::factor::cholesky_in_place(factor, regular, Par::Seq, stack, Spec::default()).is_err() {
            return false;
        }
        let mut duals = MatMut::from_column_major_slice_mut(&mut self.duals, count, 1);
        solve_lower_triangular_in_place(self.factor.as_ref(), duals.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(self.factor.transpose(), duals.as_mut(), Par::Seq);
        self.duals.iter().all(|value| value.is_finite())
    }
}

/// A network on its way down.
pub(crate) struct Descent<'a> {
    network: &'a mut Network,
    anchor: &'a [f64],
    targets: &'a [f64],
    penalty: f64,
    bench: &'a mut Bench,
    objective: f64,
    damping: f64,
}

impl<'a> Descent<'a> {
    /// A network at its start.
    pub(crate) fn new(
        network: &'a mut Network,
        anchor: &'a [f64],
        targets: &'a [f64],
        penalty: f64,
        bench: &'a mut Bench,
    ) -> Self {
        let mut descent = Self {
            network,
            anchor,
            targets,
            penalty,
            bench,
            objective: 0.0,
            damping: 0.0,
        };
        descent.objective = descent.look();
        descent
    }

    /// `½ Σ (h(x_i;θ) − y_i)² + ½ λ ‖θ − θ_0‖²` at the present weights.
    pub(crate) fn objective(&self) -> f64 {
        self.objective
    }

    /// The objective at the weights that are tried; leaves activations, slopes and residuals behind.
    fn look(&mut self) -> f64 {
        let (there, residuals) = (&mut self.bench.there, &mut self.bench.residuals[1]);
        self.network.propagate(there, Order::Slope);
        self.network.output(there, residuals);
        for (value, target) in residuals.iter_mut().zip(self.targets) {
            *value = target - *value;
        }
        let distance = lanes::squared_distance(self.network.weights(), self.anchor);
        0.5 * (lanes::dot(residuals, residuals) + self.penalty * distance)
    }

    /// One step down; returns the share of the objective by which it fell, zero where no step leads down.
    pub(crate) fn step(&mut self) -> Result<f64> {
        if self.objective <= 0.0 || self.targets.is_empty() {
            return Ok(0.0);
        }
        self.stand();
        let fall = self.descend();
        self.bench.here.take_back(std::mem::take(&mut self.bench.tangent));
        fall
    }

    /// Tries steps from where the descent stands, each more damped than the last, until one keeps what it promises.
    fn descend(&mut self) -> Result<f64> {
        let before = self.objective;
        let least = self.penalty.max(DAMPING.0 * self.bench.mean());
        for _ in 0..RAISES {
            let expected = self.aim()?;
            let promised = (before - expected).max(f64::MIN_POSITIVE);
            let mut reached = self.walk(1.0);
            if reached < before && before - reached < KEPT.1 * promised {
                reached = self.walk_half(reached);
            }
            let kept = (before - reached) / promised;
            self.adapt(kept, least);
            if reached < before && kept > TAKEN {
                self.objective = reached;
                return Ok((before - reached) / before);
            }
        }
        // The next step, if there is one, starts here again.
        self.objective = self.walk(0.0);
        Ok(0.0)
    }

    fn adapt(&mut self, kept: f64, least: f64) {
        if kept > KEPT.1 {
            self.damping /= DAMPING.1;
        } else if kept.is_nan() || kept < KEPT.0 {
            self.damping = (self.damping * DAMPING.1).max(least);
        }
        if self.damping < least {
            self.damping = 0.0;
        }
    }

    /// Goes half of a step where that leads further down than the whole, which led to `reached`.
    fn walk_half(&mut self, reached: f64) -> f64 {
        let half = self.walk(0.5);
        if half < reached { half } else { self.walk(1.0) }
    }

    /// Moves the weights by a share of the step; returns the objective there.
    fn walk(&mut self, share: f64) -> f64 {
        let weights = self.network.weights_mut();
        weights.copy_from_slice(&self.bench.start);
        lanes::add_scaled(weights, share, &self.bench.direction);
        self.look()
    }

    /// Linearises the network at the weights that were looked at last.
    fn stand(&mut self) {
        let bench = &mut *self.bench;
        std::mem::swap(&mut bench.here, &mut bench.there);
        bench.residuals.swap(0, 1);
        bench.tangent = self.network.tangent_in(&mut bench.here);
        bench.tangent.gram_into(&mut bench.gram);
        bench.start.copy_from_slice(self.network.weights());
        bench.away.copy_from_slice(&bench.start);
        lanes::add_scaled(&mut bench.away, -1.0, self.anchor);
        bench
            .tangent
            .along_into(&bench.away, &mut bench.here.back, &mut bench.moved);
    }

    /// Finds a step; returns the objective of the linearised network at its end.
    fn aim(&mut self) -> Result<f64> {
        let (total, bench) = (self.penalty + self.damping, &mut *self.bench);
        let back = self.penalty / total;
        let added = bench.solve(total, back)?;
        let weighted = &mut bench.here.back;
        bench
            .tangent
            .combination_into(&bench.duals, weighted, &mut bench.direction);
        lanes::add_scaled(&mut bench.direction, -back, &bench.away);
        // r − Jd = (λ + μ) α, with the jitter of the factor in it.
        let left = added * added * lanes::dot(&bench.duals, &bench.duals);
        let (away, direction) = (&bench.away, &bench.direction);
        let distance = lanes::dot(away, away) + 2.0 * lanes::dot(away, direction) + lanes::dot(direction, direction);
        Ok(0.5 * (left + self.penalty * distance))
    }
}

impl Tangent {
    /// `⟨g(x_i), v⟩` for every point, the derivative along a direction of the weights.
    ///
    /// # Panics
    /// If the direction does not have a component for every weight.
    pub fn along(&self, direction: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.len()];
        self.along_into(direction, &mut Columns::default(), &mut values);
        values
    }

    /// The same into memory that is given.
    pub(crate) fn along_into(&self, direction: &[f64], pushed: &mut Columns, values: &mut [f64]) {
        values.fill(0.0);
        let mut start = 0;
        for factor in &self.factors {
            let end = start + factor.weight_count();
            factor.add_along(&direction[start..end], pushed, values);
            start = end;
        }
        assert_eq!(start, direction.len(), "a component for every weight");
    }
}
