//! What features gathered so far leave uncertain: `σ²(x) = λ g(x)ᵀ U⁻¹ g(x)` with `U = λI + Σ_i g_i g_iᵀ`.
//!
//! The same number three ways. *Dual*: `k(x,x) − k(x)ᵀ(K + λI)⁻¹k(x)`, n × n, with the features in factors and never
//! formed. *Primal*: the Cholesky factor of `U` itself, p × p, updated by a rank a round. *Diagonal*: `U` without what
//! is beside its diagonal. The first two are equal up to rounding; the dual turns into the primal once there are as
//! many observations as weights, so that time and memory stop growing.

use faer::{Mat, MatRef};
use hilltop_core::{Error, Result, Rng};
use hilltop_nn::{Network, Tangent};
use serde::{Deserialize, Serialize};

use super::growing::Growing;
use crate::process::{Factor, raised};

/// How much of `U` is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covariance {
    /// All of it.
    #[default]
    Exact,
    /// Its diagonal, as earlier implementations have it.
    Diagonal,
}

/// Up to so many weights `U` is kept from the start.
const SMALL: usize = 512;

/// The features of a network gathered over rounds.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    form: Form,
    /// What inner products of gradients are divided by.
    divisor: f64,
    weights: usize,
}

#[derive(Clone, Debug)]
enum Form {
    Dual(Dual),
    Primal(Primal),
    Diagonal(Diagonal),
}

impl Gathered {
    /// Nothing gathered yet, for a network of this shape and `λ`.
    pub(super) fn new(kind: Covariance, network: &Network, ridge: f64) -> Result<Self> {
        let weights = network.parameter_count();
        let form = match kind {
            Covariance::Diagonal => Form::Diagonal(Diagonal::new(weights, ridge)),
            Covariance::Exact if weights <= SMALL => Form::Primal(Primal::new(weights, ridge)?),
            Covariance::Exact => Form::Dual(Dual::new(ridge)),
        };
        let divisor = network.architecture().kernel_divisor();
        Ok(Self { form, divisor, weights })
    }

    /// Adds the features of one point.
    pub(super) fn push(&mut self, features: &Tangent) -> Result<()> {
        match &mut self.form {
            Form::Primal(primal) => primal.push(&mut columns(features, self.divisor).col_as_slice(0).to_vec()),
            Form::Diagonal(diagonal) => diagonal.push(columns(features, self.divisor).col_as_slice(0)),
            Form::Dual(dual) => {
                dual.push(features, self.divisor);
                if dual.factor.count() >= self.weights {
                    self.form = Form::Primal(dual.turned(self.divisor)?);
                }
            }
        }
        Ok(())
    }

    /// `σ²` of points with these features.
    pub(super) fn variances(&self, features: &Tangent) -> Vec<f64> {
        match &self.form {
            Form::Primal(primal) => primal.variances(columns(features, self.divisor)),
            Form::Diagonal(diagonal) => diagonal.variances(&columns(features, self.divisor)),
            Form::Dual(dual) => dual.variances(features, self.divisor),
        }
    }

    /// `λU⁻¹g / divisor` of one point: `σ²` is its inner product with `g`.
    pub(super) fn pulled(&self, features: &Tangent) -> Vec<f64> {
        match &self.form {
            Form::Primal(primal) => self.divided(&primal.pulled(columns(features, self.divisor))),
            Form::Diagonal(diagonal) => self.divided(&diagonal.pulled(&columns(features, self.divisor))),
            Form::Dual(dual) => dual.pulled(features, self.divisor),
        }
    }

    fn divided(&self, pulled: &Mat<f64>) -> Vec<f64> {
        let root = self.divisor.sqrt();
        pulled.col_as_slice(0).iter().map(|part| part / root).collect()
    }

