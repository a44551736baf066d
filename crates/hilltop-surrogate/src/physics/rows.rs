//! Linear functionals of a function: values, derivatives, and what a linearised equation says at a point.

use faer::{Mat, MatRef};
use hilltop_core::physics::{Equation, Partial};

/// Functionals `Σ_α c_iα ∂^α f(z_i)`, one a row, all of the same derivatives.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Where: one point a row.
    pub points: Mat<f64>,
    /// Which derivatives.
    pub partials: Vec<Partial>,
    /// How much of each: a row a point, a column a derivative.
    pub coefficients: Mat<f64>,
}

impl Rows {
    /// The values at points.
    pub fn values(points: MatRef<'_, f64>) -> Self {
        Self {
            points: points.to_owned(),
            partials: vec![Partial::value()],
            coefficients: Mat::full(points.nrows(), 1, 1.0),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.points.nrows()
    }

    /// The coefficients of a row.
    pub fn row(&self, index: usize) -> Vec<f64> {
        self.coefficients.row(index).iter().copied().collect()
    }

    /// Multiplies the functionals by numbers of their own.
    pub fn scale(&mut self, factors: &[f64]) {
        for j in 0..self.coefficients.ncols() {
            for (i, factor) in factors.iter().enumerate() {
                self.coefficients[(i, j)] *= factor;
            }
        }
    }

    /// The functionals of these indices.
    #[must_use]
    pub fn selected(&self, indices: &[usize]) -> Self {
        let chosen = |all: &Mat<f64>| Mat::from_fn(indices.len(), all.ncols(), |i, j| all[(indices[i], j)]);
        Self {
            points: chosen(&self.points),
            partials: self.partials.clone(),
            coefficients: chosen(&self.coefficients),
        }
    }

    /// Where the function's own value stands among the derivatives.
    pub fn value_column(&self) -> Option<usize> {
        self.partials.iter().position(|partial| partial.order() == 0)
    }
}

/// What an equation says at points, to first order: `Σ_α c_iα ∂^α f(z_i) = target_i`.
#[derive(Clone, Debug)]
pub struct Law {
    /// The left-hand sides.
    pub rows: Rows,
    /// The right-hand sides, in the objective's own units.
    pub targets: Vec<f64>,
    /// Which of the points asked for they are: at the others a coefficient has no value.
    pub places: Vec<usize>,
}

impl Law {
    /// The equation at points where the derivatives have the values `jets` (a row a point); for a linear one they do not matter.
    pub fn linearised(equation: &dyn Equation, points: MatRef<'_, f64>, jets: Option<MatRef<'_, f64>>) -> Self {
        let (partials, dim) = (equation.partials().to_vec(), points.ncols());
        let mut slopes = vec![0.0; partials.len()];
        let (mut kept, mut targets, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..points.nrows() {
            let point: Vec<f64> = points.row(i).iter().copied().collect();
            let jet: Vec<f64> = (0..partials.len())
                .map(|j| jets.map_or(0.0, |jets| jets[(i, j)]))
                .collect();
            let residual = equation.residual(&point, &jet, &mut slopes);
            let moved: f64 = slopes.iter().zip(&jet).map(|(slope, value)| slope * value).sum();
            let target = moved - residual;
            let finite = target.is_finite() && slopes.iter().all(|slope| slope.is_finite());
            if finite && slopes.iter().any(|slope| *slope != 0.0) {
                kept.push((point, slopes.clone()));
                targets.push(target);
                places.push(i);
            }
        }
        Self {
            rows: Rows {
                points: Mat::from_fn(kept.len(), dim, |i, j| kept[i].0[j]),
                coefficients: Mat::from_fn(kept.len(), partials.len(), |i, j| kept[i].1[j]),
                partials,
            },
            targets,
            places,
        }
    }

    /// The right-hand sides for the function `(f − offset)/scale`.
    pub fn standardised(&self, offset: f64, scale: f64) -> Vec<f64> {
        let value = self.rows.value_column();
        let own = |i: usize| value.map_or(0.0, |column| self.rows.coefficients[(i, column)]);
        let targets = self.targets.iter().enumerate();
        targets.map(|(i, target)| (target - own(i) * offset) / scale).collect()
    }
}
