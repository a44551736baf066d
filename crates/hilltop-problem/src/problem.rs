//! What a test problem is: a box, a few outputs, values at a point, and what is known of the minimum.

use hilltop_core::Physics;
use serde::Serialize;

/// A black box whose answer is known.
///
/// Everything is minimised; a constraint is feasible where its value is at most zero. Parameters are called
/// `x1, x2, …`.
pub trait Problem: Send + Sync {
    /// The full name, as [`registry::lookup`](crate::registry::lookup) takes it: `ackley-10`, `bbob-f8-d5-i1`.
    fn name(&self) -> &str;

    /// The interval of each coordinate.
    fn bounds(&self) -> Vec<(f64, f64)>;

    /// The number of coordinates.
    fn dim(&self) -> usize;

    /// The outputs in the order of [`evaluate`](Problem::evaluate): the objective, then the constraints.
    fn outputs(&self) -> Vec<Output>;

    /// The true values at a point, without noise.
    ///
    /// Points outside the box are allowed where the formula has a value.
    fn evaluate(&self, x: &[f64]) -> Result<Vec<f64>, Failure>;

    /// The least feasible value and a point that has it, where they are known.
    fn optimum(&self) -> Option<Optimum>;

    /// One line about the problem.
    fn about(&self) -> &str;

    /// What the objective is known to obey, in terms of `x1, x2, …`, where there is an equation.
    fn physics(&self) -> Option<Physics> {
        None
    }
}

/// An output of a problem: the objective, or a constraint with its limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Output {
    /// `f` for the objective, `c1, c2, …` for the constraints.
    pub name: String,
    /// The largest feasible value of a constraint; none for the objective, which is minimised.
    pub max: Option<f64>,
}

impl Output {
    /// The objective `f` and the constraints `c1` to the given count, each feasible up to zero.
    pub fn with_constraints(count: usize) -> Vec<Self> {
        let objective = Self {
            name: "f".into(),
            max: None,
        };
        let constraint = |k| Self {
            name: format!("c{k}"),
            max: Some(0.0),
        };
        std::iter::once(objective).chain((1..=count).map(constraint)).collect()
    }
}

/// The least feasible value of a problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Optimum {
    /// The least value.
    pub value: f64,
    /// A point that has it; there may be others.
    pub at: Option<Vec<f64>>,
}

/// An evaluation that gave no values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    /// What went wrong, as a simulator would report it.
    pub reason: String,
}

impl Failure {
    /// A failure for the given reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// Refuses a point that has the wrong number of coordinates, or one that is not a finite number.
pub(crate) fn admit(name: &str, dim: usize, x: &[f64]) -> Result<(), Failure> {
    if x.len() != dim {
        return Err(Failure::new(format!("{name} takes {dim} coordinates, not {}", x.len())));
    }
    match x.iter().position(|coordinate| !coordinate.is_finite()) {
        Some(i) => Err(Failure::new(format!(
            "coordinate x{} of {name} is {}, not a finite number",
            i + 1,
            x[i]
        ))),
        None => Ok(()),
    }
}

impl<P: Problem + ?Sized> Problem for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        (**self).bounds()
    }

    fn dim(&self) -> usize {
        (**self).dim()
    }

    fn outputs(&self) -> Vec<Output> {
        (**self).outputs()
    }

    fn evaluate(&self, x: &[f64]) -> Result<Vec<f64>, Failure> {
        (**self).evaluate(x)
    }

    fn optimum(&self) -> Option<Optimum> {
        (**self).optimum()
    }

    fn about(&self) -> &str {
        (**self).about()
    }

    fn physics(&self) -> Option<Physics> {
        (**self).physics()
    }
}
