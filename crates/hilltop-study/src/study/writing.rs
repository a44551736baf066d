//! Writing what was proposed: one point, or a stretch of them that nobody came between.

use hilltop_core::{Choice, Event, Parameters, Query};

use super::Study;
use super::arms::Offer;
use crate::ledger::Ledger;
use crate::trial::{Asked, State};
use crate::view::Sight;
use crate::{Error, Result};

/// A proposal, ready to be written.
pub(super) struct Found {
    parameters: Parameters,
    point: Vec<f64>,
    memory: Option<serde_json::Value>,
    choice: Option<Choice>,
    outputs: Vec<String>,
}

impl Found {
    fn event(&self, trial: u64, horizon: Option<u64>) -> Event {
        Event::Asked {
            trial,
            parameters: self.parameters.clone(),
            horizon,
            memory: self.memory.clone(),
            choice: self.choice.clone(),
            outputs: self.outputs.clone(),
        }
    }

    fn asked(&self, trial: u64) -> Asked {
        Asked {
            trial,
            parameters: self.parameters.clone(),
            arm: self.choice.as_ref().map(|choice| choice.arm),
            outputs: self.outputs.clone(),
        }
    }
}

/// What a proposal stands on: the journal as it was when its first trial was taken.
#[derive(Clone, Copy)]
pub(super) struct Footing {
    /// The first trial, and what it may depend on.
    pub(super) sight: Sight,
    /// How many events there were.
    pub(super) position: u64,
    /// How many points were known, by [`Ledger::pointed`].
    pub(super) pointed: usize,
}

impl Study {
    /// A proposal as the journal keeps it.
    pub(super) fn found(&self, query: Query, offer: Option<&Offer>) -> Result<Found> {
        let choice = offer
            .map(|offer| Ok::<_, Error>(offer.choice(offer.chosen(&query.point)?)))
            .transpose()?;
        let parameters = match (offer, &choice) {
            (Some(offer), Some(choice)) => offer.parameters(choice.arm),
            _ => self.statement.space.decode(&query.point),
        };
        Ok(Found {
            point: self.statement.space.encode(&parameters).map_err(Error::Point)?,
            parameters,
            memory: query.memory,
            choice,
            outputs: self.named(&query.outputs),
        })
    }

    /// The names of the outputs that a query wants.
    pub(super) fn named(&self, outputs: &[usize]) -> Vec<String> {
        let name = |index: &usize| Some(self.statement.outputs.get(*index)?.name.clone());
        outputs.iter().filter_map(name).collect()
    }

    /// Writes the points of a trial and of those behind it, as many as still hold; none when the first must be proposed anew.
    pub(super) fn write_points(
        &self,
        footing: Footing,
        worker: Option<&String>,
        found: &[Found],
    ) -> Result<Vec<Asked>> {
        let Sight { trial: first, horizon } = footing.sight;
        let mut holding = 0;
        self.desk().write(|ledger| {
            holding = self.holding(ledger, footing, worker, found)?;
            let stretch = (first..).zip(&found[..holding]).flat_map(|(trial, found)| {
                let worker = worker.cloned();
                [Event::Reserved { trial, worker }, found.event(trial, horizon)]
            });
            // The first trial is reserved already.
            Ok(stretch.skip(1).collect())
        })?;
        Ok((first..)
            .zip(&found[..holding])
            .map(|(trial, found)| found.asked(trial))
            .collect())
    }

    /// How many of the proposals hold. The first does unless somebody else took its point or its trial; the others do as long as
    /// nothing was written since, and up to one that repeats another: its method sees better what is under way when it is asked
    /// again.
    fn holding(&self, ledger: &Ledger, footing: Footing, worker: Option<&String>, found: &[Found]) -> Result<usize> {
        let Some(first) = found.first() else { return Ok(0) };
        let noisy = self.statement.noisy;
        let twin = |number: &u64| ledger.trials()[*number as usize].point == first.point;
        let taken = !noisy && ledger.pointed()[footing.pointed..].iter().any(twin);
        let trial = ledger.trial(footing.sight.trial)?;
        if taken || trial.state != State::Reserved || trial.worker.as_ref() != worker {
            return Ok(0);
        }
        if ledger.position() != footing.position {
            return Ok(1);
        }
        let repeats = |index: &usize| found[..*index].iter().any(|other| other.point == found[*index].point);
        let repeated = (1..found.len()).find(|index| !noisy && repeats(index));
        Ok(repeated.unwrap_or(found.len()))
    }
}
