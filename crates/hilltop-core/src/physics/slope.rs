//! Derivatives of terms: total ones in a parameter, and of a residual in the derivatives of the objective.

use std::collections::BTreeMap;

use super::Partial;
use super::algebra::{Algebra, Op, Term};
use super::function::Single;

/// A parameter in which derivatives are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Direction {
    /// Its place among the parameters.
    pub(super) parameter: usize,
    /// Its coordinate of an encoded point.
    pub(super) coordinate: usize,
}

impl Partial {
    /// The same, once more in a coordinate.
    pub(super) fn along(&self, coordinate: usize) -> Self {
        let mut axes: Vec<usize> = self
            .axes()
            .iter()
            .flat_map(|&(axis, times)| vec![axis; times])
            .collect();
        axes.push(coordinate);
        Self::of(&axes)
    }
}

impl Algebra {
    /// The total derivative of a term in a parameter: of what it knows by the rules, of the objective by one more
    /// derivative. Where terms are too many it stops halfway: whoever asked finds [`is_overfull`](Self::is_overfull).
    pub(super) fn derivative(&mut self, root: Term, along: Direction) -> Term {
        let mut found: BTreeMap<Term, Term> = BTreeMap::new();
        for term in self.reach(&[root]) {
            if self.is_overfull() {
                return root;
            }
            let derivative = self.derivative_of(term, along, &found);
            found.insert(term, derivative);
        }
        found[&root]
    }

    fn derivative_of(&mut self, term: Term, along: Direction, found: &BTreeMap<Term, Term>) -> Term {
        let op = self.op(term).clone();
        match &op {
            Op::Constant(_) | Op::Test(..) => self.constant(0.0),
            Op::Input(parameter) => self.constant(f64::from(u8::from(*parameter == along.parameter))),
            Op::Jet(partial) => self.jet(partial.along(along.coordinate)),
            Op::Choose(condition, a, b) => self.choose(*condition, found[a], found[b]),
            _ => {
                let parts: Vec<Term> = op.parts().collect();
                let zero = self.constant(0.0);
                // A part that stays as it is needs no slope; that of `a^b` in b, a logarithm, may not even exist.
                let moving = parts.iter().map(|part| found[part] != zero).collect::<Vec<_>>();
                let slopes = self.slopes_of(term, &op, &moving);
                let products: Vec<Term> = slopes
                    .into_iter()
                    .zip(&parts)
                    .map(|(slope, part)| self.multiply(slope, found[part]))
                    .collect();
                self.sum(products)
            }
        }
    }

    /// The slope of a term in each of its parts, zero where a part does not move.
    fn slopes_of(&mut self, term: Term, op: &Op, moving: &[bool]) -> Vec<Term> {
        let (zero, one) = (self.constant(0.0), self.constant(1.0));
        match *op {
            Op::Negate(_) => vec![self.constant(-1.0)],
            Op::Add(..) => vec![one, one],
            Op::Multiply(a, b) => vec![b, a],
            Op::Divide(a, b) => {
                let first = self.divide(one, b);
                let square = self.multiply(b, b);
                let second = if moving[1] { self.divide(a, square) } else { zero };
                vec![first, self.negate(second)]
            }
            Op::Power(a, b) => {
                let first = if moving[0] { self.power_slope(a, b) } else { zero };
                let second = if moving[1] {
                    let logarithm = self.single(Single::Ln, a);
                    self.multiply(term, logarithm)
                } else {
                    zero
                };
                vec![first, second]
            }
            Op::Single(function, a) => vec![function.slope(self, a, term)],
            Op::Pair(function, a, b) => function.slopes(self, a, b, term).to_vec(),
            Op::Choose(condition, ..) => {
                vec![
                    zero,
                    self.choose(condition, one, zero),
                    self.choose(condition, zero, one),
                ]
            }
            Op::Test(..) => vec![zero, zero],
            Op::Constant(_) | Op::Input(_) | Op::Jet(_) => Vec::new(),
        }
    }

    /// `b a^(b - 1)`.
    fn power_slope(&mut self, a: Term, b: Term) -> Term {
        let minus_one = self.constant(-1.0);
        let lower = self.add(b, minus_one);
        let power = self.power(a, lower);
        self.multiply(b, power)
    }

    /// The slope of a term in each of these derivatives of the objective, from the root down.
    pub(super) fn slopes(&mut self, root: Term, jets: &[Term]) -> Vec<Term> {
        let zero = self.constant(0.0);
        let reached = self.reach(&[root]);
        let mut carries: BTreeMap<Term, bool> = BTreeMap::new();
        for &term in &reached {
            let carried = matches!(self.op(term), Op::Jet(_)) || self.op(term).parts().any(|part| carries[&part]);
            carries.insert(term, carried);
        }
        let mut weights: BTreeMap<Term, Term> = BTreeMap::from([(root, self.constant(1.0))]);
        for &term in reached.iter().rev() {
            let Some(&weight) = weights.get(&term) else { continue };
            let op = self.op(term).clone();
            let parts: Vec<Term> = op.parts().collect();
            let moving: Vec<bool> = parts.iter().map(|part| carries[part]).collect();
            if !moving.contains(&true) {
                continue;
            }
            let slopes = self.slopes_of(term, &op, &moving);
            for ((part, slope), _) in parts.into_iter().zip(slopes).zip(moving).filter(|(_, moves)| *moves) {
                let share = self.multiply(weight, slope);
                let sum = self.add(*weights.get(&part).unwrap_or(&zero), share);
                weights.insert(part, sum);
            }
        }
        jets.iter().map(|jet| *weights.get(jet).unwrap_or(&zero)).collect()
    }
}