    /// A direction of the weights whose inner product with `g(x)` has variance `σ²(x)`.
    pub(super) fn draw(&self, rng: &mut Rng) -> Vec<f64> {
        let mut normals = vec![0.0; self.weights];
        rng.normals(&mut normals);
        let drawn = match &self.form {
            Form::Primal(primal) => primal.draw(&normals),
            Form::Diagonal(diagonal) => diagonal.draw(&normals),
            Form::Dual(dual) => dual.draw(normals, self.divisor, rng),
        };
        let root = self.divisor.sqrt();
        drawn.into_iter().map(|part| part / root).collect()
    }
}

/// Features as columns of numbers, with the divisor's root taken out.
fn columns(features: &Tangent, divisor: f64) -> Mat<f64> {
    let vectors: Vec<Vec<f64>> = (0..features.len())
        .map(|point| features.gradient_vector(point))
        .collect();
    let factor = divisor.sqrt().recip();
    let rows = vectors.first().map_or(0, Vec::len);
    Mat::from_fn(rows, vectors.len(), |i, j| factor * vectors[j][i])
}

/// The Cholesky factor of `U`.
#[derive(Clone, Debug)]
pub(crate) struct Primal {
    factor: Factor,
    ridge: f64,
}

impl Primal {
    pub(crate) fn new(weights: usize, ridge: f64) -> Result<Self> {
        Self::of(Mat::zeros(weights, weights), ridge)
    }

    fn of(sum: Mat<f64>, ridge: f64) -> Result<Self> {
        let detail = format!("{0} × {0}, regularisation {ridge:e}", sum.nrows());
        let factor = Factor::exactly(sum, ridge).ok_or(Error::Numerical {
            what: "the Cholesky factorisation of gathered features",
            detail,
        })?;
        Ok(Self { factor, ridge })
    }

    /// Adds a feature vector, which is destroyed.
    pub(crate) fn push(&mut self, features: &mut [f64]) {
        raised(self.factor.lower_mut(), features);
    }

    pub(crate) fn variances(&self, mut columns: Mat<f64>) -> Vec<f64> {
        self.factor.forward(columns.as_mut());
        columns
            .col_iter()
            .map(|column| self.ridge * column.squared_norm_l2())
            .collect()
    }

    pub(crate) fn pulled(&self, mut columns: Mat<f64>) -> Mat<f64> {
        self.factor.forward(columns.as_mut());
        self.factor.backward(columns.as_mut());
        columns *= faer::Scale(self.ridge);
        columns
    }

    /// `U⁻¹` times a vector.
    pub(crate) fn solve(&self, vector: &[f64]) -> Vec<f64> {
        self.factor.solve(vector)
    }

    /// `√λ L⁻ᵀ z`.
    pub(crate) fn draw(&self, normals: &[f64]) -> Vec<f64> {
        let mut column = Mat::from_fn(normals.len(), 1, |i, _| self.ridge.sqrt() * normals[i]);
        self.factor.backward(column.as_mut());
        column.col_as_slice(0).to_vec()
    }
}

/// The diagonal of `U`.
#[derive(Clone, Debug)]
struct Diagonal {
    entries: Vec<f64>,
    ridge: f64,
}

impl Diagonal {
    fn new(weights: usize, ridge: f64) -> Self {
        Self {
            entries: vec![ridge; weights],
            ridge,
        }
    }

    fn push(&mut self, features: &[f64]) {
        self.entries
            .iter_mut()
            .zip(features)
            .for_each(|(entry, g)| *entry += g * g);
    }

    fn variances(&self, columns: &Mat<f64>) -> Vec<f64> {
        let share = |(g, entry): (&f64, &f64)| self.ridge * g * g / entry;
        let variance = |j| columns.col_as_slice(j).iter().zip(&self.entries).map(share).sum();
        (0..columns.ncols()).map(variance).collect()
    }

    fn pulled(&self, columns: &Mat<f64>) -> Mat<f64> {
        Mat::from_fn(columns.nrows(), columns.ncols(), |i, j| {
            self.ridge * columns[(i, j)] / self.entries[i]
        })
    }

    fn draw(&self, normals: &[f64]) -> Vec<f64> {
        normals
            .iter()
            .zip(&self.entries)
            .map(|(z, entry)| z * (self.ridge / entry).sqrt())
            .collect()
    }
}

