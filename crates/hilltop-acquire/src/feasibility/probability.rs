//! Weighing: the score times the probability that every limit is kept, added in logarithms.
//!
//! With log expected improvement this is constrained expected improvement (Schonlau, 1997; Gardner et al., 2014). While
//! nothing is known to keep the limits there is nothing to improve on, and the probability alone counts.

use std::sync::Arc;

use hilltop_core::{Context, Error, Feasibility, Models, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::joint::{Formula, Joint, Worth};
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
        let margin: Arc<dyn Score> = Arc::new(Chance::of("probability", &models.limits, &middle(context))?);
        if seeks(context) {
            return Ok(margin);
        }
        let floor = (NOTHING * spread(context.evidence.values)).ln();
        let formula = Product { floor };
        Ok(Arc::new(Joint { score, margin, formula }))
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
    floor: f64,
}

impl Formula for Product {
    const LOGARITHMIC: bool = true;

    fn worth(&self, score: f64, chance: f64) -> Worth {
        let below = self.floor - score;
        let (counted, by_score) = if below > 0.0 {
            (self.floor - below.ln_1p(), 1.0 / (1.0 + below))
        } else {
            (score, 1.0)
        };
        Worth {
            value: counted + chance,
            by_score,
            by_margin: 1.0,
        }
    }
}
