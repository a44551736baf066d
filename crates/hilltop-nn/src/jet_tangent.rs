//! The tangent features `ω_j = ∇_θ Σ_α c_jα ∂^α h(x_j)` of a differential operator, in factors, and their kernels.
//!
//! The gradient of a layer's weights is a sum over the terms of the series that pass it, each the outer product of an adjoint and what enters
//! the layer. So the inner product of two such features is
//!
//! ```text
//! K = Σ_l s_l² Σ_{α,β} (A_lα A'_lβᵀ) ∘ (Δ_lα Δ'_lβᵀ)      and biases add  Δ_l0 Δ'_l0ᵀ
//! ```
//!
//! and a gradient vector is never formed. The features of the value alone are those of [`Tangent`](crate::Tangent).

use crate::columns::Columns;
use crate::forward::product;
use crate::jet_pass::{JetWorkspace, parts};
use crate::jets::Jets;
use crate::lanes;
use crate::network::Network;
use crate::tangent::{Factor, Overlaps, lower_tiles, tiles};
use faer::{Accum, Mat, MatMut, MatRef};
use std::ops::Range;

/// Gradients in the weights of a differential operator at several points, as factors layer by layer and term by term.
#[derive(Clone, Debug, PartialEq)]
pub struct JetTangent {
    /// For every layer the terms that reach it, the constant one first.
    pub(crate) layers: Vec<Vec<Factor>>,
    count: usize,
}

impl Network {
    /// The tangent features of `Σ_α c_jα ∂^α h(x_j)` for coefficients of each point's own (points × derivatives).
    ///
    /// # Panics
    /// If shapes do not fit together.
    pub fn jet_tangent(&self, points: MatRef<'_, f64>, jets: &Jets, coefficients: MatRef<'_, f64>) -> JetTangent {
        assert_eq!(coefficients.nrows(), points.nrows(), "coefficients for every point");
        assert_eq!(
            coefficients.ncols(),
            jets.partials().len(),
            "a coefficient for every derivative"
        );
        let mut workspace = JetWorkspace::new(self.architecture());
        let mut whole: Option<JetTangent> = None;
        // At least one part, so that features of no points have their shapes too.
        let empty = (points.nrows() == 0).then_some(0..0);
        for range in parts(&jets.sums, points.nrows()).chain(empty) {
            self.rise_to_sums(&jets.sums, points, range.clone(), coefficients, &mut workspace);
            let own = coefficients.subrows(range.start, range.len());
            self.fall(&jets.sums, own, |_| 1.0, &mut workspace);
            let part = self.jet_tangent_of(jets, &workspace);
            match &mut whole {
                Some(whole) => whole.append(&part),
                None => whole = Some(part),
            }
        }
        whole.unwrap_or(JetTangent {
            layers: Vec::new(),
            count: 0,
        })
    }

    /// The tangent features of the values at points, `∇_θ h(x_j)`.
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs.
    pub fn value_tangent(&self, points: MatRef<'_, f64>) -> JetTangent {
        let ones = Mat::full(points.nrows(), 1, 1.0);
        self.jet_tangent(points, &Jets::value(), ones.as_ref())
    }

    fn jet_tangent_of(&self, jets: &Jets, workspace: &JetWorkspace) -> JetTangent {
        let (plan, count) = (&jets.sums, workspace.count);
        let layers = workspace.layers.iter().enumerate().map(|(index, layer)| {
            let live = if index == 0 { plan.leading() } else { plan.set.len() };
            let term = |term: usize| Factor {
                activations: block(&workspace.activations[index], term, count),
                signals: block(workspace.signals.get(index).unwrap_or(&workspace.adjoints), term, count),
                scale: layer.scale,
                bias: self.architecture().bias && term == 0,
            };
            (0..live).map(term).collect()
        });
        JetTangent {
            layers: layers.collect(),
            count,
        }
    }
}

/// The columns of one term.
fn block(columns: &Columns, term: usize, count: usize) -> Columns {
    let mut out = Columns::default();
    out.copy(columns, term * count..(term + 1) * count);
    out
}

impl JetTangent {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// `⟨ω_i, ω'_j⟩` for all pairs (a row for every point here, a column for every point there). The other may be of another operator.
    ///
    /// # Panics
    /// If the two belong to networks of different shapes.
    pub fn kernel(&self, other: &Self) -> Mat<f64> {
        assert_eq!(self.layers.len(), other.layers.len(), "features of one network");
        let mut kernel = Mat::zeros(self.count, other.count);
        let mut overlaps = Overlaps::default();
        for rows in tiles(self.count) {
            for columns in tiles(other.count) {
                self.add_tile(other, (&rows, &columns), &mut overlaps, &mut kernel);
            }
        }
        kernel
    }

