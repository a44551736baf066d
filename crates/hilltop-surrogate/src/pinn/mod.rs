//! Physics-informed networks: a network trained on observations and on differential equations together (PINN-BO, thesis chapter 5).
//!
//! The network `ν h` is trained on the joint loss (5.1) of misfits and residuals from weights drawn once. Its function is then, in the limit of
//! a wide network and a linear equation, one drawn from the posterior (Lemma 5.3.4), and the next point is where it is smallest. `ν` falls with
//! the information that observations and equations share (Lemma 5.3.6). Around the trained network the posterior of its tangent features is
//! known too, so that every acquisition works on it.
//!
//! Departures from the thesis. Values are standardised, and each residual is divided by what the network's prior would make of it. The losses are means.
//! By default the way down are Gauss–Newton steps in the dual on all observations and a batch of residuals each; Adam on batches followed by L-BFGS
//! is a setting (`newton = 0`, `steps` and `polish` above zero), and left errors ten times as large in the same time where both were measured. How fast
//! the initial function changes (`reach`), how much of the values is noise and the size of `ν` are those under which the observations are most likely,
//! given that the linear equations hold; where the observations are much less likely with the equations than without, a training leaves
//! these out. Training from the last weights happens every ten observations, as in the thesis; in between a shorter training from these weights takes in
//! the latest, or the choice would stand still. The maximal gain `γ_t` is taken to be that of the observed points.
//!
//! Trainings are a chain at fixed numbers of observations, so that the model is a function of its observations; without a previous model the
//! chain is run through again.

mod block;
mod chain;
mod collocated;
pub(crate) mod collocation;
mod drawn;
mod frame;
mod likelihood;
mod model;
mod newton;
mod prior;
mod settling;
mod site;
mod task;
mod training;

use std::sync::Arc;

use hilltop_core::physics::Knowledge;
use hilltop_core::{Capabilities, Error, Evidence, Model, Previous, Result, Surrogate};
use hilltop_nn::{Activation, Architecture, Parameterisation};
use serde::{Deserialize, Serialize};

pub use block::Information;
pub use model::PinnModel;
use training::Effort;

/// Collocation points of all equations, at most.
const MOST_POINTS: usize = 100_000;

/// What a function drawn from the model is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// The trained network itself, as in the thesis.
    #[default]
    Greedy,
    /// The trained network and what is drawn from the posterior around it, for the antisymmetric form.
    Posterior,
}

/// The settings of a physics-informed network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Training {
    /// Units a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// The function between layers.
    pub activation: Activation,
    /// Factors and initial weights. In the ntk form, that of the thesis, the trained network still has of its initial function what neither
    /// observations nor equations change, so that it is one function among many; the antisymmetric one starts at zero, so that it is
    /// the middle of them, as expected improvement and bounds want it.
    pub parameterisation: Parameterisation,
    /// Deviations of the first layer's initial weights to choose from, larger for functions that change faster: the one is taken under which
    /// the observations are most likely, given that the linear equations hold.
    pub reach: Vec<f64>,
    /// The first step size of Adam.
    pub rate: f64,
    /// Steps of Adam with up to a thousand collocation points; with more, as the root of their number.
    pub steps: usize,
    /// Collocation points in a step of Adam, shared by the equations.
    pub batch: usize,
    /// Gauss–Newton steps afterwards.
    pub newton: usize,
    /// Collocation points in one of them, shared by the equations.
    pub block: usize,
    /// Steps of L-BFGS afterwards.
    pub polish: usize,
    /// Collocation points in a step of L-BFGS, shared by the equations, at most.
    pub sample: usize,
    /// A full training every so many observations.
    pub every: usize,
    /// What the linear equations have in their favour before any observation, as a logarithm of odds. Where the observations are less likely with
    /// them than without by more than that, a training leaves the equations out; never where none is given.
    pub trust: Option<f64>,
    /// The weight of the equations against the observations.
    pub weight: f64,
    /// `λ_1`: variances of noise over that of the function to choose from, by the same likelihood. Weighted residuals are known a million times as well:
    /// what is small among fourth derivatives is not small in the function.
    /// Up to 0.001 observations and equations are met as closely as can be.
    pub noise: Vec<f64>,
    /// `B`: the bound of `ν`, in units of the size of the function under which the observations are most likely.
    pub bound: f64,
    /// `R̃`: what the root of the information is multiplied by in `ν`, in the same units.
    pub caution: f64,
    /// `δ`.
    pub confidence: f64,
    /// Residuals in the posterior and in the information, at most.
    pub rows: usize,
    /// What a drawn function is.
    pub draw: Draw,
}

