//! The expression language of known constraints and conditions.
//!
//! Numbers (`1e-3`), texts (`'duplex'` or `"duplex"`, the quote doubled inside), `true` and `false`, names (with
//! anything in them between backquotes), `+ - * / %`, `^` or `**`, comparisons and chains of them (`0 <= x < 1`), `and`
//! or `&&`, `or` or `||`, `not` or `!`, parentheses, the constants `pi` and `e`, and the functions `abs sqrt exp ln log
//! log10 log2 sin cos tan asin acos atan atan2 sinh cosh tanh floor ceil round sign min max sum hypot pow` and
//! `if(condition, a, b)`.
//!
//! Arithmetic is that of doubles: a division by zero is infinite, and a comparison with NaN does not hold. `==` between
//! numbers allows for rounding (one part in 10⁹ of the largest term) unless both are whole. `%` takes the sign of the
//! divisor.
//!
//! ```
//! use hilltop_core::{Expression, Value};
//! let limit = Expression::parse("length * ratio <= 32 and steel != 'duplex'")?;
//! let value = limit.evaluate(&|name| match name {
//!     "length" => Some(Value::Float(20.0)),
//!     "ratio" => Some(Value::Float(0.5)),
//!     _ => Some(Value::from("s235")),
//! })?;
//! assert_eq!(value, Value::Bool(true));
//! # Ok::<(), hilltop_core::expression::ExpressionError>(())
//! ```

mod affine;
mod compile;
mod compiled;
mod display;
mod error;
mod function;
mod node;
mod parser;
mod token;
mod value;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

pub(crate) use affine::Dependence;
pub(crate) use compile::{Compiler, Labels, Scope};
pub(crate) use compiled::{Number, Truth, UNMEASURED};
pub use error::ExpressionError;
pub(crate) use function::{constant, modulo, power};
pub use node::{Factor, Node, Relation, Shape, Sign, Span};
pub use value::Value;

use compile::Compiled;
use parser::Parser;

/// What a part of an expression has as its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A number.
    Number,
    /// True or false.
    Truth,
    /// A text.
    Text,
    /// An option of a choice that mixes texts, numbers and truths: it can be compared with literals and texts.
    Mixed,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "a number",
            Self::Truth => "a condition",
            Self::Text => "a text",
            Self::Mixed => "an option of mixed types",
        })
    }
}

impl Type {
    /// The type of a value.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Bool(_) => Self::Truth,
            Value::Int(_) | Value::Float(_) => Self::Number,
            Value::Text(_) => Self::Text,
        }
    }
}

/// An expression over named values; prints as it was written, and is equal to another when both have the same tree.
#[derive(Debug, Clone)]
pub struct Expression {
    text: String,
    root: Node,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

impl Expression {
    /// Reads an expression; types are checked later, when it is known what the names stand for.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let mut parser = Parser::new(text)?;
        let root = parser.expression()?;
        parser.end()?;
        calls_are_known(&root)?;
        Ok(Self {
            text: text.to_owned(),
            root,
        })
    }

    /// The trees of a text whose parts are separated by `=`; names and calls are left to the caller.
    pub(crate) fn sides(text: &str) -> Result<Vec<Node>, ExpressionError> {
        let mut parser = Parser::new(text)?;
        let mut sides = vec![parser.expression()?];
        while parser.accept("=") {
            sides.push(parser.expression()?);
        }
        parser.end()?;
        Ok(sides)
    }

    /// The tree, for those who want to walk it.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The text as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Every name that is not called as a function; `pi` and `e` among them where they are used.
    pub fn names(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        self.root.walk(&mut |node| {
            if let Shape::Name(name) = &node.shape {
                names.insert(name.as_str());
            }
        });
        names
    }

    /// The type of the expression where the names have these types, or what does not fit.
    pub fn check(&self, types: &dyn Fn(&str) -> Option<Type>) -> Result<Type, ExpressionError> {
        let names = self.names();
        let entries = names.iter().filter_map(|name| Some((*name, types(name)?))).collect();
        self.compile(&Entries(entries), &mut Labels::default())
            .map(|compiled| compiled.kind())
    }

    /// The value where the names have these values.
    pub fn evaluate(&self, values: &dyn Fn(&str) -> Option<Value>) -> Result<Value, ExpressionError> {
        let given: Vec<(&str, Value)> = self
            .names()
            .iter()
            .filter_map(|name| Some((*name, values(name)?)))
            .collect();
        let mut labels = Labels::default();
        let slots: Vec<f64> = given.iter().map(|(_, value)| slot_value(value, &mut labels)).collect();
        let scope = Entries(given.iter().map(|(name, value)| (*name, Type::of(value))).collect());
        Ok(match self.compile(&scope, &mut labels)? {
            Compiled::Number(number) => Value::Float(number.value(&slots)),
            Compiled::Truth(truth) => Value::Bool(truth.holds(&slots)),
            Compiled::Text(label) | Compiled::Mixed(label) => labels
                .value(label.value(&slots))
                .cloned()
                .unwrap_or_else(|| Value::Text(String::new())),
        })
    }

    fn compile(&self, scope: &dyn Scope, labels: &mut Labels) -> Result<Compiled, ExpressionError> {
        Compiler { scope, labels }.any(&self.root)
    }
}

/// What a slot holds for a value.
fn slot_value(value: &Value, labels: &mut Labels) -> f64 {
    match value {
        Value::Bool(truth) => f64::from(u8::from(*truth)),
        Value::Text(_) => labels.number(value) as f64,
        Value::Int(whole) => *whole as f64,
        Value::Float(number) => *number,
    }
}

/// Names with their types; the slot of a name is its place.
pub(crate) struct Entries<'a>(pub(crate) Vec<(&'a str, Type)>);

impl Scope for Entries<'_> {
    fn slot(&self, name: &str) -> Option<(usize, Type)> {
        let place = self.0.iter().position(|(known, _)| *known == name)?;
        Some((place, self.0[place].1))
    }

    fn names(&self) -> String {
        list_of_names(self.0.iter().map(|(name, _)| *name))
    }
}

/// Names for a message: the first few, and how many more.
pub(crate) fn list_of_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let all: Vec<&str> = names.collect();
    let shown = all.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match all.len() {
        0 => "none".to_owned(),
        count if count > SHOWN => format!("{shown} and {} more", count - SHOWN),
        _ => shown,
    }
}

fn calls_are_known(node: &Node) -> Result<(), ExpressionError> {
    if let Shape::Call(name, arguments) = &node.shape {
        compile::resolve(node, name, arguments.len())?;
    }
    node.children().into_iter().try_for_each(calls_are_known)
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Expression {
    type Err = ExpressionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}
