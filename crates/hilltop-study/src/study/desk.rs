//! The journal and what is known of it: everything that is written passes here.

use std::sync::Arc;

use hilltop_core::{Event, FORMAT, History, Journal, JournalError};

use crate::ledger::Ledger;
use crate::statement::Statement;
use crate::view::{Sight, View};
use crate::{Error, Result};

/// A journal with its fold.
pub(super) struct Desk {
    journal: Box<dyn Journal>,
    ledger: Ledger,
    overview: View,
}

impl Desk {
    /// Reads a journal, or begins it. A stored study must be known to be the stated one before its points are read as
    /// points of the stated space.
    pub(super) fn open(journal: Box<dyn Journal>, statement: &Statement) -> Result<Self> {
        let ledger = Ledger::new(Arc::clone(&statement.space), Arc::clone(&statement.outputs));
        let mut desk = Self {
            journal,
            ledger,
            overview: View::new(statement),
        };
        let mut stored = desk.journal.read(0)?.into_iter();
        match stored.next() {
            Some(first) => desk.ledger.apply(first)?,
            None => return desk.begin(statement),
        }
        verify(&desk.ledger, statement)?;
        stored.try_for_each(|event| desk.ledger.apply(event))?;
        Ok(desk)
    }

    fn begin(mut self, statement: &Statement) -> Result<Self> {
        let created = Event::Created {
            format: FORMAT,
            study: statement.description(),
        };
        match self.journal.append(0, std::slice::from_ref(&created)) {
            Ok(()) => self.ledger.apply(created)?,
            Err(JournalError::Conflict { .. }) => return Self::open(self.journal, statement),
            Err(error) => return Err(error.into()),
        }
        Ok(self)
    }

    pub(super) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Everything told so far, in the order told.
    pub(super) fn overview(&mut self) -> &History {
        self.overview.advance(
            &self.ledger,
            Sight {
                trial: self.ledger.next(),
                horizon: None,
            },
        )
    }

    pub(super) fn journal(&mut self) -> &mut dyn Journal {
        &mut *self.journal
    }

    /// Reads what others have written.
    pub(super) fn catch_up(&mut self) -> Result<()> {
        let news = self.journal.read(self.ledger.position())?;
        news.into_iter().try_for_each(|event| self.ledger.apply(event))
    }

    /// Writes what `decide` makes of the latest state. When others were quicker it decides anew; when it has nothing
    /// to write, nothing happens.
    pub(super) fn write(&mut self, mut decide: impl FnMut(&Ledger) -> Result<Vec<Event>>) -> Result<()> {
        loop {
            self.catch_up()?;
            let events = decide(&self.ledger)?;
            if events.is_empty() {
                return Ok(());
            }
            match self.journal.append(self.ledger.position(), &events) {
                Ok(()) => return events.into_iter().try_for_each(|event| self.ledger.apply(event)),
                Err(JournalError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn verify(ledger: &Ledger, statement: &Statement) -> Result<()> {
    let differences = ledger
        .description()
        .map(|stored| statement.differences(stored))
        .unwrap_or_default();
    if differences.is_empty() {
        Ok(())
    } else {
        Err(Error::Mismatch { differences })
    }
}
