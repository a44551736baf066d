//! The roles that a method is composed of, and what each may ask of another.
//!
//! *Describe, bind, evaluate.* A role is a description: plain data. `fit` and `bind` tie it to data once. What is
//! called ten thousand times afterwards takes points and nothing else. A model says what it can do by returning the
//! capability; capabilities are never combined into classes.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};

use crate::error::Result;
use crate::history::{History, Points};
use crate::limit::{Limit, Models};
use crate::physics::Obedience;
use crate::rng::Rng;
use crate::space::Space;

/// What should be evaluated next, and what is your answer: the seam above everything else.
///
/// A proposal is a function of the history and the trial's number alone. Whatever a proposer keeps between calls is a
/// cache: dropping it changes the time and not the answer.
pub trait Proposer: Send {
    /// Points for the next `count` trials, the first of which is `history.next_trial()`: those that it would give if it were asked
    /// for one after another, each knowing those before it as under way. Fewer may come back; the rest is then asked for again.
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>>;

    /// How many points are best asked for at once as of this history: more than one where a batch costs less than its points one
    /// after another, or next to nothing.
    ///
    /// Whoever wants more asks again and again for so many, and can give up in between.
    fn at_once(&self, _history: &History) -> usize {
        1
    }

    /// The point this proposer would choose if it could evaluate no more.
    fn recommend(&mut self, history: &History) -> Result<Option<Recommendation>> {
        Ok(history.best().map(|index| Recommendation {
            point: history.points().row(index).to_vec(),
            believed: None,
        }))
    }

    /// Whether it can choose among arms given with the ask ([`History::arms`]).
    fn chooses(&self) -> bool {
        false
    }

    /// The model of the objective as of this history, for reports and predictions; `None` where there is none.
    fn model(&mut self, _history: &History) -> Result<Option<Arc<dyn Model>>> {
        Ok(None)
    }

    /// What must stay within limits as it is believed to be as of this history, for reports; empty where nothing is limited
    /// or it keeps no such models.
    fn limits(&mut self, _history: &History) -> Result<Vec<Limit>> {
        Ok(Vec::new())
    }
}

/// A point to evaluate.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Where, encoded and projected.
    pub point: Vec<f64>,
    /// What to find again after a restart.
    pub memory: Option<serde_json::Value>,
    /// Which outputs are wanted, by their place among [`History::outputs`]; all where it is empty. An evaluation may
    /// give more.
    pub outputs: Vec<usize>,
}

impl From<Vec<f64>> for Query {
    fn from(point: Vec<f64>) -> Self {
        let outputs = Vec::new();
        Self {
            point,
            memory: None,
            outputs,
        }
    }
}

/// The answer of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// Where.
    pub point: Vec<f64>,
    /// What the model believes of the objective there: mean and deviation, to be minimised.
    pub believed: Option<(f64, f64)>,
}

/// What a surrogate is fitted to: the values of one output at points of a space.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The space the points are encoded in.
    pub space: &'a Space,
    /// The points, in the order in which they became known.
    pub points: &'a Points,
    /// The values, raw; a surrogate standardises for itself.
    pub values: &'a [f64],
    /// The study's seed, for weights that must be the same in every round.
    pub seed: u64,
    /// How much of the noise's variance each value has, as a share; all of it where this is empty. A transform that flattens some
    /// values flattens their noise too.
    pub shares: &'a [f64],
}

impl Evidence<'_> {
    /// The share of the noise's variance that this value has.
    pub fn share(&self, index: usize) -> f64 {
        self.shares.get(index).copied().unwrap_or(1.0)
    }
}

/// What an earlier fit leaves to a later one.
#[derive(Clone, Copy, Default)]
pub struct Previous<'a> {
    /// A model of the first observations of the same evidence.
    pub model: Option<&'a dyn Model>,
    /// What a model gave as its [`Model::memory`].
    pub memory: Option<&'a serde_json::Value>,
}

/// What is believed about an output: a description that becomes a [`Model`] by fitting.
pub trait Surrogate: Send + Sync {
    /// The model of this evidence. What the previous fit leaves saves time and never changes the result.
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>>;
    /// What its models can do, known before any data exist.
    fn capabilities(&self) -> Capabilities;
}

