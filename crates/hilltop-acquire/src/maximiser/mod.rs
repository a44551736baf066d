//! How the best point of a score is found.
//!
//! Every maximiser returns a projected point within the bounds that satisfies the known constraints and, unless the
//! study is noisy, is not known already. Where the bounds hold no such point, one outside them is taken; where the whole
//! space holds none, it is exhausted.

mod ascent;
mod auto;
mod climber;
mod curvature;
mod finite;
mod gradient;
mod known;
mod local;
mod perturbation;
mod pool;
mod sweep;
mod terrain;

use hilltop_core::{Context, Maximiser, Result, Rng, Score};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use auto::Auto;
pub use finite::Finite;
pub use gradient::Gradient;
pub use known::Known;
pub(crate) use known::same;
pub use local::Local;
pub use pool::Pool;

use crate::named;

/// Any maximiser, as a recipe names it: `"gradient"`, or a table with its settings,
/// `{ name = "pool", points = 10000 }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "name", rename_all = "kebab-case")]
pub enum Kind {
    /// What fits the space and the score.
    Auto(Auto),
    /// The best of many points.
    Pool(Pool),
    /// Multi-start gradient ascent.
    Gradient(Gradient),
    /// Local search over neighbours.
    Local(Local),
    /// Exact enumeration.
    Finite(Finite),
}

impl Default for Kind {
    fn default() -> Self {
        Self::Auto(Auto::default())
    }
}

impl Kind {
    /// The maximiser it names.
    pub fn role(&self) -> &dyn Maximiser {
        match self {
            Self::Auto(role) => role,
            Self::Pool(role) => role,
            Self::Gradient(role) => role,
            Self::Local(role) => role,
            Self::Finite(role) => role,
        }
    }
}

impl Maximiser for Kind {
    fn maximise(&self, score: &dyn Score, context: &Context<'_>, rng: &mut Rng) -> Result<Vec<f64>> {
        self.role().maximise(score, context, rng)
    }

    fn needs_gradients(&self) -> bool {
        self.role().needs_gradients()
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        named::deserialize(deserializer, "a maximiser")
    }
}

impl<'de> named::Table<'de> for Kind {
    fn table<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}
