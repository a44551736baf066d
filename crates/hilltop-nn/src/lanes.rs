//! Element-wise loops, compiled for several instruction sets and chosen when the program runs.
//!
//! A portable binary would otherwise use the oldest instructions of its platform for everything outside the matrix
//! product. Sums run in eight fixed chains, so their rounding does not depend on the machine.
#![allow(
    clippy::inline_always,
    reason = "the body must be inside the function compiled for the instruction set"
)]

use pulp::Arch;

/// `Σ a_i b_i`.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "vectors of one length");
    Arch::new().dispatch(|| chained_dot(a, b))
}

/// `out_j = Σ_i weight_i columns_ij` for every column.
pub(crate) fn column_dots(weights: &[f64], columns: &[f64], out: &mut [f64]) {
    assert_eq!(weights.len() * out.len(), columns.len(), "a column for every result");
    Arch::new().dispatch(|| {
        for (value, column) in out.iter_mut().zip(columns.chunks_exact(weights.len())) {
            *value = chained_dot(weights, column);
        }
    });
}

#[inline(always)]
fn chained_dot(a: &[f64], b: &[f64]) -> f64 {
    chained_sum(a, b, |x, y| x * y)
}

/// `Σ term(a_i, b_i)`.
#[inline(always)]
fn chained_sum(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut chains = [0.0; 8];
    let (a_parts, b_parts) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = a_parts.remainder().iter().zip(b_parts.remainder());
    let rest = rest.fold(0.0, |sum, (x, y)| sum + term(*x, *y));
    for (x, y) in a_parts.zip(b_parts) {
        for lane in 0..8 {
            chains[lane] += term(x[lane], y[lane]);
        }
    }
    joined(chains) + rest
}

#[inline(always)]
fn joined(chains: [f64; 8]) -> f64 {
    let halves = [
        chains[0] + chains[4],
        chains[1] + chains[5],
        chains[2] + chains[6],
        chains[3] + chains[7],
    ];
    (halves[0] + halves[2]) + (halves[1] + halves[3])
}

/// `out_i = from_i + by_i`; returns `Σ by_i²`.
pub(crate) fn displace(out: &mut [f64], from: &[f64], by: &[f64]) -> f64 {
    assert!(
        out.len() == from.len() && from.len() == by.len(),
        "vectors of one length"
    );
    Arch::new().dispatch(|| {
        let whole = out.len() - out.len() % 8;
        let (out, out_rest) = out.split_at_mut(whole);
        let (from_rest, by_rest) = (&from[whole..], &by[whole..]);
        let mut chains = [0.0; 8];
        let parts = out
            .chunks_exact_mut(8)
            .zip(from.chunks_exact(8))
            .zip(by.chunks_exact(8));
        for ((o, f), b) in parts {
            for lane in 0..8 {
                o[lane] = f[lane] + b[lane];
                chains[lane] += b[lane] * b[lane];
            }
        }
        let rest = out_rest.iter_mut().zip(from_rest).zip(by_rest);
        joined(chains)
            + rest.fold(0.0, |sum, ((o, f), b)| {
                *o = f + b;
                sum + b * b
            })
    })
}

/// `out_i = a_i − b_i`.
pub(crate) fn subtract(out: &mut [f64], a: &[f64], b: &[f64]) {
    assert!(out.len() == a.len() && a.len() == b.len(), "vectors of one length");
    Arch::new().dispatch(|| out.iter_mut().zip(a).zip(b).for_each(|((o, a), b)| *o = a - b));
}

/// `target_i += factor · source_i`.
pub(crate) fn add_scaled(target: &mut [f64], factor: f64, source: &[f64]) {
    assert_eq!(target.len(), source.len(), "vectors of one length");
    Arch::new().dispatch(|| target.iter_mut().zip(source).for_each(|(t, s)| *t += factor * s));
}

/// `target_i *= source_i`.
pub(crate) fn multiply(target: &mut [f64], source: &[f64]) {
    assert_eq!(target.len(), source.len(), "vectors of one length");
    Arch::new().dispatch(|| target.iter_mut().zip(source).for_each(|(t, s)| *t *= s));
}

/// `target_i += factor · a_i · b_i`.
pub(crate) fn add_product(target: &mut [f64], factor: f64, a: &[f64], b: &[f64]) {
    assert_eq!(target.len(), a.len(), "vectors of one length");
    assert_eq!(target.len(), b.len(), "vectors of one length");
    Arch::new().dispatch(|| {
        for ((t, x), y) in target.iter_mut().zip(a).zip(b) {
            *t += factor * (x * y);
        }
    });
}

