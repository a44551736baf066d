//! `neural-ts`: Thompson sampling with a network whose features move.
//!
//! Asks for one objective, on any space or among arms given with the ask.
//!
//! W. Zhang, D. Zhou, L. Li, Q. Gu, *Neural Thompson Sampling*, ICLR 2021.
//!
//! Follows the paper (Algorithm 1): `U` gathers each round's gradient at that round's weights, and every arm gets an
//! independent normal draw (`draw = "pointwise"`). Where a space is searched instead of arms, one function is drawn by
//! default (`draw = "path"`), a direction of the weights from `N(0, λU⁻¹)`, which gradients can climb. Departs from the
//! paper in that values are standardised, and the network is trained each time the observations have grown by a share
//! instead of in every round for ever (`growth = 0` trains in every round). The authors' code keeps the diagonal of
//! `U`: `covariance = "diagonal"`.

use std::sync::Arc;

use hilltop_acquire::{Design, Path, Pointwise, maximiser};
use hilltop_core::{Acquisition, Capabilities, Context, Error, Models, Proposer, Result, Rng, Score};
use hilltop_surrogate::Accumulated;
use serde::{Deserialize, Serialize};

use crate::moving::{Moving, Occasion};
use crate::neural_bo::Draw;

/// The settings of `neural-ts`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralTs {
    /// One function a round, or an independent normal a candidate; left out, the former on spaces and the latter among
    /// arms.
    pub draw: Option<Draw>,
    /// `ν`: how far draws stray from the mean, in deviations; 0.3 where the study is noisy, as bandits are, 1 otherwise.
    pub spread: Option<f64>,
    /// The network and its training; `λ` left out is 0.1 where the study is noisy, 0.01 otherwise.
    #[serde(flatten)]
    pub network: Accumulated,
    /// The first points of a space; with arms, how many rounds choose blindly, none where the count is left out.
    pub design: Design,
    /// How the best point of a space is found.
    pub maximiser: maximiser::Kind,
}

impl NeuralTs {
    pub(crate) fn build(&self) -> Result<Box<dyn Proposer>> {
        self.spread.map_or(Ok(()), check_spread)?;
        let (draw, typed) = (self.draw, self.spread);
        let drawing = move |occasion: Occasion| Drawing {
            draw,
            spread: typed.unwrap_or(if occasion.noisy { 0.3 } else { 1.0 }),
        };
        let moving = Moving {
            design: self.design,
            surrogate: self.network.clone(),
            acquisition: Box::new(move |occasion| Arc::new(drawing(occasion))),
            maximiser: self.maximiser,
            composite: None,
        };
        moving.build()
    }
}

/// A draw of the kind that suits what is chosen from.
struct Drawing {
    draw: Option<Draw>,
    spread: f64,
}

impl Acquisition for Drawing {
    fn bind(&self, models: &Models, context: &Context<'_>, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let fitting = if context.history.arms().is_some() {
            Draw::Pointwise
        } else {
            Draw::Path
        };
        match self.draw.unwrap_or(fitting) {
            Draw::Path => Path { spread: self.spread }.bind(models, context, rng),
            Draw::Pointwise => Pointwise { spread: self.spread }.bind(models, context, rng),
        }
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        Path { spread: self.spread }.check(capabilities)?;
        Pointwise { spread: self.spread }.check(capabilities)
    }

    fn is_smooth(&self) -> bool {
        self.draw != Some(Draw::Pointwise)
    }
}

/// Refuses a spread that is no number of deviations.
pub(crate) fn check_spread(spread: f64) -> Result<()> {
    if spread.is_finite() && spread >= 0.0 {
        return Ok(());
    }
    let (setting, value) = ("spread".to_owned(), spread.to_string());
    Err(Error::Setting {
        setting,
        value,
        allowed: "a number, 0 or more".into(),
    })
}
