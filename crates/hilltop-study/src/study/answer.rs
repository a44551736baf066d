//! What is known: the best trial, the answer, and what the model believes.

use std::collections::BTreeMap;
use std::sync::Arc;

use faer::MatRef;
use hilltop_core::{Goal, Limit, Model, Output, Parameters};

use super::Study;
use crate::{Error, Result};

/// The best trial so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Its number.
    pub trial: u64,
    /// Where.
    pub parameters: Parameters,
    /// What was observed there.
    pub outputs: BTreeMap<String, f64>,
    /// Whether every limit is kept; when not, no trial keeps them all and this one breaks them least.
    pub feasible: bool,
}

/// What a model believes of the objective at a point, in the user's direction and units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// The answer of a study: the point to use if nothing more could be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommended {
    /// Where.
    pub parameters: Parameters,
    /// What is believed there, where the method has a model.
    pub believed: Option<Prediction>,
}

impl Study {
    /// The trial with the best objective among those that keep every limit; `None` before anything was observed.
    pub fn best(&self) -> Result<Option<Best>> {
        let mut desk = self.desk();
        desk.catch_up()?;
        let history = desk.overview();
        let Some(index) = history.best() else { return Ok(None) };
        let (number, feasible) = (history.trials()[index], history.violation(index) <= 0.0);
        let value = |(k, output): (usize, &Output)| (output.name.clone(), output.goal.inward(history.values(k)[index]));
        let outputs = history.outputs().iter().enumerate().map(value).collect();
        let parameters = desk.ledger().trial(number)?.parameters.clone();
        Ok(parameters.map(|parameters| Best {
            trial: number,
            parameters,
            outputs,
            feasible,
        }))
    }

    /// The point to use if nothing more could be evaluated.
    pub fn recommend(&self) -> Result<Option<Recommended>> {
        let mut oracle = self.oracle();
        let history = self.history()?;
        let recommendation = oracle.proposer.recommend(&history)?;
        Ok(recommendation.map(|recommendation| Recommended {
            parameters: self.statement.space.decode(&recommendation.point),
            believed: recommendation
                .believed
                .map(|(mean, deviation)| self.outward(mean, deviation)),
        }))
    }

    /// Amid noise, where the best result is mostly a lucky one: what the method would choose by its model, and what that expects there. `None`
    /// where observations are exact, and where the method has no such model or it cannot be fitted.
    pub fn preferred(&self) -> Option<(Parameters, Prediction)> {
        let chosen = self
            .statement
            .noisy
            .then(|| self.recommend().ok().flatten())
            .flatten()?;
        Some((chosen.parameters, chosen.believed?))
    }

    /// The model of the objective, to be minimised, as of everything told so far; `None` where the method has none.
    pub fn model(&self) -> Result<Option<Arc<dyn Model>>> {
        let mut oracle = self.oracle();
        let history = self.history()?;
        Ok(oracle.proposer.model(&history)?)
    }

    /// What must stay within limits as the method believes it to be; empty where nothing is limited or it has no such
    /// models.
    pub fn limits(&self) -> Result<Vec<Limit>> {
        let mut oracle = self.oracle();
        let history = self.history()?;
        Ok(oracle.proposer.limits(&history)?)
    }

    /// What the model believes of the objective at a point; `None` where the method has no model that says so.
    pub fn predict(&self, parameters: &Parameters) -> Result<Option<Prediction>> {
        let point = self.statement.space.encode(parameters).map_err(Error::Point)?;
        let Some(model) = self.model()? else { return Ok(None) };
        let Some(marginals) = model.marginals() else {
            return Ok(None);
        };
        let beliefs = marginals.beliefs(MatRef::from_row_major_slice(&point, 1, point.len()));
        let believed = beliefs.mean.first().zip(beliefs.deviation.first());
        Ok(believed.map(|(mean, deviation)| self.outward(*mean, *deviation)))
    }

    fn outward(&self, mean: f64, deviation: f64) -> Prediction {
        let maximised = self.statement.objective().goal == Goal::Maximize;
        Prediction {
            mean: if maximised { -mean } else { mean },
            deviation,
        }
    }
}
