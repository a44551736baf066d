//! Expressions made ready to be evaluated many thousand times: names are slots of a slice, types are settled.
//!
//! A slot holds a number, a truth (0 or 1) or the number of a label. Labels are texts, and the options of a choice
//! that mixes texts with numbers.

use super::function::{modulo, power};
use super::node::{Factor, Relation, Sign};

/// Something with a number as its value.
#[derive(Debug, Clone)]
pub(crate) enum Number {
    Constant(f64),
    Slot(usize),
    Negate(Box<Number>),
    Sum(Vec<(Sign, Number)>),
    Product(Vec<(Factor, Number)>),
    Power(Box<(Number, Number)>),
    One(fn(f64) -> f64, Box<Number>),
    Two(fn(f64, f64) -> f64, Box<(Number, Number)>),
    Many(fn(f64, f64) -> f64, Vec<Number>),
    If(Box<(Truth, Number, Number)>),
}

/// Something that holds or does not.
#[derive(Debug, Clone)]
pub(crate) enum Truth {
    Constant(bool),
    Slot(usize),
    Compare(Relation, Box<(Number, Number)>),
    SameLabel(Box<(Label, Label)>),
    Alike(Box<(Truth, Truth)>),
    Not(Box<Truth>),
    All(Vec<Truth>),
    Any(Vec<Truth>),
    If(Box<(Truth, Truth, Truth)>),
}

/// Something with a label as its value.
#[derive(Debug, Clone)]
pub(crate) enum Label {
    Constant(usize),
    Slot(usize),
    If(Box<(Truth, Label, Label)>),
}

/// Numbers closer than this, relative to the largest term of either side, are equal.
const EQUALITY: f64 = 1e-9;

/// What a comparison that cannot be measured (NaN, infinities, unequal texts) counts as a violation.
pub(crate) const UNMEASURED: f64 = 1e12;

impl Number {
    /// The value at the slots.
    pub(crate) fn value(&self, slots: &[f64]) -> f64 {
        match self {
            Self::Constant(number) => *number,
            Self::Slot(slot) => slots[*slot],
            Self::Negate(part) => -part.value(slots),
            Self::Sum(terms) => terms
                .iter()
                .fold(0.0, |sum, (sign, term)| sum + signed(*sign, term.value(slots))),
            Self::Product(factors) => product(factors, slots),
            Self::Power(pair) => power(pair.0.value(slots), pair.1.value(slots)),
            Self::One(function, part) => function(part.value(slots)),
            Self::Two(function, pair) => function(pair.0.value(slots), pair.1.value(slots)),
            Self::Many(function, parts) => parts
                .iter()
                .map(|part| part.value(slots))
                .reduce(function)
                .unwrap_or(f64::NAN),
            Self::If(parts) if parts.0.holds(slots) => parts.1.value(slots),
            Self::If(parts) => parts.2.value(slots),
        }
    }

    /// The size of the largest term: what rounding errors of the value are relative to.
    fn magnitude(&self, slots: &[f64]) -> f64 {
        match self {
            Self::Sum(terms) => terms.iter().map(|(_, term)| term.magnitude(slots)).fold(0.0, f64::max),
            Self::Many(_, parts) => parts.iter().map(|part| part.magnitude(slots)).fold(0.0, f64::max),
            _ => self.value(slots).abs(),
        }
    }
}

fn signed(sign: Sign, value: f64) -> f64 {
    match sign {
        Sign::Plus => value,
        Sign::Minus => -value,
    }
}

fn product(factors: &[(Factor, Number)], slots: &[f64]) -> f64 {
    factors.iter().fold(1.0, |product, (operator, factor)| match operator {
        Factor::Times => product * factor.value(slots),
        Factor::Over => product / factor.value(slots),
        Factor::Modulo => modulo(product, factor.value(slots)),
    })
}

