//! Physics as prior knowledge: a Gaussian process conditioned on observations and on differential equations.
//!
//! The process is the limit of a wide network with a smooth activation, and an equation that is linear in the function is
//! observed at collocation points like a value (Lemma 5.3.4 of the PINN-BO thesis); one that is not is linearised around
//! what is expected, a few times. Whether the equations deserve it is measured: the observations are held out one by one,
//! with and without them, and where they are expected better without, the model without is the model.

mod collocation;
mod condition;
mod model;
mod parameters;
mod rows;
mod smooth;
mod waves;

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::physics::{Collocation, Knowledge};
use hilltop_core::{Capabilities, Evidence, Model, Previous, Result, Space, Surrogate};

pub use collocation::collocation;
pub use condition::{Doubt, Informed};
pub use model::{Evidence as Support, PhysicsModel};
pub use parameters::{Form, Parameters};
pub use rows::{Law, Rows};
pub use smooth::{Plan, Smooth};

use crate::ntk::matrix;
use crate::process::{
    Condition, Fitted, Hyperparameters, Mean, Origin, Posterior, ProcessModel, Schedule, Standard, digest,
};
use model::Memory;

/// How often a nonlinear equation is linearised anew.
const LINEARISATIONS: usize = 4;
/// What the equations have in their favour before any observation, as a logarithm of odds: the user stated them.
const TRUST: f64 = 2.0;
/// The degrees of freedom of an observation that was held out.
const FREEDOM: f64 = 4.0;
/// A deviation of an observation that was held out is at least this share of the deviation of all.
const LEAST: f64 = 0.02;

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
            rows: 1000,
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
            .map(|equation| collocation(equation.as_ref(), space, seed, self.points()))
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
        }
    }
}

/// One fit.
struct Task<'a> {
    physics: &'a Physics,
    evidence: &'a Evidence<'a>,
    points: MatRef<'a, f64>,
    older: Option<&'a PhysicsModel>,
}

/// A condition with the weights of its mean.
type Conditioned = (Informed, Vec<f64>);

