//! One network on its way down: damped Gauss–Newton steps, and corrections that need no kernel.
//!
//! At the minimum `θ = θ_0 + J(θ)ᵀα` with `λα = r(θ)`. A step forms the kernel at its weights, factors it and solves for `α`. Because the
//! network bends, residuals at its end are not `λα`. A *correction* keeps tangent and factor, `α += (K + λI)⁻¹ (r − λα)`, at a quarter of a step's cost, and
//! each leaves a few hundredths of what was missed, as long as the network is lazy enough. The rate at which they do so is
//! remembered: it says whether corrections are worth beginning. Where they are not, steps are damped.

use crate::forward::Order;
use crate::stance::Stance;
use crate::{Network, Result, lanes};

/// How often the damping of a step rises before none is taken.
const RAISES: usize = 20;
/// A step is taken when it keeps more of the fall it promises than this share.
const TAKEN: f64 = 0.1;
/// A step that keeps less than the first share is followed by one with more damping, one that keeps more than the second by one with
/// less; what a step of less than the second loses by going too far is looked for half way.
const KEPT: (f64, f64) = (0.25, 0.7);
/// The smallest damping, relative to the kernel's mean variance, and what damping is multiplied and divided by.
const DAMPING: (f64, f64) = (1e-6, 8.0);
/// After a first step that misses at most the first share of the objective, corrections are expected to work. They go on while each leaves at most the
/// second share of what was missed before it.
const MISSED: (f64, f64) = (0.1, 0.5);
/// What is missed is not worth a correction below this share of the objective.
const NEAR: f64 = 0.003;
/// The share of its bound that the next step's fall is taken for; measured, it is a third to a sixth.
const BOUNDED: f64 = 0.25;
/// Corrections of one step.
const CORRECTIONS: i32 = 8;

/// A network on its way down.
pub(crate) struct Descent<'a> {
    network: &'a mut Network,
    targets: Vec<f64>,
    penalty: f64,
    stance: &'a mut Stance,
    objective: f64,
    /// `‖θ − θ_0‖²` at the weights that were tried last.
    distance: f64,
    damping: f64,
    /// The share of what is missed that a correction has left lately or is expected to leave; none before a first step, and where corrections failed.
    rate: Option<f64>,
    /// Whether the stance is at the present weights.
    standing: bool,
    pub(crate) effort: Effort,
}

/// What a descent has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effort {
    pub(crate) kernels: usize,
    pub(crate) trials: usize,
}

