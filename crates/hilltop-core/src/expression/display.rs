//! Trees back to text, with the parentheses that keep their shape.

use std::fmt::{self, Display, Formatter};

use super::node::{Factor, Node, Shape, Sign};
use super::token::is_plain_name;

/// How tightly a shape binds; a part that binds less than its place asks for goes in parentheses.
fn strength(shape: &Shape) -> u8 {
    match shape {
        Shape::Any(_) => 0,
        Shape::All(_) => 1,
        Shape::Not(_) => 2,
        Shape::Compare(..) => 3,
        Shape::Sum(_) => 4,
        Shape::Product(_) => 5,
        Shape::Negate(_) => 6,
        Shape::Power(..) => 7,
        _ => 8,
    }
}

/// A part in a place that asks for a strength.
struct Part<'a>(&'a Node, u8);

impl Display for Part<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if strength(&self.0.shape) < self.1 {
            write!(f, "({})", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.shape {
            Shape::Number(number) => write!(f, "{number:?}"),
            Shape::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Shape::Truth(truth) => write!(f, "{truth}"),
            Shape::Name(name) => quoted_name(f, name),
            Shape::Negate(part) => write!(f, "-{}", Part(part, 6)),
            Shape::Sum(terms) => series(f, terms, 5, |sign| match sign {
                Sign::Plus => " + ",
                Sign::Minus => " - ",
            }),
            Shape::Product(factors) => series(f, factors, 6, |factor| match factor {
                Factor::Times => " * ",
                Factor::Over => " / ",
                Factor::Modulo => " % ",
            }),
            Shape::Power(base, exponent) => write!(f, "{}^{}", Part(base, 8), Part(exponent, 6)),
            Shape::Compare(first, rest) => {
                write!(f, "{}", Part(first, 4))?;
                rest.iter()
                    .try_for_each(|(relation, side)| write!(f, " {} {}", relation.spelling(), Part(side, 4)))
            }
            Shape::Not(part) => write!(f, "not {}", Part(part, 2)),
            Shape::All(parts) => list(f, parts, 2, " and "),
            Shape::Any(parts) => list(f, parts, 1, " or "),
            Shape::Call(name, arguments) => {
                quoted_name(f, name)?;
                f.write_str("(")?;
                list(f, arguments, 0, ", ")?;
                f.write_str(")")
            }
        }
    }
}

fn quoted_name(f: &mut Formatter<'_>, name: &str) -> fmt::Result {
    if is_plain_name(name) {
        f.write_str(name)
    } else {
        write!(f, "`{}`", name.replace('`', "``"))
    }
}

fn list(f: &mut Formatter<'_>, parts: &[Node], strength: u8, separator: &str) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        write!(f, "{}{}", if index == 0 { "" } else { separator }, Part(part, strength))?;
    }
    Ok(())
}

fn series<T: Copy>(
    f: &mut Formatter<'_>,
    parts: &[(T, Node)],
    strength: u8,
    operator: fn(T) -> &'static str,
) -> fmt::Result {
    for (index, (sign, part)) in parts.iter().enumerate() {
        write!(
            f,
            "{}{}",
            if index == 0 { "" } else { operator(*sign) },
            Part(part, strength)
        )?;
    }
    Ok(())
}