impl Task<'_> {
    fn model(&self, memory: Option<&serde_json::Value>) -> Result<PhysicsModel> {
        let own = self.older.and_then(Model::memory);
        let memory = memory.or(own.as_ref());
        let (plain, plain_fit) = self.plain(memory.and_then(|memory| memory.get("plain")))?;
        let (informed, informed_fit, dropped) = self.informed(memory.and_then(|memory| memory.get("informed")))?;
        let linear = self.physics.knowledge.is_linear();
        let evidence = weighed(&informed, &plain, Standard::of(self.evidence.values), dropped);
        Ok(PhysicsModel {
            informed,
            plain,
            evidence,
            memory: Memory {
                informed: informed_fit,
                plain: plain_fit,
            },
            linear,
        })
    }

    fn plain(&self, memory: Option<&serde_json::Value>) -> Result<(ProcessModel, (Option<usize>, Parameters))> {
        let form = Form::new(self.evidence.space, false);
        let fitted = self.follow(&form, memory, &|_, _| Ok(Vec::new()))?;
        let older = self.older.map(|older| &older.plain);
        let (condition, weights) = self.condition(&form, &fitted, &[], older)?;
        let model = self.finished(&form, condition, weights, &fitted, "plain");
        Ok((model, fitted))
    }

    fn informed(
        &self,
        memory: Option<&serde_json::Value>,
    ) -> Result<(ProcessModel, (Option<usize>, Parameters), usize)> {
        let form = Form::new(self.evidence.space, true);
        let laws = |count: usize, parameters: &Parameters| self.laws(&form, count, parameters);
        let fitted = self.follow(&form, memory, &laws)?;
        let laws = self.laws(&form, self.evidence.values.len(), &fitted.1)?;
        let dropped = self.physics.points() * laws.len() - laws.iter().map(|law| law.targets.len()).sum::<usize>();
        let older = self.older.filter(|older| older.linear).map(|older| &older.informed);
        let (condition, weights) = self.condition(&form, &fitted, &laws, older)?;
        let model = self.finished(&form, condition, weights, &fitted, "informed");
        Ok((model, fitted, dropped))
    }

    /// The parameters as a chain of fits at the schedule's counts.
    fn follow(
        &self,
        form: &Form,
        memory: Option<&serde_json::Value>,
        laws: &dyn Fn(usize, &Parameters) -> Result<Vec<Law>>,
    ) -> Result<(Option<usize>, Parameters)> {
        let values = self.evidence.values;
        let schedule = self.physics.schedule;
        let mut fitted = memory
            .and_then(|memory| recalled(memory, form, &schedule, values.len()))
            .unwrap_or_else(|| (None, form.medians()));
        for count in schedule.between(fitted.0, values.len()) {
            let laws = laws(count, &fitted.1)?;
            let points = self.points.subrows(0, count);
            fitted = (Some(count), form.fit(&laws, points, &values[..count], &fitted.1));
        }
        Ok(fitted)
    }

    /// The equations to first order around what the first observations let expect.
    fn laws(&self, form: &Form, count: usize, parameters: &Parameters) -> Result<Vec<Law>> {
        let places = self
            .physics
            .places(self.evidence.space, self.evidence.seed, Some(count));
        let mut laws = self.physics.laws(&places, None);
        if self.physics.knowledge.is_linear() {
            return Ok(laws);
        }
        let (points, values) = (self.points.subrows(0, count), &self.evidence.values[..count]);
        let mut around: Vec<Law> = Vec::new();
        for _ in 0..LINEARISATIONS {
            let (condition, weights) = conditioned(form, parameters, &around, points, values)?;
            let standard = Standard::of(values);
            let jets: Vec<Mat<f64>> = self
                .physics
                .knowledge
                .equations
                .iter()
                .zip(&places)
                .map(|(equation, points)| {
                    let mut jets = condition.jets(equation.partials(), points.as_ref(), &weights);
                    jets *= faer::Scale(standard.scale);
                    let value = equation.partials().iter().position(|partial| partial.order() == 0);
                    if let Some(column) = value {
                        jets.col_as_slice_mut(column)
                            .iter_mut()
                            .for_each(|f| *f += standard.offset);
                    }
                    jets
                })
                .collect();
            laws = self.physics.laws(&places, Some(&jets));
            around.clone_from(&laws);
        }
        Ok(laws)
    }

    /// The covariance after the laws and all observations: grown from an older model where that has the same beginning.
    fn condition(
        &self,
        form: &Form,
        fitted: &(Option<usize>, Parameters),
        laws: &[Law],
        older: Option<&ProcessModel>,
    ) -> Result<Conditioned> {
        let (values, parameters) = (self.evidence.values, &fitted.1);
        let base = fitted.0.unwrap_or(0).min(values.len());
        let origin = self.origin(fitted, "");
        let grown = older.and_then(|older| {
            let begun = older.origin()?;
            let same = begun.fitted == origin.fitted && begun.base == origin.base;
            let begins = begun.begins(&begun.recipe, origin.seed, self.points);
            if !(same && begins) {
                return None;
            }
            let condition = older.posterior().condition.as_any().downcast_ref::<Informed>()?.clone();
            Some((condition, begun.observed))
        });
        let standard = Standard::of(values);
        let kernel = Arc::new(form.kernel(parameters));
        let (mut condition, done) = match grown {
            Some(grown) => grown,
            None => (observed(&kernel, parameters, laws, self.points.subrows(0, base))?, base),
        };
        condition.retarget(targets(&kernel, laws, standard));
        (done..values.len()).for_each(|row| condition.push(self.points.subrows(row, 1)));
        let weights = condition.weights(&standard.inward(values));
        Ok((condition, weights))
    }

    fn origin(&self, fitted: &(Option<usize>, Parameters), recipe: &str) -> Origin {
        let Parameters {
            lengths,
            alone,
            product,
            noise,
            ..
        } = &fitted.1;
        let parameters = Hyperparameters {
            scales: lengths.clone(),
            constant: *alone,
            signal: *product,
            noise: *noise,
        };
        Origin {
            recipe: recipe.to_owned(),
            seed: self.evidence.seed,
            fitted: Fitted {
                count: fitted.0,
                parameters,
            },
            base: fitted.0.unwrap_or(0),
            observed: self.points.nrows(),
            digest: digest(self.points),
        }
    }

    fn finished(
        &self,
        form: &Form,
        condition: Informed,
        weights: Vec<f64>,
        fitted: &(Option<usize>, Parameters),
        recipe: &str,
    ) -> ProcessModel {
        let posterior = Posterior {
            kernel: Arc::new(form.kernel(&fitted.1)),
            condition: Box::new(condition),
            mean: Mean::Kernel(weights),
        };
        ProcessModel::new(
            posterior,
            Standard::of(self.evidence.values),
            self.origin(fitted, recipe),
        )
    }
}

