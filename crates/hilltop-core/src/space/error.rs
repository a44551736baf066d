//! What can be wrong with a space, or with a point that is brought to it.

use crate::expression::{ExpressionError, UNMEASURED, Value};

/// Why a space cannot be, or why a point does not belong to it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpaceError {
    /// A space without any parameter.
    #[error("the space has no parameters; give at least one")]
    Empty,
    /// A name that could not be written in a study file or an expression.
    #[error("the parameter name `{name}` is not usable: it {problem}")]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Two parameters of one name.
    #[error("there are two parameters named `{name}`; names must differ")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// Bounds that are NaN or infinite.
    #[error("the bounds of `{name}` must be finite numbers, and so must their difference: found [{low:?}, {high:?}]")]
    BoundsNotFinite {
        /// The parameter.
        name: String,
        /// Its lower bound.
        low: f64,
        /// Its upper bound.
        high: f64,
    },
    /// Bounds with nothing between them.
    #[error(
        "the bounds of `{name}` are empty: low {low} must be below high {high} (a constant is written as a fixed value)"
    )]
    BoundsEmpty {
        /// The parameter.
        name: String,
        /// Its lower bound.
        low: Value,
        /// Its upper bound.
        high: Value,
    },
    /// Bounds further apart, or larger, than a coordinate can tell apart.
    #[error("the bounds of `{name}` are too large: [{low}, {high}] must stay within ±{limit}")]
    BoundsTooLarge {
        /// The parameter.
        name: String,
        /// Its lower bound.
        low: Value,
        /// Its upper bound.
        high: Value,
        /// The largest bound there may be.
        limit: Value,
    },
    /// A logarithm of zero or less.
    #[error("`{name}` is searched in the logarithm, so low must be above 0, found {low}")]
    LogNotPositive {
        /// The parameter.
        name: String,
        /// Its lower bound.
        low: Value,
    },
    /// A step on a logarithmic scale.
    #[error("`{name}` has both log and a step; leave one of them out")]
    LogWithStep {
        /// The parameter.
        name: String,
    },
    /// A step that is not positive, or larger than the range.
    #[error("the step of `{name}` must be above 0 and at most the range {range}, found {step}")]
    BadStep {
        /// The parameter.
        name: String,
        /// Its step.
        step: f64,
        /// High minus low.
        range: f64,
    },
    /// A step so small that the grid has more points than a coordinate can tell apart.
    #[error("the step {step} of `{name}` makes more than {limit} values; make it larger or leave it out")]
    StepTooSmall {
        /// The parameter.
        name: String,
        /// Its step.
        step: f64,
        /// The most values there may be.
        limit: u64,
    },
    /// A choice without options.
    #[error("`{name}` has no options; give at least one")]
    NoOptions {
        /// The parameter.
        name: String,
    },
    /// An option that stands twice in a choice.
    #[error("the option {option} of `{name}` stands there twice")]
    DuplicateOption {
        /// The parameter.
        name: String,
        /// The option.
        option: Value,
    },
    /// An option or a fixed value that is NaN or infinite.
    #[error("the value {value} of `{name}` is not a finite number")]
    ValueNotFinite {
        /// The parameter.
        name: String,
        /// The value.
        value: Value,
    },
    /// A condition that is not one, or speaks of unknown names.
    #[error("the condition `{condition}` of `{name}`: {source}")]
    Condition {
        /// The parameter.
        name: String,
        /// Its condition.
        condition: String,
        /// What is wrong.
        source: ExpressionError,
    },
    /// Conditions that wait for each other.
    #[error("the conditions of {} depend on each other in a circle", .names.join(" -> "))]
    ConditionCycle {
        /// The parameters of the circle, the first one again at the end.
        names: Vec<String>,
    },
    /// A known constraint that is not a condition, or speaks of unknown names.
    #[error("the known constraint `{constraint}`: {source}")]
    Known {
        /// The constraint.
        constraint: String,
        /// What is wrong.
        source: ExpressionError,
    },
    /// An equality of floats that is not linear in them.
    #[error(
        "the known constraint `{constraint}` is an equality that is not linear in {names}: such a set has no inside to search; \
             solve it for one parameter and leave that parameter out, or allow a tolerance (abs(a - b) <= 0.01)"
    )]
    NonlinearEquality {
        /// The constraint.
        constraint: String,
        /// The floats it ties.
        names: String,
    },
    /// No point that satisfies the known constraints.
    #[error(
        "no point satisfies the known constraints: `{constraint}` could not be met; the closest point found {}, at {nearest}",
        miss(*violation)
    )]
    Infeasible {
        /// The constraint that is missed by most at the closest point.
        constraint: String,
        /// By how much its two sides are apart.
        violation: f64,
        /// The closest point.
        nearest: String,
    },
    /// A parameter that a point leaves out.
    #[error("the parameter `{name}` is missing")]
    Missing {
        /// The parameter.
        name: String,
    },
    /// A value for something that is not a parameter.
    #[error("there is no parameter `{name}`; the parameters are {known}")]
    UnknownParameter {
        /// The name.
        name: String,
        /// The parameters there are.
        known: String,
    },
    /// A value for a conditional parameter that takes no part.
    #[error("`{name}` is given, but its condition `{condition}` does not hold; leave it out")]
    Inactive {
        /// The parameter.
        name: String,
        /// Its condition.
        condition: String,
    },
    /// A value outside the bounds.
    #[error("`{name}` = {value} is out of bounds [{low}, {high}]")]
    OutOfBounds {
        /// The parameter.
        name: String,
        /// The value.
        value: Value,
        /// The lower bound.
        low: Value,
        /// The upper bound.
        high: Value,
    },
    /// A value of another type than the parameter takes.
    #[error("`{name}` = {value} is not {expected}")]
    WrongType {
        /// The parameter.
        name: String,
        /// The value.
        value: Value,
        /// What it should be.
        expected: &'static str,
    },
    /// A value between two steps.
    #[error("`{name}` = {value} is not on the grid; the nearest value is {nearest}")]
    OffGrid {
        /// The parameter.
        name: String,
        /// The value.
        value: Value,
        /// The nearest value that is.
        nearest: Value,
    },
    /// A value that is none of the options.
    #[error("`{name}` = {value} is none of the options {options}")]
    UnknownOption {
        /// The parameter.
        name: String,
        /// The value.
        value: Value,
        /// The options.
        options: String,
    },
    /// A fixed parameter with another value.
    #[error("`{name}` is fixed at {fixed}, found {value}")]
    NotFixedValue {
        /// The parameter.
        name: String,
        /// The value.
        value: Value,
        /// The value it always has.
        fixed: Value,
    },
    /// A point that violates a known constraint.
    #[error("the point violates the known constraint `{constraint}`")]
    Violated {
        /// The constraint.
        constraint: String,
    },
    /// A table of candidates that cannot be read.
    #[error("the candidates cannot be read: {problem}")]
    CandidatesUnreadable {
        /// What the reader says.
        problem: String,
    },
    /// A table of candidates without rows.
    #[error("the candidates have no rows; give at least one")]
    NoCandidates,
    /// A shape that no array has.
    #[error("the shape {shape:?} of the candidates is none: give one to three extents of at least 1")]
    BadShape {
        /// The shape.
        shape: Vec<usize>,
    },
    /// A shape that does not have as many places as there are features.
    #[error(
        "the shape {shape:?} has {}, the candidates have {features} features; choose the columns with `features`",
        places(shape)
    )]
    ShapeMismatch {
        /// The shape.
        shape: Vec<usize>,
        /// How many features there are.
        features: usize,
    },
    /// A table of candidates none of which satisfies the known constraints.
    #[error("none of the {rows} candidates satisfies the known constraints")]
    NoCandidateSatisfies {
        /// How many there are.
        rows: usize,
    },
    /// A table of candidates without a numeric column.
    #[error("no column of the candidates is numeric in every row; the columns are {columns}")]
    NoFeatures {
        /// The columns there are.
        columns: String,
    },
    /// A feature that is not a column.
    #[error("there is no column `{name}` in the candidates; the columns are {columns}")]
    UnknownColumn {
        /// The feature.
        name: String,
        /// The columns there are.
        columns: String,
    },
    /// A cell of a feature that is not a number.
    #[error("row {row} of the candidates has {value:?} in the feature `{name}`, which is not a finite number")]
    FeatureNotNumeric {
        /// The row, from 1, without the header.
        row: usize,
        /// The feature.
        name: String,
        /// The cell.
        value: String,
    },
    /// A row with more or fewer cells than there are columns.
    #[error("row {row} of the candidates has {found} cells, the header has {expected}")]
    RaggedRow {
        /// The row, from 1, without the header.
        row: usize,
        /// Its cells.
        found: usize,
        /// The columns.
        expected: usize,
    },
    /// A point that is not one of the candidates.
    #[error("no candidate has {parameters}")]
    NotACandidate {
        /// The point.
        parameters: String,
    },
}

/// By how much a constraint is missed, to four digits.
fn miss(violation: f64) -> String {
    if violation >= UNMEASURED {
        return "gives no number to compare".to_owned();
    }
    let rounded = format!("{violation:.3e}").parse().unwrap_or(violation);
    format!("misses it by {rounded:?}")
}

/// How many places an array has, in words.
fn places(shape: &[usize]) -> String {
    let product = shape
        .iter()
        .try_fold(1_usize, |product, &extent| product.checked_mul(extent));
    product.map_or_else(|| "too many places".to_owned(), |product| format!("{product} places"))
}
