//! A trained physics-informed network as a model.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Beliefs, Marginals, Model, Paths, Result, Rng, Score, Slopes, SmoothScore};
use hilltop_nn::Network;

use super::block::{Block, Information, Rows};
use super::chain::{Source, Trained};
use super::{Draw, Training};

/// A fitted [`Pinn`](super::Pinn).
#[derive(Clone, Debug)]
pub struct PinnModel {
    trained: Arc<Trained>,
    source: Source,
    training: Training,
    /// Points under way, as inputs.
    pending: Option<Mat<f64>>,
    /// What is believed around the network, made when it is first asked for.
    block: OnceLock<Option<Arc<Block>>>,
}

impl PinnModel {
    pub(super) fn new(trained: Arc<Trained>, source: Source, training: Training) -> Self {
        Self {
            trained,
            source,
            training,
            pending: None,
            block: OnceLock::new(),
        }
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// The network; its output is standardised and divided by [`spread`](Self::spread).
    pub fn network(&self) -> &Network {
        &self.trained.network
    }

    /// `ν_t`.
    pub fn spread(&self) -> f64 {
        self.trained.frame.spread
    }

    /// What the observations say, and how much of it the equations say too.
    pub fn information(&self) -> Information {
        self.trained.information
    }

    /// The root mean square by which the network misses the observations, in units of their deviation.
    pub fn rest(&self) -> f64 {
        self.trained.rest
    }

    /// For every equation the points where it was asked for (a row each) and its residuals there, in its own units.
    pub fn residuals(&self) -> Vec<(&Mat<f64>, Vec<f64>)> {
        let equations = self.trained.equations.iter();
        equations
            .map(|equation| (equation.points(), equation.raw(&self.trained.network)))
            .collect()
    }

    /// For every equation the root mean square of its residuals in units of what the network's prior would make of them: much below one
    /// where the network obeys it.
    pub fn disobedience(&self) -> Vec<f64> {
        let of = |residuals: Vec<f64>| {
            let squares: f64 = residuals
                .iter()
                .filter(|residual| residual.is_finite())
                .map(|residual| residual * residual)
                .sum();
            (squares / residuals.len().max(1) as f64).sqrt() / self.spread()
        };
        let equations = self.trained.equations.iter();
        equations
            .map(|equation| of(equation.residuals(&self.trained.network)))
            .collect()
    }

    /// For every equation at how many points it was not a number; these were left out.
    pub fn dropped(&self) -> Vec<usize> {
        self.trained.equations.iter().map(|equation| equation.dropped).collect()
    }

    fn block(&self) -> Option<&Block> {
        let made = self.block.get_or_init(|| self.posterior().ok().map(Arc::new));
        made.as_deref()
    }

    fn posterior(&self) -> Result<Block> {
        let Trained {
            network,
            inputs,
            equations,
            ..
        } = &*self.trained;
        let block = Block::new(&Rows {
            network,
            inputs: inputs.as_ref(),
            equations,
            spread: self.spread(),
            noise: self.noises(),
            limit: self.training.rows,
        })?;
        match &self.pending {
            Some(pending) => block.with_values(network, pending.as_ref(), self.training.noise[0]),
            None => Ok(block),
        }
    }

    /// Noise variances, those of residuals by their weight.
    fn noises(&self) -> [f64; 2] {
        let [values, residuals] = self.training.noise;
        [values, residuals / self.training.weight.max(1e-9)]
    }

    /// Means in the objective's units.
    fn means(&self, inputs: MatRef<'_, f64>) -> Vec<f64> {
        let values = self.trained.network.forward(inputs);
        values.iter().map(|value| self.trained.frame.outward(*value)).collect()
    }
}

impl Model for PinnModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        self.block().map(|_| self as &dyn Marginals)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    fn believe(&self, pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        let more = self.trained.frame.inputs(pending);
        let old = self.pending.as_ref().map_or(0, Mat::nrows);
        let all = Mat::from_fn(old + more.nrows(), more.ncols(), |i, j| match &self.pending {
            Some(pending) if i < old => pending[(i, j)],
            _ => more[(i - old, j)],
        });
        let mut believed = self.clone();
        believed.pending = Some(all);
        believed.block = OnceLock::new();
        Some(Ok(Arc::new(believed)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Marginals for PinnModel {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let inputs = self.trained.frame.inputs(points);
        let variances = self
            .block()
            .map(|block| block.variances(&self.trained.network, inputs.as_ref()));
        let scale = self.trained.frame.standard.scale;
        let deviation = variances.unwrap_or_else(|| vec![0.0; points.nrows()]);
        Beliefs {
            mean: self.means(inputs.as_ref()),
            deviation: deviation.iter().map(|variance| scale * variance.sqrt()).collect(),
        }
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let Trained { network, frame, .. } = &*self.trained;
        let block = self.block().filter(|_| network.architecture().activation.is_smooth())?;
        let inputs = frame.inputs(points);
        let (values, gradients) = network.input_gradients(inputs.as_ref());
        let variances = block.slopes(network, inputs.as_ref());
        let scale = frame.standard.scale;
        let deviation: Vec<f64> = variances.values.iter().map(|variance| variance.sqrt()).collect();
        let mut steepness = frame.gradients(&variances.gradients, scale);
        for (i, deviation) in deviation.iter().enumerate() {
            steepness
                .row_mut(i)
                .iter_mut()
                .for_each(|slope| *slope /= 2.0 * deviation);
        }
        Some(Slopes {
            beliefs: Beliefs {
                mean: values.iter().map(|value| frame.outward(*value)).collect(),
                deviation: deviation.iter().map(|deviation| scale * deviation).collect(),
            },
            mean: frame.gradients(&gradients, frame.unit()),
            deviation: steepness,
        })
    }

    fn noise(&self) -> f64 {
        self.trained.frame.standard.scale * self.training.noise[0].sqrt()
    }
}

impl Paths for PinnModel {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let block = self.block_of_draw();
        let direction = block.map(|block| {
            let mut direction = block.direction(self.trained.network.parameter_count(), rng);
            direction.iter_mut().for_each(|value| *value *= spread);
            direction
        });
        Ok(Arc::new(Drawn {
            trained: self.trained.clone(),
            direction,
        }))
    }
}

impl PinnModel {
    fn block_of_draw(&self) -> Option<&Block> {
        match self.training.draw {
            Draw::Greedy => None,
            Draw::Posterior => self.block(),
        }
    }
}

/// The network, moved along a direction of its weights to first order; as a score its negative.
struct Drawn {
    trained: Arc<Trained>,
    direction: Option<Vec<f64>>,
}

impl Score for Drawn {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let Trained { network, frame, .. } = &*self.trained;
        let inputs = frame.inputs(points);
        let values = network.forward(inputs.as_ref());
        let moved = self
            .direction
            .as_ref()
            .map(|direction| network.jvp(inputs.as_ref(), direction));
        for (i, out) in out.iter_mut().enumerate() {
            *out = -frame.outward(values[i] + moved.as_ref().map_or(0.0, |moved| moved[i]));
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        let activation = self.trained.network.architecture().activation;
        activation.is_smooth().then_some(self)
    }
}

impl SmoothScore for Drawn {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let Trained { network, frame, .. } = &*self.trained;
        let inputs = frame.inputs(points);
        let (mut at, mut inner) = network.input_gradients(inputs.as_ref());
        if let Some(direction) = &self.direction {
            let (moved, slopes) = network.jvp_input_gradients(inputs.as_ref(), direction);
            at.iter_mut().zip(moved).for_each(|(value, moved)| *value += moved);
            inner += slopes;
        }
        values
            .iter_mut()
            .zip(at)
            .for_each(|(out, value)| *out = -frame.outward(value));
        gradients.copy_from(frame.gradients(&inner, -frame.unit()));
    }
}
