//! The form of a residual: whether it is linear in the derivatives of the objective, and whether it is a sum of squares.

use std::collections::{BTreeMap, BTreeSet};

use super::algebra::{Algebra, Op, Term};
use super::function::Single;

/// A residual that is affine: what stands alone, and the coefficient of each derivative.
#[derive(Clone, Debug)]
pub(super) struct Affine {
    pub(super) alone: Term,
    pub(super) coefficients: Vec<(Term, Term)>,
}

impl Affine {
    /// The derivatives, their coefficients, and the residual as a sum.
    pub(super) fn parts(self, terms: &mut Algebra) -> (Vec<Term>, Vec<Term>, Term) {
        let product = |&(jet, slope): &(Term, Term)| terms.multiply(slope, jet);
        let products: Vec<Term> = self.coefficients.iter().map(product).collect();
        let sum = terms.sum(products);
        let residual = terms.add(sum, self.alone);
        let (jets, slopes) = self.coefficients.into_iter().unzip();
        (jets, slopes, residual)
    }
}

/// A polynomial of derivatives and of what is no polynomial of them, with coefficients that are known.
type Polynomial = BTreeMap<Vec<Term>, Term>;

/// Products are multiplied out up to so many monomials: beyond that nothing cancels that a person wrote.
const MOST_MONOMIALS: usize = 4096;

/// Factors within factors are looked into so deep when their signs are asked for.
const FACTORS: usize = 8;

impl Algebra {
    /// The affine form of a residual, where it has one once everything is multiplied out.
    pub(super) fn affine(&mut self, root: Term) -> Option<Affine> {
        let polynomial = self.polynomial(root);
        let mut form = Affine {
            alone: self.constant(0.0),
            coefficients: Vec::new(),
        };
        for (monomial, coefficient) in polynomial {
            match monomial[..] {
                [] => form.alone = coefficient,
                [jet] if matches!(self.op(jet), Op::Jet(_)) => form.coefficients.push((jet, coefficient)),
                _ => return None,
            }
        }
        Some(form)
    }

    fn polynomial(&mut self, root: Term) -> Polynomial {
        let reached = self.reach(&[root]);
        let mut uses: BTreeMap<Term, usize> = BTreeMap::new();
        for part in reached.iter().flat_map(|&term| self.op(term).parts()) {
            *uses.entry(part).or_default() += 1;
        }
        let mut found = Found {
            polynomials: BTreeMap::new(),
            uses,
        };
        for &term in &reached {
            let polynomial = self.expanded(term, &mut found);
            found.polynomials.insert(term, polynomial);
        }
        found.polynomials.remove(&root).unwrap_or_default()
    }

    fn expanded(&mut self, term: Term, found: &mut Found) -> Polynomial {
        let one = self.constant(1.0);
        let op = self.op(term).clone();
        if let Op::Jet(_) = op {
            return Polynomial::from([(vec![term], one)]);
        }
        if op.parts().all(|part| found.is_known(part)) {
            return self.known(term);
        }
        let opaque = Polynomial::from([(vec![term], one)]);
        match op {
            Op::Negate(a) => {
                let polynomial = found.take(a);
                polynomial
                    .into_iter()
                    .map(|(key, value)| (key, self.negate(value)))
                    .collect()
            }
            Op::Add(a, b) => {
                let (a, b) = (found.take(a), found.take(b));
                self.added(a, b)
            }
            Op::Multiply(a, b) => {
                let (a, b) = (found.take(a), found.take(b));
                self.multiplied(&a, &b).unwrap_or(opaque)
            }
            Op::Divide(a, b) if found.is_known(b) => {
                let polynomial = found.take(a);
                polynomial
                    .into_iter()
                    .map(|(key, value)| (key, self.divide(value, b)))
                    .collect()
            }
            Op::Power(a, b) => match self.value(b) {
                Some(times) if (2.0..=8.0).contains(&times) && times.fract() == 0.0 => {
                    let base = found.take(a);
                    let power = (1..times as usize).try_fold(base.clone(), |power, _| self.multiplied(&power, &base));
                    power.unwrap_or(opaque)
                }
                _ => opaque,
            },
            Op::Choose(condition, a, b) if found.is_known(condition) => {
                let (a, b) = (found.take(a), found.take(b));
                self.chosen(condition, &a, &b)
            }
            _ => opaque,
        }
    }

    fn known(&mut self, term: Term) -> Polynomial {
        if self.value(term) == Some(0.0) {
            Polynomial::new()
        } else {
            Polynomial::from([(Vec::new(), term)])
        }
    }

    fn added(&mut self, a: Polynomial, b: Polynomial) -> Polynomial {
        let (mut sum, other) = if a.len() < b.len() { (b, a) } else { (a, b) };
        for (monomial, coefficient) in other {
            self.accumulate(&mut sum, monomial, coefficient);
        }
        sum
    }

