//! A network whose features move, with an acquisition: what `neural-ucb` and `neural-ts` share.

use std::sync::Arc;

use hilltop_acquire::{Design, maximiser};
use hilltop_core::{Acquisition, History, Limit, Model, Proposer, Query, Result};
use hilltop_surrogate::Accumulated;

use crate::composite::Composite;
use crate::transform::Transform;

/// `λ` where they are exact: that of `NeuralBO`'s experiments.
const EXACT: f64 = 0.01;

/// The proposer: a composite for noisy studies and one for exact ones, made when it is known which the study is.
pub(crate) struct Moving {
    pub(crate) design: Design,
    pub(crate) surrogate: Accumulated,
    /// What is worth evaluating, in a noisy study or in an exact one.
    pub(crate) acquisition: Box<dyn Fn(bool) -> Arc<dyn Acquisition> + Send>,
    pub(crate) maximiser: maximiser::Kind,
    pub(crate) composite: Option<Composite>,
}

impl Moving {
    /// Checks the settings.
    pub(crate) fn build(self) -> Result<Box<dyn Proposer>> {
        self.compose(true).map(drop)?;
        Ok(Box::new(self))
    }

    fn compose(&self, noisy: bool) -> Result<Composite> {
        let mut surrogate = self.surrogate.clone();
        if !noisy {
            surrogate.regularisation.get_or_insert(EXACT);
        }
        surrogate.check()?;
        let (acquisition, maximiser) = ((self.acquisition)(noisy), Arc::new(self.maximiser));
        Composite::new(
            self.design,
            Transform::None,
            Arc::new(surrogate),
            acquisition,
            maximiser,
        )
    }

    fn composite(&mut self, history: &History) -> Result<&mut Composite> {
        let composite = match self.composite.take() {
            Some(composite) => composite,
            None => self.compose(history.is_noisy())?,
        };
        Ok(self.composite.insert(composite))
    }
}

impl Proposer for Moving {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        self.composite(history)?.propose(history, count)
    }

    fn at_once(&self, history: &History) -> usize {
        self.composite
            .as_ref()
            .map_or(1, |composite| composite.at_once(history))
    }

    fn chooses(&self) -> bool {
        true
    }

    fn model(&mut self, history: &History) -> Result<Option<Arc<dyn Model>>> {
        self.composite(history)?.model(history)
    }

    fn limits(&mut self, history: &History) -> Result<Vec<Limit>> {
        self.composite(history)?.limits(history)
    }
}
