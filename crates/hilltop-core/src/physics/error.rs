//! What can be wrong with an equation, and where.

use std::fmt;

use crate::expression::{ExpressionError, Value};

/// Something wrong in the physics of a study: in which text, where in it, and what.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{place}, column {column}: {fault}")]
pub struct PhysicsError {
    /// The text.
    pub place: Place,
    /// Where in it, in bytes from 1.
    pub column: usize,
    /// What is wrong.
    pub fault: Box<Fault>,
}

/// A text of the physics of a study; places count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// An equation.
    Equation(usize),
    /// A function, and which of its components where it is a list.
    Function {
        /// Its place.
        index: usize,
        /// Its name.
        name: String,
        /// The component.
        component: Option<usize>,
    },
    /// Where a value is known.
    At(usize),
    /// What is known there.
    Value(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equation(place) => write!(f, "equation {}", place + 1),
            Self::Function {
                name, component: None, ..
            } => write!(f, "function `{name}`"),
            Self::Function {
                name,
                component: Some(component),
                ..
            } => write!(f, "function `{name}`, component {}", component + 1),
            Self::At(place) => write!(f, "`at` of value {}", place + 1),
            Self::Value(place) => write!(f, "value {}", place + 1),
        }
    }
}

/// Why no derivative can be taken in a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It takes whole numbers.
    Whole,
    /// It moves in steps.
    Stepped,
    /// It is an option of several.
    Option,
    /// It never changes.
    Fixed,
    /// It does not always take part.
    Conditional,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole => "takes whole numbers only",
            Self::Stepped => "moves in steps",
            Self::Option => "is a choice among options",
            Self::Fixed => "is fixed",
            Self::Conditional => "takes part only on a condition",
        })
    }
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The text does not follow the grammar.
    #[error("{}", without_column(.0))]
    Syntax(ExpressionError),
    /// There is no `=`.
    #[error("an equation has one `=`, such as d(f,x,x) + d(f,y,y) = 0; none was found")]
    NoEquals,
    /// There is a second `=`.
    #[error("an equation has one `=`; here is another: write it as a second equation")]
    SecondEquals,
    /// Equality was written as a comparison.
    #[error("an equation is written with one `=`, not with a comparison")]
    Comparison,
    /// A name that stands for nothing.
    #[error("unknown name `{name}`; known are {known}")]
    UnknownName {
        /// The name.
        name: String,
        /// The names that would do.
        known: String,
    },
    /// A call of something that is not a function.
    #[error("unknown function `{name}`; the functions are {known}")]
    UnknownFunction {
        /// The name called.
        name: String,
        /// What may be called.
        known: String,
    },
    /// A call with too few or too many arguments.
    #[error("`{name}` takes {expected}, found {found}")]
    ArgumentCount {
        /// The function.
        name: String,
        /// What it takes, in words.
        expected: &'static str,
        /// How many were given.
        found: usize,
    },
    /// Something other than a parameter as the direction of a derivative.
    #[error("`{found}` is no direction: derivatives are taken in parameters, such as {example}")]
    NoDirection {
        /// What stands there.
        found: String,
        /// What would do.
        example: String,
    },
    /// A vector where a derivative needs one parameter.
    #[error("`{name}` stands for {count} parameters: write grad(…, {name}), or a derivative in one of them")]
    VectorDirection {
        /// The vector.
        name: String,
        /// How long it is.
        count: usize,
    },
    /// A derivative in a parameter that has none.
    #[error("no derivative can be taken in `{name}`: it {obstacle}")]
    NotDifferentiable {
        /// The parameter.
        name: String,
        /// Why.
        obstacle: Obstacle,
    },
    /// A gradient where no parameter can be differentiated.
    #[error("there is no continuous parameter that always takes part: nothing to take derivatives in")]
    NoDirections,
    /// A derivative of too high an order.
    #[error("a derivative of order {order}; at most {limit} is possible")]
    OrderTooHigh {
        /// Its order.
        order: usize,
        /// The limit.
        limit: usize,
    },
    /// The objective does not occur.
    #[error("the equation says nothing of the objective: `{objective}` does not occur in it")]
    NoObjective {
        /// What the objective may be called.
        objective: String,
    },
    /// The objective cancels.
    #[error("the equation says nothing of the objective: all of `{objective}` cancels")]
    Cancels {
        /// What the objective may be called.
        objective: String,
    },
    /// The objective where only known things may stand.
    #[error("the objective cannot stand in {place}")]
    ObjectiveInside {
        /// Where.
        place: &'static str,
    },
    /// A number where a vector is asked for.
    #[error("`{name}` takes vectors such as grad(f), found a number")]
    NoVector {
        /// The function.
        name: String,
    },
    /// A vector where a number is asked for.
    #[error("expected a number, found a vector of {count}: add it up with sum(…), or take dot(…, …)")]
    Vector {
        /// How long it is.
        count: usize,
    },
    /// Vectors that do not fit each other.
    #[error("a vector of {left} does not fit a vector of {right}")]
    Lengths {
        /// The length of the first.
        left: usize,
        /// The length of the second.
        right: usize,
    },
    /// A condition or an option where a number is asked for, or the other way round.
    #[error("expected {expected}, found {found}")]
    Mismatch {
        /// What the place asks for.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// Something that is compared with an option and is none of them.
    #[error("`{value}` is no option of `{name}`: the options are {options}")]
    UnknownOption {
        /// The parameter.
        name: String,
        /// What it is compared with.
        value: Value,
        /// Its options.
        options: String,
    },
    /// A function that is defined by itself.
    #[error("the function `{name}` is defined by itself")]
    Circular {
        /// The function.
        name: String,
    },
    /// A function that is called as something else is.
    #[error("`{name}` is {taken} already: call the function otherwise")]
    NameTaken {
        /// The name.
        name: String,
        /// What is called so.
        taken: &'static str,
    },
    /// A place that is no comparison.
    #[error("a place is stated by comparisons such as x == 0, joined by `and`")]
    NoPlace,
    /// An equality that does not give a parameter.
    #[error("an equality of a place gives a parameter: write y == 1 - x instead of x + y == 1")]
    Implicit,
    /// A parameter that is given twice.
    #[error("`{name}` is given twice")]
    GivenTwice {
        /// The parameter.
        name: String,
    },
    /// A parameter that is given by another which is given itself.
    #[error("`{name}` is given by `{by}`, which is given itself: put in what it is")]
    GivenByGiven {
        /// The parameter.
        name: String,
        /// The other one.
        by: String,
    },
    /// A place outside the space.
    #[error("`{name}` = {value} is outside its bounds, {low} to {high}")]
    Outside {
        /// The parameter.
        name: String,
        /// What it should be.
        value: f64,
        /// Its lower bound.
        low: f64,
        /// Its upper bound.
        high: f64,
    },
    /// A parameter of levels that is given something which is no level.
    #[error("`{name}` takes levels: give it one of them as a number")]
    NoLevel {
        /// The parameter.
        name: String,
    },
    /// An equation that grows beyond any use once its derivatives are taken.
    #[error("the equation grows beyond {limit} terms when its derivatives are taken")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// An equation without a value wherever it was tried.
    #[error(
        "the equation has no finite value at any of {tried} points: a logarithm, a root or a division has no value there"
    )]
    Undefined {
        /// How many points were tried.
        tried: usize,
    },
}

/// The message of an error of the expression language; its column is told apart.
fn without_column(error: &ExpressionError) -> String {
    let text = error.to_string();
    match text.split_once(": ") {
        Some((before, rest)) if before.starts_with("column ") => rest.to_owned(),
        _ => text,
    }
}

/// Where an error of the expression language is.
pub(super) fn column_of(error: &ExpressionError) -> usize {
    match error {
        ExpressionError::Syntax { column, .. }
        | ExpressionError::Unclosed { column, .. }
        | ExpressionError::NumberRange { column, .. }
        | ExpressionError::TooDeep { column, .. }
        | ExpressionError::UnknownFunction { column, .. }
        | ExpressionError::ArgumentCount { column, .. }
        | ExpressionError::UnknownName { column, .. }
        | ExpressionError::Mismatch { column, .. }
        | ExpressionError::Incomparable { column, .. }
        | ExpressionError::Unordered { column, .. } => *column,
    }
}
