//! Every point of a finite space.

use hilltop_core::{Context, Error, Maximiser, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::terrain::Terrain;

/// Exact enumeration.
///
/// Where every point within the bounds is known, the best point outside is taken: only an exhausted space says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Finite {
    /// The largest number of points that is enumerated.
    pub limit: usize,
}

impl Default for Finite {
    fn default() -> Self {
        Self { limit: 100_000 }
    }
}

impl Maximiser for Finite {
    fn maximise(&self, score: &dyn Score, context: &Context<'_>, _rng: &mut Rng) -> Result<Vec<f64>> {
        let terrain = Terrain::new(context);
        let all = terrain.space.enumerate(self.limit).ok_or_else(|| Error::Setting {
            setting: "maximiser".to_owned(),
            value: "finite".to_owned(),
            allowed: format!("the space must be finite, with at most {} points", self.limit),
        })?;
        terrain.best_of_list(score, all)
    }
}