    /// The kernel of the points among themselves, symmetric to the last bit.
    pub fn gram(&self) -> Mat<f64> {
        let mut kernel = Mat::zeros(self.count, self.count);
        let mut overlaps = Overlaps::default();
        for (rows, columns) in lower_tiles(self.count) {
            self.add_tile(self, (&rows, &columns), &mut overlaps, &mut kernel);
        }
        for j in 0..self.count {
            for i in 0..j {
                kernel[(i, j)] = kernel[(j, i)];
            }
        }
        kernel
    }

    fn add_tile(
        &self,
        other: &Self,
        tile: (&Range<usize>, &Range<usize>),
        overlaps: &mut Overlaps,
        kernel: &mut Mat<f64>,
    ) {
        for (here, there) in self.layers.iter().zip(&other.layers) {
            for (a, b) in here.iter().flat_map(|a| there.iter().map(move |b| (a, b))) {
                a.add_tile(b, tile, overlaps, kernel);
            }
        }
    }

    /// `⟨ω_i, ω_i⟩` for every point.
    pub fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.count];
        for terms in &self.layers {
            for (a, b) in terms.iter().flat_map(|a| terms.iter().map(move |b| (a, b))) {
                let (square, bias) = a.meeting(b);
                for (index, value) in diagonal.iter_mut().enumerate() {
                    let inner = lanes::dot(a.activations.column(index), b.activations.column(index));
                    let outer = lanes::dot(a.signals.column(index), b.signals.column(index));
                    *value += (square * inner + bias) * outer;
                }
            }
        }
        diagonal
    }

    /// The features of some of the points, in the order given.
    ///
    /// # Panics
    /// If an index is not below the number of points.
    #[must_use]
    pub fn select(&self, points: &[usize]) -> Self {
        let layers = self.layers.iter().map(|terms| {
            let selected = terms.iter().map(|factor| factor.select(points));
            selected.collect()
        });
        Self {
            layers: layers.collect(),
            count: points.len(),
        }
    }

    /// Whether the operators have as many terms everywhere, so that the features of one can be appended to those of the other.
    pub fn is_like(&self, other: &Self) -> bool {
        let terms = |features: &Self| features.layers.iter().map(Vec::len).collect::<Vec<_>>();
        terms(self) == terms(other)
    }

    /// Adds the features of more points behind these, of the same operator or of one with as many terms.
    ///
    /// # Panics
    /// If the two belong to networks of different shapes or are not [alike](Self::is_like).
    pub fn append(&mut self, other: &Self) {
        assert_eq!(self.layers.len(), other.layers.len(), "features of one network");
        for (terms, more) in self.layers.iter_mut().zip(&other.layers) {
            assert_eq!(terms.len(), more.len(), "features of one operator");
            for (factor, more) in terms.iter_mut().zip(more) {
                factor.activations.append(&more.activations);
                factor.signals.append(&more.signals);
            }
        }
        self.count += other.count;
    }

    /// `Σ_i c_i ω_i`, a direction in the space of weights.
    ///
    /// # Panics
    /// If there is not a coefficient for every point.
    pub fn combination(&self, coefficients: &[f64]) -> Vec<f64> {
        assert_eq!(coefficients.len(), self.count, "a coefficient for every point");
        let sizes = self.layers.iter().filter_map(|terms| terms.first());
        let mut out = vec![0.0; sizes.map(Factor::weight_count).sum()];
        let (mut rest, mut weighted) = (out.as_mut_slice(), Columns::default());
        for terms in &self.layers {
            let size = terms.first().map_or(0, Factor::weight_count);
            let (part, behind) = rest.split_at_mut(size);
            for factor in terms {
                add_combination(factor, coefficients, &mut weighted, part);
            }
            rest = behind;
        }
        out
    }

    /// `⟨ω_i, v⟩` for every point: the operator of the derivative along a direction in the space of weights.
    ///
    /// # Panics
    /// If the direction does not have a component for every weight.
    pub fn along(&self, direction: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.count];
        let (mut rest, mut pushed) = (direction, Columns::default());
        for terms in &self.layers {
            let size = terms.first().map_or(0, Factor::weight_count);
            let (part, behind) = rest.split_at(size);
            for factor in terms {
                factor.add_along(&part[..factor.weight_count()], &mut pushed, &mut values);
            }
            rest = behind;
        }
        assert!(rest.is_empty(), "a component for every weight");
        values
    }
}

/// Adds `s Δ diag(c) Aᵀ`, and `Δ c` where the term has biases.
fn add_combination(factor: &Factor, coefficients: &[f64], weighted: &mut Columns, out: &mut [f64]) {
    let (outputs, inputs) = (factor.signals.rows(), factor.activations.rows());
    let (weights, biases) = out.split_at_mut(outputs * inputs);
    weighted.reshape(outputs, factor.signals.count());
    lanes::scale_columns(weighted.as_mut_slice(), factor.signals.as_slice(), coefficients);
    let target = MatMut::from_column_major_slice_mut(weights, outputs, inputs);
    let activations = factor.activations.view().transpose();
    product(target, Accum::Add, weighted.view(), activations, factor.scale);
    if factor.bias {
        lanes::add_columns(biases, factor.signals.as_slice(), coefficients);
    }
}