/// `target_i += (factor · a_i + shift) · b_i`.
pub(crate) fn add_affine_product(target: &mut [f64], (factor, shift): (f64, f64), a: &[f64], b: &[f64]) {
    assert_eq!(target.len(), a.len(), "vectors of one length");
    assert_eq!(target.len(), b.len(), "vectors of one length");
    Arch::new().dispatch(|| {
        for ((t, x), y) in target.iter_mut().zip(a).zip(b) {
            *t += (factor * x + shift) * y;
        }
    });
}

/// `columns_ij *= weight_i · factor_j`: the signal that the output sends back into the last hidden layer.
pub(crate) fn scale_outer(columns: &mut [f64], weights: &[f64], factors: &[f64]) {
    assert_eq!(
        weights.len() * factors.len(),
        columns.len(),
        "a factor for every column"
    );
    Arch::new().dispatch(|| {
        for (column, factor) in columns.chunks_exact_mut(weights.len()).zip(factors) {
            column
                .iter_mut()
                .zip(weights)
                .for_each(|(value, weight)| *value *= weight * factor);
        }
    });
}

/// `out_ij = factor_j · columns_ij`.
pub(crate) fn scale_columns(out: &mut [f64], columns: &[f64], factors: &[f64]) {
    assert_eq!(out.len(), columns.len(), "matrices of one shape");
    let rows = columns.len() / factors.len().max(1);
    Arch::new().dispatch(|| {
        let pairs = out.chunks_exact_mut(rows.max(1)).zip(columns.chunks_exact(rows.max(1)));
        for ((to, from), factor) in pairs.zip(factors) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = factor * from);
        }
    });
}

/// `out_i += Σ_j factor_j · columns_ij`.
pub(crate) fn add_columns(out: &mut [f64], columns: &[f64], factors: &[f64]) {
    assert_eq!(out.len() * factors.len(), columns.len(), "a factor for every column");
    Arch::new().dispatch(|| {
        for (column, factor) in columns.chunks_exact(out.len()).zip(factors) {
            out.iter_mut()
                .zip(column)
                .for_each(|(sum, value)| *sum += factor * value);
        }
    });
}

/// `weight_i += share · (anchor_i − weight_i)`: a step of the penalty on the way from the anchor.
pub(crate) fn draw_back(weights: &mut [f64], anchor: &[f64], share: f64) {
    assert_eq!(weights.len(), anchor.len(), "vectors of one length");
    Arch::new().dispatch(|| weights.iter_mut().zip(anchor).for_each(|(w, a)| *w += share * (a - *w)));
}

/// `Σ (a_i − b_i)²`.
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "vectors of one length");
    Arch::new().dispatch(|| chained_sum(a, b, |x, y| (x - y) * (x - y)))
}

/// The constants of one Adam step, with the corrections of its moments already in them.
#[derive(Debug)]
pub(crate) struct AdamStep {
    /// The rate over the first moment's correction.
    pub(crate) rate: f64,
    /// One over the root of the second moment's correction.
    pub(crate) root: f64,
    pub(crate) penalty: f64,
    pub(crate) first_decay: f64,
    pub(crate) second_decay: f64,
    pub(crate) epsilon: f64,
}

/// One step of Adam on `gradient + penalty · (weights − anchor)`.
pub(crate) fn adam(
    step: &AdamStep,
    weights: &mut [f64],
    anchor: &[f64],
    gradient: &[f64],
    (firsts, seconds): (&mut [f64], &mut [f64]),
) {
    let size = weights.len();
    assert!(anchor.len() == size && gradient.len() == size, "vectors of one length");
    assert!(firsts.len() == size && seconds.len() == size, "vectors of one length");
    Arch::new().dispatch(|| {
        for i in 0..size {
            let slope = gradient[i] + step.penalty * (weights[i] - anchor[i]);
            let first = step.first_decay * firsts[i] + (1.0 - step.first_decay) * slope;
            let second = step.second_decay * seconds[i] + (1.0 - step.second_decay) * (slope * slope);
            (firsts[i], seconds[i]) = (first, second);
            weights[i] -= step.rate * first / (second.sqrt() * step.root + step.epsilon);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_plain_loops_at_every_length() {
        for length in 1..40_usize {
            let a: Vec<f64> = (0..length).map(|i| (i as f64 * 0.37).sin()).collect();
            let b: Vec<f64> = (0..length).map(|i| (i as f64 * 0.91).cos()).collect();
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!((dot(&a, &b) - plain).abs() < 1e-13);
            let mut sums = vec![1.0; length];
            add_columns(&mut sums, &[a.clone(), b.clone()].concat(), &[2.0, -1.0]);
            for i in 0..length {
                assert!((sums[i] - (1.0 + 2.0 * a[i] - b[i])).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn the_outer_scaling_multiplies_by_row_and_column() {
        let mut columns = vec![1.0, 2.0, 3.0, 4.0];
        scale_outer(&mut columns, &[10.0, 100.0], &[1.0, -1.0]);
        assert_eq!(columns, [10.0, 200.0, -30.0, -400.0]);
    }
}