impl Label {
    /// The number of the label at the slots.
    pub(crate) fn value(&self, slots: &[f64]) -> usize {
        match self {
            Self::Constant(label) => *label,
            Self::Slot(slot) => slots[*slot] as usize,
            Self::If(parts) if parts.0.holds(slots) => parts.1.value(slots),
            Self::If(parts) => parts.2.value(slots),
        }
    }
}

impl Truth {
    /// Whether it holds at the slots.
    pub(crate) fn holds(&self, slots: &[f64]) -> bool {
        match self {
            Self::Constant(truth) => *truth,
            Self::Slot(slot) => slots[*slot] != 0.0,
            Self::Compare(relation, sides) => compare(*relation, &sides.0, &sides.1, slots),
            Self::SameLabel(sides) => sides.0.value(slots) == sides.1.value(slots),
            Self::Alike(sides) => sides.0.holds(slots) == sides.1.holds(slots),
            Self::Not(part) => !part.holds(slots),
            Self::All(parts) => parts.iter().all(|part| part.holds(slots)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(slots)),
            Self::If(parts) if parts.0.holds(slots) => parts.1.holds(slots),
            Self::If(parts) => parts.2.holds(slots),
        }
    }

    /// How far it is from holding: 0 where it holds, growing with the distance of the two sides.
    pub(crate) fn violation(&self, slots: &[f64]) -> f64 {
        if self.holds(slots) {
            0.0
        } else {
            self.shortfall(slots, true)
        }
    }

    /// The distance from being as `wanted`; negations are pushed inward.
    fn shortfall(&self, slots: &[f64], wanted: bool) -> f64 {
        match self {
            Self::Compare(relation, sides) => {
                let relation = if wanted { *relation } else { relation.opposite() };
                distance(relation, &sides.0, &sides.1, slots)
            }
            Self::Not(part) => part.shortfall(slots, !wanted),
            Self::All(parts) | Self::Any(parts) => {
                let each = parts.iter().map(|part| part.shortfall(slots, wanted));
                let all = matches!(self, Self::All(_)) == wanted;
                if all {
                    each.sum::<f64>()
                } else {
                    each.fold(f64::INFINITY, f64::min)
                }
            }
            Self::If(parts) if parts.0.holds(slots) => parts.1.shortfall(slots, wanted),
            Self::If(parts) => parts.2.shortfall(slots, wanted),
            _ if self.holds(slots) == wanted => 0.0,
            _ => 1.0,
        }
    }
}

fn compare(relation: Relation, left: &Number, right: &Number, slots: &[f64]) -> bool {
    let (a, b) = (left.value(slots), right.value(slots));
    match relation {
        Relation::Less => a < b,
        Relation::LessEqual => a <= b,
        Relation::Greater => a > b,
        Relation::GreaterEqual => a >= b,
        Relation::Equal => equal(a, b, left, right, slots),
        Relation::Unequal => !a.is_nan() && !b.is_nan() && !equal(a, b, left, right, slots),
    }
}

/// Equal up to rounding; whole numbers are compared exactly.
#[expect(clippy::float_cmp, reason = "the tolerance applies where exact equality fails")]
fn equal(a: f64, b: f64, left: &Number, right: &Number, slots: &[f64]) -> bool {
    if a == b || (a.fract() == 0.0 && b.fract() == 0.0) {
        return a == b;
    }
    let scale = left.magnitude(slots).max(right.magnitude(slots));
    (a - b).abs() <= EQUALITY * scale && scale.is_finite()
}

fn distance(relation: Relation, left: &Number, right: &Number, slots: &[f64]) -> f64 {
    if compare(relation, left, right, slots) {
        return 0.0;
    }
    let (a, b) = (left.value(slots), right.value(slots));
    let gap = (a - b).abs();
    let least = f64::EPSILON * a.abs().max(b.abs()).max(f64::MIN_POSITIVE);
    match relation {
        Relation::Unequal => 1.0,
        _ if gap.is_finite() => gap.max(least).min(UNMEASURED),
        _ => UNMEASURED,
    }
}