impl Default for Training {
    fn default() -> Self {
        Self {
            width: 100,
            depth: 2,
            activation: Activation::Sin,
            parameterisation: Parameterisation::Ntk,
            reach: vec![0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
            rate: 0.01,
            steps: 0,
            batch: 128,
            newton: 15,
            block: 200,
            polish: 0,
            sample: 500,
            every: 10,
            trust: Some(5.0),
            weight: 1.0,
            noise: vec![1e-4, 1e-2, 0.1, 1.0],
            bound: 1.0,
            caution: 0.1,
            confidence: 0.1,
            rows: 200,
            draw: Draw::Greedy,
        }
    }
}

/// A physics-informed network as a surrogate.
#[derive(Clone, Debug)]
pub struct Pinn {
    /// What is known besides values.
    pub knowledge: Arc<Knowledge>,
    /// How the network is built and trained.
    pub training: Training,
}

impl Pinn {
    /// A network with the usual settings.
    pub fn new(knowledge: Arc<Knowledge>) -> Self {
        Self {
            knowledge,
            training: Training::default(),
        }
    }

    /// Whether such a network can be built for points of so many coordinates.
    pub fn check(&self, dim: usize) -> Result<()> {
        self.training.check()?;
        let shape = self.training.shape(dim);
        for equation in &self.knowledge.equations {
            collocated::check(&shape, equation.as_ref())
                .map_err(|error| refused("equation", &equation.text(), &error.to_string()))?;
        }
        Ok(())
    }

    /// Collocation points of each equation: as many as are known to be wanted, unless there are very many equations.
    fn points(&self) -> usize {
        let equations = self.knowledge.equations.len().max(1);
        self.knowledge.points.min(MOST_POINTS / equations)
    }

    /// A training: whole, or a quarter of it for the latest observations.
    fn effort(&self, whole: bool) -> Effort {
        let Training {
            steps,
            newton,
            polish,
            rate,
            ..
        } = self.training;
        let growth = (self.points() as f64 / 1000.0).max(1.0).sqrt();
        let part = if whole { 1 } else { 4 };
        let grown = |steps: usize| (growth * steps as f64) as usize / part;
        let equations = self.knowledge.equations.len().max(1);
        Effort {
            steps: grown(steps),
            batch: self.training.batch.div_ceil(equations),
            rate: if whole { rate } else { 0.3 * rate },
            newton: grown(newton),
            block: self.training.block.div_ceil(equations),
            polish: polish / part,
            sample: self.training.sample.div_ceil(equations),
        }
    }

    /// All that a model depends on besides observations and seed.
    fn recipe(&self) -> String {
        let Knowledge {
            equations,
            points,
            collocation,
        } = &*self.knowledge;
        let texts: Vec<String> = equations.iter().map(|equation| equation.text()).collect();
        format!("{:?} {texts:?} {points} {collocation:?}", self.training)
    }
}

impl Training {
    /// Whether the settings are in their ranges.
    pub fn check(&self) -> Result<()> {
        if !(1..=8).contains(&self.depth) {
            return Err(refused("depth", &self.depth, "1 to 8 hidden layers"));
        }
        let positive = [
            ("rate", self.rate),
            ("bound", self.bound),
            ("confidence", self.confidence),
        ];
        let wrong = positive
            .into_iter()
            .find(|(_, value)| !(value.is_finite() && *value > 0.0));
        if let Some((name, value)) = wrong {
            return Err(refused(name, &value, "a number above 0"));
        }
        for (name, values) in [("reach", &self.reach), ("noise", &self.noise)] {
            if values.is_empty() || !values.iter().all(|value| value.is_finite() && *value > 0.0) {
                return Err(refused(name, &format!("{values:?}"), "one or more numbers above 0"));
            }
        }
        for (name, value) in [("weight", self.weight), ("caution", self.caution)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(refused(name, &value, "a number of at least 0"));
            }
        }
        for (name, value) in [("batch", self.batch), ("every", self.every), ("sample", self.sample)] {
            if value == 0 {
                return Err(refused(name, &value, "a number of at least 1"));
            }
        }
        let shape = self.shape(1).check();
        shape.map_err(|error| refused("width", &self.width, &error.to_string()))
    }

    fn shape(&self, dim: usize) -> Architecture {
        let hidden = vec![self.width; self.depth];
        Architecture::new(dim.max(1), &hidden, self.activation, self.parameterisation).with_bias(1.0)
    }

    /// `ν = B + R̃ √(2γ − 2I + log 1/δ)`.
    fn spread(&self, information: &Information) -> f64 {
        let left = 2.0 * (information.gain - information.interaction) + self.confidence.recip().ln();
        self.bound + self.caution * left.max(0.0).sqrt()
    }
}

fn refused(setting: &str, value: &dyn ToString, allowed: &str) -> Error {
    Error::Setting {
        setting: setting.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    }
}

impl Surrogate for Pinn {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        self.check(evidence.space.dim())?;
        let older = previous
            .model
            .and_then(|model| model.as_any().downcast_ref::<PinnModel>());
        Ok(Arc::new(chain::follow(self, evidence, older)?))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "pinn",
            marginals: true,
            paths: true,
            weights: false,
            information: false,
            smooth: self.training.activation.is_smooth(),
        }
    }
}
