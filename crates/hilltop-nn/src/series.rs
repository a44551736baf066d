//! Activations of power series, term by term, and the adjoints of that.
//!
//! With `u` the part of `z` that is not constant, `φ(z) = Σ_k φ⁽ᵏ⁾(z₀)/k! uᵏ`, a finite sum because powers beyond the order leave the set of
//! terms. The series of `φ'(z)` comes from the same powers, and it is all that the way back needs: a change of the term `z_β` changes
//! `φ(z)_α` by `φ'(z)_{α−β}`, so `z̄_β = Σ_γ ā_{β+γ} φ'(z)_γ`.
//!
//! Terms stand one after the other, each a slice over all units and points.
#![allow(
    clippy::inline_always,
    reason = "the body must be inside the function compiled for the instruction set"
)]

use crate::Activation;
use crate::downset::Downset;
use crate::elementary::SINE_LIMIT;
use crate::fused::{Pass, widest};
use crate::tower::{Erf, Gelu, HEIGHT, LargeSin, Relu, Sigmoid, Sin, Softplus, Tall, Tanh};
use pulp::Arch;
use std::marker::PhantomData;

/// Numbers worked on at once, so that all terms of them stay in the nearest memory.
const LANES: usize = 16;

type Lane = [f64; LANES];

/// `1/k!`.
const INVERSE_FACTORIALS: [f64; HEIGHT] = [1.0, 1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0];

/// Replaces the series `z` by `φ(z)` and writes that of `φ'(z)`.
pub(crate) fn compose(activation: Activation, set: &Downset, values: &mut [f64], slopes: &mut [f64]) {
    assert_eq!(values.len(), slopes.len(), "a slope for every value");
    assert_eq!(values.len() % set.len(), 0, "as many numbers of every term");
    let constants = &values[..values.len() / set.len()];
    match activation {
        Activation::Relu => sweep::<Relu>(set, values, slopes),
        Activation::Erf => sweep::<Erf>(set, values, slopes),
        Activation::Tanh => sweep::<Tanh>(set, values, slopes),
        Activation::Sin if constants.iter().any(|z| z.abs() > SINE_LIMIT) => sweep::<LargeSin>(set, values, slopes),
        Activation::Sin => sweep::<Sin>(set, values, slopes),
        Activation::Gelu => sweep::<Gelu>(set, values, slopes),
        Activation::Softplus => sweep::<Softplus>(set, values, slopes),
        Activation::Sigmoid => sweep::<Sigmoid>(set, values, slopes),
    }
}

/// Replaces the adjoints of `φ(z)` by those of `z`, given the series of `φ'(z)`.
pub(crate) fn decompose(set: &Downset, slopes: &[f64], adjoints: &mut [f64]) {
    assert_eq!(adjoints.len(), slopes.len(), "a slope for every adjoint");
    let length = adjoints.len() / set.len();
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let (mut above, mut slope) = (vec![[0.0; LANES]; set.len()], vec![[0.0; LANES]; set.len()]);
            for start in (0..length).step_by(LANES) {
                load(adjoints, length, start, &mut above);
                load(slopes, length, start, &mut slope);
                pull(set, &slope, &mut above);
                store(&above, length, start, adjoints);
            }
        },
    );
}

/// One block on its way back. A term needs those above it, which stand behind it and are still as they were.
#[inline(always)]
fn pull(set: &Downset, slope: &[Lane], adjoint: &mut [Lane]) {
    let mut sum = product(&adjoint[0], &slope[0]);
    for term in 1..set.len() {
        add_product(&mut sum, &adjoint[term], &slope[term]);
    }
    adjoint[0] = sum;
    for term in 1..set.len() {
        let mut sum = product(&adjoint[term], &slope[0]);
        for &(above, factor) in &set.lifts[term] {
            add_product(&mut sum, &adjoint[above], &slope[factor]);
        }
        adjoint[term] = sum;
    }
}

struct Sweep<'a, F> {
    function: PhantomData<F>,
    set: &'a Downset,
    values: &'a mut [f64],
    slopes: &'a mut [f64],
}

