//! Terms of an equation: expressions of the parameters and of derivatives of the objective, each kept once.
//!
//! A term is a number into a list in which parts stand before what they are parts of. Whoever builds a term that
//! exists already gets that one, so coefficients that occur twice are computed once. Obvious simplifications (zero, one,
//! constants, `a - a`) happen while building: derivatives are full of them.

use std::collections::{BTreeMap, BTreeSet};

use super::Partial;
use super::function::{Pair, Single};
use crate::expression::Relation;
use crate::expression::power;

/// The number of a term.
pub(super) type Term = usize;

/// No equation that somebody wrote needs more terms than this, derivatives included.
pub(super) const MOST_TERMS: usize = 500_000;

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Op {
    /// A number, by its bits.
    Constant(u64),
    /// The value of a parameter, by its place.
    Input(usize),
    /// A derivative of the objective in physical coordinates.
    Jet(Partial),
    Negate(Term),
    Add(Term, Term),
    Multiply(Term, Term),
    Divide(Term, Term),
    Power(Term, Term),
    Single(Single, Term),
    Pair(Pair, Term, Term),
    /// 1 where the relation holds, 0 where it does not.
    Test(Relation, Term, Term),
    /// The second where the first is not 0, the third where it is.
    Choose(Term, Term, Term),
}

impl Op {
    /// The terms it is made of.
    pub(super) fn parts(&self) -> impl Iterator<Item = Term> + use<> {
        let (parts, count) = match *self {
            Self::Constant(_) | Self::Input(_) | Self::Jet(_) => ([0; 3], 0),
            Self::Negate(a) | Self::Single(_, a) => ([a, 0, 0], 1),
            Self::Add(a, b)
            | Self::Multiply(a, b)
            | Self::Divide(a, b)
            | Self::Power(a, b)
            | Self::Pair(_, a, b)
            | Self::Test(_, a, b) => ([a, b, 0], 2),
            Self::Choose(a, b, c) => ([a, b, c], 3),
        };
        parts.into_iter().take(count)
    }
}

/// All terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Algebra {
    ops: Vec<Op>,
    known: BTreeMap<Op, Term>,
}

impl Algebra {
    pub(super) fn op(&self, term: Term) -> &Op {
        &self.ops[term]
    }

    /// Whether there are more terms than anybody needs.
    pub(super) fn is_overfull(&self) -> bool {
        self.ops.len() > MOST_TERMS
    }

    /// The term that is this, new or known.
    fn keep(&mut self, op: Op) -> Term {
        let next = self.ops.len();
        let term = *self.known.entry(op.clone()).or_insert(next);
        if term == next {
            self.ops.push(op);
        }
        term
    }

    pub(super) fn constant(&mut self, value: f64) -> Term {
        // One zero is enough.
        self.keep(Op::Constant((value + 0.0).to_bits()))
    }

