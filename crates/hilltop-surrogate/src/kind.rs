//! Surrogates by name, as a recipe has them.

use std::sync::Arc;

use hilltop_core::{Capabilities, Evidence, Model, Previous, Result, Surrogate, named};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::{Accumulated, Dngo, Linear, Ntk, Perturbed, Regression, Sto, sto};

/// Any surrogate, as a recipe names it: `"dngo"`, or a table with its settings, `{ name = "sto-bnts", width = 64 }`.
///
/// A table without a name describes the tangent kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "name", rename_all = "kebab-case")]
pub enum Kind {
    /// The tangent kernel of wide networks.
    Ntk(Ntk),
    /// Trained networks with an added tangent term.
    StoBnts(Sto),
    /// Trained linear models of tangent features.
    #[serde(deserialize_with = "linear")]
    StoBntsLinear(Sto),
    /// Trained networks.
    #[serde(deserialize_with = "plain")]
    DeepEnsemble(Sto),
    /// A trained network with the gradients of every round.
    Accumulated(Accumulated),
    /// A network whose weights are known up to an ellipsoid.
    Parametric(Regression),
    /// A network with a Bayesian linear head.
    Dngo(Dngo),
    /// Networks trained on perturbed targets.
    Perturbed(Perturbed),
    /// A linear model.
    Linear(Linear),
}

/// What a table without a name describes.
const UNNAMED: &str = "ntk";

fn linear<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sto, D::Error> {
    let kind = sto::Kind::Linear;
    Sto::deserialize(deserializer).map(|sto| Sto { kind, ..sto })
}

fn plain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sto, D::Error> {
    let kind = sto::Kind::Plain;
    Sto::deserialize(deserializer).map(|sto| Sto { kind, ..sto })
}

impl Default for Kind {
    fn default() -> Self {
        Self::Ntk(Ntk::default())
    }
}

impl From<Ntk> for Kind {
    fn from(ntk: Ntk) -> Self {
        Self::Ntk(ntk)
    }
}

impl Kind {
    /// The surrogate it names.
    pub fn role(&self) -> &dyn Surrogate {
        match self {
            Self::Ntk(role) => role,
            Self::StoBnts(role) | Self::StoBntsLinear(role) | Self::DeepEnsemble(role) => role,
            Self::Accumulated(role) => role,
            Self::Parametric(role) => role,
            Self::Dngo(role) => role,
            Self::Perturbed(role) => role,
            Self::Linear(role) => role,
        }
    }

    /// Whether such a surrogate can be built.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Ntk(role) => role.check(),
            Self::StoBnts(role) | Self::StoBntsLinear(role) | Self::DeepEnsemble(role) => role.check(),
            Self::Accumulated(role) => role.check(),
            Self::Parametric(role) => role.check(),
            Self::Dngo(role) => role.check(),
            Self::Perturbed(role) => role.check(),
            Self::Linear(role) => role.check(),
        }
    }
}

impl Surrogate for Kind {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.role().fit(evidence, previous)
    }

    fn capabilities(&self) -> Capabilities {
        self.role().capabilities()
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        named::deserialize(deserializer, "a surrogate")
    }
}

impl<'de> named::Table<'de> for Kind {
    fn table<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut table = Map::deserialize(deserializer)?;
        table.entry("name").or_insert_with(|| UNNAMED.into());
        Self::deserialize(Value::Object(table)).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ALL: [&str; 9] = [
        "ntk",
        "sto-bnts",
        "sto-bnts-linear",
        "deep-ensemble",
        "accumulated",
        "parametric",
        "dngo",
        "perturbed",
        "linear",
    ];

    fn parse(text: &str) -> Result<Kind, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn every_surrogate_is_known_by_name_says_its_own_and_survives_being_written() {
        for name in ALL {
            let kind = parse(&format!("\"{name}\"")).unwrap();
            assert_eq!(kind.capabilities().name, name);
            assert!(kind.check().is_ok(), "{name}");
            let text = serde_json::to_string(&kind).unwrap();
            assert_eq!(parse(&text).unwrap(), kind, "{text}");
        }
    }

    #[test]
    fn a_table_without_a_name_is_the_tangent_kernel() {
        let expected = Ntk {
            depth: 2,
            ..Ntk::default()
        };
        assert_eq!(parse(r#"{"depth": 2}"#).unwrap(), expected.into());
    }

    #[test]
    fn what_is_wrong_is_named_with_what_there_is() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        let unknown = message("\"sto\"");
        assert!(ALL.iter().all(|name| unknown.contains(name)), "{unknown}");
        assert!(message(r#"{"name": "dngo", "widht": 3}"#).contains("widht"));
        assert!(message(r#"{"name": "sto-bnts", "kind": "plain"}"#).contains("kind"));
        assert!(message("3").contains("a surrogate"));
    }
}