/// What the models of a surrogate can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Each is independent of the others: no state to be in.
#[allow(clippy::struct_excessive_bools)]
pub struct Capabilities {
    /// The surrogate's name, for messages.
    pub name: &'static str,
    /// Mean and deviation at a point.
    pub marginals: bool,
    /// Functions drawn from what is believed.
    pub paths: bool,
    /// The weights of a known form, and an ellipsoid of plausible ones.
    pub weights: bool,
    /// How much the observations told, [`Model::information`].
    pub information: bool,
    /// Gradients in the point of all of these.
    pub smooth: bool,
}

impl Capabilities {
    /// A surrogate of a name whose models can do nothing yet: what to start a description from.
    pub fn none(name: &'static str) -> Self {
        Self {
            name,
            marginals: false,
            paths: false,
            weights: false,
            information: false,
            smooth: false,
        }
    }
}

/// A fitted surrogate.
pub trait Model: Send + Sync {
    /// Mean and deviation, where it knows them.
    fn marginals(&self) -> Option<&dyn Marginals>;
    /// Functions drawn from it, where it can.
    fn paths(&self) -> Option<&dyn Paths>;
    /// The weights of a known form, where that is what it believes something about.
    fn parameters(&self) -> Option<&dyn Parametric> {
        None
    }
    /// The model with these points believed to be under way: the mean stays, the deviation near them shrinks.
    fn believe(&self, pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>>;
    /// How much the observations told, `½ ln det(I + K/λ)`, where that is known.
    fn information(&self) -> Option<f64> {
        None
    }
    /// What a later fit wants to find again.
    fn memory(&self) -> Option<serde_json::Value> {
        None
    }
    /// How fast it believes the function to change with each group of coordinates ([`Space::groups`](crate::Space::groups)), as
    /// scales of the inputs, where it has such.
    fn scales(&self) -> Option<&[f64]> {
        None
    }
    /// What would be believed of some of the latest observations without them; empty where that is not known cheaply.
    fn held_out(&self) -> Vec<HeldOut> {
        Vec::new()
    }
    /// What it makes of equations, where it was told any.
    fn obedience(&self) -> Option<&dyn Obedience> {
        None
    }
    /// The model as itself, so that a surrogate recognises its own.
    fn as_any(&self) -> &dyn std::any::Any;
}

/// An observation, and what a model of all others believes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldOut {
    /// Which of the evidence.
    pub observation: usize,
    /// How far it lies above what the others let expect.
    pub miss: f64,
    /// How far it may lie from that, noise included.
    pub deviation: f64,
}

/// Means and deviations at several points.
#[derive(Clone, Debug, PartialEq)]
pub struct Beliefs {
    /// The means.
    pub mean: Vec<f64>,
    /// The standard deviations of the function itself, without noise.
    pub deviation: Vec<f64>,
}

/// Means and deviations with their gradients, one row a point.
#[derive(Clone, Debug)]
pub struct Slopes {
    /// The values.
    pub beliefs: Beliefs,
    /// Gradient of the mean.
    pub mean: Mat<f64>,
    /// Gradient of the deviation.
    pub deviation: Mat<f64>,
}

/// Mean and deviation of a function at points, in the output's own units.
pub trait Marginals: Send + Sync {
    /// At each row.
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs;
    /// At each row with gradients; `None` where the model is not smooth.
    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes>;
    /// The deviation of an observation around the function.
    fn noise(&self) -> f64;
}

/// Functions drawn from a model.
pub trait Paths: Send + Sync {
    /// One function, consistent over all points; as a score it is the function's value, to be **maximised** like
    /// every score, so it returns the negative of the drawn objective.
    ///
    /// `spread` scales the drawn deviation around the mean.
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>>;
}

