//! A process with equations as a model: the process, and what evidence there is for the equations.

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::physics::{Equation, Knowledge, Obedience, Standing};
use hilltop_core::{HeldOut, Marginals, Model, Paths, Result};
use serde::{Deserialize, Serialize};

use super::condition::Informed;
use super::parameters::Found;
use crate::process::{Mean, Posterior, ProcessModel, Standard};

/// What is remembered of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// The parameters with equations.
    pub(super) informed: Found,
    /// The same without.
    pub(super) plain: Found,
    /// How much the equations were believed after so many observations.
    #[serde(default)]
    pub(super) course: Vec<(usize, f64)>,
}

/// So many weights of earlier rounds are remembered.
const COURSE: usize = 200;

impl Memory {
    /// The same with the weight of this round; of many, every second is kept.
    pub(super) fn continued(mut self, earlier: Vec<(usize, f64)>, now: (usize, f64)) -> Self {
        self.course = earlier.into_iter().filter(|(count, _)| *count < now.0).collect();
        if self.course.len() >= COURSE {
            let mut place = 0;
            self.course.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
        self.course.push(now);
        self
    }
}

/// A fitted process with equations.
#[derive(Clone)]
pub struct PhysicsModel {
    /// With the equations.
    pub(super) informed: ProcessModel,
    /// Without them.
    pub(super) plain: ProcessModel,
    pub(super) knowledge: Arc<Knowledge>,
    pub(super) standing: Standing,
    pub(super) memory: Memory,
    /// Whether the covariance of the laws may be taken over by a later fit.
    pub(super) linear: bool,
}

impl PhysicsModel {
    /// The model that evidence favours.
    pub fn favoured(&self) -> &ProcessModel {
        if self.standing.weight >= 0.5 {
            &self.informed
        } else {
            &self.plain
        }
    }

    /// The model without the equations, whether evidence favours it or not.
    pub fn plain(&self) -> &ProcessModel {
        &self.plain
    }

    /// The model with the equations, whether evidence favours it or not.
    pub fn informed(&self) -> &ProcessModel {
        &self.informed
    }
}

impl Model for PhysicsModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        self.favoured().marginals()
    }

    fn paths(&self) -> Option<&dyn Paths> {
        self.favoured().paths()
    }

    fn believe(&self, pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        self.favoured().believe(pending)
    }

    fn memory(&self) -> Option<serde_json::Value> {
        serde_json::to_value(&self.memory).ok()
    }

    fn held_out(&self) -> Vec<HeldOut> {
        self.favoured().held_out()
    }

    fn obedience(&self) -> Option<&dyn Obedience> {
        Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Obedience for PhysicsModel {
    fn standing(&self) -> Standing {
        Standing {
            course: self.memory.course.clone(),
            ..self.standing.clone()
        }
    }

    fn residuals(&self, points: MatRef<'_, f64>) -> Vec<Vec<f64>> {
        let equations = self.knowledge.equations.iter();
        equations
            .map(|equation| shares(equation.as_ref(), points, &self.informed))
            .collect()
    }
}

/// What is left of an equation at points, as a share of the sizes of its terms.
fn shares(equation: &dyn Equation, points: MatRef<'_, f64>, process: &ProcessModel) -> Vec<f64> {
    let jets = jets(equation, points, process);
    let mut slopes = vec![0.0; equation.partials().len()];
    let mut share = |i: usize| {
        let point: Vec<f64> = points.row(i).iter().copied().collect();
        let jet: Vec<f64> = jets.row(i).iter().copied().collect();
        let residual = equation.residual(&point, &jet, &mut slopes);
        let terms = slopes.iter().zip(&jet).map(|(slope, value)| slope * value);
        let rest = residual - terms.clone().sum::<f64>();
        let sizes = terms.map(f64::abs).sum::<f64>() + rest.abs();
        if sizes > 0.0 {
            residual.abs() / sizes
        } else {
            residual.abs()
        }
    };
    (0..points.nrows()).map(&mut share).collect()
}

/// The derivatives that an equation asks for at points, of what a process expects, in the objective's own units.
fn jets(equation: &dyn Equation, points: MatRef<'_, f64>, process: &ProcessModel) -> Mat<f64> {
    let Posterior { condition, mean, .. } = process.posterior();
    let (Some(informed), Mean::Kernel(weights)) = (condition.as_any().downcast_ref::<Informed>(), mean) else {
        return Mat::full(points.nrows(), equation.partials().len(), f64::NAN);
    };
    outward(
        informed.jets(equation.partials(), points, weights),
        equation,
        process.standard(),
    )
}

/// Derivatives of a standardised function in the objective's own units.
pub(super) fn outward(mut jets: Mat<f64>, equation: &dyn Equation, standard: Standard) -> Mat<f64> {
    jets *= faer::Scale(standard.scale);
    let value = equation.partials().iter().position(|partial| partial.order() == 0);
    if let Some(column) = value {
        jets.col_as_slice_mut(column)
            .iter_mut()
            .for_each(|f| *f += standard.offset);
    }
    jets
}