fn sweep<F: Tall>(set: &Downset, values: &mut [f64], slopes: &mut [f64]) {
    widest(Sweep::<F> {
        function: PhantomData,
        set,
        values,
        slopes,
    });
}

impl<F: Tall> Pass for Sweep<'_, F> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let length = self.values.len() / self.set.len();
        let mut block = Block::new(self.set);
        for start in (0..length).step_by(LANES) {
            load(self.values, length, start, &mut block.inner);
            block.compose::<F, FUSED>(self.set);
            store(&block.value, length, start, self.values);
            store(&block.slope, length, start, self.slopes);
        }
    }
}

/// The terms of a few numbers.
struct Block {
    inner: Vec<Lane>,
    value: Vec<Lane>,
    slope: Vec<Lane>,
    power: Vec<Lane>,
    raised: Vec<Lane>,
}

impl Block {
    fn new(set: &Downset) -> Self {
        let terms = || vec![[0.0; LANES]; set.len()];
        let powers = || if set.order() > 1 { terms() } else { Vec::new() };
        Self {
            inner: terms(),
            value: terms(),
            slope: terms(),
            power: powers(),
            raised: powers(),
        }
    }

    #[inline(always)]
    fn compose<F: Tall, const FUSED: bool>(&mut self, set: &Downset) {
        let tower = tower::<F, FUSED>(&self.inner[0]);
        (self.value[0], self.slope[0]) = (tower[0], tower[1]);
        for term in 1..set.len() {
            self.value[term] = product(&tower[1], &self.inner[term]);
            self.slope[term] = product(&tower[2], &self.inner[term]);
        }
        if set.order() > 1 {
            self.power.copy_from_slice(&self.inner);
        }
        for degree in 2..=set.order() {
            self.raise(set, degree);
            let inverse = INVERSE_FACTORIALS[degree];
            let (first, second) = (scaled(&tower[degree], inverse), scaled(&tower[degree + 1], inverse));
            for term in (1..set.len()).filter(|&term| set.order_of(term) >= degree) {
                add_product(&mut self.value[term], &first, &self.power[term]);
                add_product(&mut self.slope[term], &second, &self.power[term]);
            }
        }
    }

    /// Turns `u^(degree − 1)` into `u^degree`, which has no terms of a lower order.
    #[inline(always)]
    fn raise(&mut self, set: &Downset, degree: usize) {
        self.raised.fill([0.0; LANES]);
        for &(term, left, right) in &set.products {
            if set.order_of(left) + 1 >= degree {
                add_product(&mut self.raised[term], &self.power[left], &self.inner[right]);
            }
        }
        std::mem::swap(&mut self.power, &mut self.raised);
    }
}

/// The derivatives at every number. Each has an array of its own, or the loop would not be vectorised.
#[inline(always)]
fn tower<F: Tall, const FUSED: bool>(z: &Lane) -> [Lane; HEIGHT + 1] {
    let [mut value, mut first, mut second, mut third, mut fourth, mut fifth] = [[0.0; LANES]; HEIGHT + 1];
    for lane in 0..LANES {
        let at = F::tower::<FUSED>(z[lane]);
        value[lane] = at[0];
        first[lane] = at[1];
        second[lane] = at[2];
        third[lane] = at[3];
        fourth[lane] = at[4];
        fifth[lane] = at[5];
    }
    [value, first, second, third, fourth, fifth]
}

#[inline(always)]
fn product(a: &Lane, b: &Lane) -> Lane {
    let mut out = [0.0; LANES];
    for lane in 0..LANES {
        out[lane] = a[lane] * b[lane];
    }
    out
}

#[inline(always)]
fn scaled(a: &Lane, factor: f64) -> Lane {
    let mut out = *a;
    out.iter_mut().for_each(|value| *value *= factor);
    out
}

#[inline(always)]
fn add_product(out: &mut Lane, a: &Lane, b: &Lane) {
    for lane in 0..LANES {
        out[lane] += a[lane] * b[lane];
    }
}

