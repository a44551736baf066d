//! Values and residuals as rows of one kernel (Lemma 5.3.4): what is believed around a trained network, and the information of Lemma 5.3.6.
//!
//! A row is the gradient in the weights of an observed value or of a residual, divided by the root of its noise variance, so that the matrix
//! to factorise is `I + ΞΞᵀ`. All is in the dual: its size is that of the rows, never that of the weights.

use faer::{Mat, MatRef};
use hilltop_core::{Error, Result, Rng};
use hilltop_nn::{JetTangent, Jets, Network};

use super::collocated::Collocated;
use crate::process::Factor;

/// What the rows are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    pub(super) network: &'a Network,
    /// Observed points as inputs.
    pub(super) inputs: MatRef<'a, f64>,
    pub(super) equations: &'a [Collocated],
    /// `ν`.
    pub(super) spread: f64,
    /// Noise variances of values and of residuals.
    pub(super) noise: [f64; 2],
    /// At most so many residuals in all.
    pub(super) limit: usize,
}

impl Rows<'_> {
    /// The rows of values.
    fn values(&self) -> JetTangent {
        let factor = self.spread / self.noise[0].sqrt();
        let factors = Mat::full(self.inputs.nrows(), 1, factor);
        self.network.jet_tangent(self.inputs, &Jets::value(), factors.as_ref())
    }

    /// The rows of every equation. Collocation points come from a sequence that is even from its start, so the first will do.
    fn residuals(&self) -> Vec<JetTangent> {
        self.tangents(&self.equations.iter().collect::<Vec<_>>())
    }

    fn tangents(&self, equations: &[&Collocated]) -> Vec<JetTangent> {
        let each = self.limit / equations.len().max(1);
        let tangent = |equation: &&Collocated| {
            let chosen: Vec<usize> = (0..equation.len().min(each)).collect();
            let (inputs, mut slopes) = equation.features(self.network, &chosen);
            slopes *= faer::Scale(self.noise[1].sqrt().recip());
            self.network
                .jet_tangent(inputs.as_ref(), equation.jets(), slopes.as_ref())
        };
        equations.iter().map(tangent).collect()
    }
}

/// What observations say of the function, and how much of it the equations say too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Information {
    /// `I(f; Y)`.
    pub gain: f64,
    /// `I(f; Y; U)`, never more than the gain.
    pub interaction: f64,
}

impl Information {
    /// That of rows.
    pub(super) fn of(rows: &Rows<'_>) -> Result<Self> {
        let (values, residuals) = (rows.values(), rows.residuals());
        let gain = half_determinant(&[&values])?;
        let laws: Vec<&JetTangent> = residuals.iter().collect();
        let both: Vec<&JetTangent> = std::iter::once(&values).chain(residuals.iter()).collect();
        let shared = gain + half_determinant(&laws)? - half_determinant(&both)?;
        Ok(Self {
            gain,
            interaction: shared.clamp(0.0, gain),
        })
    }
}

/// How likely standardised values are, as logarithms: given that the linear equations hold, and by themselves. Residuals stand before values
/// in the factor, so that the values' part of it is what they are conditional on these.
pub(super) fn likelihoods(rows: &Rows<'_>, targets: &[f64]) -> Result<[f64; 2]> {
    let equations = rows.equations.iter();
    let linear: Vec<&Collocated> = equations.filter(|equation| equation.sources().is_some()).collect();
    let (values, tangents) = (rows.values(), rows.tangents(&linear));
    let [of_values, of_residuals] = rows.noise.map(f64::sqrt);
    let mut seen = Vec::new();
    for (equation, tangent) in linear.iter().zip(&tangents) {
        let sources = equation.sources().unwrap_or_default();
        seen.extend(sources[..tangent.len()].iter().map(|source| -source / of_residuals));
    }
    let first = seen.len();
    seen.extend(targets.iter().map(|target| target / of_values));
    let parts: Vec<&JetTangent> = tangents.iter().chain(std::iter::once(&values)).collect();
    let given = tail_likelihood(&factor(&parts)?, &seen, first);
    Ok([given, tail_likelihood(&factor(&[&values])?, &seen[first..], 0)])
}

/// The logarithm of the density of the last numbers given those before, up to a constant, for the size of the function (noise included) that makes them
/// most likely: a kernel that equations narrow must not be blamed for being narrow.
fn tail_likelihood(factor: &Factor, seen: &[f64], first: usize) -> f64 {
    let mut column = Mat::from_fn(seen.len(), 1, |i, _| seen[i]);
    factor.forward(column.as_mut());
    let count = (seen.len() - first) as f64;
    let square: f64 = (first..seen.len()).map(|i| column[(i, 0)].powi(2)).sum();
    let roots: f64 = (first..seen.len()).map(|i| factor.lower()[(i, i)].ln()).sum();
    -0.5 * count * (square / count.max(1.0)).max(f64::MIN_POSITIVE).ln() - roots
}

/// `½ log det (I + ΞΞᵀ)`.
fn half_determinant(parts: &[&JetTangent]) -> Result<f64> {
    let factor = factor(parts)?;
    Ok((0..factor.count()).map(|i| factor.lower()[(i, i)].ln()).sum())
}

