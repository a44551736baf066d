//! A model of bent coordinates as one of the points' own.

use std::any::Any;
use std::sync::Arc;

use faer::{MatMut, MatRef};
use hilltop_core::{Beliefs, HeldOut, Marginals, Model, Paths, Result, Rng, Score, Slopes, SmoothScore};

use super::{Bends, Chosen, Memory};

/// A model in bent coordinates, and the bends.
pub(super) struct BentModel {
    pub(super) inner: Arc<dyn Model>,
    pub(super) chosen: Chosen,
}

impl Model for BentModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        self.inner.marginals().map(|_| self as &dyn Marginals)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        self.inner.paths().map(|_| self as &dyn Paths)
    }

    fn believe(&self, pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        let chosen = self.chosen.clone();
        let believed = self.inner.believe(chosen.bends.all_inward(pending).as_ref())?;
        Some(believed.map(|inner| Arc::new(Self { inner, chosen }) as Arc<dyn Model>))
    }

    fn information(&self) -> Option<f64> {
        self.inner.information()
    }

    fn memory(&self) -> Option<serde_json::Value> {
        let memory = Memory {
            chosen: self.chosen.clone(),
            inner: self.inner.memory(),
        };
        serde_json::to_value(memory).ok()
    }

    fn scales(&self) -> Option<&[f64]> {
        self.inner.scales()
    }

    fn held_out(&self) -> Vec<HeldOut> {
        self.inner.held_out()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Marginals for BentModel {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let bent = self.chosen.bends.all_inward(points);
        let known = self.inner.marginals().map(|known| known.beliefs(bent.as_ref()));
        known.unwrap_or_else(|| Beliefs {
            mean: vec![f64::NAN; points.nrows()],
            deviation: vec![f64::NAN; points.nrows()],
        })
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let bends = &self.chosen.bends;
        let mut slopes = self.inner.marginals()?.slopes(bends.all_inward(points).as_ref())?;
        bends.pull_back(points, slopes.mean.as_mut());
        bends.pull_back(points, slopes.deviation.as_mut());
        Some(slopes)
    }

    fn noise(&self) -> f64 {
        self.inner.marginals().map_or(0.0, Marginals::noise)
    }
}

impl Paths for BentModel {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let paths = self.inner.paths().ok_or(hilltop_core::Error::Incapable {
            asker: "a draw",
            needed: "functions",
            model: "the model in bent coordinates",
            offered: "none",
        })?;
        let inner = paths.draw(spread, rng)?;
        let bends = self.chosen.bends.clone();
        Ok(Arc::new(BentPath { inner, bends }))
    }
}

/// A function drawn in bent coordinates.
struct BentPath {
    inner: Arc<dyn Score>,
    bends: Bends,
}

impl Score for BentPath {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        self.inner.values(self.bends.all_inward(points).as_ref(), out);
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        self.inner.smooth().map(|_| self as &dyn SmoothScore)
    }
}

impl SmoothScore for BentPath {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let Some(inner) = self.inner.smooth() else { return };
        let bent = self.bends.all_inward(points);
        inner.values_and_gradients(bent.as_ref(), values, gradients.as_mut());
        self.bends.pull_back(points, gradients);
    }
}
