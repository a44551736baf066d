//! Physics as prior knowledge: a Gaussian process conditioned on observations and on differential equations.
//!
//! The process is the limit of a wide network with a smooth activation, and an equation that is linear in the function is
//! observed at collocation points like a value (Lemma 5.3.4 of the PINN-BO thesis); one that is not is linearised around
//! what is expected, a few times. Whether the equations deserve it is measured: the observations are held out one by one,
//! with and without them, and where they are expected better without, the model without is the model.

mod condition;
mod head;
mod model;
mod parameters;
mod rows;
mod smooth;
mod support;
mod task;
mod waves;

use std::sync::Arc;

use faer::Mat;
use hilltop_core::physics::{Collocation, Knowledge};
use hilltop_core::{Capabilities, Evidence, Model, Previous, Result, Space, Surrogate};

pub use condition::{Doubt, Informed};
pub use model::PhysicsModel;
pub use parameters::{Form, Found, Parameters};
pub use rows::{Law, Rows};
pub use smooth::{Plan, Smooth};

use crate::ntk::matrix;
use crate::pinn::collocation::spread;
use crate::process::Schedule;
use task::Task;

/// The description of a process with equations.
#[derive(Clone, Debug)]
pub struct Physics {
    /// What is known.
    pub knowledge: Arc<Knowledge>,
    /// At most so many rows of laws in all.
    pub rows: usize,
    /// When parameters are fitted.
    pub schedule: Schedule,
}

impl Physics {
    /// The surrogate of what is known.
    pub fn new(knowledge: Arc<Knowledge>) -> Self {
        Self {
            knowledge,
            rows: 1500,
            schedule: Schedule {
                first: 4,
                each_until: 12,
                growth: 1.2,
            },
        }
    }

    /// So many points for each equation.
    fn points(&self) -> usize {
        let equations = self.knowledge.equations.len().max(1);
        self.knowledge.points.min(self.rows / equations).max(1)
    }

    /// Where each equation is asked for, as of a fit.
    fn places(&self, space: &Space, seed: u64, fitted: Option<usize>) -> Vec<Mat<f64>> {
        let seed = match self.knowledge.collocation {
            Collocation::Redrawn => seed.wrapping_add(0x9e37_79b9 * fitted.unwrap_or(0) as u64),
            Collocation::Fixed | Collocation::Adaptive => seed,
        };
        let equations = self.knowledge.equations.iter();
        equations
            .map(|equation| spread(equation.as_ref(), space, seed, self.points()))
            .collect()
    }

    fn laws(&self, places: &[Mat<f64>], jets: Option<&[Mat<f64>]>) -> Vec<Law> {
        let equations = self.knowledge.equations.iter().zip(places).enumerate();
        equations
            .map(|(index, (equation, points))| {
                let jets = jets.map(|jets| jets[index].as_ref());
                Law::linearised(equation.as_ref(), points.as_ref(), jets)
            })
            .collect()
    }
}

impl Surrogate for Physics {
    fn fit(&self, evidence: &Evidence<'_>, previous: Previous<'_>) -> Result<Arc<dyn Model>> {
        let points = matrix(evidence)?;
        let older = previous
            .model
            .and_then(|model| model.as_any().downcast_ref::<PhysicsModel>());
        let task = Task {
            physics: self,
            evidence,
            points: points.as_ref(),
            older,
        };
        Ok(Arc::new(task.model(previous.memory)?))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "physics",
            marginals: true,
            paths: true,
            smooth: true,
            weights: false,
            information: false,
        }
    }
}
