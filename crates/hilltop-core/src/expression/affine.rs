//! Which parts of a compiled expression depend on some slots, and whether they do so linearly.

use super::compiled::{Label, Number, Truth};
use super::node::{Factor, Relation};

/// How an expression depends on the slots of interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dependence {
    /// Not at all.
    Constant,
    /// Linearly, with factors that may depend on other slots.
    Affine,
    /// In another way.
    Nonlinear,
}

impl Dependence {
    /// Of something that is linear in nothing.
    fn opaque(self) -> Self {
        if self == Self::Constant { self } else { Self::Nonlinear }
    }

    /// Of a product.
    fn times(self, other: Self) -> Self {
        if self.min(other) == Self::Constant {
            self.max(other)
        } else {
            Self::Nonlinear
        }
    }
}

impl Number {
    /// How it depends on the slots that are `of_interest`.
    pub(crate) fn dependence(&self, of_interest: &dyn Fn(usize) -> bool) -> Dependence {
        let inner = |part: &Self| part.dependence(of_interest);
        match self {
            Self::Slot(slot) if of_interest(*slot) => Dependence::Affine,
            Self::Constant(_) | Self::Slot(_) => Dependence::Constant,
            Self::Negate(part) => inner(part),
            Self::Sum(terms) => strongest(terms.iter().map(|(_, term)| inner(term))),
            Self::Product(factors) => {
                factors
                    .iter()
                    .fold(Dependence::Constant, |before, (operator, factor)| match operator {
                        Factor::Times => before.times(inner(factor)),
                        Factor::Over => before.times(inner(factor).opaque()),
                        Factor::Modulo => before.max(inner(factor)).opaque(),
                    })
            }
            Self::One(_, part) => inner(part).opaque(),
            Self::Power(pair) | Self::Two(_, pair) => inner(&pair.0).max(inner(&pair.1)).opaque(),
            Self::Many(_, parts) => strongest(parts.iter().map(inner)).opaque(),
            Self::If(parts) => {
                let condition = parts.0.dependence(of_interest).opaque();
                condition.max(inner(&parts.1)).max(inner(&parts.2))
            }
        }
    }
}

impl Label {
    fn dependence(&self, of_interest: &dyn Fn(usize) -> bool) -> Dependence {
        match self {
            Self::Slot(slot) if of_interest(*slot) => Dependence::Nonlinear,
            Self::Constant(_) | Self::Slot(_) => Dependence::Constant,
            Self::If(parts) => {
                let branches = parts.1.dependence(of_interest).max(parts.2.dependence(of_interest));
                parts.0.dependence(of_interest).max(branches).opaque()
            }
        }
    }
}

impl Truth {
    /// How it depends on the slots that are `of_interest`: not at all, or not linearly.
    pub(crate) fn dependence(&self, of_interest: &dyn Fn(usize) -> bool) -> Dependence {
        let inner = |part: &Self| part.dependence(of_interest);
        let found = match self {
            Self::Slot(slot) if of_interest(*slot) => Dependence::Nonlinear,
            Self::Constant(_) | Self::Slot(_) => Dependence::Constant,
            Self::Compare(_, sides) => sides.0.dependence(of_interest).max(sides.1.dependence(of_interest)),
            Self::SameLabel(sides) => sides.0.dependence(of_interest).max(sides.1.dependence(of_interest)),
            Self::Alike(sides) => inner(&sides.0).max(inner(&sides.1)),
            Self::Not(part) => inner(part),
            Self::All(parts) | Self::Any(parts) => strongest(parts.iter().map(inner)),
            Self::If(parts) => inner(&parts.0).max(inner(&parts.1)).max(inner(&parts.2)),
        };
        found.opaque()
    }

    /// The parts that must all hold for this to hold.
    pub(crate) fn conjuncts(self) -> Vec<Self> {
        match self {
            Self::All(parts) => parts.into_iter().flat_map(Self::conjuncts).collect(),
            other => vec![other],
        }
    }

    /// The two sides of every equality of numbers that must hold for this to hold.
    pub(crate) fn equalities(&self) -> Vec<&(Number, Number)> {
        match self {
            Self::Compare(Relation::Equal, sides) => vec![&**sides],
            Self::All(parts) => parts.iter().flat_map(Self::equalities).collect(),
            _ => Vec::new(),
        }
    }
}

fn strongest(parts: impl Iterator<Item = Dependence>) -> Dependence {
    parts.max().unwrap_or(Dependence::Constant)
}
