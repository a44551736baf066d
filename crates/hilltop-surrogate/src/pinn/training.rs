//! The joint loss (5.1) and the way down: Adam on batches of collocation points, then L-BFGS.
//!
//! The two terms are means, `½ mean_i (ν h(x_i) − y_i)² + ½ w mean_j r_j²`, over observations and over the weighted residuals of each equation. So
//! neither drowns the other by its number of points.

use faer::Mat;
use hilltop_core::{Lbfgs, Rng};
use hilltop_nn::{JetWorkspace, Jets, Network};

use super::collocated::Collocated;

/// Observations in a step of Adam, at most.
const OBSERVATIONS: usize = 256;
/// The rate's factor over all steps of Adam: a hundred epochs of the thesis' 0.95.
const DECAY: f64 = 0.006;
/// Up to this noise rows are met as closely as can be.
const EXACT: f64 = 1e-3;
/// How often a diverging training is begun again with half the rate.
const HALVINGS: usize = 8;

/// What a network is trained on.
pub(super) struct Joint<'a> {
    /// Observed points as inputs, and their standardised values.
    pub(super) inputs: &'a Mat<f64>,
    pub(super) targets: &'a [f64],
    /// `ν`.
    pub(super) spread: f64,
    pub(super) equations: &'a [Collocated],
    /// `w`: the weight of the equations.
    pub(super) weight: f64,
    /// The network at its initial weights.
    pub(super) start: &'a Network,
    /// `g`: the variance of noise over that of the weights.
    pub(super) noise: f64,
}

/// How long and how a network is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Effort {
    /// Steps of Adam.
    pub(super) steps: usize,
    /// Collocation points of every equation in a step.
    pub(super) batch: usize,
    /// The first step size.
    pub(super) rate: f64,
    /// Gauss–Newton steps.
    pub(super) newton: usize,
    /// Collocation points of every equation in one of them.
    pub(super) block: usize,
    /// Steps of L-BFGS.
    pub(super) polish: usize,
    /// Collocation points of every equation in a step of L-BFGS, at most.
    pub(super) sample: usize,
}