/// The features themselves, in factors, and the Cholesky factor of their inner products.
#[derive(Clone, Debug)]
struct Dual {
    features: Option<Tangent>,
    factor: Growing,
    ridge: f64,
}

impl Dual {
    fn new(ridge: f64) -> Self {
        Self {
            features: None,
            factor: Growing::new(ridge),
            ridge,
        }
    }

    /// The covariances of points with what was gathered, a column a point.
    fn cross(&self, features: &Tangent, divisor: f64) -> Mat<f64> {
        let Some(gathered) = &self.features else {
            return Mat::zeros(0, features.len());
        };
        let mut cross = gathered.kernel(features);
        cross *= faer::Scale(divisor.recip());
        cross
    }

    fn push(&mut self, features: &Tangent, divisor: f64) {
        let mut cross = self.cross(features, divisor);
        self.factor.push(cross.as_mut(), features.diagonal()[0] / divisor);
        match &mut self.features {
            Some(gathered) => gathered.append(features),
            none => *none = Some(features.clone()),
        }
    }

    fn variances(&self, features: &Tangent, divisor: f64) -> Vec<f64> {
        let mut cross = self.cross(features, divisor);
        self.factor.forward(cross.as_mut());
        let explained = cross.col_iter().map(|column| column.squared_norm_l2());
        let left = |(own, explained): (&f64, f64)| (own / divisor - explained).max(0.0);
        features.diagonal().iter().zip(explained).map(left).collect()
    }

    /// `Σ_i c_i g_i` of everything gathered.
    fn combination(&self, coefficients: MatRef<'_, f64>, weights: usize) -> Vec<f64> {
        let coefficients: Vec<f64> = coefficients.col(0).iter().copied().collect();
        self.features
            .as_ref()
            .map_or_else(|| vec![0.0; weights], |gathered| gathered.combination(&coefficients))
    }

    /// `(g − Σ_i c_i g_i) / divisor` with `c = (K + λI)⁻¹ k(x)`.
    fn pulled(&self, features: &Tangent, divisor: f64) -> Vec<f64> {
        let mut cross = self.cross(features, divisor);
        self.factor.forward(cross.as_mut());
        self.factor.backward(cross.as_mut());
        let own = features.gradient_vector(0);
        let known = self.combination(cross.as_ref(), own.len());
        own.iter()
            .zip(known)
            .map(|(own, known)| (own - known) / divisor)
            .collect()
    }

    /// Matheron's rule: a draw of the prior, corrected by what was gathered.
    fn draw(&self, mut normals: Vec<f64>, divisor: f64, rng: &mut Rng) -> Vec<f64> {
        let Some(gathered) = &self.features else { return normals };
        let (root, noise) = (divisor.sqrt(), self.ridge.sqrt());
        let value = |point| dot(&gathered.gradient_vector(point), &normals) / root;
        let mut coefficients = Mat::from_fn(gathered.len(), 1, |point, _| value(point) + noise * rng.normal());
        self.factor.forward(coefficients.as_mut());
        self.factor.backward(coefficients.as_mut());
        let correction = self.combination(coefficients.as_ref(), normals.len());
        normals
            .iter_mut()
            .zip(correction)
            .for_each(|(part, known)| *part -= known / root);
        normals
    }

