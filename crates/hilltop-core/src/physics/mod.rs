//! What is known of the objective besides its values: differential equations, and values on parts of the space.
//!
//! [`Physics`] is what a user writes, [`Knowledge`] what it means. Equations are texts in the language of constraints with
//! one `=` and with derivatives: `d(f, x, x)` (of anything, in any parameters, up to order 4 of the objective), `grad(f)`,
//! `div(v)`, `laplacian(f)`, `dot(v, w)`, `norm(v)` and `sum(v)`. `f` is the objective, which also goes by its own name; where
//! parameters are numbered, `x` is the vector of `x1`, `x2`, …. Functions and arithmetic work on vectors component by
//! component. An equation may also be a closure: [`Law::closure`].
//!
//! Knowledge is never a trial. It is stated once, checked with the study, and handed to the methods that can use it. Everything here speaks of the
//! objective as it is minimised, in its own units, as a function of encoded points; the border translates physical
//! coordinates and the user's direction.

mod algebra;
mod call;
mod chart;
mod condition;
mod error;
mod form;
mod function;
mod input;
mod law;
mod program;
mod reader;
mod site;
mod slope;
mod statement;

use std::fmt::Debug;
use std::sync::Arc;

pub use error::{Fault, Obstacle, PhysicsError, Place};
pub use law::Law;
pub use statement::{Definition, Known, POINTS, Physics, What};

/// The highest order of a derivative of the objective.
pub const MOST_ORDER: usize = 4;

/// A partial derivative of the objective in the encoded coordinates: which, and how often each.
///
/// ```
/// use hilltop_core::physics::Partial;
/// let mixed = Partial::of(&[1, 0, 1]);
/// assert_eq!(mixed.axes(), [(0, 1), (1, 2)]);
/// assert_eq!(mixed.order(), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partial(Vec<(usize, usize)>);

impl Partial {
    /// The function itself.
    pub fn value() -> Self {
        Self::default()
    }

    /// The derivative in these coordinates, one after another; the order of them does not matter.
    pub fn of(axes: &[usize]) -> Self {
        let mut sorted = axes.to_vec();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a == b);
        Self(runs.map(|run| (run[0], run.len())).collect())
    }

    /// The coordinates that occur, ascending, and how often each.
    pub fn axes(&self) -> &[(usize, usize)] {
        &self.0
    }

    /// How many derivatives are taken in all.
    pub fn order(&self) -> usize {
        self.0.iter().map(|(_, times)| times).sum()
    }
}

/// A differential equation `N[f](z) = 0` that the objective obeys, or a value it is known to have.
pub trait Equation: Send + Sync + Debug {
    /// The derivatives of the objective that occur, none twice.
    fn partials(&self) -> &[Partial];

    /// Whether the residual is an affine function of these derivatives at every point.
    fn is_linear(&self) -> bool;

    /// The residual at a point where the derivatives have the values `jet` (in the order of
    /// [`partials`](Self::partials)), and its slope in each of them. NaN where a coefficient has no value there.
    fn residual(&self, point: &[f64], jet: &[f64], slopes: &mut [f64]) -> f64;

    /// Moves a point to where the equation holds; false where it cannot be moved there.
    fn place(&self, _point: &mut [f64]) -> bool {
        true
    }

    /// The equation as the user wrote it, for reports and messages.
    fn text(&self) -> String;
}

/// How the points are chosen at which equations are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Collocation {
    /// Once for the whole study.
    #[default]
    Fixed,
    /// Anew whenever the model is built anew.
    Redrawn,
    /// Some of them anew where the residuals of the last model are large.
    Adaptive,
}

impl Collocation {
    /// What it is called in a study file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Redrawn => "redrawn",
            Self::Adaptive => "adaptive",
        }
    }

    /// The one of a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Fixed, Self::Redrawn, Self::Adaptive]
            .into_iter()
            .find(|one| one.name() == name)
    }
}

/// All that is known of the objective besides its values.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// What it obeys.
    pub equations: Vec<Arc<dyn Equation>>,
    /// At how many points each equation is asked for.
    pub points: usize,
    /// How these points are chosen.
    pub collocation: Collocation,
}

impl Knowledge {
    /// The highest order of a derivative that occurs.
    pub fn order(&self) -> usize {
        let partials = self.equations.iter().flat_map(|equation| equation.partials());
        partials.map(Partial::order).max().unwrap_or(0)
    }

    /// Whether every equation is linear.
    pub fn is_linear(&self) -> bool {
        self.equations.iter().all(|equation| equation.is_linear())
    }
}

/// What a model makes of the equations it was told.
pub trait Obedience: Send + Sync {
    /// How much the equations are believed, and why.
    fn standing(&self) -> Standing;

    /// For every equation what is left of it at points (a row each), as a share of the sizes of its terms: 0 where the model obeys it, up to 1
    /// where it does not at all; NaN where a coefficient has no value.
    fn residuals(&self, points: faer::MatRef<'_, f64>) -> Vec<Vec<f64>>;
}

/// How much equations are believed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// The probability that they hold, given how well observations that were held out are expected with and without them.
    pub weight: f64,
    /// The mean logarithm of the density of observations that were held out, with the equations.
    pub with: f64,
    /// The same without.
    pub without: f64,
    /// At how many points equations are asked for.
    pub rows: usize,
    /// At how many more points a coefficient has no value.
    pub dropped: usize,
    /// The weight as it was after so many observations, as far as that is remembered.
    pub course: Vec<(usize, f64)>,
}
