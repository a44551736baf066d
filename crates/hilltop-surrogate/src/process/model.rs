//! A fitted Gaussian process as a model: marginals, paths and pending points, in the output's own units.

use std::any::Any;
use std::sync::Arc;

use faer::MatRef;
use hilltop_core::{Beliefs, HeldOut, Marginals, Model, Paths, Result, Rng, Score, Slopes};

use super::path::Path;
use super::posterior::{Mean, Posterior};
use super::refit::Fitted;
use super::standard::Standard;

/// Where a model comes from, so that a later fit knows what it can take over.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The surrogate's settings.
    pub recipe: String,
    /// The study's seed.
    pub seed: u64,
    /// The parameters and the number of observations they were fitted to.
    pub fitted: Fitted,
    /// How many observations were conditioned on in one piece.
    pub base: usize,
    /// How many observations the model has.
    pub observed: usize,
    /// A digest of the observed points.
    pub digest: u64,
    /// Their shares of the noise.
    pub shares: Vec<f64>,
}

impl Origin {
    /// Whether the model may grow into a later one without being built anew.
    pub fn grows_into(&self, later: &Self, points: MatRef<'_, f64>) -> bool {
        let same = self.fitted == later.fitted && self.base == later.base;
        same && self.begins(&later.recipe, later.seed, points, &later.shares)
    }

    /// Whether the model is one of the first of these points, with these shares of the noise, by this recipe.
    pub fn begins(&self, recipe: &str, seed: u64, points: MatRef<'_, f64>, shares: &[f64]) -> bool {
        let same = self.recipe == recipe && self.seed == seed && shares.starts_with(&self.shares);
        same && self.observed <= points.nrows() && self.digest == digest(points.subrows(0, self.observed))
    }
}

/// So many of the latest observations are held out.
const HELD_OUT: usize = 256;

/// A number that differs for different points.
pub fn digest(points: MatRef<'_, f64>) -> u64 {
    let mut state = points.ncols() as u64;
    for i in 0..points.nrows() {
        for j in 0..points.ncols() {
            state = (state.rotate_left(23) ^ points[(i, j)].to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }
    state ^ (points.nrows() as u64).rotate_left(32)
}

/// A fitted Gaussian process.
#[derive(Clone)]
pub struct ProcessModel {
    posterior: Arc<Posterior>,
    standard: Standard,
    origin: Origin,
    pending: bool,
}

impl ProcessModel {
    /// A posterior in standardised units.
    pub fn new(posterior: Posterior, standard: Standard, origin: Origin) -> Self {
        Self {
            posterior: Arc::new(posterior),
            standard,
            origin,
            pending: false,
        }
    }

    /// The posterior in standardised units.
    pub fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    /// What zero and one of the standardised units stand for.
    pub fn standard(&self) -> Standard {
        self.standard
    }

    /// Where the model comes from; `None` where points are believed that were not observed.
    pub fn origin(&self) -> Option<&Origin> {
        (!self.pending).then_some(&self.origin)
    }

    /// How many observations the model has.
    pub fn observed(&self) -> usize {
        self.origin.observed
    }

    /// The fitted parameters.
    pub fn fitted(&self) -> &Fitted {
        &self.origin.fitted
    }

    fn outward(&self, beliefs: &mut Beliefs) {
        let Standard { offset, scale } = self.standard;
        beliefs.mean.iter_mut().for_each(|mean| *mean = offset + scale * *mean);
        beliefs.deviation.iter_mut().for_each(|deviation| *deviation *= scale);
    }
}

impl Model for ProcessModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        Some(self)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    fn believe(&self, pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        let mut posterior = (*self.posterior).clone();
        (0..pending.nrows()).for_each(|row| posterior.believe(pending.subrows(row, 1)));
        let believed = Self {
            posterior: Arc::new(posterior),
            pending: true,
            ..self.clone()
        };
        Some(Ok(Arc::new(believed)))
    }

    fn information(&self) -> Option<f64> {
        self.posterior.condition.information()
    }

    fn memory(&self) -> Option<serde_json::Value> {
        self.origin.fitted.memory()
    }

    fn scales(&self) -> Option<&[f64]> {
        Some(&self.origin.fitted.parameters.scales)
    }

    /// Leaving one out of a process needs no other fit: with `α = (K + λI)⁻¹y` the others miss it by
    /// `α_i / (K + λI)⁻¹_ii`, and expect to miss it by the root of the denominator.
    fn held_out(&self) -> Vec<HeldOut> {
        let Posterior { condition, mean, .. } = &*self.posterior;
        let Mean::Kernel(weights) = mean else {
            return Vec::new();
        };
        if self.pending {
            return Vec::new();
        }
        let inverse = condition.latest_inverse(HELD_OUT);
        let first = weights.len() - inverse.len();
        let Standard { scale, .. } = self.standard;
        let held_out = |(k, inverse): (usize, &f64)| {
            let anchor = first + k;
            HeldOut {
                observation: condition.observation(anchor),
                miss: scale * weights[anchor] / inverse,
                deviation: scale / inverse.sqrt(),
            }
        };
        inverse.iter().enumerate().map(held_out).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Marginals for ProcessModel {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let mut beliefs = self.posterior.beliefs(points);
        self.outward(&mut beliefs);
        beliefs
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let mut slopes = self.posterior.slopes(points);
        self.outward(&mut slopes.beliefs);
        slopes.mean *= faer::Scale(self.standard.scale);
        slopes.deviation *= faer::Scale(self.standard.scale);
        Some(slopes)
    }

    fn noise(&self) -> f64 {
        self.standard.scale * self.posterior.condition.noise().sqrt()
    }
}

impl Paths for ProcessModel {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        Ok(Arc::new(Path::draw(
            self.posterior.clone(),
            self.standard,
            spread,
            rng,
        )?))
    }
}