/// Laws and the first observations as a condition, with the weights of its mean.
fn conditioned(
    form: &Form,
    parameters: &Parameters,
    laws: &[Law],
    points: MatRef<'_, f64>,
    values: &[f64],
) -> Result<Conditioned> {
    let kernel = Arc::new(form.kernel(parameters));
    let mut condition = observed(&kernel, parameters, laws, points)?;
    let standard = Standard::of(values);
    condition.retarget(targets(&kernel, laws, standard));
    let weights = condition.weights(&standard.inward(values));
    Ok((condition, weights))
}

/// The covariance after laws, each scaled to variance one, and points.
fn observed(kernel: &Arc<Smooth>, parameters: &Parameters, laws: &[Law], points: MatRef<'_, f64>) -> Result<Informed> {
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
fn targets(kernel: &Smooth, laws: &[Law], standard: Standard) -> Vec<f64> {
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

/// What is remembered, unless it is of other observations or another schedule.
fn recalled(
    memory: &serde_json::Value,
    form: &Form,
    schedule: &Schedule,
    observed: usize,
) -> Option<(Option<usize>, Parameters)> {
    let count = memory.get("count")?.as_u64()? as usize;
    let parameters: Parameters = serde_json::from_value(memory.get("parameters")?.clone()).ok()?;
    let sound = form.suits(&parameters) && count <= observed && schedule.contains(count);
    sound.then_some((Some(count), parameters))
}

/// How much the equations are believed, from observations held out with and without them.
fn weighed(informed: &ProcessModel, plain: &ProcessModel, standard: Standard, dropped: usize) -> Support {
    let least = LEAST * standard.scale;
    let (with, without) = (density(informed, least), density(plain, least));
    let rows = informed
        .posterior()
        .condition
        .as_any()
        .downcast_ref::<Informed>()
        .map_or(0, Informed::lawful);
    let count = informed.held_out().len() as f64;
    let odds = TRUST + count * (with - without);
    Support {
        weight: 1.0 / (1.0 + (-odds).exp()),
        with,
        without,
        rows,
        dropped,
    }
}

/// The mean logarithm of the density of observations that were held out: Student's, because a deviation that was fitted to few
/// of them is known no better than that. No deviation counts as smaller than `least`: who knows the last digits of points that lie
/// side by side says nothing about equations.
fn density(model: &ProcessModel, least: f64) -> f64 {
    let held_out = model.held_out();
    let log = |miss: f64, deviation: f64| {
        let deviation = deviation.hypot(least);
        -0.5 * (FREEDOM + 1.0) * ((miss / deviation).powi(2) / FREEDOM).ln_1p() - deviation.ln()
    };
    let sum: f64 = held_out.iter().map(|held| log(held.miss, held.deviation)).sum();
    sum / held_out.len().max(1) as f64
}
