//! `go-ucb`: optimism over the weights of a network.
//!
//! Asks for one objective on any space. Suits problems that a small network can represent, in many dimensions and with few
//! evaluations: what is learnt is learnt of the weights, and a handful of these say something everywhere.
//!
//! C. Liu, Y.-X. Wang, *Global Optimization with Parametric Function Approximation* (ICML 2023).
//!
//! Follows the paper's Algorithm 1: uniform points and least squares, then rounds that update the estimate in closed form
//! (eq. 3 and 5) and evaluate the best point for any weights of the ellipsoid (eq. 6). The paper's experiments replace both
//! searches by gradient steps of 1e-11 and 1e-4, which hardly move, and so hide that their `β_t = d_w³F⁴t/T` makes an ellipsoid
//! in which anything is possible. Here least squares are solved (Levenberg and Marquardt, several starts), the search over points
//! and weights is carried out with projection, and `β` is a number of posterior deviations. Three more departures can be
//! turned back: the first points narrow the ellipsoid too (`founded`), the first estimate is made anew of all observations
//! whenever these have grown by a quarter (`growth`), and a search that does reach the optimum of a network that knows little is
//! kept near the best observation after it has failed (`region`); the paper's steps kept it near by being small. `GoUcb::paper`
//! has the paper's constants.

use std::sync::Arc;

use hilltop_acquire::{Design, Layout, Optimism, Radius, maximiser};
use hilltop_core::{Proposer, Result, Space};
use hilltop_nn::{Activation, Parameterisation};
use hilltop_surrogate::Regression;
use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::transform::Transform;
use crate::trust::Trust;

/// The settings of `go-ucb`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GoUcb {
    /// Units a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers.
    pub activation: Activation,
    /// Factors and initial weights.
    pub parameterisation: Parameterisation,
    /// What the ends of a parameter's range are to the network: `−scale` and `scale`.
    pub scale: f64,
    /// The squared radius of the ellipsoid.
    pub beta: Radius,
    /// `λ`: the ellipsoid's regulariser, in units of standardised values.
    pub lambda: f64,
    /// What distance from the initial weights costs the first estimate.
    pub penalty: f64,
    /// Whether the first points narrow the ellipsoid.
    pub founded: bool,
    /// The first estimate is made anew when observations have grown by this factor; never where it is 1.
    pub growth: f64,
    /// From how many initial weights least squares are sought.
    pub restarts: usize,
    /// Steps of the search over weights at a point.
    pub steps: usize,
    /// The first phase.
    pub design: Design,
    /// What is done to the objective's values first.
    pub transform: Transform,
    /// How far from the best observation points are sought, or `"whole"`.
    pub region: Region,
    /// How the best point is found.
    pub maximiser: maximiser::Kind,
}

/// Where points are sought.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Region {
    /// Everywhere, as in the paper.
    Whole,
    /// In a trust region around the best observation.
    Trust(Trust),
}

impl Region {
    fn trust(self) -> Option<Trust> {
        match self {
            Self::Whole => None,
            Self::Trust(trust) => Some(trust),
        }
    }
}

impl Default for GoUcb {
    fn default() -> Self {
        let Regression {
            width,
            depth,
            activation,
            parameterisation,
            scale,
            lambda,
            penalty,
            founded,
            growth,
            restarts,
            ..
        } = Regression::default();
        let Optimism { beta, steps } = Optimism::default();
        Self {
            width,
            depth,
            activation,
            parameterisation,
            scale,
            beta,
            lambda,
            penalty,
            founded,
            growth,
            restarts,
            steps,
            design: Design {
                kind: Layout::Uniform,
                count: None,
            },
            transform: Transform::None,
            region: Region::Trust(Trust::default()),
            maximiser: maximiser::Kind::default(),
        }
    }
}

impl GoUcb {
    /// The constants of the paper's experiments for a horizon of `T` rounds: `n = √T`, `λ = √T log² T`,
    /// `β_t = d_w³ F⁴ t / T` with `F = 1`.
    pub fn paper(horizon: u64) -> Self {
        let rounds = horizon.max(2) as f64;
        Self {
            beta: Radius::Paper { bound: 1.0, horizon },
            lambda: rounds.sqrt() * rounds.ln().powi(2),
            penalty: 0.0,
            founded: false,
            growth: 1.0,
            region: Region::Whole,
            design: Design {
                kind: Layout::Uniform,
                count: Some(rounds.sqrt().ceil() as usize),
            },
            ..Self::default()
        }
    }

    fn surrogate(&self, space: &Space) -> Regression {
        Regression {
            width: self.width,
            depth: self.depth,
            activation: self.activation,
            parameterisation: self.parameterisation,
            scale: self.scale,
            first: self.design.count(space).max(1),
            growth: self.growth,
            founded: self.founded,
            lambda: self.lambda,
            penalty: self.penalty,
            restarts: self.restarts,
            ..Regression::default()
        }
    }

    pub(crate) fn build(&self, space: &Space) -> Result<Box<dyn Proposer>> {
        let surrogate = self.surrogate(space);
        surrogate.check()?;
        let acquisition = Arc::new(Optimism {
            beta: self.beta,
            steps: self.steps,
        });
        let maximiser = Arc::new(self.maximiser);
        let region = self.region.trust();
        region.iter().try_for_each(Trust::check)?;
        let composite = Composite::new(self.design, self.transform, Arc::new(surrogate), acquisition, maximiser)?;
        Ok(Box::new(composite.within(region)))
    }
}