    /// The value of a constant term.
    pub(super) fn value(&self, term: Term) -> Option<f64> {
        match self.ops[term] {
            Op::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    fn is(&self, term: Term, value: f64) -> bool {
        self.value(term).is_some_and(|known| known.to_bits() == value.to_bits())
    }

    pub(super) fn input(&mut self, parameter: usize) -> Term {
        self.keep(Op::Input(parameter))
    }

    pub(super) fn jet(&mut self, partial: Partial) -> Term {
        self.keep(Op::Jet(partial))
    }

    pub(super) fn negate(&mut self, a: Term) -> Term {
        match self.ops[a] {
            Op::Constant(bits) => self.constant(-f64::from_bits(bits)),
            Op::Negate(inner) => inner,
            _ => self.keep(Op::Negate(a)),
        }
    }

    pub(super) fn add(&mut self, a: Term, b: Term) -> Term {
        if let (Some(a), Some(b)) = (self.value(a), self.value(b)) {
            return self.constant(a + b);
        }
        if self.is(a, 0.0) {
            return b;
        }
        if self.is(b, 0.0) {
            return a;
        }
        if self.negate_of(a, b) {
            return self.constant(0.0);
        }
        self.keep(Op::Add(a.min(b), a.max(b)))
    }

    fn negate_of(&self, a: Term, b: Term) -> bool {
        self.ops[a] == Op::Negate(b) || self.ops[b] == Op::Negate(a)
    }

    pub(super) fn subtract(&mut self, a: Term, b: Term) -> Term {
        let minus = self.negate(b);
        self.add(a, minus)
    }

    /// The sum of many.
    pub(super) fn sum(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let zero = self.constant(0.0);
        terms.into_iter().fold(zero, |sum, term| self.add(sum, term))
    }

    /// A sign moves out of a product and a constant to its front, so that like products are alike.
    pub(super) fn multiply(&mut self, a: Term, b: Term) -> Term {
        if let (Some(a), Some(b)) = (self.value(a), self.value(b)) {
            return self.constant(a * b);
        }
        for (one, other) in [(a, b), (b, a)] {
            if self.is(one, 0.0) || self.is(other, 1.0) {
                return one;
            }
            if self.is(one, -1.0) {
                return self.negate(other);
            }
            if let Op::Negate(inner) = self.ops[one] {
                let product = self.multiply(inner, other);
                return self.negate(product);
            }
            if let (Some(factor), Op::Multiply(c, rest)) = (self.value(one), self.ops[other].clone())
                && let Some(inner) = self.value(c).or_else(|| self.value(rest))
            {
                let rest = if self.value(c).is_some() { rest } else { c };
                let factor = self.constant(factor * inner);
                return self.multiply(factor, rest);
            }
        }
        self.keep(Op::Multiply(a.min(b), a.max(b)))
    }

    pub(super) fn divide(&mut self, a: Term, b: Term) -> Term {
        if let (Some(a), Some(b)) = (self.value(a), self.value(b)) {
            return self.constant(a / b);
        }
        if self.is(a, 0.0) || self.is(b, 1.0) {
            return a;
        }
        match self.ops[a] {
            Op::Negate(inner) => {
                let quotient = self.divide(inner, b);
                self.negate(quotient)
            }
            _ => match self.value(b) {
                Some(divisor) if (1.0 / divisor).is_normal() => {
                    let factor = self.constant(1.0 / divisor);
                    self.multiply(factor, a)
                }
                _ => self.keep(Op::Divide(a, b)),
            },
        }
    }

    pub(super) fn power(&mut self, a: Term, b: Term) -> Term {
        if let (Some(a), Some(b)) = (self.value(a), self.value(b)) {
            return self.constant(power(a, b));
        }
        if self.is(b, 0.0) {
            return self.constant(1.0);
        }
        if self.is(b, 1.0) {
            return a;
        }
        self.keep(Op::Power(a, b))
    }

    pub(super) fn single(&mut self, function: Single, a: Term) -> Term {
        match self.value(a) {
            Some(value) => self.constant(function.value(value)),
            None => self.keep(Op::Single(function, a)),
        }
    }

    pub(super) fn pair(&mut self, function: Pair, a: Term, b: Term) -> Term {
        match (self.value(a), self.value(b)) {
            (Some(a), Some(b)) => self.constant(function.value(a, b)),
            _ => self.keep(Op::Pair(function, a, b)),
        }
    }

    pub(super) fn test(&mut self, relation: Relation, a: Term, b: Term) -> Term {
        match (self.value(a), self.value(b)) {
            (Some(a), Some(b)) => self.constant(f64::from(u8::from(holds(relation, a, b)))),
            _ => self.keep(Op::Test(relation, a, b)),
        }
    }

    pub(super) fn choose(&mut self, condition: Term, a: Term, b: Term) -> Term {
        match self.value(condition) {
            Some(truth) if truth != 0.0 => a,
            Some(_) => b,
            None if a == b => a,
            None => self.keep(Op::Choose(condition, a, b)),
        }
    }

    /// These terms and everything they are made of, parts first.
    pub(super) fn reach(&self, roots: &[Term]) -> BTreeSet<Term> {
        let mut found = BTreeSet::new();
        let mut waiting = roots.to_vec();
        while let Some(term) = waiting.pop() {
            if found.insert(term) {
                waiting.extend(self.ops[term].parts());
            }
        }
        found
    }

    /// The highest order of a derivative of the objective in some terms.
    pub(super) fn order(&self, roots: &[Term]) -> usize {
        let orders = self.reach(roots).into_iter().map(|term| match &self.ops[term] {
            Op::Jet(partial) => partial.order(),
            _ => 0,
        });
        orders.max().unwrap_or(0)
    }

    /// The parameters in some terms, ascending.
    pub(super) fn inputs(&self, roots: &[Term]) -> Vec<usize> {
        let found: BTreeSet<usize> = self
            .reach(roots)
            .into_iter()
            .filter_map(|term| match self.ops[term] {
                Op::Input(parameter) => Some(parameter),
                _ => None,
            })
            .collect();
        found.into_iter().collect()
    }

    /// The derivatives of the objective in a term.
    pub(super) fn jets(&self, root: Term) -> Vec<Term> {
        let reached = self.reach(&[root]).into_iter();
        reached.filter(|&term| matches!(self.ops[term], Op::Jet(_))).collect()
    }
}

/// Whether a relation holds between two numbers; equality allows for rounding.
pub(super) fn holds(relation: Relation, a: f64, b: f64) -> bool {
    const ROUNDING: f64 = 1e-9;
    let equal = (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
    match relation {
        Relation::Less => a < b,
        Relation::LessEqual => a <= b,
        Relation::Greater => a > b,
        Relation::GreaterEqual => a >= b,
        Relation::Equal => equal,
        Relation::Unequal => !a.is_nan() && !b.is_nan() && !equal,
    }
}
