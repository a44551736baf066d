//! `auto`: the configuration that measured best, the default.
//!
//! Asks for one objective on any space. A tangent-kernel model of an infinitely wide network with a smooth activation,
//! input scales fitted by marginal likelihood, log expected improvement; and a local descent around the best point for
//! the last digits. docs/methods/auto.md has the table that decided it.

use std::sync::Arc;

use hilltop_acquire::{Design, LogEi, acquisition, maximiser};
use hilltop_core::{History, Model, Proposer, Query, Recommendation, Result, Space};
use hilltop_surrogate::Ntk;
use serde::{Deserialize, Serialize};

use crate::composite::{Composite, one_by_one};
use crate::descent::{Descent, Region};
use crate::transform::Transform;

/// The settings of `auto`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Auto {
    /// The first points.
    pub design: Design,
    /// What is done to the objective's values before the global model sees them.
    pub transform: Transform,
    /// The model of the whole space.
    pub surrogate: Ntk,
    /// The local search; `false` turns it off.
    pub descent: Descent,
    /// The share of a known budget that is kept for the local search at the end.
    pub endgame: f64,
}

impl Default for Auto {
    fn default() -> Self {
        Self {
            design: Design::default(),
            transform: Transform::default(),
            surrogate: Ntk::default(),
            descent: Descent::default(),
            endgame: 0.4,
        }
    }
}

impl Auto {
    pub(crate) fn build(&self, _space: &Arc<Space>) -> Result<Box<dyn Proposer>> {
        self.surrogate.check()?;
        let composite = Composite::new(
            self.design,
            self.transform,
            Arc::new(self.surrogate.clone()),
            Arc::new(acquisition::Kind::LogEi(LogEi::default())),
            Arc::new(maximiser::Kind::default()),
        )?;
        Ok(Box::new(Search { settings: self.clone(), global: composite }))
    }
}

struct Search {
    settings: Auto,
    global: Composite,
}

impl Search {
    fn propose_one(&mut self, history: &History) -> Result<Query> {
        if let Some(query) = self.global.designed(history)? {
            return Ok(query);
        }
        let region = self.region(history).filter(|_| history.arms().is_none());
        if let Some(region) = region.filter(|region| self.descends(history, region)) {
            let mut rng = history.rng(history.next_trial());
            let local = self.settings.descent.step(history, region, &self.settings.surrogate, &mut rng)?;
            if let Some(point) = local.and_then(|point| admitted(history, point, &mut rng)) {
                return Ok(Query::from(point));
            }
        }
        self.global.propose_one(history)
    }

    fn region(&self, history: &History) -> Option<Region> {
        let initial = self.settings.design.count(history.space());
        self.settings.descent.region(history.points(), history.objective(), initial)
    }

    /// Whether this round is the local search's.
    fn descends(&self, history: &History, _region: &Region) -> bool {
        let trial = history.next_trial();
        match history.budget() {
            Some(budget) => trial as f64 >= (1.0 - self.settings.endgame) * budget as f64,
            None => trial % 2 == 1,
        }
    }
}

/// A point of the local search as one that may be evaluated, or nothing where it is known already.
fn admitted(history: &History, mut point: Vec<f64>, rng: &mut hilltop_core::Rng) -> Option<Vec<f64>> {
    history.space().project(&mut point);
    let sound = history.space().satisfies(&point) || history.space().repair(&mut point, rng);
    let known = hilltop_acquire::maximiser::Known::new(history.known_points());
    (sound && (history.is_noisy() || !known.contains(&point))).then_some(point)
}

impl Proposer for Search {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        one_by_one(history, count, |history| self.propose_one(history))
    }

    fn recommend(&mut self, history: &History) -> Result<Option<Recommendation>> {
        self.global.recommend(history)
    }

    fn model(&mut self, history: &History) -> Result<Option<Arc<dyn Model>>> {
        self.global.model(history)
    }

    fn chooses(&self) -> bool {
        true
    }
}
