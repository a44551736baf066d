//! Terms as a list of instructions, for many thousand evaluations.

use std::collections::BTreeMap;

use super::Partial;
use super::algebra::{Algebra, Op, Term, holds};
use crate::expression::power;

/// What several terms have as values, computed in one sweep.
#[derive(Clone, Debug)]
pub(super) struct Program {
    steps: Vec<Step>,
    outputs: Vec<usize>,
}

/// An instruction; its result goes to the register of its own place.
#[derive(Clone, Debug)]
enum Step {
    Constant(f64),
    Input(usize),
    Jet(usize),
    Compute(Op),
}

impl Program {
    /// The program of these terms, with parameters and derivatives at their places in the slices it will be given.
    pub(super) fn new(terms: &Algebra, outputs: &[Term], inputs: &[usize], jets: &[Partial]) -> Self {
        let mut registers: BTreeMap<Term, usize> = BTreeMap::new();
        let mut steps = Vec::new();
        let places: BTreeMap<&Partial, usize> = jets.iter().zip(0..).collect();
        for term in terms.reach(outputs) {
            let at = |place: &Term| registers.get(place).copied().unwrap_or_default();
            steps.push(match terms.op(term) {
                Op::Constant(bits) => Step::Constant(f64::from_bits(*bits)),
                Op::Input(parameter) => Step::Input(inputs.binary_search(parameter).unwrap_or_default()),
                Op::Jet(partial) => Step::Jet(places.get(partial).copied().unwrap_or_default()),
                Op::Negate(a) => Step::Compute(Op::Negate(at(a))),
                Op::Add(a, b) => Step::Compute(Op::Add(at(a), at(b))),
                Op::Multiply(a, b) => Step::Compute(Op::Multiply(at(a), at(b))),
                Op::Divide(a, b) => Step::Compute(Op::Divide(at(a), at(b))),
                Op::Power(a, b) => Step::Compute(Op::Power(at(a), at(b))),
                Op::Single(function, a) => Step::Compute(Op::Single(*function, at(a))),
                Op::Pair(function, a, b) => Step::Compute(Op::Pair(*function, at(a), at(b))),
                Op::Test(relation, a, b) => Step::Compute(Op::Test(*relation, at(a), at(b))),
                Op::Choose(a, b, c) => Step::Compute(Op::Choose(at(a), at(b), at(c))),
            });
            registers.insert(term, steps.len() - 1);
        }
        let outputs = outputs.iter().map(|term| registers[term]).collect();
        Self { steps, outputs }
    }

    /// The values of all terms, by register.
    pub(super) fn run(&self, inputs: &[f64], jet: &[f64]) -> Vec<f64> {
        let mut registers: Vec<f64> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let value = match step {
                Step::Constant(value) => *value,
                Step::Input(place) => inputs[*place],
                Step::Jet(place) => jet[*place],
                Step::Compute(op) => computed(op, &registers),
            };
            registers.push(value);
        }
        registers
    }

    /// An output among the registers of a run.
    pub(super) fn output(&self, registers: &[f64], place: usize) -> f64 {
        registers[self.outputs[place]]
    }

    /// How many outputs it has.
    pub(super) fn outputs(&self) -> usize {
        self.outputs.len()
    }
}

fn computed(op: &Op, registers: &[f64]) -> f64 {
    let at = |place: usize| registers[place];
    match *op {
        Op::Negate(a) => -at(a),
        Op::Add(a, b) => at(a) + at(b),
        Op::Multiply(a, b) => at(a) * at(b),
        Op::Divide(a, b) => at(a) / at(b),
        Op::Power(a, b) => power(at(a), at(b)),
        Op::Single(function, a) => function.value(at(a)),
        Op::Pair(function, a, b) => function.value(at(a), at(b)),
        Op::Test(relation, a, b) => f64::from(u8::from(holds(relation, at(a), at(b)))),
        Op::Choose(condition, a, b) => {
            if at(condition) == 0.0 {
                at(b)
            } else {
                at(a)
            }
        }
        Op::Constant(_) | Op::Input(_) | Op::Jet(_) => f64::NAN,
    }
}
