//! `sto-bnts-linear`: batch Thompson sampling in which every point trains a linear model of its own tangent features.
//!
//! Asks for one objective on any space. The cheapest of the sample-then-optimise methods, and the one whose draws are exactly those of the
//! posterior with a network's tangent kernel, at any width.
//!
//! Z. Dai, Y. Shu, B. K. H. Low, P. Jaillet, *Sample-Then-Optimize Batch Neural Thompson Sampling*, `NeurIPS` 2022, Algorithm 2.
//!
//! Follows the paper: every draw has features of its own, `f(x;θ) = ⟨∇h(x;θ'_0), θ⟩`. Departs from it in how the loss is minimised: its
//! minimum has a closed form through the kernel of the observations (`training = { descent = … }` is gradient descent); and,
//! as `sto-bnts`, in perturbed targets, a smooth activation and fitted scales.

use hilltop_core::{Proposer, Result, Space};
use hilltop_surrogate::sto::Kind;
use serde::{Deserialize, Serialize};

use crate::sto_bnts::StoBnts;

/// The settings of `sto-bnts-linear`: those of `sto-bnts`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoBntsLinear(pub StoBnts);

impl StoBntsLinear {
    /// The paper's experiments, as [`StoBnts::paper`].
    pub fn paper() -> Self {
        Self(StoBnts::paper())
    }

    pub(crate) fn build(&self, space: &Space) -> Result<Box<dyn Proposer>> {
        self.0.build_kind(Kind::Linear, space)
    }
}
