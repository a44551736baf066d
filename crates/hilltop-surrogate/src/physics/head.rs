//! The first observations of a fit, and what they and some laws let expect.

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::Result;
use hilltop_core::physics::Equation;

use super::condition::{Doubt, Informed};
use super::model::outward;
use super::parameters::{Form, Parameters};
use super::rows::{Law, Rows};
use super::smooth::Smooth;
use super::task::Task;
use crate::process::{Condition, Standard};

/// A condition with the weights of its mean.
pub(super) type Conditioned = (Informed, Vec<f64>);

/// The first observations.
pub(super) struct Head<'a> {
    points: MatRef<'a, f64>,
    values: &'a [f64],
    standard: Standard,
}

impl<'a> Head<'a> {
    pub(super) fn new(task: &Task<'a>, count: usize) -> Self {
        let values = &task.evidence.values[..count];
        Self {
            points: task.points.subrows(0, count),
            values,
            standard: Standard::of(values),
        }
    }

    /// Laws and these observations as a condition, with the weights of its mean.
    pub(super) fn conditioned(&self, form: &Form, parameters: &Parameters, laws: &[Law]) -> Result<Conditioned> {
        let kernel = Arc::new(form.kernel(parameters));
        let mut condition = observed(&kernel, parameters, laws, self.points)?;
        condition.retarget(targets(&kernel, laws, self.standard));
        let weights = condition.weights(&self.standard.inward(self.values));
        Ok((condition, weights))
    }

    /// The derivatives that an equation asks for at points, of what is expected, in the objective's own units.
    pub(super) fn jets(&self, equation: &dyn Equation, points: &Mat<f64>, around: &Conditioned) -> Mat<f64> {
        let jets = around.0.jets(equation.partials(), points.as_ref(), &around.1);
        outward(jets, equation, self.standard)
    }

    /// What is expected of the residuals of an equation at points.
    pub(super) fn residuals(&self, equation: &dyn Equation, points: &Mat<f64>, around: &Conditioned) -> Vec<f64> {
        let jets = self.jets(equation, points, around);
        let mut slopes = vec![0.0; jets.ncols()];
        let mut residual = |i: usize| {
            let point: Vec<f64> = points.row(i).iter().copied().collect();
            let jet: Vec<f64> = jets.row(i).iter().copied().collect();
            equation.residual(&point, &jet, &mut slopes)
        };
        (0..points.nrows()).map(&mut residual).collect()
    }
}

/// The covariance after laws, each scaled to variance one, and points.
pub(super) fn observed(
    kernel: &Arc<Smooth>,
    parameters: &Parameters,
    laws: &[Law],
    points: MatRef<'_, f64>,
) -> Result<Informed> {
    let rows: Vec<Rows> = laws
        .iter()
        .map(|law| {
            let mut rows = law.rows.clone();
            rows.scale(&scales(kernel, law));
            rows
        })
        .collect();
    let count = laws.iter().map(|law| law.targets.len()).sum();
    let Parameters { slack, noise, .. } = *parameters;
    Informed::new(kernel.clone(), rows, vec![0.0; count], points, Doubt { slack, noise })
}

/// What each row of a law is multiplied by to have variance one.
fn scales(kernel: &Smooth, law: &Law) -> Vec<f64> {
    let deviation = |i: usize| kernel.variance(&law.rows.partials, &law.rows.row(i)).sqrt();
    (0..law.targets.len()).map(|i| 1.0 / deviation(i)).collect()
}

/// The right-hand sides of laws in standardised units, each scaled as its row is.
pub(super) fn targets(kernel: &Smooth, laws: &[Law], standard: Standard) -> Vec<f64> {
    let mut all = Vec::new();
    for law in laws {
        let own = law.standardised(standard.offset, standard.scale);
        all.extend(
            own.iter()
                .zip(scales(kernel, law))
                .map(|(target, scale)| target * scale),
        );
    }
    all
}
