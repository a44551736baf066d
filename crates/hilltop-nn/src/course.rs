//! The loop of training: passes over the examples, batches, one step of every member on each batch.
//!
//! Members share the inputs of a batch and the memory of a step; nothing is allocated once the first step is done.
//! Plain steps add the gradient to the weights inside the matrix product itself, so no gradient vector is written.

use crate::columns::Columns;
use crate::forward::{CHUNK, Order, Workspace};
use crate::lanes::{self, AdamStep};
use crate::optimiser::Schedule;
use crate::{Architecture, Fit, Network};
use faer::{Accum, MatRef};
use hilltop_core::Rng;

/// A loss so many times that of the first step is taken for divergence.
const EXPLOSION: f64 = 1e6;
/// The decays of Adam's moments and the number that keeps it from dividing by zero.
const ADAM: (f64, f64, f64) = (0.9, 0.999, 1e-8);

/// What all members share.
pub(crate) struct Course {
    inputs: Columns,
    penalty: f64,
    schedule: Schedule,
    workspace: Workspace,
    order: Vec<usize>,
    /// Outputs of a batch, then the factors of its gradient.
    batch: Vec<f64>,
}

/// One network in training.
pub(crate) struct Member<'a> {
    network: &'a mut Network,
    anchor: &'a [f64],
    targets: Vec<f64>,
    gradient: Vec<f64>,
    moments: (Vec<f64>, Vec<f64>),
    /// Above this mean loss a step counts as divergence; known after the first.
    limit: Option<f64>,
    steps: usize,
    rate: f64,
    loss: f64,
    /// The step at which divergence was noticed.
    pub(crate) diverged: Option<usize>,
    /// Whether an earlier attempt succeeded.
    pub(crate) finished: bool,
}

impl<'a> Member<'a> {
    pub(crate) fn new(network: &'a mut Network, anchor: &'a [f64], targets: Vec<f64>) -> Self {
        Self {
            network,
            anchor,
            targets,
            gradient: Vec::new(),
            moments: (Vec::new(), Vec::new()),
            limit: None,
            steps: 0,
            rate: 0.0,
            loss: 0.0,
            diverged: None,
            finished: false,
        }
    }

    /// Puts the weights back to where an attempt starts.
    pub(crate) fn restart(&mut self, start: &[f64]) {
        self.network.weights_mut().copy_from_slice(start);
        (self.limit, self.steps, self.diverged) = (None, 0, None);
        self.moments.0.fill(0.0);
        self.moments.1.fill(0.0);
    }

    fn is_running(&self) -> bool {
        !self.finished && self.diverged.is_none()
    }
}

impl Course {
    pub(crate) fn new(architecture: &Architecture, points: MatRef<'_, f64>, penalty: f64, schedule: Schedule) -> Self {
        let order = (0..points.nrows()).collect();
        let mut workspace = Workspace::new(architecture);
        workspace.load(points, 0..points.nrows());
        Self {
            inputs: workspace.activations[0].clone(),
            penalty,
            schedule,
            workspace,
            order,
            batch: Vec::new(),
        }
    }

    pub(crate) fn rate(&self) -> f64 {
        self.schedule.rate
    }

    pub(crate) fn halve(&mut self) {
        self.schedule.rate *= 0.5;
    }

