//! The fitted surrogate: observations ready to be trained on, and parameters.

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::{Error, Model, Paths, Result, Rng, Score};
use hilltop_nn::{Architecture, Network, Parameterisation};

use super::member::Member;
use super::{Kind, Sto};
use crate::ntk::{Encoded, Prepared, refused, unusable};
use crate::process::{Fitted, Standard, subset};
use crate::sto::linear;

/// Observations ready to be trained on. Every [`Paths::draw`] trains a member of its own.
pub struct StoModel {
    pub(super) sto: Sto,
    pub(super) points: Mat<f64>,
    /// Standardised.
    pub(super) values: Vec<f64>,
    pub(super) standard: Standard,
    /// The weight of each coordinate before the network, the constant's last.
    pub(super) weights: Vec<f64>,
    architecture: Architecture,
    /// The variance of a network's output as a standardised value, for each unit of its kernel.
    pub(super) signal: f64,
    pub(super) fitted: Fitted,
}

impl StoModel {
    /// The observations that are trained on.
    pub(super) fn new(sto: Sto, prepared: Prepared, values: &[f64]) -> Self {
        let chosen = subset(values, sto.limit);
        let dim = prepared.points.ncols();
        let dense = || {
            let (inputs, hidden) = (prepared.weights.len(), vec![sto.width; sto.depth]);
            Architecture::new(inputs, &hidden, sto.activation, Parameterisation::Ntk)
        };
        Self {
            architecture: prepared.architecture.unwrap_or_else(dense),
            signal: prepared.factor,
            points: Mat::from_fn(chosen.len(), dim, |i, j| prepared.points[(chosen[i], j)]),
            values: chosen.iter().map(|&i| prepared.values[i]).collect(),
            standard: prepared.standard,
            weights: prepared.weights,
            fitted: prepared.fitted,
            sto,
        }
    }

    /// The fitted parameters.
    pub fn fitted(&self) -> &Fitted {
        &self.fitted
    }

    /// A network with fresh weights.
    pub(super) fn network(&self, rng: &mut Rng) -> Result<Encoded> {
        let network = Network::init(&self.architecture, rng).map_err(unusable)?;
        Ok(Encoded::new(Arc::new(network), &self.weights))
    }

    /// What a network's output is multiplied by to be a standardised value.
    pub(super) fn amplitude(&self, spread: f64) -> f64 {
        spread * self.signal.sqrt()
    }

    /// The penalty `β²σ²` of eq. (1), for an output before its amplitude `β√signal`.
    pub(super) fn penalty(&self) -> f64 {
        self.fitted.parameters.noise / self.signal
    }

    /// The targets of one member in units of its output: perturbed, where draws are.
    pub(super) fn targets(&self, spread: f64, rng: &mut Rng) -> Vec<f64> {
        let deviation = if self.sto.perturb {
            spread * self.fitted.parameters.noise.sqrt()
        } else {
            0.0
        };
        let amplitude = self.amplitude(spread);
        let target = |value: &f64| (value + deviation * rng.normal()) / amplitude;
        self.values.iter().map(target).collect()
    }

    /// The points as matrix.
    pub(super) fn points(&self) -> MatRef<'_, f64> {
        self.points.as_ref()
    }
}

impl Model for StoModel {
    fn marginals(&self) -> Option<&dyn hilltop_core::Marginals> {
        None
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    /// Draws are independent: points under way make no difference to the next one.
    fn believe(&self, _pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        None
    }

    fn memory(&self) -> Option<serde_json::Value> {
        self.fitted.memory()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Paths for StoModel {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let mut drawn = self.draw_together(spread, std::slice::from_mut(rng))?;
        drawn.pop().ok_or(Error::Numerical {
            what: "a draw",
            detail: "none of one".into(),
        })
    }
}

impl StoModel {
    /// A draw from each generator, trained together: each is the function that [`Paths::draw`] gives for its generator.
    pub fn draw_together(&self, spread: f64, rngs: &mut [Rng]) -> Result<Vec<Arc<dyn Score>>> {
        if !(spread.is_finite() && spread > 0.0) {
            return Err(refused("spread", &spread, "a number above 0"));
        }
        let members: Result<Vec<Member>> = match self.sto.kind {
            Kind::Linear => rngs.iter_mut().map(|rng| linear::drawn(self, spread, rng)).collect(),
            Kind::Network | Kind::Plain => Member::drawn(self, spread, rngs),
        };
        Ok(members?
            .into_iter()
            .map(|member| Arc::new(member) as Arc<dyn Score>)
            .collect())
    }
}