impl Joint<'_> {
    /// Trains a network from its weights; the weights are left alone where every rate diverges.
    pub(super) fn train(&self, network: &mut Network, effort: &Effort, rng: &mut Rng) {
        let start = network.weights().to_vec();
        let mut rate = effort.rate;
        for _ in 0..HALVINGS {
            if self.adam(network, effort, rate, &mut rng.clone()) {
                break;
            }
            network.weights_mut().copy_from_slice(&start);
            rate *= 0.5;
        }
        let mut chosen = rng.split();
        if self.noise > EXACT {
            self.settle(network, effort.newton, effort.block);
        } else {
            self.newton(network, effort.newton, effort.block, &mut chosen);
        }
        let rows: Vec<Vec<usize>> = self
            .equations
            .iter()
            .map(|equation| sample(equation.len(), effort.sample, &mut chosen))
            .collect();
        self.polish(network, effort.polish, &rows);
    }

    /// Steps of Adam; false where the loss is no longer a number.
    fn adam(&self, network: &mut Network, effort: &Effort, rate: f64, rng: &mut Rng) -> bool {
        let size = network.parameter_count();
        let mut workspace = JetWorkspace::new(network.architecture());
        let (mut firsts, mut seconds, mut gradient) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        let mut decks: Vec<Deck> = self
            .equations
            .iter()
            .map(|equation| Deck::new(equation.len()))
            .collect();
        let mut observations = Deck::new(self.targets.len());
        for step in 0..effort.steps {
            gradient.fill(0.0);
            let rows: Vec<Vec<usize>> = decks.iter_mut().map(|deck| deck.draw(effort.batch, rng)).collect();
            let loss = self.loss(
                network,
                &observations.draw(OBSERVATIONS, rng),
                &rows,
                &mut workspace,
                &mut gradient,
            );
            if !loss.is_finite() {
                return false;
            }
            let rate = rate * DECAY.powf(step as f64 / effort.steps as f64);
            move_weights(
                network.weights_mut(),
                &gradient,
                (&mut firsts, &mut seconds),
                rate,
                step + 1,
            );
        }
        network.weights().iter().all(|weight| weight.is_finite())
    }

    fn polish(&self, network: &mut Network, steps: usize, rows: &[Vec<usize>]) {
        let search = Lbfgs {
            memory: 10,
            iterations: steps,
            gradient: 1e-9,
            progress: 1e-9,
        };
        let all: Vec<usize> = (0..self.targets.len()).collect();
        let (low, high) = (
            vec![f64::NEG_INFINITY; network.parameter_count()],
            vec![f64::INFINITY; network.parameter_count()],
        );
        let mut workspace = JetWorkspace::new(network.architecture());
        let mut moving = network.clone();
        let end = search.minimise(network.weights(), &low, &high, |weights, gradient| {
            moving.weights_mut().copy_from_slice(weights);
            gradient.fill(0.0);
            self.loss(&moving, &all, rows, &mut workspace, gradient)
        });
        if end.value.is_finite() {
            network.weights_mut().copy_from_slice(&end.point);
        }
    }

    /// The loss over some of the observations and some points of every equation; its gradient is added.
    fn loss(
        &self,
        network: &Network,
        observed: &[usize],
        rows: &[Vec<usize>],
        workspace: &mut JetWorkspace,
        gradient: &mut [f64],
    ) -> f64 {
        let mut loss = self.misfit(network, observed, workspace, gradient);
        for (equation, rows) in self.equations.iter().zip(rows).filter(|(_, rows)| !rows.is_empty()) {
            let share = self.weight / rows.len() as f64;
            loss += equation.loss(network, rows, share, workspace, gradient);
        }
        loss
    }

    fn misfit(&self, network: &Network, observed: &[usize], workspace: &mut JetWorkspace, gradient: &mut [f64]) -> f64 {
        let share = 1.0 / observed.len().max(1) as f64;
        let inputs = Mat::from_fn(observed.len(), self.inputs.ncols(), |i, j| {
            self.inputs[(observed[i], j)]
        });
        let one = Mat::full(observed.len(), 1, self.spread);
        let mut loss = 0.0;
        network.operator_loss(
            inputs.as_ref(),
            &Jets::value(),
            one.as_ref(),
            workspace,
            gradient,
            |i, value| {
                let miss = value - self.targets[observed[i]];
                loss += 0.5 * share * miss * miss;
                share * miss
            },
        );
        loss
    }

    /// The root mean square of the misfit, in standardised units.
    pub(super) fn rest(&self, network: &Network) -> f64 {
        let values = network.forward(self.inputs.as_ref());
        let squares = values
            .iter()
            .zip(self.targets)
            .map(|(value, target)| (self.spread * value - target).powi(2));
        (squares.sum::<f64>() / self.targets.len().max(1) as f64).sqrt()
    }
}

/// Numbers that are drawn without repetition until all were, then in another order again.
pub(super) struct Deck {
    cards: Vec<usize>,
    next: usize,
}

impl Deck {
    pub(super) fn new(count: usize) -> Self {
        Self {
            cards: (0..count).collect(),
            next: count,
        }
    }

    pub(super) fn draw(&mut self, count: usize, rng: &mut Rng) -> Vec<usize> {
        if count >= self.cards.len() {
            return self.cards.clone();
        }
        if self.next + count > self.cards.len() {
            rng.shuffle(&mut self.cards);
            self.next = 0;
        }
        self.next += count;
        self.cards[self.next - count..self.next].to_vec()
    }
}

fn sample(count: usize, most: usize, rng: &mut Rng) -> Vec<usize> {
    Deck::new(count).draw(most, rng)
}

/// One step of Adam with its usual decays.
fn move_weights(
    weights: &mut [f64],
    gradient: &[f64],
    (firsts, seconds): (&mut [f64], &mut [f64]),
    rate: f64,
    step: usize,
) {
    let (one, two) = (1.0 - 0.9_f64.powi(step as i32), 1.0 - 0.999_f64.powi(step as i32));
    let moments = firsts.iter_mut().zip(seconds);
    for ((weight, slope), (first, second)) in weights.iter_mut().zip(gradient).zip(moments) {
        *first = 0.9 * *first + 0.1 * slope;
        *second = 0.999 * *second + 0.001 * slope * slope;
        *weight -= rate * (*first / one) / ((*second / two).sqrt() + 1e-8);
    }
}
