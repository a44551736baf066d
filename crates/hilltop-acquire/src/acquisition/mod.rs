//! What is worth evaluating: descriptions that become scores when they are bound to a model.
//!
//! Everything is stated for minimisation: an improvement is `incumbent - f(x)`. A score is maximised.

mod ei;
mod ellipsoid;
mod entropy;
mod envelope;
mod improvement;
mod incumbent;
mod knowledge;
mod knowledge_gradient;
mod marginal;
mod mean;
mod minimum;
mod optimism;
mod path;
mod pi;
mod pointwise;
mod radius;
mod schedule;
mod ucb;

use std::sync::Arc;

use hilltop_core::{Acquisition, Capabilities, Context, Models, Result, Rng, Score};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use ei::{Ei, Expected, LogEi, LogExpected};
pub use entropy::{MaxValueEntropy, Minima};
pub use improvement::{Improvement, Measure};
pub use incumbent::Incumbent;
pub(crate) use incumbent::{lowest, spread};
pub use knowledge_gradient::KnowledgeGradient;
pub(crate) use marginal::middle;
pub use mean::Mean;
pub use optimism::Optimism;
pub use path::Path;
pub use pi::{LogPi, LogProbable, Pi, Probable};
pub use pointwise::Pointwise;
pub use radius::Radius;
pub use schedule::Schedule;
pub use ucb::Ucb;

use crate::named;

/// Any acquisition, as a recipe names it: `"log-ei"`, or a table with its settings,
/// `{ name = "ucb", beta = { name = "constant", value = 4.0 } }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "name", rename_all = "kebab-case")]
pub enum Kind {
    /// Expected improvement.
    Ei(Ei),
    /// Its logarithm.
    LogEi(LogEi),
    /// Probability of improvement.
    Pi(Pi),
    /// Its logarithm.
    LogPi(LogPi),
    /// Confidence bound.
    Ucb(Ucb),
    /// Greedy.
    Mean(Mean),
    /// An independent draw a point.
    Pointwise(Pointwise),
    /// One drawn function.
    Path(Path),
    /// What is learnt of the minimum's value.
    MaxValueEntropy(MaxValueEntropy),
    /// What the best mean gains.
    KnowledgeGradient(KnowledgeGradient),
    /// The best for plausible weights.
    Optimism(Optimism),
}

impl Kind {
    /// The acquisition it names.
    pub fn role(&self) -> &dyn Acquisition {
        match self {
            Self::Ei(role) => role,
            Self::LogEi(role) => role,
            Self::Pi(role) => role,
            Self::LogPi(role) => role,
            Self::Ucb(role) => role,
            Self::Mean(role) => role,
            Self::Pointwise(role) => role,
            Self::Path(role) => role,
            Self::MaxValueEntropy(role) => role,
            Self::KnowledgeGradient(role) => role,
            Self::Optimism(role) => role,
        }
    }
}

impl Acquisition for Kind {
    fn bind(&self, models: &Models, context: &Context<'_>, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        self.role().bind(models, context, rng)
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        self.role().check(capabilities)
    }

    fn is_smooth(&self) -> bool {
        self.role().is_smooth()
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        named::deserialize(deserializer, "an acquisition")
    }
}

impl<'de> named::Table<'de> for Kind {
    fn table<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

/// Refuses a model that lacks what an acquisition needs, naming both and what there is instead.
fn require(asker: &'static str, needed: &'static str, met: bool, capabilities: Capabilities) -> Result<()> {
    if met {
        return Ok(());
    }
    let offered = match (capabilities.marginals, capabilities.paths, capabilities.weights) {
        (true, true, true) => "marginals, paths and weights",
        (true, true, false) => "marginals and paths",
        (true, false, true) => "marginals and weights",
        (true, false, false) => "marginals",
        (false, true, true) => "paths and weights",
        (false, true, false) => "paths",
        (false, false, true) => "weights",
        (false, false, false) => "neither marginals nor paths",
    };
    Err(hilltop_core::Error::Incapable {
        asker,
        needed,
        model: capabilities.name,
        offered,
    })
}

/// The error of a number that is too small.
fn refused(setting: &str, value: usize, allowed: &str) -> hilltop_core::Error {
    let (setting, value) = (setting.to_owned(), value.to_string());
    hilltop_core::Error::Setting {
        setting,
        value,
        allowed: allowed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ALL: [&str; 11] = [
        "ei",
        "log-ei",
        "pi",
        "log-pi",
        "ucb",
        "mean",
        "pointwise",
        "path",
        "max-value-entropy",
        "knowledge-gradient",
        "optimism",
    ];

    fn parse(text: &str) -> Result<Kind, serde_json::Error> {
        serde_json::from_str(text)
    }

    fn offering(marginals: bool, paths: bool) -> Capabilities {
        Capabilities {
            name: "sto-bnts",
            marginals,
            paths,
            weights: marginals && paths,
            information: marginals,
            smooth: true,
        }
    }

    #[test]
    fn every_acquisition_is_known_by_name_and_survives_being_written() {
        for name in ALL {
            let kind = parse(&format!("\"{name}\"")).unwrap();
            let text = serde_json::to_string(&kind).unwrap();
            assert!(text.contains(&format!("\"name\":\"{name}\"")), "{text}");
            assert_eq!(parse(&text).unwrap(), kind);
        }
    }

    #[test]
    fn unknown_names_and_settings_are_refused_with_what_there_is() {
        let unknown = parse("\"eii\"").unwrap_err().to_string();
        assert!(unknown.contains("log-ei") && unknown.contains("pointwise"), "{unknown}");
        let setting = parse(r#"{"name": "ei", "betta": 3}"#).unwrap_err().to_string();
        assert!(setting.contains("betta") && setting.contains("incumbent"), "{setting}");
        assert!(parse("3").unwrap_err().to_string().contains("an acquisition"));
    }

    #[test]
    fn an_acquisition_refuses_a_model_that_lacks_what_it_needs_by_name() {
        let ei = Kind::Ei(Ei::default());
        assert_eq!(
            ei.check(offering(false, true)).unwrap_err().to_string(),
            "ei needs marginals; sto-bnts has paths"
        );
        let path = Kind::Path(Path::default());
        assert_eq!(
            path.check(offering(true, false)).unwrap_err().to_string(),
            "path needs paths; sto-bnts has marginals"
        );
        for name in ["max-value-entropy", "knowledge-gradient"] {
            let kind = parse(&format!("\"{name}\"")).unwrap();
            for (marginals, paths, offered) in [(true, false, "marginals"), (false, true, "paths")] {
                let expected = format!("{name} needs marginals and paths; sto-bnts has {offered}");
                assert_eq!(
                    kind.check(offering(marginals, paths)).unwrap_err().to_string(),
                    expected
                );
            }
        }
        for name in ALL {
            assert!(
                parse(&format!("\"{name}\""))
                    .unwrap()
                    .check(offering(true, true))
                    .is_ok()
            );
            assert!(
                parse(&format!("\"{name}\""))
                    .unwrap()
                    .check(offering(false, false))
                    .is_err()
            );
        }
    }
}
