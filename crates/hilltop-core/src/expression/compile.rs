//! From the tree to the compiled form: names become slots, and every part is checked for its type.

use super::compiled::{Label, Number, Truth};
use super::function::{Function, constant};
use super::node::{Node, Relation, Shape, Sign};
use super::{ExpressionError, Type, Value};

/// The labels of a compilation, numbered in the order they were met.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels(Vec<Value>);

impl Labels {
    /// The number of a label, new or known.
    pub(crate) fn number(&mut self, value: &Value) -> usize {
        self.0.iter().position(|known| known.same(value)).unwrap_or_else(|| {
            self.0.push(value.clone());
            self.0.len() - 1
        })
    }

    /// The label of a number.
    pub(crate) fn value(&self, number: usize) -> Option<&Value> {
        self.0.get(number)
    }
}

/// What the names of an expression stand for.
pub(crate) trait Scope {
    /// The slot of a name and what it holds.
    fn slot(&self, name: &str) -> Option<(usize, Type)>;
    /// The names there are, for a message.
    fn names(&self) -> String;
}

/// A compiled part, by its type.
#[derive(Debug, Clone)]
pub(crate) enum Compiled {
    Number(Number),
    Truth(Truth),
    Text(Label),
    Mixed(Label),
}

impl Compiled {
    pub(crate) fn kind(&self) -> Type {
        match self {
            Self::Number(_) => Type::Number,
            Self::Truth(_) => Type::Truth,
            Self::Text(_) => Type::Text,
            Self::Mixed(_) => Type::Mixed,
        }
    }
}

type Outcome<T> = Result<T, ExpressionError>;

/// Compiles trees in one scope.
pub(crate) struct Compiler<'a> {
    pub(crate) scope: &'a dyn Scope,
    pub(crate) labels: &'a mut Labels,
}