fn factor(parts: &[&JetTangent]) -> Result<Factor> {
    let gram = gram(parts);
    let size = gram.nrows();
    Factor::exactly(gram, 1.0).ok_or_else(|| Error::Numerical {
        what: "the kernel of values and residuals",
        detail: format!("{size} rows have no factor"),
    })
}

/// `ΞΞᵀ` on and below the diagonal.
pub(super) fn gram(parts: &[&JetTangent]) -> Mat<f64> {
    let size: usize = parts.iter().map(|part| part.len()).sum();
    let mut gram = Mat::zeros(size, size);
    let mut top = 0;
    for (index, rows) in parts.iter().enumerate() {
        let mut left = 0;
        for columns in &parts[..index] {
            let mut place = gram.as_mut().submatrix_mut(top, left, rows.len(), columns.len());
            place.copy_from(rows.kernel(columns));
            left += columns.len();
        }
        gram.as_mut()
            .submatrix_mut(top, top, rows.len(), rows.len())
            .copy_from(rows.gram());
        top += rows.len();
    }
    gram
}

/// What is believed of the function after the rows.
#[derive(Clone, Debug)]
pub(super) struct Block {
    parts: Vec<JetTangent>,
    factor: Factor,
    spread: f64,
}

/// Variances at points with their gradients in the network's inputs.
pub(super) struct Variances {
    pub(super) values: Vec<f64>,
    pub(super) gradients: Mat<f64>,
}

impl Block {
    /// The posterior of rows.
    pub(super) fn new(rows: &Rows<'_>) -> Result<Self> {
        let mut parts = vec![rows.values()];
        parts.extend(rows.residuals());
        let factor = factor(&parts.iter().collect::<Vec<_>>())?;
        Ok(Self {
            parts,
            factor,
            spread: rows.spread,
        })
    }

    /// `Ξᵀ a`.
    fn combination(&self, coefficients: &[f64]) -> Vec<f64> {
        let (mut sum, mut top): (Vec<f64>, usize) = (Vec::new(), 0);
        for part in &self.parts {
            let own = part.combination(&coefficients[top..top + part.len()]);
            if sum.is_empty() {
                sum = own;
            } else {
                sum.iter_mut().zip(&own).for_each(|(sum, own)| *sum += own);
            }
            top += part.len();
        }
        sum
    }

    /// Kernel of all rows with the values at points (rows × points).
    fn crossing(&self, points: &JetTangent) -> Mat<f64> {
        let mut out = Mat::zeros(self.factor.count(), points.len());
        let mut top = 0;
        for part in &self.parts {
            let mut place = out.as_mut().subrows_mut(top, part.len());
            place.copy_from(part.kernel(points));
            top += part.len();
        }
        out *= faer::Scale(self.spread);
        out
    }

    /// Variances of the standardised function at inputs.
    pub(super) fn variances(&self, network: &Network, inputs: MatRef<'_, f64>) -> Vec<f64> {
        let tangent = network.value_tangent(inputs);
        let mut crossing = self.crossing(&tangent);
        self.factor.forward(crossing.as_mut());
        let square = self.spread * self.spread;
        let explained = |j: usize| crossing.col(j).iter().map(|value| value * value).sum::<f64>();
        let prior = tangent.diagonal();
        prior
            .iter()
            .enumerate()
            .map(|(j, prior)| (square * prior - explained(j)).max(1e-12 * square * prior))
            .collect()
    }

    /// The same with gradients.
    pub(super) fn slopes(&self, network: &Network, inputs: MatRef<'_, f64>) -> Variances {
        let values = self.variances(network, inputs);
        let mut weights = self.crossing(&network.value_tangent(inputs));
        self.factor.forward(weights.as_mut());
        self.factor.backward(weights.as_mut());
        let (_, mut gradients) = network.diagonal_input_gradients(inputs);
        gradients *= faer::Scale(self.spread * self.spread);
        let mut top = 0;
        for part in &self.parts {
            let own = weights.as_ref().subrows(top, part.len());
            let (_, pull) = network.operator_input_gradients(inputs, part, own);
            gradients -= pull * faer::Scale(2.0 * self.spread);
            top += part.len();
        }
        Variances { values, gradients }
    }

    /// A direction in the space of weights along which the network becomes one drawn from what is believed (Matheron's rule):
    /// `w − Ξᵀ(I + ΞΞᵀ)⁻¹(Ξw + ε)`.
    pub(super) fn direction(&self, weights: usize, rng: &mut Rng) -> Vec<f64> {
        let mut direction: Vec<f64> = (0..weights).map(|_| rng.normal()).collect();
        let along = self.parts.iter().flat_map(|part| part.along(&direction));
        let seen: Vec<f64> = along.map(|value| value + rng.normal()).collect();
        let pull = self.combination(&self.factor.solve(&seen));
        direction.iter_mut().zip(&pull).for_each(|(value, pull)| *value -= pull);
        direction
    }

    /// With more values believed to be under way.
    pub(super) fn with_values(&self, network: &Network, inputs: MatRef<'_, f64>, noise: f64) -> Result<Self> {
        let factors = Mat::full(inputs.nrows(), 1, self.spread / noise.sqrt());
        let mut parts = self.parts.clone();
        parts.push(network.jet_tangent(inputs, &Jets::value(), factors.as_ref()));
        let factor = factor(&parts.iter().collect::<Vec<_>>())?;
        Ok(Self {
            parts,
            factor,
            spread: self.spread,
        })
    }
}
