//! The initial phase that the theory of STO-BNTS asks for: uncertainty sampling.
//!
//! Each point is where the posterior deviation of the method's own process, in the wide limit, is largest given all points so
//! far, whether their values are known or not. Where scales are fitted they follow the values that have come in.

use std::sync::Arc;

use faer::{MatMut, MatRef};
use hilltop_acquire::{Design, maximiser};
use hilltop_core::{
    Bounds, Context, History, Maximiser, Model, Previous, Query, Result, Score, SmoothScore, Surrogate,
};
use hilltop_surrogate::Ntk;
use serde::{Deserialize, Serialize};

use crate::composite::{believed, evidence};

/// How a study begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opening {
    /// With the points of the design.
    #[default]
    Design,
    /// With as many points as the design has, each where the deviation is largest.
    Uncertainty,
}

/// Uncertainty sampling for as many trials as a design has.
pub(crate) struct Uncertainty {
    process: Ntk,
    design: Design,
    maximiser: maximiser::Kind,
}

impl Uncertainty {
    pub(crate) fn new(process: Ntk, design: Design, maximiser: maximiser::Kind) -> Self {
        Self {
            process,
            design,
            maximiser,
        }
    }

    /// The point for the next trial, while the phase lasts.
    pub(crate) fn propose(&self, history: &History) -> Result<Option<Query>> {
        let trial = history.next_trial();
        if trial >= self.design.count(history.space()) as u64 && history.len() >= 2 {
            return Ok(None);
        }
        if trial == 0 {
            return self
                .design
                .propose(history, trial)
                .map(|point| Some(Query::from(point)));
        }
        let evidence = evidence(history, history.objective());
        let previous = Previous {
            model: None,
            memory: history.memory(),
        };
        let model = self.process.fit(&evidence, previous)?;
        let score = Deviation(believed(model, history)?);
        let bounds = Bounds::unit(history.space().dim());
        let context = Context::new(history, evidence, &bounds);
        let point = self.maximiser.maximise(&score, &context, &mut history.rng(trial))?;
        Ok(Some(Query::from(point)))
    }
}

/// A model's deviation as a score.
struct Deviation(Arc<dyn Model>);

impl Score for Deviation {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        match self.0.marginals() {
            Some(marginals) => out.copy_from_slice(&marginals.beliefs(points).deviation),
            None => out.fill(f64::NAN),
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        Some(self)
    }
}

impl SmoothScore for Deviation {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        match self.0.marginals().and_then(|marginals| marginals.slopes(points)) {
            Some(slopes) => {
                values.copy_from_slice(&slopes.beliefs.deviation);
                gradients.copy_from(&slopes.deviation);
            }
            None => values.fill(f64::NAN),
        }
    }
}
