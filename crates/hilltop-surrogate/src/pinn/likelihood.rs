//! How likely observations are before any training: what reach, noise and trust in the equations are chosen by.

use faer::Mat;
use hilltop_nn::JetTangent;

use super::block::{Rows, gram, law_factor};
use super::collocated::Collocated;
use crate::process::Factor;

/// How likely values are, as a logarithm, and the size of the function that makes them so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Likelihood {
    pub(super) value: f64,
    pub(super) size: f64,
}

/// How likely standardised values are with each of several noises: given that the linear equations hold, and by themselves. Residuals stand before
/// values in the factor, so that the values' part of it is what they are conditional on these.
pub(super) fn likelihoods(rows: &Rows<'_>, targets: &[f64], noises: &[f64]) -> Vec<[Likelihood; 2]> {
    let equations = rows.equations.iter();
    let linear: Vec<&Collocated> = equations.filter(|equation| equation.sources().is_some()).collect();
    let (values, tangents) = (rows.values(), rows.tangents(&linear));
    let each = rows.each(linear.len());
    let sources = linear
        .iter()
        .flat_map(|equation| equation.sources().into_iter().flatten().take(each));
    let mut seen: Vec<f64> = sources
        .map(|source| -law_factor(rows.weight, rows.spread) * source)
        .collect();
    let first = seen.len();
    seen.extend_from_slice(targets);
    let parts: Vec<&JetTangent> = tangents.iter().chain(std::iter::once(&values)).collect();
    let whole = gram(&parts);
    let own = whole.submatrix(first, first, targets.len(), targets.len()).to_owned();
    let both = |&noise: &f64| {
        [
            tail_likelihood(&whole, noise, &seen, first),
            tail_likelihood(&own, noise, &seen[first..], 0),
        ]
    };
    noises.iter().map(both).collect()
}

/// The density of the last numbers given those before, for the size of the function (noise included) that makes them most likely: a kernel that
/// equations narrow must not be blamed for being narrow. As if there were one more number, of size one.
fn tail_likelihood(gram: &Mat<f64>, noise: f64, seen: &[f64], first: usize) -> Likelihood {
    let Some(factor) = Factor::exactly(gram.clone(), noise) else {
        return Likelihood {
            value: f64::NEG_INFINITY,
            size: 1.0,
        };
    };
    let mut column = Mat::from_fn(seen.len(), 1, |i, _| seen[i]);
    factor.forward(column.as_mut());
    let count = (seen.len() - first + 1) as f64;
    let square = (1.0 + (first..seen.len()).map(|i| column[(i, 0)].powi(2)).sum::<f64>()) / count;
    let roots: f64 = (first..seen.len()).map(|i| factor.lower()[(i, i)].ln()).sum();
    Likelihood {
        value: -0.5 * count * square.ln() - roots,
        size: square.sqrt(),
    }
}