impl Compiler<'_> {
    /// A condition.
    pub(crate) fn truth(&mut self, node: &Node) -> Outcome<Truth> {
        match self.any(node)? {
            Compiled::Truth(truth) => Ok(truth),
            other => Err(mismatch(node, Type::Truth, other.kind())),
        }
    }

    /// A number.
    pub(crate) fn number(&mut self, node: &Node) -> Outcome<Number> {
        match self.any(node)? {
            Compiled::Number(number) => Ok(number),
            other => Err(mismatch(node, Type::Number, other.kind())),
        }
    }

    /// Whatever it is.
    pub(crate) fn any(&mut self, node: &Node) -> Outcome<Compiled> {
        let truth = Compiled::Truth;
        let number = Compiled::Number;
        Ok(match &node.shape {
            Shape::Number(value) => number(Number::Constant(*value)),
            Shape::Text(text) => Compiled::Text(Label::Constant(self.labels.number(&Value::Text(text.clone())))),
            Shape::Truth(value) => truth(Truth::Constant(*value)),
            Shape::Name(name) => self.name(node, name)?,
            Shape::Negate(part) => number(Number::Negate(Box::new(self.number(part)?))),
            Shape::Sum(terms) => number(Number::Sum(self.series(terms)?)),
            Shape::Product(factors) => number(Number::Product(self.series(factors)?)),
            Shape::Power(base, exponent) => {
                number(Number::Power(Box::new((self.number(base)?, self.number(exponent)?))))
            }
            Shape::Compare(first, rest) => truth(self.chain(first, rest)?),
            Shape::Not(part) => truth(Truth::Not(Box::new(self.truth(part)?))),
            Shape::All(parts) => truth(Truth::All(self.truths(parts)?)),
            Shape::Any(parts) => truth(Truth::Any(self.truths(parts)?)),
            Shape::Call(name, arguments) => self.call(node, name, arguments)?,
        })
    }

    fn name(&mut self, node: &Node, name: &str) -> Outcome<Compiled> {
        let Some((slot, kind)) = self.scope.slot(name) else {
            let unknown = || ExpressionError::UnknownName {
                column: node.span.start + 1,
                name: name.to_owned(),
                known: self.scope.names(),
            };
            return constant(name)
                .map(|value| Compiled::Number(Number::Constant(value)))
                .ok_or_else(unknown);
        };
        Ok(match kind {
            Type::Number => Compiled::Number(Number::Slot(slot)),
            Type::Truth => Compiled::Truth(Truth::Slot(slot)),
            Type::Text => Compiled::Text(Label::Slot(slot)),
            Type::Mixed => Compiled::Mixed(Label::Slot(slot)),
        })
    }

    fn series<T: Copy>(&mut self, parts: &[(T, Node)]) -> Outcome<Vec<(T, Number)>> {
        parts
            .iter()
            .map(|(operator, part)| Ok((*operator, self.number(part)?)))
            .collect()
    }

    fn truths(&mut self, parts: &[Node]) -> Outcome<Vec<Truth>> {
        parts.iter().map(|part| self.truth(part)).collect()
    }

    /// `a < b < c` is `a < b and b < c`.
    fn chain(&mut self, first: &Node, rest: &[(Relation, Node)]) -> Outcome<Truth> {
        let mut left = first;
        let mut links = Vec::with_capacity(rest.len());
        for (relation, right) in rest {
            links.push(self.link(left, *relation, right)?);
            left = right;
        }
        Ok(if links.len() == 1 {
            links.remove(0)
        } else {
            Truth::All(links)
        })
    }

    fn link(&mut self, left: &Node, relation: Relation, right: &Node) -> Outcome<Truth> {
        let sides = (self.any(left)?, self.any(right)?);
        if let (Compiled::Number(a), Compiled::Number(b)) = sides {
            return Ok(Truth::Compare(relation, Box::new((a, b))));
        }
        let kinds = (sides.0.kind(), sides.1.kind());
        let same = match sides {
            (Compiled::Truth(a), Compiled::Truth(b)) => Truth::Alike(Box::new((a, b))),
            (Compiled::Text(a) | Compiled::Mixed(a), Compiled::Text(b) | Compiled::Mixed(b)) => {
                Truth::SameLabel(Box::new((a, b)))
            }
            (Compiled::Mixed(a), _) => Truth::SameLabel(Box::new((a, self.literal(right, kinds)?))),
            (_, Compiled::Mixed(b)) => Truth::SameLabel(Box::new((self.literal(left, kinds)?, b))),
            _ => return Err(incomparable(right, kinds)),
        };
        match relation {
            Relation::Equal => Ok(same),
            Relation::Unequal => Ok(Truth::Not(Box::new(same))),
            _ => Err(ExpressionError::Unordered {
                column: right.span.start + 1,
                found: kinds.0,
            }),
        }
    }

    /// The label of a literal that is compared with an option of mixed types.
    fn literal(&mut self, node: &Node, kinds: (Type, Type)) -> Outcome<Label> {
        let value = match &node.shape {
            Shape::Number(number) => Value::Float(*number),
            Shape::Negate(part) if matches!(part.shape, Shape::Number(_)) => match part.shape {
                Shape::Number(number) => Value::Float(-number),
                _ => return Err(incomparable(node, kinds)),
            },
            Shape::Truth(truth) => Value::Bool(*truth),
            _ => return Err(incomparable(node, kinds)),
        };
        Ok(Label::Constant(self.labels.number(&value)))
    }

    fn call(&mut self, node: &Node, name: &str, arguments: &[Node]) -> Outcome<Compiled> {
        let function = resolve(node, name, arguments.len())?;
        let number = match (function, arguments) {
            (Function::One(apply), [part]) => Number::One(apply, Box::new(self.number(part)?)),
            (Function::Two(apply), [a, b]) => Number::Two(apply, Box::new((self.number(a)?, self.number(b)?))),
            (Function::If, [condition, a, b]) => return self.branch(condition, a, b),
            (Function::Sum, parts) => {
                let term = |part| Ok((Sign::Plus, self.number(part)?));
                Number::Sum(parts.iter().map(term).collect::<Outcome<_>>()?)
            }
            (Function::Many(apply), parts) => Number::Many(
                apply,
                parts.iter().map(|part| self.number(part)).collect::<Outcome<_>>()?,
            ),
            _ => return Err(argument_count(node, name, function, arguments.len())),
        };
        Ok(Compiled::Number(number))
    }

    fn branch(&mut self, condition: &Node, a: &Node, b: &Node) -> Outcome<Compiled> {
        let condition = self.truth(condition)?;
        let (left, right) = (self.any(a)?, self.any(b)?);
        let kinds = (left.kind(), right.kind());
        Ok(match (left, right) {
            (Compiled::Number(left), Compiled::Number(right)) => {
                Compiled::Number(Number::If(Box::new((condition, left, right))))
            }
            (Compiled::Truth(left), Compiled::Truth(right)) => {
                Compiled::Truth(Truth::If(Box::new((condition, left, right))))
            }
            (Compiled::Text(left), Compiled::Text(right)) => {
                Compiled::Text(Label::If(Box::new((condition, left, right))))
            }
            (Compiled::Mixed(left) | Compiled::Text(left), Compiled::Mixed(right) | Compiled::Text(right)) => {
                Compiled::Mixed(Label::If(Box::new((condition, left, right))))
            }
            _ => return Err(mismatch(b, kinds.0, kinds.1)),
        })
    }
}

/// The function that a call means.
pub(crate) fn resolve(node: &Node, name: &str, count: usize) -> Outcome<Function> {
    let function = Function::named(name).ok_or_else(|| ExpressionError::UnknownFunction {
        column: node.span.start + 1,
        name: name.to_owned(),
        known: Function::list(),
    })?;
    if function.takes(count) {
        Ok(function)
    } else {
        Err(argument_count(node, name, function, count))
    }
}

fn argument_count(node: &Node, name: &str, function: Function, found: usize) -> ExpressionError {
    ExpressionError::ArgumentCount {
        column: node.span.start + 1,
        name: name.to_owned(),
        expected: function.arity().to_owned(),
        found,
    }
}

fn mismatch(node: &Node, expected: Type, found: Type) -> ExpressionError {
    ExpressionError::Mismatch {
        column: node.span.start + 1,
        expected,
        found,
    }
}

fn incomparable(node: &Node, kinds: (Type, Type)) -> ExpressionError {
    ExpressionError::Incomparable {
        column: node.span.start + 1,
        left: kinds.0,
        right: kinds.1,
    }
}
