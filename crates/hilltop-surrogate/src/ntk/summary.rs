//! When observations are too many, and what then stands for them.

use std::sync::Arc;

use faer::Mat;
use hilltop_core::Result;

use super::{Features, Ntk};
use crate::process::{Condition, Exact, Fitted, Kernel, Landmark, Selected};

/// What stands for the observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Summary {
    /// They themselves.
    None,
    /// Some of them: there is little noise.
    Selection,
    /// Landmarks: there is noise to average over.
    Landmarks,
}

/// A selection is made anew after so many observations.
const ROUND: usize = 128;

/// From this noise variance on landmarks are closer to the exact posterior than a selection.
const NOISY: f64 = 3e-4;

impl Ntk {
    /// What stands for so many observations.
    fn summary(&self, count: usize, noise: f64) -> Summary {
        match (count <= self.exact_limit, noise < NOISY) {
            (true, _) => Summary::None,
            (false, true) => Summary::Selection,
            (false, false) => Summary::Landmarks,
        }
    }

    /// What the first observations explain of a kernel, through what stands for so many.
    pub(crate) fn condition(
        &self,
        kernel: Arc<dyn Kernel>,
        head: Mat<f64>,
        values: &[f64],
        noise: f64,
        shares: &[f64],
    ) -> Result<Box<dyn Condition>> {
        Ok(match self.summary(head.nrows(), noise) {
            Summary::None => Box::new(Exact::uneven(kernel, head, noise, shares.to_vec())?),
            Summary::Landmarks => Box::new(Landmark::uneven(&kernel, head, values, noise, shares, self.landmarks)?),
            Summary::Selection => {
                let count = self.selection();
                Box::new(Selected::new(kernel, head.as_ref(), values, noise, shares, count)?)
            }
        })
    }

    /// How many observations a selection starts with, so that it ends with no more than are treated exactly.
    fn selection(&self) -> usize {
        self.exact_limit.saturating_sub(ROUND).max(self.exact_limit / 2).max(2)
    }

    /// How many of the observations are conditioned on in one piece: those at the last fit of the parameters or, for a
    /// selection, at the last round after it. The others follow row by row, so that growing a model and building it
    /// anew are the same computation.
    pub(crate) fn base(&self, fitted: &Fitted, observed: usize) -> usize {
        let Some(count) = fitted.count.filter(|_| self.features == Features::Initial) else {
            return observed;
        };
        match self.summary(count, fitted.parameters.noise) {
            Summary::Selection => count + (observed - count) / ROUND * ROUND,
            _ => count,
        }
    }
}