/// A function of known form, and an ellipsoid `‖w − ŵ‖²_Σ <= β` of the weights it may have.
pub trait Parametric: Send + Sync {
    /// The middle of the ellipsoid, `ŵ`.
    fn centre(&self) -> &[f64];
    /// The least curvature of the ellipsoid, `λ`: what `Σ` is before anything was observed.
    fn regulariser(&self) -> f64;
    /// How many observations followed those of the first estimate.
    fn rounds(&self) -> u64;
    /// The function at each row, with weights of its own: one column a point.
    fn values(&self, points: MatRef<'_, f64>, weights: MatRef<'_, f64>) -> Vec<f64>;
    /// The same with gradients in the weights, one column a point.
    fn weight_slopes(&self, points: MatRef<'_, f64>, weights: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>);
    /// The same with gradients in the points, one row a point.
    fn point_slopes(&self, points: MatRef<'_, f64>, weights: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>);
    /// Replaces columns by `Σ⁻¹` times them.
    fn solve(&self, columns: MatMut<'_, f64>);
    /// `‖v‖²_Σ` of each column `v`.
    fn norms(&self, columns: MatRef<'_, f64>) -> Vec<f64>;
}

/// Something to be maximised over points. The batch is the primitive.
pub trait Score: Send + Sync {
    /// The value at each row.
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]);
    /// The same with gradients, where it is smooth.
    fn smooth(&self) -> Option<&dyn SmoothScore> {
        None
    }
    /// Whether it is the logarithm of something that probabilities multiply.
    fn is_logarithmic(&self) -> bool {
        false
    }
}

/// A score with gradients.
pub trait SmoothScore: Send + Sync {
    /// Values and gradients, one row a point. Many points at once cost little more than one.
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], gradients: MatMut<'_, f64>);
}

/// A box within the encoded cube.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Lower corner.
    pub low: Vec<f64>,
    /// Upper corner.
    pub high: Vec<f64>,
}

impl Bounds {
    /// The whole cube.
    pub fn unit(dim: usize) -> Self {
        Self {
            low: vec![0.0; dim],
            high: vec![1.0; dim],
        }
    }

    /// Moves a point inside.
    pub fn clamp(&self, point: &mut [f64]) {
        for ((x, &low), &high) in point.iter_mut().zip(&self.low).zip(&self.high) {
            *x = x.clamp(low, high);
        }
    }

    /// Whether a point lies inside.
    pub fn contains(&self, point: &[f64]) -> bool {
        point
            .iter()
            .zip(&self.low)
            .zip(&self.high)
            .all(|((x, low), high)| x >= low && x <= high)
    }
}

/// What is known where an acquisition is bound and maximised.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Everything that happened; its points are not proposed again.
    pub history: &'a History,
    /// What the model was fitted to, in the model's units: incumbents and the best points so far are sought here.
    pub evidence: Evidence<'a>,
    /// Where to look.
    pub bounds: &'a Bounds,
    /// How far each observation of the evidence breaks the limits, zero where it keeps them all; empty where there are
    /// no limits.
    pub violations: &'a [f64],
}

impl<'a> Context<'a> {
    /// A context without limits.
    pub fn new(history: &'a History, evidence: Evidence<'a>, bounds: &'a Bounds) -> Self {
        Self {
            history,
            evidence,
            bounds,
            violations: &[],
        }
    }

    /// How far an observation breaks the limits.
    pub fn violation(&self, index: usize) -> f64 {
        self.violations.get(index).copied().unwrap_or(0.0)
    }

    /// The observations, best first: those that keep the limits by their values, then the others by how little they
    /// break them.
    pub fn ranked(&self) -> Vec<usize> {
        let values = self.evidence.values;
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| {
            let violation = self.violation(a).total_cmp(&self.violation(b));
            violation.then(values[a].total_cmp(&values[b]))
        });
        order
    }
}

/// What is worth evaluating: a description that becomes a score by binding it to models.
pub trait Acquisition: Send + Sync {
    /// The score of this round.
    fn bind(&self, models: &Models, context: &Context<'_>, rng: &mut Rng) -> Result<Arc<dyn Score>>;
    /// Whether it can work on models with these capabilities; the error names what is missing.
    fn check(&self, capabilities: Capabilities) -> Result<()>;
    /// Whether its scores are smooth on a smooth model.
    fn is_smooth(&self) -> bool;
}

/// What limits do to a score: weigh it, cut it off, or aim elsewhere.
pub trait Feasibility: Send + Sync {
    /// The score as the limits leave it; the same where there are none.
    fn apply(
        &self,
        score: Arc<dyn Score>,
        models: &Models,
        context: &Context<'_>,
        rng: &mut Rng,
    ) -> Result<Arc<dyn Score>>;
}

/// How the best point of a score is found.
pub trait Maximiser: Send + Sync {
    /// A projected point within the bounds that satisfies the known constraints and, unless the study is noisy, is
    /// none of the known points.
    fn maximise(&self, score: &dyn Score, context: &Context<'_>, rng: &mut Rng) -> Result<Vec<f64>>;

    /// Whether it works on smooth scores alone.
    fn needs_gradients(&self) -> bool {
        false
    }
}
