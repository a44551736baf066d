//! Replaying: every suggestion is proposed again from the journal before it.

use std::collections::BTreeMap;

use hilltop_core::{Choice, Event, Parameters};

use super::Study;
use super::arms::Offer;
use crate::Result;
use crate::view::{Sight, View};

/// What a replay found.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// How many suggestions were proposed again.
    pub checked: u64,
    /// The first that came out differently.
    pub difference: Option<Difference>,
}

/// A suggestion that came out differently.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its trial.
    pub trial: u64,
    /// What the journal has.
    pub stored: Parameters,
    /// What was proposed again.
    pub proposed: Parameters,
}

/// A suggestion of the journal: what it was, and what its proposer was shown.
struct Suggestion<'e> {
    sight: Sight,
    parameters: &'e Parameters,
    choice: Option<&'e Choice>,
    outputs: &'e [String],
}

impl Study {
    /// Proposes every suggestion again, from the journal as it was when its trial was taken, with a fresh proposer.
    pub fn replay(&self) -> Result<Replay> {
        let events = self.desk().journal().read(0)?;
        let suggestions = suggestions(&events);
        let (mut ledger, mut view) = (self.fresh_ledger(), View::new(&self.statement));
        let mut proposer = self.fresh_proposer()?;
        let mut checked = 0;
        for (position, event) in events.iter().enumerate() {
            ledger.apply(event.clone())?;
            let Some(suggestion) = suggestions.get(&position) else {
                continue;
            };
            view.advance(&ledger, suggestion.sight);
            let offer = suggestion
                .choice
                .map(|choice| Offer::again(&self.statement, choice))
                .transpose()?;
            let queries = proposer.propose(view.offer(offer.as_ref().map(Offer::points)), 1)?;
            let proposed = match (queries.first(), &offer) {
                (Some(query), Some(offer)) => offer.parameters(offer.chosen(&query.point)?),
                (Some(query), None) => self.statement.space.decode(&query.point),
                (None, _) => Parameters::default(),
            };
            let wanted = queries.first().map(|query| self.named(&query.outputs));
            checked += 1;
            if proposed != *suggestion.parameters || wanted.as_deref() != Some(suggestion.outputs) {
                let stored = suggestion.parameters.clone();
                let difference = Difference {
                    trial: suggestion.sight.trial,
                    stored,
                    proposed,
                };
                return Ok(Replay {
                    checked,
                    difference: Some(difference),
                });
            }
        }
        Ok(Replay {
            checked,
            difference: None,
        })
    }
}

/// The suggestions by the position of the event that began them: the last by which their trial was taken.
fn suggestions(events: &[Event]) -> BTreeMap<usize, Suggestion<'_>> {
    let mut taken = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (position, event) in events.iter().enumerate() {
        match event {
            Event::Reserved { trial, .. } | Event::Adopted { trial, .. } => {
                taken.insert(*trial, position);
            }
            Event::Asked {
                trial,
                parameters,
                horizon,
                choice,
                outputs,
                ..
            } => {
                let choice = choice.as_ref();
                let sight = Sight {
                    trial: *trial,
                    horizon: *horizon,
                };
                let suggestion = Suggestion {
                    sight,
                    parameters,
                    choice,
                    outputs,
                };
                found.extend(taken.get(trial).map(|position| (*position, suggestion)));
            }
            _ => {}
        }
    }
    found
}