impl<'a> Descent<'a> {
    /// A network at its start, `θ_0`.
    pub(crate) fn new(network: &'a mut Network, targets: Vec<f64>, penalty: f64, stance: &'a mut Stance) -> Self {
        stance.anchor.copy_from_slice(network.weights());
        let mut descent = Self {
            network,
            targets,
            penalty,
            stance,
            objective: 0.0,
            distance: 0.0,
            damping: 0.0,
            rate: None,
            standing: false,
            effort: Effort::default(),
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
        self.effort.trials += 1;
        let (there, residuals) = (&mut self.stance.there, &mut self.stance.residuals[1]);
        self.network.propagate(there, Order::Slope);
        self.network.output(there, residuals);
        for (value, target) in residuals.iter_mut().zip(&self.targets) {
            *value = target - *value;
        }
        0.5 * (lanes::dot(residuals, residuals) + self.penalty * self.distance)
    }

    /// Takes `s ⟨g(x;θ_0), v⟩` off the targets, before the first step.
    pub(crate) fn tilt(&mut self, direction: &[f64], factor: f64) {
        if self.targets.is_empty() {
            return;
        }
        self.stand();
        let stance = &mut *self.stance;
        let tilted = stance.along(direction).to_vec();
        lanes::add_scaled(&mut self.targets, -factor, &tilted);
        lanes::add_scaled(&mut stance.residuals[0], -factor, &tilted);
        self.objective = 0.5 * lanes::dot(&stance.residuals[0], &stance.residuals[0]);
    }

    /// Takes the tangent at the present weights, unless it is there.
    fn stand(&mut self) {
        if !self.standing {
            self.stance.take(self.network, self.distance == 0.0);
        }
        self.standing = true;
    }

    /// One step down; returns the share of the objective by which it fell, or will fall at most, where that is seen to be within the tolerance;
    /// zero where no step leads down.
    pub(crate) fn step(&mut self, tolerance: f64) -> Result<f64> {
        if self.targets.is_empty() {
            return Ok(0.0);
        }
        self.stand();
        let left = if self.objective > 0.0 {
            self.left() / self.objective
        } else {
            0.0
        };
        let fall = if left <= tolerance { Ok(left) } else { self.descend() };
        self.leave();
        fall
    }

    /// Gives the tangent back, if there is one.
    pub(crate) fn leave(&mut self) {
        self.stance.leave();
        self.standing = false;
    }

    /// What a step would lower the objective by, as far as that can be told without its kernel.
    ///
    /// With `e = r − λα` and `w = θ − θ_0 − Jᵀα` the gradient is `λw − Jᵀe`. In the norm of the inverse of `JᵀJ + λI`, half of whose square a step
    /// promises, its parts are at most `√λ ‖w‖` and `‖e‖`.
    fn left(&mut self) -> f64 {
        if self.rate.is_none() {
            return f64::INFINITY;
        }
        let apart = 0.5 * self.penalty * self.stance.apart();
        BOUNDED * (self.missed(0).sqrt() + apart.sqrt()).powi(2)
    }

    /// Tries steps from where the descent stands, each more damped than the last, until one keeps what it promises.
    fn descend(&mut self) -> Result<f64> {
        self.effort.kernels += 1;
        self.stance.form();
        let before = self.objective;
        let least = self.penalty.max(DAMPING.0 * self.stance.mean());
        for _ in 0..RAISES {
            let left = self.aim()?;
            let reached = self.walk(1.0);
            let expected = left + 0.5 * self.penalty * self.distance;
            let promised = (before - expected).max(f64::MIN_POSITIVE);
            let reached = if self.is_correctable(before) {
                self.correct(reached)
            } else if reached < before && before - reached < KEPT.1 * promised {
                self.walk_half(reached)
            } else {
                reached
            };
            let kept = (before - reached) / promised;
            self.adapt(kept, least);
            if reached < before && kept > TAKEN {
                self.objective = reached;
                return Ok((before - reached) / before);
            }
            self.rate = None;
        }
        // The next step, if there is one, starts here again.
        self.objective = self.walk(0.0);
        Ok(0.0)
    }

    /// `½ ‖r − λα‖²`: what residuals, here or at the weights that are tried, are from being those of the duals.
    fn missed(&self, residuals: usize) -> f64 {
        let pairs = self.stance.residuals[residuals].iter().zip(&self.stance.duals);
        0.5 * pairs.map(|(r, dual)| (r - self.penalty * dual).powi(2)).sum::<f64>()
    }

    /// Whether a few corrections will bring the weights that are tried to those of their duals.
    fn is_correctable(&self, before: f64) -> bool {
        let missed = self.missed(1);
        match self.rate {
            _ if self.damping > 0.0 => false,
            None => missed < MISSED.0 * before,
            Some(rate) => missed * rate.powi(3) < before,
        }
    }

    /// Corrects an undamped step while that helps; returns the objective in the end. A first step stays as it is: the next one forms a kernel
    /// where it ended anyway, and needs fewer corrections in all.
    fn correct(&mut self, reached: f64) -> f64 {
        if self.rate.is_none() {
            self.rate = Some(MISSED.0);
            return reached;
        }
        let first = self.missed(1);
        let (mut here, mut missed, mut made) = (reached, first, 0);
        while made < CORRECTIONS && missed > NEAR * here {
            self.stance.correct(self.penalty);
            let next = self.settle();
            let left = self.missed(1);
            if left.is_nan() || left > MISSED.1 * missed {
                self.rate = None;
                return self.settle_lower(here, next);
            }
            (here, missed, made) = (next, left, made + 1);
            self.rate = Some((missed / first).powf(1.0 / f64::from(made)));
        }
        here
    }

    /// Takes back a correction that led up, from `here` to `there`; returns the objective in the end.
    fn settle_lower(&mut self, here: f64, there: f64) -> f64 {
        if there < here {
            return there;
        }
        self.stance.undo();
        self.settle()
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
        let (weights, stance) = (self.network.weights_mut(), &*self.stance);
        self.distance = if share < 1.0 {
            weights.copy_from_slice(&stance.anchor);
            lanes::add_scaled(weights, share, &stance.goal);
            if let Some(away) = stance.away() {
                lanes::add_scaled(weights, 1.0 - share, away);
            }
            lanes::squared_distance(weights, &stance.anchor)
        } else {
            lanes::displace(weights, &stance.anchor, &stance.goal)
        };
        self.look()
    }

    /// Moves the weights to `θ_0 + Jᵀα`; returns the objective there.
    fn settle(&mut self) -> f64 {
        self.stance.combine();
        self.walk(1.0)
    }

    /// Finds a step; returns half the squared residuals of the linearised network at its end.
    fn aim(&mut self) -> Result<f64> {
        let (total, stance) = (self.penalty + self.damping, &mut *self.stance);
        let back = self.penalty / total;
        let added = stance.solve(total, back)?;
        stance.combine();
        stance.lag(1.0 - back);
        // r − Jd = (λ + μ) α, with the jitter of the factor in it.
        Ok(0.5 * added * added * lanes::dot(&stance.duals, &stance.duals))
    }
}
