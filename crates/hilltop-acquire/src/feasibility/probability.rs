//! Weighing: the score times the probability that every limit is kept, added in logarithms.
//!
//! With log expected improvement this is constrained expected improvement (Schonlau, 1997; Gardner et al., 2014). While
//! nothing is known to keep the limits there is nothing to improve on, and the probability alone counts.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Context, Error, Feasibility, Models, Result, Rng, Score, SmoothScore};
use serde::{Deserialize, Serialize};

use super::odds::Chance;
use super::seeks;
use crate::acquisition::{middle, spread};

/// The probability of keeping all limits as a factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Probability {}

impl Feasibility for Probability {
    fn apply(
        &self,
        score: Arc<dyn Score>,
        models: &Models,
        context: &Context<'_>,
        _rng: &mut Rng,
    ) -> Result<Arc<dyn Score>> {
        if models.limits.is_empty() {
            return Ok(score);
        }
        if !score.is_logarithmic() {
            return Err(Error::Incapable {
                asker: "probability",
                needed: "a logarithmic score, such as log-ei",
                model: "the acquisition",
                offered: "another",
            });
        }
        let chance = Chance::of("probability", &models.limits, &middle(context))?;
        if seeks(context) {
            return Ok(Arc::new(chance));
        }
        let floor = (NOTHING * spread(context.evidence.values)).ln();
        Ok(Arc::new(Product { score, chance, floor }))
    }
}

/// An improvement by less than this share of the values' deviation is none.
const NOTHING: f64 = 1e-6;

/// The sum of two logarithms.
///
/// Where a model is certain that nothing improves, the logarithm of that falls without end, faster than that of any
/// probability: certain failures would seem the lesser evil. Below an improvement that is none it falls by its own
/// logarithm only.
struct Product {
    score: Arc<dyn Score>,
    chance: Chance,
    floor: f64,
}

impl Product {
    /// The score as it counts, and the slope of that.
    fn counted(&self, score: f64) -> (f64, f64) {
        let below = self.floor - score;
        if below > 0.0 {
            (self.floor - below.ln_1p(), 1.0 / (1.0 + below))
        } else {
            (score, 1.0)
        }
    }
}

impl Score for Product {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        self.score.values(points, out);
        let mut chance = vec![0.0; out.len()];
        self.chance.values(points, &mut chance);
        out.iter_mut()
            .zip(chance)
            .for_each(|(out, chance)| *out = self.counted(*out).0 + chance);
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        let both = self.score.smooth().is_some() && self.chance.smooth().is_some();
        both.then_some(self)
    }

    fn is_logarithmic(&self) -> bool {
        true
    }
}

impl SmoothScore for Product {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let Some(score) = self.score.smooth() else {
            return values.fill(f64::NAN);
        };
        score.values_and_gradients(points, values, gradients.as_mut());
        let (mut chance, mut slopes) = (vec![0.0; values.len()], Mat::zeros(points.nrows(), points.ncols()));
        self.chance.values_and_gradients(points, &mut chance, slopes.as_mut());
        for row in 0..points.nrows() {
            let (counted, slope) = self.counted(values[row]);
            values[row] = counted + chance[row];
            for axis in 0..points.ncols() {
                gradients[(row, axis)] = slope * gradients[(row, axis)] + slopes[(row, axis)];
            }
        }
    }
}
