//! What can go wrong below the border, with the numbers a reader needs.

use crate::expression::ExpressionError;
use crate::journal::JournalError;
use crate::physics::PhysicsError;
use crate::space::SpaceError;

/// The result of everything fallible in the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong in a method.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A point or a space is wrong.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// An expression is wrong.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// An equation is wrong.
    #[error(transparent)]
    Physics(#[from] PhysicsError),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Every point of a finite space has been evaluated.
    #[error("the space is exhausted: all {points} points have been evaluated")]
    Exhausted {
        /// How many there were.
        points: u64,
    },
    /// A composition that cannot work.
    #[error("{asker} needs {needed}; {model} has {offered}")]
    Incapable {
        /// Who asks.
        asker: &'static str,
        /// For what.
        needed: &'static str,
        /// Of whom.
        model: &'static str,
        /// What there is instead.
        offered: &'static str,
    },
    /// A setting of a method that is not allowed.
    #[error("{setting} = {value} is not allowed: {allowed}")]
    Setting {
        /// Which setting.
        setting: String,
        /// What was given.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// No point can keep a limit, as far as the method can tell.
    #[error(
        "declared infeasible: {output} lies above its limit by at least {least} with {confidence} deviations of \
         confidence, over {points} points; relax the limit or the bounds, or take a method that goes on"
    )]
    Infeasible {
        /// Which output.
        output: String,
        /// By how much its most optimistic value breaks the limit, in deviations of its observed values.
        least: f64,
        /// How many deviations of the model were granted.
        confidence: f64,
        /// At how many points that was seen.
        points: usize,
    },
    /// A computation left the range of numbers.
    #[error("{what} failed numerically: {detail}")]
    Numerical {
        /// Which computation.
        what: &'static str,
        /// How.
        detail: String,
    },
}
