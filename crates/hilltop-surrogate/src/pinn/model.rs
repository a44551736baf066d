//! A trained physics-informed network as a model.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use faer::{Mat, MatRef};
use hilltop_core::{Beliefs, Marginals, Model, Paths, Result, Rng, Score, Slopes};
use hilltop_nn::Network;

use super::block::{Block, Information, Rows};
use super::chain::{Source, Trained};
use super::drawn::Drawn;
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

    /// The deviation of the first layer's initial weights that was chosen.
    pub fn reach(&self) -> f64 {
        self.trained.reach
    }

    /// The variance of noise over that of the function, up to the kernel.
    pub fn noise_ratio(&self) -> f64 {
        self.trained.noise
    }

    /// What the observations say, and how much of it the equations say too.
    pub fn information(&self) -> Information {
        self.trained.information
    }

    /// How much more likely the observations are with the linear equations than without, as a logarithm, at the last whole training; none where
    /// that was not asked.
    pub fn support(&self) -> Option<f64> {
        self.trained.support
    }

    /// Whether the network was trained on the equations: not where the observations speak against them.
    pub fn is_trusting(&self) -> bool {
        self.trained.trusted
    }

    /// The root mean square by which the network misses the observations, in units of their deviation.
    pub fn rest(&self) -> f64 {
        self.trained.rest
    }

    /// For every equation the points where it was asked for (a row each) and its residuals there, in its own units.
    pub fn residuals(&self) -> Vec<(&Mat<f64>, Vec<f64>)> {
        let equations = self.trained.equations.iter();
        let both = equations.map(|equation| (equation.points(), equation.raw(&self.trained.network)));
        both.collect()
    }

    /// For every equation the root mean square of its residuals in units of what the network's prior would make of them: much below one
    /// where the network obeys it.
    pub fn disobedience(&self) -> Vec<f64> {
        let of = |residuals: Vec<f64>| {
            let finite = residuals.iter().filter(|residual| residual.is_finite());
            let squares: f64 = finite.map(|residual| residual * residual).sum();
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
        let made = self.block.get_or_init(|| self.believed().ok().map(Arc::new));
        made.as_deref()
    }

    fn believed(&self) -> Result<Block> {
        let rows = Rows {
            network: &self.trained.network,
            inputs: self.trained.inputs.as_ref(),
            equations: self.trained.laws(),
            spread: self.spread(),
            noise: self.trained.noise,
            weight: self.training.weight,
            limit: self.training.rows,
        };
        let block = Block::new(&rows)?;
        match &self.pending {
            Some(pending) => block.with_values(rows.network, pending.as_ref()),
            None => Ok(block),
        }
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
        let Trained { network, frame, .. } = &*self.trained;
        let inputs = frame.inputs(points);
        let outputs = network.forward(inputs.as_ref());
        let variances = self.block().map(|block| block.variances(network, inputs.as_ref()));
        // Without a factor all that is known is the prior.
        let variances = variances.unwrap_or_else(|| vec![frame.spread * frame.spread; points.nrows()]);
        let deviation = |variance: &f64| frame.standard.scale * variance.sqrt();
        Beliefs {
            mean: outputs.iter().map(|output| frame.outward(*output)).collect(),
            deviation: variances.iter().map(deviation).collect(),
        }
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let Trained { network, frame, .. } = &*self.trained;
        let smooth = network.architecture().activation.is_smooth();
        let block = self.block().filter(|_| smooth)?;
        let inputs = frame.inputs(points);
        let (outputs, gradients) = network.input_gradients(inputs.as_ref());
        let variances = block.slopes(network, inputs.as_ref());
        let scale = frame.standard.scale;
        let deviation: Vec<f64> = variances.values.iter().map(|variance| variance.sqrt()).collect();
        let mut steepness = frame.gradients(&variances.gradients, scale);
        for (i, deviation) in deviation.iter().enumerate() {
            let row = steepness.row_mut(i);
            row.iter_mut().for_each(|slope| *slope /= 2.0 * deviation);
        }
        Some(Slopes {
            beliefs: Beliefs {
                mean: outputs.iter().map(|output| frame.outward(*output)).collect(),
                deviation: deviation.iter().map(|deviation| scale * deviation).collect(),
            },
            mean: frame.gradients(&gradients, frame.unit()),
            deviation: steepness,
        })
    }

    fn noise(&self) -> f64 {
        self.trained.frame.unit() * self.trained.noise.sqrt()
    }
}

impl Paths for PinnModel {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let around = match self.training.draw {
            Draw::Greedy => None,
            Draw::Posterior => self.block(),
        };
        let direction = around.map(|block| {
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
