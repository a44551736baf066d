//! Optimism over weights: the lowest value that a point has for any weights of an ellipsoid (GO-UCB, eq. 6).
//!
//! The search over `x` and `w` together is a search over `x` of a function whose value is itself a search over `w`; where that
//! has converged, the gradient in `x` is that of `f_w(x)` at the weights found (Danskin), so that any maximiser will do.

use std::sync::Arc;

use faer::{MatMut, MatRef};
use hilltop_core::{
    Acquisition, Capabilities, Context, Error, Model, Models, Parametric, Result, Rng, Score, SmoothScore,
};
use serde::{Deserialize, Serialize};

use super::ellipsoid::{Ellipsoid, Lowest};
use super::radius::Radius;

/// The best that a point can be for plausible weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Optimism {
    /// The squared radius of the ellipsoid.
    pub beta: Radius,
    /// Steps of the search over weights; after the first it is that of the function's linear part.
    pub steps: usize,
}

impl Default for Optimism {
    fn default() -> Self {
        Self {
            beta: Radius::default(),
            steps: 2,
        }
    }
}

/// Optimism bound to a model.
struct Optimistic {
    model: Arc<dyn Model>,
    beta: f64,
    steps: usize,
}

/// So many points are searched at once.
const BATCH: usize = 64;

impl Acquisition for Optimism {
    fn bind(&self, models: &Models, _context: &Context<'_>, _rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let model = Arc::clone(&models.objective);
        let beta = self.beta.value(parameters(&*model)?)?;
        Ok(Arc::new(Optimistic {
            model,
            beta,
            steps: self.steps,
        }))
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        self.beta.check()?;
        super::require("optimism", "weights", capabilities.weights, capabilities)
    }

    fn is_smooth(&self) -> bool {
        true
    }
}

fn parameters(model: &dyn Model) -> Result<&dyn Parametric> {
    let lacking = Error::Incapable {
        asker: "optimism",
        needed: "weights",
        model: "the fitted model",
        offered: "none",
    };
    model.parameters().ok_or(lacking)
}

impl Optimistic {
    /// The search at parts of the points, given to `take` with the number of the first.
    fn search(&self, points: MatRef<'_, f64>, mut take: impl FnMut(usize, MatRef<'_, f64>, &dyn Parametric, Lowest)) {
        let Some(family) = self.model.parameters() else { return };
        let ellipsoid = Ellipsoid::new(family, self.beta, self.steps);
        for start in (0..points.nrows()).step_by(BATCH) {
            let part = points.subrows(start, BATCH.min(points.nrows() - start));
            take(start, part, family, ellipsoid.lowest(part));
        }
    }
}

impl Score for Optimistic {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        self.search(points, |start, _, _, lowest| {
            for (out, value) in out[start..].iter_mut().zip(lowest.values) {
                *out = -value;
            }
        });
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        Some(self)
    }
}

impl SmoothScore for Optimistic {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        self.search(points, |start, part, family, lowest| {
            let (_, slopes) = family.point_slopes(part, lowest.weights.as_ref());
            for (row, value) in lowest.values.into_iter().enumerate() {
                values[start + row] = -value;
                (0..part.ncols()).for_each(|axis| gradients[(start + row, axis)] = -slopes[(row, axis)]);
            }
        });
    }
}
