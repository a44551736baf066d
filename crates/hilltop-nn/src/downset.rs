//! The terms of a power series in several variables that derivatives need, and how two series multiply.
//!
//! To know `∂²h/∂x∂y` one must know `h`, `∂h/∂x`, `∂h/∂y` and nothing else: with a term all terms that divide it. A series cut down to such a set is an
//! algebra, because terms outside never come back into it. The terms stand in ascending order, so the constant is
//! first, then each variable, then what is curved.

/// A set of exponents that holds with each of them all smaller ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Downset {
    /// The exponents of every variable, by rising order.
    terms: Vec<Vec<u8>>,
    /// The order of every term.
    orders: Vec<usize>,
    /// Pairs of terms, neither of them constant, whose product is a term: `(product, left, right)` by product.
    pub(crate) products: Vec<(usize, usize, usize)>,
    /// The same pairs by left factor: for every term what it is multiplied by and what that gives.
    pub(crate) lifts: Vec<Vec<(usize, usize)>>,
}

impl Downset {
    /// The smallest such set with these exponents and all variables in it.
    pub(crate) fn new(variables: usize, exponents: &[Vec<u8>]) -> Self {
        let mut terms = vec![vec![0; variables]];
        terms.extend((0..variables).map(|variable| unit(variables, variable)));
        exponents.iter().for_each(|exponent| divisors(exponent, &mut terms));
        // The first variable's terms first, as the variables stand themselves.
        terms.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| b.cmp(a)));
        terms.dedup();
        let products = products(&terms);
        let mut lifts = vec![Vec::new(); terms.len()];
        for &(product, left, right) in &products {
            lifts[left].push((product, right));
        }
        Self {
            orders: terms.iter().map(|term| order(term)).collect(),
            terms,
            products,
            lifts,
        }
    }

    /// Number of terms.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The highest order of a term.
    pub(crate) fn order(&self) -> usize {
        self.orders.last().copied().unwrap_or(0)
    }

    /// The order of a term.
    pub(crate) fn order_of(&self, term: usize) -> usize {
        self.orders[term]
    }

    /// Where a term stands.
    pub(crate) fn index(&self, exponents: &[u8]) -> Option<usize> {
        self.terms.iter().position(|term| term == exponents)
    }
}

fn unit(variables: usize, variable: usize) -> Vec<u8> {
    (0..variables).map(|k| u8::from(k == variable)).collect()
}

fn order(term: &[u8]) -> usize {
    term.iter().map(|&times| usize::from(times)).sum()
}

/// All terms that divide one.
fn divisors(exponents: &[u8], out: &mut Vec<Vec<u8>>) {
    let mut found = vec![vec![0; exponents.len()]];
    for (variable, &times) in exponents.iter().enumerate().filter(|(_, times)| **times > 0) {
        let raised = found.iter().flat_map(|term| {
            (0..=times).map(move |power| {
                let mut term = term.clone();
                term[variable] = power;
                term
            })
        });
        found = raised.collect();
    }
    out.extend(found);
}

fn products(terms: &[Vec<u8>]) -> Vec<(usize, usize, usize)> {
    let place = |wanted: &[u8]| terms.iter().position(|term| term == wanted);
    let mut out = Vec::new();
    for (product, term) in terms.iter().enumerate() {
        let mut left = Vec::new();
        divisors(term, &mut left);
        for left in left.iter().filter(|left| order(left) > 0 && *left != term) {
            let right: Vec<u8> = term.iter().zip(left).map(|(whole, part)| whole - part).collect();
            out.extend(
                place(left)
                    .zip(place(&right))
                    .map(|(left, right)| (product, left, right)),
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mixed_term_brings_what_divides_it_and_no_more() {
        let set = Downset::new(2, &[vec![1, 2]]);
        let expected = [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [1, 2]];
        assert_eq!(set.terms, expected.map(|term| term.to_vec()));
        assert_eq!((set.order(), set.index(&[0, 2])), (3, Some(4)));
        // xy = x·y = y·x, yy = y·y, xyy = x·yy = xy·y and turned round.
        assert_eq!(set.products.len(), 2 + 1 + 4);
        assert_eq!(set.lifts[1], [(3, 2), (5, 4)]);
    }

    #[test]
    fn a_laplacian_needs_two_terms_a_variable() {
        let squares: Vec<Vec<u8>> = (0..7)
            .map(|k| unit(7, k).iter().map(|times| 2 * times).collect())
            .collect();
        assert_eq!(Downset::new(7, &squares).len(), 15);
        assert_eq!(Downset::new(7, &[]).len(), 8);
    }
}
