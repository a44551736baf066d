//! One fit of a process with equations: parameters, laws, and the covariance after all of it, with the equations and without.

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::physics::Collocation;
use hilltop_core::{Evidence, Model, Result};
use serde::Deserialize;

use super::Physics;
use super::condition::Informed;
use super::head::{Conditioned, Head, observed, targets};
use super::model::{Memory, PhysicsModel};
use super::parameters::{Form, Found, Parameters};
use super::rows::Law;
use super::support::weighed;
use crate::pinn::collocation::{denser, spread};
use crate::process::{
    Condition, Fitted, Hyperparameters, Mean, Origin, Posterior, ProcessModel, Schedule, Standard, digest,
};

/// Where the points follow the residuals, so many times as many are looked at.
const POOL: usize = 4;
/// The share of the points that is moved to where the residuals are large.
const DENSER: f64 = 0.25;
/// How often a nonlinear equation is linearised anew.
const LINEARISATIONS: i32 = 8;

/// One fit.
pub(super) struct Task<'a> {
    pub(super) physics: &'a Physics,
    pub(super) evidence: &'a Evidence<'a>,
    pub(super) points: MatRef<'a, f64>,
    pub(super) older: Option<&'a PhysicsModel>,
}

impl Task<'_> {
    pub(super) fn model(&self, memory: Option<&serde_json::Value>) -> Result<PhysicsModel> {
        let own = self.older.and_then(Model::memory);
        let memory = memory.or(own.as_ref());
        let (plain, plain_fit) = self.plain(memory.and_then(|memory| memory.get("plain")))?;
        let (informed, informed_fit, dropped) = self.informed(memory.and_then(|memory| memory.get("informed")))?;
        let linear = self.physics.knowledge.is_linear();
        let standing = weighed(&informed, &plain, Standard::of(self.evidence.values), dropped);
        let found = Memory {
            informed: informed_fit,
            plain: plain_fit,
            course: Vec::new(),
        };
        let earlier = memory.and_then(|memory| memory.get("course"));
        let earlier = earlier
            .and_then(|course| Vec::deserialize(course).ok())
            .unwrap_or_default();
        let now = (self.evidence.values.len(), standing.weight);
        Ok(PhysicsModel {
            informed,
            plain,
            knowledge: self.physics.knowledge.clone(),
            standing,
            memory: found.continued(earlier, now),
            linear,
        })
    }

    fn plain(&self, memory: Option<&serde_json::Value>) -> Result<(ProcessModel, Found)> {
        let form = Form::new(self.evidence.space, false);
        let fitted = self.follow(&form, memory, &|_, _| Ok(Vec::new()))?;
        let older = self.older.map(|older| &older.plain);
        let (condition, weights) = self.condition(&form, &fitted, &[], older)?;
        let model = self.finished(condition, weights, &fitted, "plain");
        Ok((model, fitted))
    }

    fn informed(&self, memory: Option<&serde_json::Value>) -> Result<(ProcessModel, Found, usize)> {
        let form = Form::new(self.evidence.space, true);
        let laws = |count: usize, parameters: &Parameters| self.laws(&form, count, parameters);
        let fitted = self.follow(&form, memory, &laws)?;
        let laws = self.laws(&form, self.evidence.values.len(), &fitted.parameters)?;
        let dropped = self.physics.points() * laws.len() - laws.iter().map(|law| law.targets.len()).sum::<usize>();
        let older = self.older.filter(|older| older.linear).map(|older| &older.informed);
        let (condition, weights) = self.condition(&form, &fitted, &laws, older)?;
        let model = self.finished(condition, weights, &fitted, "informed");
        Ok((model, fitted, dropped))
    }

    /// The parameters as a chain of fits at the schedule's counts.
    fn follow(
        &self,
        form: &Form,
        memory: Option<&serde_json::Value>,
        laws: &dyn Fn(usize, &Parameters) -> Result<Vec<Law>>,
    ) -> Result<Found> {
        let values = self.evidence.values;
        let schedule = self.physics.schedule;
        let mut fitted = memory
            .and_then(|memory| recalled(memory, form, &schedule, values.len()))
            .unwrap_or_else(|| Found {
                count: None,
                parameters: form.medians(),
            });
        for count in schedule.between(fitted.count, values.len()) {
            let laws = laws(count, &fitted.parameters)?;
            let points = self.points.subrows(0, count);
            let parameters = form.fit(&laws, points, &values[..count], &fitted.parameters);
            fitted = Found {
                count: Some(count),
                parameters,
            };
        }
        Ok(fitted)
    }

    /// The equations to first order around what the first observations let expect, at their collocation points.
    fn laws(&self, form: &Form, count: usize, parameters: &Parameters) -> Result<Vec<Law>> {
        let Evidence { space, seed, .. } = *self.evidence;
        let places = self.physics.places(space, seed, Some(count));
        let laws = self.linearised(form, count, parameters, &places)?;
        if self.physics.knowledge.collocation != Collocation::Adaptive {
            return Ok(laws);
        }
        let head = Head::new(self, count);
        let around = head.conditioned(form, parameters, &laws)?;
        let equations = self.physics.knowledge.equations.iter().zip(&places);
        let places: Vec<Mat<f64>> = equations
            .map(|(equation, old)| {
                let pool = spread(equation.as_ref(), space, seed.wrapping_add(1), POOL * old.nrows());
                let residuals = head.residuals(equation.as_ref(), &pool, &around);
                denser(old, DENSER, &pool, &residuals)
            })
            .collect();
        self.linearised(form, count, parameters, &places)
    }

    /// The equations at points; those that are not linear around the mean, a few times anew.
    fn linearised(&self, form: &Form, count: usize, parameters: &Parameters, places: &[Mat<f64>]) -> Result<Vec<Law>> {
        if self.physics.knowledge.is_linear() {
            return Ok(self.physics.laws(places, None));
        }
        let head = Head::new(self, count);
        let mut laws = Vec::new();
        for round in 0..LINEARISATIONS {
            // The first linearisations are far from true, so little is made of them.
            let slack = parameters.slack.max(0.1_f64.powi(round));
            let doubting = Parameters {
                slack,
                ..parameters.clone()
            };
            let around = head.conditioned(form, &doubting, &laws)?;
            let equations = self.physics.knowledge.equations.iter().zip(places);
            let jets: Vec<Mat<f64>> = equations
                .map(|(equation, points)| head.jets(equation.as_ref(), points, &around))
                .collect();
            laws = self.physics.laws(places, Some(&jets));
        }
        Ok(laws)
    }

    /// The covariance after the laws and all observations: grown from an older model where that has the same beginning.
    fn condition(
        &self,
        form: &Form,
        fitted: &Found,
        laws: &[Law],
        older: Option<&ProcessModel>,
    ) -> Result<Conditioned> {
        let (values, parameters) = (self.evidence.values, &fitted.parameters);
        let base = fitted.count.unwrap_or(0).min(values.len());
        let origin = self.origin(fitted, "");
        let grown = older.and_then(|older| {
            let begun = older.origin()?;
            let same = begun.fitted == origin.fitted && begun.base == origin.base;
            let begins = begun.begins(&begun.recipe, origin.seed, self.points, &[]);
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
        (done..values.len()).for_each(|row| condition.push(self.points.subrows(row, 1), 1.0));
        let weights = condition.weights(&standard.inward(values));
        Ok((condition, weights))
    }

    fn origin(&self, fitted: &Found, recipe: &str) -> Origin {
        let Parameters {
            lengths,
            alone,
            product,
            noise,
            ..
        } = &fitted.parameters;
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
                count: fitted.count,
                parameters,
            },
            base: fitted.count.unwrap_or(0),
            observed: self.points.nrows(),
            digest: digest(self.points),
            shares: Vec::new(),
        }
    }

    fn finished(&self, condition: Informed, weights: Vec<f64>, fitted: &Found, recipe: &str) -> ProcessModel {
        let posterior = Posterior {
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

/// What is remembered, unless it is of other observations or another schedule.
fn recalled(memory: &serde_json::Value, form: &Form, schedule: &Schedule, observed: usize) -> Option<Found> {
    let found = Found::deserialize(memory).ok()?;
    let count = found.count?;
    let sound = form.suits(&found.parameters) && count <= observed && schedule.contains(count);
    sound.then_some(found)
}
