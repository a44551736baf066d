//! The functions that may stand in an equation, with what they give and how they change.

use super::algebra::{Algebra, Term};
use crate::expression::{Relation, modulo};

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Single {
    Abs,
    Sqrt,
    Exp,
    Ln,
    Log10,
    Log2,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Floor,
    Ceil,
    Round,
    Sign,
}

const SINGLES: [(&str, Single); 20] = [
    ("abs", Single::Abs),
    ("sqrt", Single::Sqrt),
    ("exp", Single::Exp),
    ("ln", Single::Ln),
    ("log", Single::Ln),
    ("log10", Single::Log10),
    ("log2", Single::Log2),
    ("sin", Single::Sin),
    ("cos", Single::Cos),
    ("tan", Single::Tan),
    ("asin", Single::Asin),
    ("acos", Single::Acos),
    ("atan", Single::Atan),
    ("sinh", Single::Sinh),
    ("cosh", Single::Cosh),
    ("tanh", Single::Tanh),
    ("floor", Single::Floor),
    ("ceil", Single::Ceil),
    ("round", Single::Round),
    ("sign", Single::Sign),
];

impl Single {
    /// The function of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        SINGLES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, found)| *found)
    }

    /// All names.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        SINGLES.iter().map(|(name, _)| *name)
    }

    pub(super) fn value(self, x: f64) -> f64 {
        match self {
            Self::Abs => x.abs(),
            Self::Sqrt => x.sqrt(),
            Self::Exp => x.exp(),
            Self::Ln => x.ln(),
            Self::Log10 => x.log10(),
            Self::Log2 => x.log2(),
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Tan => x.tan(),
            Self::Asin => x.asin(),
            Self::Acos => x.acos(),
            Self::Atan => x.atan(),
            Self::Sinh => x.sinh(),
            Self::Cosh => x.cosh(),
            Self::Tanh => x.tanh(),
            Self::Floor => x.floor(),
            Self::Ceil => x.ceil(),
            Self::Round => x.round(),
            Self::Sign if x == 0.0 => 0.0,
            Self::Sign => x.signum(),
        }
    }

    /// The slope at `a`; `value` is the function there. Steps are taken to be flat.
    pub(super) fn slope(self, terms: &mut Algebra, a: Term, value: Term) -> Term {
        let one = terms.constant(1.0);
        let over = |terms: &mut Algebra, factor: f64| {
            let factor = terms.constant(factor);
            terms.divide(factor, a)
        };
        match self {
            Self::Exp => value,
            Self::Ln => over(terms, 1.0),
            Self::Log10 => over(terms, 1.0 / std::f64::consts::LN_10),
            Self::Log2 => over(terms, 1.0 / std::f64::consts::LN_2),
            Self::Sin => terms.single(Self::Cos, a),
            Self::Cos => {
                let sine = terms.single(Self::Sin, a);
                terms.negate(sine)
            }
            Self::Sinh => terms.single(Self::Cosh, a),
            Self::Cosh => terms.single(Self::Sinh, a),
            Self::Abs => terms.single(Self::Sign, a),
            Self::Floor | Self::Ceil | Self::Round | Self::Sign => terms.constant(0.0),
            Self::Sqrt => {
                let half = terms.constant(0.5);
                terms.divide(half, value)
            }
            Self::Tan | Self::Tanh => {
                let square = terms.multiply(value, value);
                let signed = if self == Self::Tan {
                    square
                } else {
                    terms.negate(square)
                };
                terms.add(one, signed)
            }
            Self::Atan => {
                let square = terms.multiply(a, a);
                let below = terms.add(one, square);
                terms.divide(one, below)
            }
            Self::Asin | Self::Acos => {
                let square = terms.multiply(a, a);
                let rest = terms.subtract(one, square);
                let below = terms.single(Self::Sqrt, rest);
                let slope = terms.divide(one, below);
                if self == Self::Asin { slope } else { terms.negate(slope) }
            }
        }
    }
}

/// A function of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pair {
    Atan2,
    Hypot,
    Modulo,
    Min,
    Max,
}

impl Pair {
    /// The function of a name; `min`, `max` and `hypot` take more than two from the left.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "atan2" => Some(Self::Atan2),
            "hypot" => Some(Self::Hypot),
            "min" => Some(Self::Min),
            "max" => Some(Self::Max),
            _ => None,
        }
    }

    pub(super) fn value(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Atan2 => a.atan2(b),
            Self::Hypot => a.hypot(b),
            Self::Modulo => modulo(a, b),
            Self::Min if a.is_nan() || a < b => a,
            Self::Max if a.is_nan() || a > b => a,
            Self::Min | Self::Max => b,
        }
    }

    /// The slopes in both.
    pub(super) fn slopes(self, terms: &mut Algebra, a: Term, b: Term, value: Term) -> [Term; 2] {
        let (zero, one) = (terms.constant(0.0), terms.constant(1.0));
        match self {
            Self::Hypot => [terms.divide(a, value), terms.divide(b, value)],
            Self::Atan2 => {
                let (square, other) = (terms.multiply(a, a), terms.multiply(b, b));
                let below = terms.add(square, other);
                let first = terms.divide(b, below);
                let second = terms.divide(a, below);
                [first, terms.negate(second)]
            }
            Self::Modulo => {
                let ratio = terms.divide(a, b);
                let turns = terms.single(Single::Floor, ratio);
                [one, terms.negate(turns)]
            }
            Self::Min | Self::Max => {
                let relation = if self == Self::Min {
                    Relation::Less
                } else {
                    Relation::Greater
                };
                let first = terms.test(relation, a, b);
                [terms.choose(first, one, zero), terms.choose(first, zero, one)]
            }
        }
    }
}