    /// The same knowledge as `U`.
    fn turned(&self, divisor: f64) -> Result<Primal> {
        let gathered = self
            .features
            .as_ref()
            .map_or_else(|| Mat::zeros(0, 0), |all| columns(all, divisor));
        let sum = crate::process::own_products(gathered.as_ref());
        Primal::of(sum, self.ridge)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use hilltop_nn::{Activation, Architecture, Parameterisation};

    use super::*;

    const RIDGE: f64 = 0.3;

    fn network(seed: u64, form: Parameterisation) -> Network {
        let architecture = Architecture::new(3, &[8], Activation::Erf, form);
        Network::init(&architecture, &mut Rng::new(seed)).unwrap()
    }

    fn features(network: &Network, count: usize, seed: u64) -> Tangent {
        let mut rng = Rng::new(seed);
        network.tangent(Mat::from_fn(count, 3, |_, _| rng.between(-1.0, 1.0)).as_ref())
    }

    /// Each feature taken at weights of its own, as in the course of a study.
    fn gathered(form: Form, parameterisation: Parameterisation, count: u64) -> Gathered {
        let shape = network(0, parameterisation);
        let divisor = shape.architecture().kernel_divisor();
        let mut gathered = Gathered {
            form,
            divisor,
            weights: usize::MAX,
        };
        for seed in 0..count {
            gathered
                .push(&features(&network(seed, parameterisation), 1, 100 + seed))
                .unwrap();
        }
        gathered.weights = shape.parameter_count();
        gathered
    }

    fn both(parameterisation: Parameterisation, count: u64) -> [Gathered; 2] {
        let weights = network(0, parameterisation).parameter_count();
        let primal = Form::Primal(Primal::new(weights, RIDGE).unwrap());
        [Form::Dual(Dual::new(RIDGE)), primal].map(|form| gathered(form, parameterisation, count))
    }

    fn close(left: &[f64], right: &[f64]) -> bool {
        left.len() == right.len()
            && left
                .iter()
                .zip(right)
                .all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs()))
    }

    #[test]
    fn the_dual_equals_the_primal_for_features_of_moving_weights() {
        for form in [Parameterisation::Standard, Parameterisation::Antisymmetric] {
            for count in [0, 1, 20, 90] {
                let [dual, primal] = both(form, count);
                let asked = features(&network(77, form), 5, 7);
                assert!(
                    close(&dual.variances(&asked), &primal.variances(&asked)),
                    "{form:?} {count}"
                );
                let one = asked.select(&[2]);
                assert!(close(&dual.pulled(&one), &primal.pulled(&one)), "{form:?} {count}");
            }
        }
    }

    #[test]
    fn the_dual_turns_into_the_primal_when_observations_reach_the_weights_and_nothing_else_changes() {
        let form = Parameterisation::Ntk;
        let [dual, primal] = both(form, 60);
        let mut turned = dual.clone();
        turned.weights = 0;
        let more = features(&network(5, form), 1, 500);
        turned.push(&more).unwrap();
        assert!(matches!(turned.form, Form::Primal(_)));
        let mut expected = primal;
        expected.push(&more).unwrap();
        let asked = features(&network(77, form), 5, 7);
        assert!(close(&turned.variances(&asked), &expected.variances(&asked)));
    }

    #[test]
    fn the_variance_is_what_the_pulled_gradient_says() {
        let form = Parameterisation::Standard;
        let weights = network(0, form).parameter_count();
        let diagonal = gathered(Form::Diagonal(Diagonal::new(weights, RIDGE)), form, 30);
        let [dual, primal] = both(form, 30);
        let one = features(&network(77, form), 1, 7);
        for gathered in [dual, primal, diagonal] {
            let product = dot(&one.gradient_vector(0), &gathered.pulled(&one));
            assert!(close(&[product], &gathered.variances(&one)));
        }
    }

    #[test]
    fn drawn_directions_have_the_variance_that_is_left() {
        let form = Parameterisation::Antisymmetric;
        let weights = network(0, form).parameter_count();
        let diagonal = gathered(Form::Diagonal(Diagonal::new(weights, RIDGE)), form, 10);
        let [dual, primal] = both(form, 10);
        let one = features(&network(77, form), 1, 7);
        let gradient = one.gradient_vector(0);
        for gathered in [dual, primal, diagonal] {
            let mut rng = Rng::new(3);
            let draws: Vec<f64> = (0..4000).map(|_| dot(&gradient, &gathered.draw(&mut rng))).collect();
            let square = draws.iter().map(|draw| draw * draw).sum::<f64>() / draws.len() as f64;
            let variance = gathered.variances(&one)[0];
            assert!((square / variance - 1.0).abs() < 0.1, "{square} {variance}");
        }
    }
}
