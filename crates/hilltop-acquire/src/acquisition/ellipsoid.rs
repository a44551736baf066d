//! The lowest value that a point has over an ellipsoid of weights, by projected descent.
//!
//! With `w = ŵ + √β Σ^{-1/2} u` the ellipsoid is the ball `‖u‖ <= 1`, and a step of gradient descent in `u` followed by
//! projection onto the ball is, in the weights, a step along `Σ⁻¹∇f` followed by shrinking `w − ŵ` to `‖·‖_Σ <= √β`: no root
//! of a matrix is needed. The first step is the minimum of the function's linear part, `f_x(ŵ) − √β ‖∇f_x(ŵ)‖_{Σ⁻¹}`.

use faer::{Mat, MatRef};
use hilltop_core::Parametric;

/// Weights within an ellipsoid.
pub(crate) struct Ellipsoid<'a> {
    family: &'a dyn Parametric,
    radius: f64,
    steps: usize,
}

/// The lowest values found, and the weights that have them, one column a point.
pub(crate) struct Lowest {
    pub(crate) values: Vec<f64>,
    pub(crate) weights: Mat<f64>,
}

/// What a descent knows of every point.
struct Descent {
    values: Vec<f64>,
    /// `w − ŵ` of the lowest values.
    offsets: Mat<f64>,
    /// `Σ⁻¹∇f` there.
    slopes: Mat<f64>,
    /// Step lengths.
    lengths: Vec<f64>,
}

/// A step that did not descend is shortened by this factor.
const SHORTER: f64 = 0.25;
/// A step after one that descended is this many radii long before it is projected.
const LONGER: f64 = 2.0;

impl<'a> Ellipsoid<'a> {
    /// The ellipsoid `‖w − ŵ‖²_Σ <= beta`, searched by so many steps.
    pub(crate) fn new(family: &'a dyn Parametric, beta: f64, steps: usize) -> Self {
        // A trifle less, so that rounding does not lead outside.
        Self {
            family,
            radius: beta.sqrt() * (1.0 - 1e-10),
            steps,
        }
    }

    /// The lowest value at each point.
    pub(crate) fn lowest(&self, points: MatRef<'_, f64>) -> Lowest {
        let mut descent = self.begin(points);
        for _ in 0..self.steps {
            let trial = self.projected(&descent);
            let (values, slopes) = self.look(points, &trial);
            for point in 0..points.nrows() {
                descent.judge(point, values[point], &trial, &slopes, self.radius);
            }
        }
        Lowest {
            weights: self.weights(&descent.offsets),
            values: descent.values,
        }
    }

    fn begin(&self, points: MatRef<'_, f64>) -> Descent {
        let offsets = Mat::zeros(self.family.centre().len(), points.nrows());
        let (values, slopes) = self.look(points, &offsets);
        let lengths = (0..points.nrows())
            .map(|point| self.radius / slopes.lengths[point])
            .collect();
        Descent {
            values,
            offsets,
            slopes: slopes.solved,
            lengths,
        }
    }

    /// Values, and `Σ⁻¹∇f` with its norm, at offsets from the middle.
    fn look(&self, points: MatRef<'_, f64>, offsets: &Mat<f64>) -> (Vec<f64>, Solved) {
        let (values, gradients) = self.family.weight_slopes(points, self.weights(offsets).as_ref());
        let mut solved = gradients.clone();
        self.family.solve(solved.as_mut());
        let norm = |point: usize| gradients.col(point).transpose() * solved.col(point);
        let lengths = (0..points.nrows())
            .map(|point| norm(point).max(f64::MIN_POSITIVE).sqrt())
            .collect();
        (values, Solved { solved, lengths })
    }

    fn weights(&self, offsets: &Mat<f64>) -> Mat<f64> {
        let centre = self.family.centre();
        Mat::from_fn(offsets.nrows(), offsets.ncols(), |i, j| centre[i] + offsets[(i, j)])
    }

    /// The next offsets: a step downhill, and back into the ellipsoid.
    fn projected(&self, descent: &Descent) -> Mat<f64> {
        let Descent {
            offsets,
            slopes,
            lengths,
            ..
        } = descent;
        let step = |i: usize, j: usize| offsets[(i, j)] - lengths[j] * slopes[(i, j)];
        let mut trial = Mat::from_fn(offsets.nrows(), offsets.ncols(), step);
        for (point, norm) in self.family.norms(trial.as_ref()).into_iter().enumerate() {
            let factor = (self.radius / norm.sqrt().max(f64::MIN_POSITIVE)).min(1.0);
            trial
                .col_as_slice_mut(point)
                .iter_mut()
                .for_each(|offset| *offset *= factor);
        }
        trial
    }
}

/// `Σ⁻¹∇f` of points, one column each, and `‖∇f‖_{Σ⁻¹}`.
struct Solved {
    solved: Mat<f64>,
    lengths: Vec<f64>,
}

impl Descent {
    fn judge(&mut self, point: usize, value: f64, trial: &Mat<f64>, slopes: &Solved, radius: f64) {
        if value < self.values[point] {
            self.values[point] = value;
            self.offsets
                .col_as_slice_mut(point)
                .copy_from_slice(trial.col_as_slice(point));
            self.slopes
                .col_as_slice_mut(point)
                .copy_from_slice(slopes.solved.col_as_slice(point));
            self.lengths[point] = LONGER * radius / slopes.lengths[point];
        } else {
            self.lengths[point] *= SHORTER;
        }
    }
}
