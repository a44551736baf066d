//! What can be wrong with an expression.

use super::Type;

/// Why an expression could not be read, or does not fit the names it speaks of. Columns count bytes from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExpressionError {
    /// The text does not follow the grammar.
    #[error("column {column}: expected {expected}, found {found}")]
    Syntax {
        /// Where, in bytes from 1.
        column: usize,
        /// What would have been understood.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A text literal or a quoted name is never closed.
    #[error("column {column}: the quote {quote} opened here is never closed")]
    Unclosed {
        /// Where the quote opens.
        column: usize,
        /// The quote.
        quote: char,
    },
    /// A number that does not fit a double.
    #[error("column {column}: the number {text} is out of range")]
    NumberRange {
        /// Where the number starts.
        column: usize,
        /// The number as written.
        text: String,
    },
    /// Parentheses, calls, powers or signs nested beyond the limit.
    #[error("column {column}: nested more than {limit} levels deep; split the expression")]
    TooDeep {
        /// Where the limit was reached.
        column: usize,
        /// The limit.
        limit: usize,
    },
    /// A call of something that is not a function.
    #[error("column {column}: unknown function `{name}`; the functions are {known}")]
    UnknownFunction {
        /// Where the call starts.
        column: usize,
        /// The name called.
        name: String,
        /// What may be called.
        known: String,
    },
    /// A call with too few or too many arguments.
    #[error("column {column}: `{name}` takes {expected}, found {found}")]
    ArgumentCount {
        /// Where the call starts.
        column: usize,
        /// The function.
        name: String,
        /// How many it takes, in words.
        expected: String,
        /// How many were given.
        found: usize,
    },
    /// A name that stands for nothing.
    #[error("column {column}: unknown name `{name}`; known are {known}")]
    UnknownName {
        /// Where the name stands.
        column: usize,
        /// The name.
        name: String,
        /// The names that would do.
        known: String,
    },
    /// A part of another type than its place asks for.
    #[error("column {column}: expected {expected}, found {found}")]
    Mismatch {
        /// Where the part starts.
        column: usize,
        /// The type its place asks for.
        expected: Type,
        /// Its own type.
        found: Type,
    },
    /// Two things that cannot be compared with each other.
    #[error("column {column}: {left} cannot be compared with {right}")]
    Incomparable {
        /// Where the right side starts.
        column: usize,
        /// Type of the left side.
        left: Type,
        /// Type of the right side.
        right: Type,
    },
    /// An order asked of something that has none.
    #[error("column {column}: {found} has no order; only == and != apply to it")]
    Unordered {
        /// Where the right side starts.
        column: usize,
        /// Type of the two sides.
        found: Type,
    },
}