/// Takes a block of every term; behind the end there are zeros.
#[inline(always)]
fn load(from: &[f64], length: usize, start: usize, to: &mut [Lane]) {
    let count = LANES.min(length - start);
    for (term, lane) in to.iter_mut().enumerate() {
        let part = &from[term * length + start..][..count];
        if let Ok(whole) = part.try_into() {
            *lane = whole;
        } else {
            *lane = [0.0; LANES];
            lane[..count].copy_from_slice(part);
        }
    }
}

#[inline(always)]
fn store(from: &[Lane], length: usize, start: usize, to: &mut [f64]) {
    let count = LANES.min(length - start);
    for (term, lane) in from.iter().enumerate() {
        to[term * length + start..][..count].copy_from_slice(&lane[..count]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `φ` of a polynomial in two variables, by differences of its value.
    fn polynomial(terms: &[(Vec<u8>, f64)], x: f64, y: f64) -> f64 {
        let monomial = |term: &[u8]| x.powi(i32::from(term[0])) * y.powi(i32::from(term[1]));
        terms.iter().map(|(term, factor)| factor * monomial(term)).sum()
    }

    #[test]
    fn the_series_of_a_composition_is_that_of_its_values() {
        let exponents = [vec![2, 2], vec![4, 0], vec![0, 3]];
        let set = Downset::new(2, &exponents);
        let all = [
            [0, 0],
            [1, 0],
            [0, 1],
            [2, 0],
            [1, 1],
            [0, 2],
            [2, 1],
            [1, 2],
            [3, 0],
            [0, 3],
            [2, 2],
            [4, 0],
        ];
        assert_eq!(set.len(), all.len());
        let mut values = vec![0.0; set.len()];
        let mut inner = Vec::new();
        for (k, term) in all.iter().enumerate() {
            let factor = 0.3 + 0.1 * (k as f64 * 1.7).sin();
            values[set.index(term).into_iter().sum::<usize>()] = factor;
            inner.push((term.to_vec(), factor));
        }
        let mut slopes = vec![0.0; set.len()];
        compose(Activation::Tanh, &set, &mut values, &mut slopes);
        let terms: Vec<(Vec<u8>, f64)> = all
            .iter()
            .map(|term| (term.to_vec(), values[set.index(term).into_iter().sum::<usize>()]))
            .collect();
        // On the axis of y the set is whole up to the third order, on that of x up to the fourth.
        for (x, y, order) in [(0.01, 0.0, 5), (0.0, 0.01, 4)] {
            let exact = polynomial(&inner, x, y).tanh();
            let error = (polynomial(&terms, x, y) - exact).abs();
            assert!(error < 10.0 * 0.01_f64.powi(order), "{error}");
        }
        assert!((slopes[0] - (1.0 - values[0] * values[0])).abs() < 1e-15);
    }

    #[test]
    fn adjoints_are_the_transpose_of_the_change() {
        let set = Downset::new(2, &[vec![2, 1], vec![0, 3]]);
        let (length, size) = (19, 19 * set.len());
        let series = |shift: f64| (0..size).map(|i| (0.7 * i as f64 + shift).sin()).collect::<Vec<f64>>();
        let (z, step, adjoint) = (series(0.0), series(1.0), series(2.0));
        for activation in [Activation::Erf, Activation::Gelu, Activation::Sigmoid] {
            let at = |distance: f64| {
                let mut values: Vec<f64> = z.iter().zip(&step).map(|(z, s)| z + distance * s).collect();
                let mut slopes = vec![0.0; size];
                compose(activation, &set, &mut values, &mut slopes);
                (values, slopes)
            };
            let (low, high) = (at(-1e-5).0, at(1e-5).0);
            let change: f64 = (0..size).map(|i| adjoint[i] * (high[i] - low[i]) / 2e-5).sum();
            let mut back = adjoint.clone();
            decompose(&set, &at(0.0).1, &mut back);
            let pulled: f64 = back.iter().zip(&step).map(|(b, s)| b * s).sum();
            assert!(
                (change - pulled).abs() < 1e-7 * (1.0 + pulled.abs()),
                "{length}: {change} {pulled}"
            );
        }
    }
}
