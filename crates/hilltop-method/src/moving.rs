//! A network whose features move, with an acquisition: what `neural-ucb` and `neural-ts` share.

use std::sync::Arc;

use hilltop_acquire::{Design, maximiser};
use hilltop_core::{Acquisition, History, Limit, Model, Proposer, Query, Result};
use hilltop_surrogate::Accumulated;

use crate::composite::Composite;
use crate::transform::Transform;

/// `λ` where they are exact: that of `NeuralBO`'s experiments.
const EXACT: f64 = 0.01;

/// What the defaults depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occasion {
    /// Whether observations are noisy.
    pub(crate) noisy: bool,
    /// The features of an arm, where what is proposed is one of the arms given with the ask.
    pub(crate) features: Option<usize>,
}

/// The proposer: a composite whose defaults suit the occasion, made when that is known.
pub(crate) struct Moving {
    pub(crate) design: Design,
    pub(crate) surrogate: Accumulated,
    /// What is worth evaluating.
    pub(crate) acquisition: Box<dyn Fn(Occasion) -> Arc<dyn Acquisition> + Send>,
    pub(crate) maximiser: maximiser::Kind,
    pub(crate) composite: Option<(Occasion, Composite)>,
}

impl Moving {
    /// Checks the settings.
    pub(crate) fn build(self) -> Result<Box<dyn Proposer>> {
        for features in [None, Some(1)] {
            self.compose(Occasion { noisy: true, features })?;
        }
        Ok(Box::new(self))
    }

    fn compose(&self, occasion: Occasion) -> Result<Composite> {
        let mut surrogate = self.surrogate.clone();
        if let Some(features) = occasion.features {
            surrogate = surrogate.among_arms(features);
        }
        if !occasion.noisy {
            surrogate.regularisation.get_or_insert(EXACT);
        }
        surrogate.check()?;
        let (acquisition, maximiser) = ((self.acquisition)(occasion), Arc::new(self.maximiser));
        Composite::new(
            self.design,
            Transform::None,
            Arc::new(surrogate),
            acquisition,
            maximiser,
        )
    }

    fn composite(&mut self, history: &History) -> Result<&mut Composite> {
        let occasion = Occasion {
            noisy: history.is_noisy(),
            features: history.is_among_arms().then(|| history.space().dim()),
        };
        let kept = self.composite.take().filter(|(known, _)| *known == occasion);
        let composite = match kept {
            Some(kept) => kept,
            None => (occasion, self.compose(occasion)?),
        };
        Ok(&mut self.composite.insert(composite).1)
    }
}

impl Proposer for Moving {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        self.composite(history)?.propose(history, count)
    }

    fn at_once(&self, history: &History) -> usize {
        self.composite
            .as_ref()
            .map_or(1, |(_, composite)| composite.at_once(history))
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
