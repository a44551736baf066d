//! `deep-ensemble`: every point trains a network of its own and goes to its minimum.
//!
//! Asks for one objective on any space. What `sto-bnts` is without its added tangent term: networks that differ by their initial
//! weights alone, and agree too much where nothing was observed. A baseline of the paper below.
//!
//! B. Lakshminarayanan, A. Pritzel, C. Blundell, *Simple and Scalable Predictive Uncertainty Estimation using Deep Ensembles*, NIPS 2017; as the
//! reduced version of STO-BNTS in Z. Dai et al., `NeurIPS` 2022.
//!
//! Follows the second in everything but what `sto-bnts` departs in. Members of the first see the targets as they are: `perturb = false`.

use hilltop_core::{Proposer, Result, Space};
use hilltop_surrogate::sto::Kind;
use serde::{Deserialize, Serialize};

use crate::sto_bnts::StoBnts;

/// The settings of `deep-ensemble`: those of `sto-bnts`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeepEnsemble(pub StoBnts);

impl DeepEnsemble {
    /// The paper's experiments, as [`StoBnts::paper`].
    pub fn paper() -> Self {
        Self(StoBnts::paper())
    }

    pub(crate) fn build(&self, space: &Space) -> Result<Box<dyn Proposer>> {
        self.0.build_kind(Kind::Plain, space)
    }
}