    fn accumulate(&mut self, sum: &mut Polynomial, monomial: Vec<Term>, coefficient: Term) {
        let total = match sum.get(&monomial) {
            Some(&before) => self.add(before, coefficient),
            None => coefficient,
        };
        if self.value(total) == Some(0.0) {
            sum.remove(&monomial);
        } else {
            sum.insert(monomial, total);
        }
    }

    fn multiplied(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        if a.len().min(b.len()) > 1 && a.len() * b.len() > MOST_MONOMIALS {
            return None;
        }
        let mut product = Polynomial::new();
        for (left, first) in a {
            for (right, second) in b {
                let mut monomial: Vec<Term> = left.iter().chain(right).copied().collect();
                monomial.sort_unstable();
                let coefficient = self.multiply(*first, *second);
                self.accumulate(&mut product, monomial, coefficient);
            }
        }
        Some(product)
    }

    fn chosen(&mut self, condition: Term, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let zero = self.constant(0.0);
        let keys: Vec<Vec<Term>> = a.keys().chain(b.keys()).cloned().collect();
        let of = |polynomial: &Polynomial, key: &Vec<Term>| polynomial.get(key).copied().unwrap_or(zero);
        let choice = |key: Vec<Term>| {
            let value = self.choose(condition, of(a, &key), of(b, &key));
            (key, value)
        };
        keys.into_iter().map(choice).collect()
    }

    /// Where a residual is a sum of terms that are never negative (or never positive), all of them are zero: what must
    /// be zero for each.
    pub(super) fn zeros(&mut self, root: Term) -> Option<Vec<Term>> {
        let terms = self.addends(root);
        let negative = terms.first()?.1;
        if terms.iter().any(|(_, sign)| *sign != negative) {
            return None;
        }
        let zeros: Option<Vec<Term>> = terms.into_iter().map(|(term, _)| self.zero(term, FACTORS)).collect();
        zeros.filter(|all| all.iter().all(|&zero| self.value(zero).is_none()))
    }

    /// The terms of a sum, and whether each is taken away; how often a term occurs does not matter here.
    fn addends(&self, root: Term) -> BTreeSet<(Term, bool)> {
        let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
        let mut waiting = vec![(root, false)];
        while let Some((term, negative)) = waiting.pop() {
            if !seen.insert((term, negative)) {
                continue;
            }
            match *self.op(term) {
                Op::Add(a, b) => waiting.extend([(a, negative), (b, negative)]),
                Op::Negate(a) => waiting.push((a, !negative)),
                Op::Multiply(a, b) if self.value(a).is_some_and(|factor| factor > 0.0) => waiting.push((b, negative)),
                Op::Multiply(a, b) if self.value(b).is_some_and(|factor| factor > 0.0) => waiting.push((a, negative)),
                _ => {
                    found.insert((term, negative));
                }
            }
        }
        found
    }

    /// Something that is zero exactly where a term that is never negative is; none where its sign is not known, or where
    /// it has more factors within factors than `depth`.
    fn zero(&mut self, term: Term, depth: usize) -> Option<Term> {
        let deeper = depth.checked_sub(1)?;
        match *self.op(term) {
            Op::Constant(bits) if f64::from_bits(bits) > 0.0 => Some(self.constant(1.0)),
            Op::Power(a, b) if self.value(b).is_some_and(|times| times > 0.0 && times % 2.0 == 0.0) => Some(a),
            Op::Multiply(a, b) if a == b => Some(a),
            Op::Multiply(a, b) => {
                let (a, b) = (self.zero(a, deeper)?, self.zero(b, deeper)?);
                Some(self.multiply(a, b))
            }
            Op::Divide(a, b) => self.zero(b, deeper).and_then(|_| self.zero(a, deeper)),
            Op::Single(Single::Exp, _) => Some(self.constant(1.0)),
            Op::Single(Single::Abs | Single::Sqrt, a) => Some(a),
            _ => None,
        }
    }
}

/// What has been multiplied out, and how often it is still asked for.
struct Found {
    polynomials: BTreeMap<Term, Polynomial>,
    uses: BTreeMap<Term, usize>,
}

impl Found {
    /// The polynomial of a part; moved out where nobody asks for it again, so that long sums are not copied term by term.
    fn take(&mut self, part: Term) -> Polynomial {
        let uses = self.uses.entry(part).or_default();
        *uses = uses.saturating_sub(1);
        let last = *uses == 0 && !self.is_known(part);
        let kept = if last {
            self.polynomials.remove(&part)
        } else {
            self.polynomials.get(&part).cloned()
        };
        kept.unwrap_or_default()
    }

    /// Whether a part has no derivative of the objective in it.
    fn is_known(&self, part: Term) -> bool {
        self.polynomials
            .get(&part)
            .is_some_and(|polynomial| polynomial.keys().all(Vec::is_empty))
    }
}
