//! `pinn-bo`: optimisation with a differential equation as prior knowledge.
//!
//! Asks for one objective on any space, and for `[physics]`. A process whose covariance is that of a wide smooth network is
//! conditioned on the observations and on the equations at collocation points; expected improvement chooses the next
//! point. Whether the equations deserve it is measured at every round on observations that are held out: where
//! they are expected better without them, the round is `auto`'s.
//!
//! D. Phan-Trong, *Bayesian Optimization with neural networks* (thesis), chapter 5: PINN-BO. The thesis trains one network
//! on values and residuals and follows it greedily; docs/methods/pinn-bo.md says where this departs and why.

use std::sync::Arc;

use hilltop_acquire::{Design, LogEi, Mean, Path, acquisition, maximiser};
use hilltop_core::{Error, History, Knowledge, Limit, Model, Models, Proposer, Query, Result, Space};
use hilltop_surrogate::pinn::Training;
use hilltop_surrogate::{Physics, Pinn};
use serde::{Deserialize, Serialize};

use crate::auto::Auto;
use crate::composite::{Composite, one_by_one};
use crate::transform::Transform;

/// What `pinn-bo` believes of the objective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Belief {
    /// The process of an infinitely wide network, conditioned on values and equations.
    #[default]
    Process,
    /// A network trained on values and equations.
    Network,
}

/// The settings of `pinn-bo`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PinnBo {
    /// What is believed: a process that obeys the equations, or a trained network as in the thesis.
    pub model: Belief,
    /// How the network is built and trained, where it is one.
    pub network: Training,
    /// The first points; few, because the equations are there already.
    pub design: Design,
    /// What is worth evaluating.
    pub acquisition: acquisition::Kind,
    /// How the best point is found.
    pub maximiser: maximiser::Kind,
    /// At most so many rows of equations in all.
    pub rows: usize,
}

impl Default for PinnBo {
    fn default() -> Self {
        Self {
            model: Belief::Process,
            network: Training::default(),
            design: Design {
                count: Some(4),
                ..Design::default()
            },
            acquisition: acquisition::Kind::LogEi(LogEi::default()),
            maximiser: maximiser::Kind::Auto(maximiser::Auto {
                gradient: maximiser::Gradient {
                    sweeps: 2,
                    ..maximiser::Gradient::default()
                },
                ..maximiser::Auto::default()
            }),
            rows: 1500,
        }
    }
}

impl PinnBo {
    /// The thesis' own: one network, trained on the joint loss and followed greedily, after ten points at random.
    pub fn paper() -> Self {
        Self {
            model: Belief::Network,
            design: Design {
                count: Some(10),
                ..Design::default()
            },
            acquisition: acquisition::Kind::Path(Path { spread: 1.0 }),
            ..Self::default()
        }
    }

    pub(crate) fn build(&self, space: &Space, knowledge: Option<&Arc<Knowledge>>) -> Result<Box<dyn Proposer>> {
        let knowledge = knowledge.ok_or_else(|| Error::Setting {
            setting: "method".into(),
            value: "pinn-bo".into(),
            allowed: "with an equation: add a section [physics]".into(),
        })?;
        match self.model {
            Belief::Process => self.beside(&Auto::default(), knowledge),
            Belief::Network => self.trained(space, knowledge),
        }
    }

    fn trained(&self, space: &Space, knowledge: &Arc<Knowledge>) -> Result<Box<dyn Proposer>> {
        let network = Pinn {
            knowledge: knowledge.clone(),
            training: self.network.clone(),
        };
        network.check(space.dim())?;
        let acquisition = self.acquisition.clone();
        Composite::boxed(self.design, Transform::None, network, acquisition, self.maximiser)
    }

    /// The proposer for what is known of the objective, with these settings for the rounds without.
    pub(crate) fn beside(&self, plain: &Auto, knowledge: &Arc<Knowledge>) -> Result<Box<dyn Proposer>> {
        if self.rows == 0 {
            return Err(Error::Setting {
                setting: "rows".into(),
                value: "0".into(),
                allowed: "at least 1".into(),
            });
        }
        let surrogate = Physics {
            rows: self.rows,
            ..Physics::new(knowledge.clone())
        };
        let composite = Composite::new(
            self.design,
            Transform::None,
            Arc::new(surrogate),
            Arc::new(self.acquisition.clone()),
            Arc::new(self.maximiser),
        )?;
        Ok(Box::new(Informed {
            informed: composite,
            plain: plain.straight()?,
        }))
    }
}

/// The rounds of the equations, and those without.
struct Informed {
    informed: Composite,
    plain: Box<dyn Proposer>,
}

impl Informed {
    /// Every second round follows the mean, as the thesis does, as long as that promises an improvement.
    fn suggest(&self, models: &Models, history: &History, values: &[f64]) -> Result<Query> {
        if history.next_trial() % 2 == 1 && history.pending().is_empty() {
            let greedy = acquisition::Kind::Mean(Mean::default());
            let query = self.informed.suggest_by(&greedy, models, history, values)?;
            if promises(models.objective.as_ref(), &query.point, values) {
                return Ok(query);
            }
        }
        self.informed.suggest(models, history, values)
    }

    fn propose_one(&mut self, history: &History) -> Result<Query> {
        if let Some(query) = self.informed.designed(history)? {
            return Ok(query);
        }
        let values = self.informed.transformed(history);
        let models: Models = self.informed.models(history, &values)?;
        if is_believed(models.objective.as_ref()) {
            return self.suggest(&models, history, &values);
        }
        let mut queries = self.plain.propose(history, 1)?;
        let query = queries.pop().ok_or_else(|| Error::Numerical {
            what: "the proposal",
            detail: "the method gave no point".into(),
        })?;
        let memory = models.objective.memory();
        Ok(Query { memory, ..query })
    }
}

/// An improvement that is worth an evaluation, as a share of the range of the values.
const WORTHWHILE: f64 = 1e-3;

/// Whether so much less is expected at a point than anything observed.
fn promises(model: &dyn Model, point: &[f64], values: &[f64]) -> bool {
    let place = faer::MatRef::from_row_major_slice(point, 1, point.len());
    let expected = model.marginals().map(|marginals| marginals.beliefs(place).mean[0]);
    let best = values.iter().copied().fold(f64::INFINITY, f64::min);
    let worst = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    expected.is_some_and(|expected| expected < best - WORTHWHILE * (worst - best))
}

/// Whether evidence favours the equations.
fn is_believed(model: &dyn Model) -> bool {
    let obedience = model.obedience();
    obedience.is_none_or(|obedience| obedience.standing().weight >= 0.5)
}

impl Proposer for Informed {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        one_by_one(history, count, |history| self.propose_one(history))
    }

    fn model(&mut self, history: &History) -> Result<Option<Arc<dyn Model>>> {
        self.informed.model(history)
    }

    fn limits(&mut self, history: &History) -> Result<Vec<Limit>> {
        self.informed.limits(history)
    }

    fn chooses(&self) -> bool {
        true
    }
}