    /// All passes over the examples, for the members that are still running.
    pub(crate) fn run(&mut self, members: &mut [Member<'_>], rng: &mut Rng) {
        let whole = self.schedule.batch >= self.order.len();
        self.order.sort_unstable();
        if whole {
            self.workspace.activations[0].gather(&self.inputs, &self.order);
        }
        let mut rate = self.schedule.rate;
        members
            .iter_mut()
            .filter(|member| member.is_running())
            .for_each(|member| member.rate = rate);
        for _ in 0..self.schedule.epochs {
            if self.schedule.shuffle && !whole {
                rng.shuffle(&mut self.order);
            }
            self.pass(members, rate, whole);
            rate *= self.schedule.decay;
            if !members.iter().any(Member::is_running) {
                break;
            }
        }
        for member in members.iter_mut().filter(|member| member.is_running()) {
            self.settle(member);
        }
    }

    fn pass(&mut self, members: &mut [Member<'_>], rate: f64, whole: bool) {
        let order = std::mem::take(&mut self.order);
        for indices in order.chunks(self.schedule.batch) {
            if !whole {
                self.workspace.activations[0].gather(&self.inputs, indices);
            }
            for member in members.iter_mut().filter(|member| member.is_running()) {
                self.step(member, indices, rate);
            }
        }
        self.order = order;
    }

    /// One step of one member on the batch in the workspace.
    fn step(&mut self, member: &mut Member<'_>, indices: &[usize], rate: f64) {
        member.network.propagate(&mut self.workspace, Order::Slope);
        self.batch.resize(indices.len(), 0.0);
        member.network.output(&self.workspace, &mut self.batch);
        for (value, &index) in self.batch.iter_mut().zip(indices) {
            *value -= member.targets[index];
        }
        member.steps += 1;
        if self.explodes(member) {
            member.diverged = Some(member.steps);
            return;
        }
        if self.schedule.adaptive {
            self.adaptive_step(member, rate);
        } else {
            self.plain_step(member, rate);
        }
    }

    /// Whether the residuals in the batch say that training has diverged.
    fn explodes(&self, member: &mut Member<'_>) -> bool {
        let loss = lanes::dot(&self.batch, &self.batch) / self.batch.len() as f64;
        let limit = *member.limit.get_or_insert_with(|| {
            let scale = lanes::dot(&member.targets, &member.targets) / member.targets.len() as f64;
            EXPLOSION * (loss + scale + f64::EPSILON)
        });
        loss.is_nan() || loss > limit
    }

    /// Factors that turn sums over the batch, and the penalty, into the gradient the schedule follows.
    fn shares(&self) -> (f64, f64) {
        if self.schedule.mean {
            (
                (self.batch.len() as f64).recip(),
                self.penalty / self.inputs.count() as f64,
            )
        } else {
            (1.0, self.penalty)
        }
    }

    fn plain_step(&mut self, member: &mut Member<'_>, rate: f64) {
        let (share, penalty) = self.shares();
        self.batch.iter_mut().for_each(|residual| *residual *= -rate * share);
        member.network.signals(&mut self.workspace, &self.batch);
        let weights = member.network.weights_mut();
        if penalty > 0.0 {
            lanes::draw_back(weights, member.anchor, rate * penalty);
        }
        self.workspace.accumulate(Accum::Add, &self.batch, weights);
    }

    fn adaptive_step(&mut self, member: &mut Member<'_>, rate: f64) {
        let (share, penalty) = self.shares();
        let size = member.network.parameter_count();
        member.gradient.resize(size, 0.0);
        member.moments.0.resize(size, 0.0);
        member.moments.1.resize(size, 0.0);
        self.batch.iter_mut().for_each(|residual| *residual *= share);
        member.network.signals(&mut self.workspace, &self.batch);
        self.workspace
            .accumulate(Accum::Replace, &self.batch, &mut member.gradient);
        let (first_decay, second_decay, epsilon) = ADAM;
        let power = i32::try_from(member.steps).unwrap_or(i32::MAX);
        let step = AdamStep {
            rate: rate / (1.0 - first_decay.powi(power)),
            root: (1.0 - second_decay.powi(power)).sqrt().recip(),
            penalty,
            first_decay,
            second_decay,
            epsilon,
        };
        let moments = (member.moments.0.as_mut_slice(), member.moments.1.as_mut_slice());
        lanes::adam(
            &step,
            member.network.weights_mut(),
            member.anchor,
            &member.gradient,
            moments,
        );
    }

    /// The loss over all examples at the final weights; the last step may have been the one that diverged.
    fn settle(&mut self, member: &mut Member<'_>) {
        self.batch.resize(self.inputs.count(), 0.0);
        for (start, part) in (0..).step_by(CHUNK).zip(self.batch.chunks_mut(CHUNK)) {
            self.workspace.activations[0].copy(&self.inputs, start..start + part.len());
            member.network.propagate(&mut self.workspace, Order::Value);
            member.network.output(&self.workspace, part);
        }
        lanes::add_scaled(&mut self.batch, -1.0, &member.targets);
        if !self.batch.is_empty() && self.explodes(member) {
            member.diverged = Some(member.steps);
        }
        member.loss = 0.5 * lanes::dot(&self.batch, &self.batch);
    }

    /// What a member's training came to.
    pub(crate) fn fit(&self, member: &Member<'_>) -> Fit {
        let distance = lanes::squared_distance(member.network.weights(), member.anchor);
        let penalty = 0.5 * self.penalty * distance;
        Fit {
            loss: member.loss,
            penalty,
            rate: member.rate,
            steps: member.steps,
        }
    }
}
