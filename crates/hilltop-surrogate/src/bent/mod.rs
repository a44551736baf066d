//! The tangent-kernel surrogate in coordinates learnt from the observations.
//!
//! A kernel with one scale a parameter expects a function to change as fast at one end of a range as at the other. Where a parameter ranges
//! over orders of magnitude it does not, and whoever stated the problem may not have thought of its logarithm. So every
//! coordinate may be bent ([`Bends`]), by one of few curves, where that makes the observations much more probable. Bends are
//! chosen at fixed counts of observations from those alone, like all that is fitted: a model depends on its observations
//! and not on how often it was asked for.

mod bends;
mod learn;
mod model;

use std::sync::Arc;

use hilltop_core::{Capabilities, Evidence, Model, Points, Previous, Result, Surrogate};
use serde::{Deserialize, Serialize};

pub use bends::Bends;
use learn::{counts, learn};
use model::BentModel;

use crate::Ntk;
use crate::ntk::Width;
use crate::process::Schedule;

/// The description: a tangent-kernel surrogate whose coordinates may bend.
#[derive(Clone, Debug, PartialEq)]
pub struct Bent {
    /// What is fitted in the bent coordinates.
    pub inner: Ntk,
}

/// Bends, and how many observations chose them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Chosen {
    count: usize,
    bends: Bends,
}

/// What a model leaves to find again.
#[derive(Serialize, Deserialize)]
struct Memory {
    chosen: Chosen,
    inner: Option<serde_json::Value>,
}

impl Surrogate for Bent {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        let Some(count) = self.last_count(evidence) else {
            return self.inner.fit(evidence, previous);
        };
        let older = previous
            .model
            .and_then(|model| model.as_any().downcast_ref::<BentModel>());
        let recalled = previous.memory.and_then(|memory| Memory::deserialize(memory).ok());
        let known = older.map(|older| &older.chosen).into_iter();
        let mut known = known.chain(recalled.as_ref().map(|memory| &memory.chosen));
        let (chosen, learnt) = if let Some(chosen) = known.find(|chosen| chosen.fits(count, evidence)) {
            (chosen.clone(), None)
        } else {
            let (bends, fitted) = learn(&self.inner, evidence, count);
            (Chosen { count, bends }, fitted.and_then(|fitted| fitted.memory()))
        };
        let straight = chosen.bends.is_straight();
        // Straight coordinates stay what they were, whoever chose them.
        let same = |other: &Chosen| *other == chosen || straight && other.bends.is_straight();
        let memory = match recalled {
            Some(memory) => memory.inner.filter(|_| same(&memory.chosen)),
            None => previous.memory.filter(|_| straight).cloned(),
        };
        let memory = memory.or(learnt);
        let model = match older {
            Some(older) => Some(older.inner.as_ref()).filter(|_| same(&older.chosen)),
            None => previous.model.filter(|_| straight),
        };
        let previous = Previous {
            model,
            memory: memory.as_ref(),
        };
        let inner = if straight {
            self.inner.fit(evidence, previous)?
        } else {
            self.in_bent_coordinates(&chosen, evidence, previous)?
        };
        Ok(Arc::new(BentModel { inner, chosen }))
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }
}

impl Bent {
    /// A tangent-kernel surrogate, in coordinates that may bend where that is wanted.
    pub fn where_wanted(wanted: bool, inner: Ntk) -> Arc<dyn Surrogate> {
        if wanted {
            Arc::new(Self { inner })
        } else {
            Arc::new(inner)
        }
    }

    /// How many observations choose the bends; none where there are too few, or nothing to bend.
    fn last_count(&self, evidence: &Evidence<'_>) -> Option<usize> {
        let wide = self.inner.width == Width::Infinite && self.inner.convolution.is_none();
        let bendable =
            wide && learn::bendable(evidence.space).next().is_some() && evidence.points.len() == evidence.values.len();
        counts(evidence.values.len()).last().copied().filter(|_| bendable)
    }

    /// The fit in bent coordinates: a chain of its own, which begins where the bends were chosen.
    fn in_bent_coordinates(
        &self,
        chosen: &Chosen,
        evidence: &Evidence<'_>,
        previous: Previous<'_>,
    ) -> Result<Arc<dyn Model>> {
        let schedule = Schedule {
            first: chosen.count,
            ..self.inner.schedule
        };
        let inner = Ntk {
            schedule,
            ..self.inner.clone()
        };
        let rows: Vec<Vec<f64>> = evidence.points.rows().map(|row| chosen.bends.inward(row)).collect();
        let points = Points::from_rows(evidence.points.dim(), rows.iter().map(Vec::as_slice));
        let bent = Evidence {
            points: &points,
            ..*evidence
        };
        inner.fit(&bent, previous)
    }
}

impl Chosen {
    fn fits(&self, count: usize, evidence: &Evidence<'_>) -> bool {
        self.count == count && self.bends.dim() == evidence.points.dim() && self.bends.is_sound()
    }
}
