//! Values and residuals as rows of one kernel (Lemma 5.3.4): what is believed around a trained network, and the information of Lemma 5.3.6.
//!
//! A row of `Ξ` is the gradient in the weights of an observed value or of a weighted residual, in units of the function's size `ν`; each is known up to
//! noise of variance `g` in these units. All is in the dual: the matrix to factorise is `ΞΞᵀ + gI`, of the size of the rows and never that of the
//! weights.

use faer::{Mat, MatRef};
use hilltop_core::{Error, Result, Rng};
use hilltop_nn::{JetTangent, Network};

use super::collocated::Collocated;
use crate::process::Factor;

/// How much better equations are known than values, as a ratio of noise variances. What is small among fourth derivatives is not small in the
/// function.
const EXACTNESS: f64 = 1e6;

/// What a weighted residual is multiplied by to be a row.
pub(super) fn law_factor(weight: f64, spread: f64) -> f64 {
    (EXACTNESS * weight).sqrt() / spread
}

/// What the rows are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    pub(super) network: &'a Network,
    /// Observed points as inputs.
    pub(super) inputs: MatRef<'a, f64>,
    pub(super) equations: &'a [Collocated],
    /// `ν`.
    pub(super) spread: f64,
    /// `g`: the variance of noise over that of the weights.
    pub(super) noise: f64,
    /// The weight of residuals.
    pub(super) weight: f64,
    /// At most so many residuals in all.
    pub(super) limit: usize,
}

impl Rows<'_> {
    /// The rows of values.
    pub(super) fn values(&self) -> JetTangent {
        self.network.value_tangent(self.inputs)
    }

    /// The rows of every equation. Collocation points come from a sequence that is even from its start, so the first will do.
    fn residuals(&self) -> Vec<JetTangent> {
        self.tangents(&self.equations.iter().collect::<Vec<_>>())
    }

    /// How many residuals of each of so many equations.
    pub(super) fn each(&self, equations: usize) -> usize {
        self.limit / equations.max(1)
    }

    pub(super) fn tangents(&self, equations: &[&Collocated]) -> Vec<JetTangent> {
        let each = self.each(equations.len());
        let tangent = |equation: &&Collocated| {
            let chosen: Vec<usize> = (0..equation.len().min(each)).collect();
            let (inputs, mut slopes) = equation.features(self.network, &chosen);
            slopes *= faer::Scale(law_factor(self.weight, self.spread));
            self.network
                .jet_tangent(inputs.as_ref(), equation.jets(), slopes.as_ref())
        };
        merged(equations.iter().map(tangent).collect())
    }
}

/// Features of operators that are alike as one.
pub(super) fn merged(parts: Vec<JetTangent>) -> Vec<JetTangent> {
    let mut out: Vec<JetTangent> = Vec::new();
    for part in parts {
        match out.last_mut().filter(|last| last.is_like(&part)) {
            Some(last) => last.append(&part),
            None => out.push(part),
        }
    }
    out
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
        let laws: Vec<&JetTangent> = residuals.iter().collect();
        let both: Vec<&JetTangent> = std::iter::once(&values).chain(residuals.iter()).collect();
        let gain = half_determinant(&[&values], rows.noise)?;
        let shared = gain + half_determinant(&laws, rows.noise)? - half_determinant(&both, rows.noise)?;
        Ok(Self {
            gain,
            interaction: shared.clamp(0.0, gain),
        })
    }
}

/// `½ log det (I + ΞΞᵀ/g)`.
fn half_determinant(parts: &[&JetTangent], noise: f64) -> Result<f64> {
    let factor = factor(parts, noise)?;
    let each = |i: usize| factor.lower()[(i, i)].ln() - 0.5 * noise.ln();
    Ok((0..factor.count()).map(each).sum())
}

fn factor(parts: &[&JetTangent], noise: f64) -> Result<Factor> {
    let gram = gram(parts);
    let size = gram.nrows();
    Factor::exactly(gram, noise).ok_or_else(|| Error::Numerical {
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
    noise: f64,
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
        let factor = factor(&parts.iter().collect::<Vec<_>>(), rows.noise)?;
        Ok(Self {
            parts,
            factor,
            spread: rows.spread,
            noise: rows.noise,
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
            .map(|(j, prior)| square * (prior - explained(j)).max(1e-12 * prior))
            .collect()
    }

    /// The same with gradients.
    pub(super) fn slopes(&self, network: &Network, inputs: MatRef<'_, f64>) -> Variances {
        let values = self.variances(network, inputs);
        let mut weights = self.crossing(&network.value_tangent(inputs));
        self.factor.forward(weights.as_mut());
        self.factor.backward(weights.as_mut());
        let (_, mut gradients) = network.diagonal_input_gradients(inputs);
        let mut top = 0;
        for part in &self.parts {
            let own = weights.as_ref().subrows(top, part.len());
            let (_, pull) = network.operator_input_gradients(inputs, part, own);
            gradients -= pull * faer::Scale(2.0);
            top += part.len();
        }
        gradients *= faer::Scale(self.spread * self.spread);
        Variances { values, gradients }
    }

    /// A direction in the space of weights along which the network becomes one drawn from what is believed (Matheron's rule):
    /// `w − Ξᵀ(ΞΞᵀ + gI)⁻¹(Ξw + ε)`.
    pub(super) fn direction(&self, weights: usize, rng: &mut Rng) -> Vec<f64> {
        let mut direction: Vec<f64> = (0..weights).map(|_| rng.normal()).collect();
        let along = self.parts.iter().flat_map(|part| part.along(&direction));
        let seen: Vec<f64> = along.map(|value| value + self.noise.sqrt() * rng.normal()).collect();
        let pull = self.combination(&self.factor.solve(&seen));
        direction.iter_mut().zip(&pull).for_each(|(value, pull)| *value -= pull);
        direction
    }

    /// With more values believed to be under way.
    pub(super) fn with_values(&self, network: &Network, inputs: MatRef<'_, f64>) -> Result<Self> {
        let mut parts = self.parts.clone();
        parts.push(network.value_tangent(inputs));
        let factor = factor(&parts.iter().collect::<Vec<_>>(), self.noise)?;
        Ok(Self { parts, factor, ..*self })
    }
}
