//! Where an equation is asked for, and what is known of it there before any network.

use std::sync::Arc;

use faer::Mat;
use hilltop_core::physics::Equation;

/// An equation at points.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) equation: Arc<dyn Equation>,
    pub(super) points: Mat<f64>,
    /// Of a linear equation the coefficients of the derivatives and what is added to their sum.
    pub(super) plain: Option<(Mat<f64>, Vec<f64>)>,
    /// How many points were left out because a coefficient has no value there.
    pub(super) dropped: usize,
}

impl Site {
    /// An equation at points; those where a linear one is not a number are left out.
    pub(super) fn new(equation: &Arc<dyn Equation>, points: Mat<f64>) -> Self {
        let mut site = Self {
            equation: equation.clone(),
            points,
            plain: None,
            dropped: 0,
        };
        if equation.is_linear() {
            site.state();
        }
        site
    }

    fn state(&mut self) {
        let size = self.equation.partials().len();
        let (nothing, mut slopes) = (vec![0.0; size], vec![0.0; size]);
        let (mut sound, mut coefficients, mut constants) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..self.points.nrows() {
            let point: Vec<f64> = self.points.row(i).iter().copied().collect();
            let constant = self.equation.residual(&point, &nothing, &mut slopes);
            if constant.is_finite() && slopes.iter().all(|slope| slope.is_finite()) {
                sound.push(i);
                coefficients.extend_from_slice(&slopes);
                constants.push(constant);
            }
        }
        self.dropped = self.points.nrows() - sound.len();
        self.points = Mat::from_fn(sound.len(), self.points.ncols(), |i, j| self.points[(sound[i], j)]);
        let coefficients = Mat::from_fn(sound.len(), size, |i, j| coefficients[i * size + j]);
        self.plain = Some((coefficients, constants));
    }
}
