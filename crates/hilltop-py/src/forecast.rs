//! A forecast: what a model believes of the objective at many points, in the user's coordinates, direction and units.

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::{Beliefs, Goal, Kind, Model, Parameters, Points, Rng, Score, Space, Value};
use hilltop_study::{Error, Result, Study};

/// A model, as its user sees it.
#[derive(Clone)]
pub struct Forecast {
    model: Arc<dyn Model>,
    space: Arc<Space>,
    maximised: bool,
}

/// A function drawn from a model.
#[derive(Clone)]
pub struct Drawn {
    score: Arc<dyn Score>,
    space: Arc<Space>,
    maximised: bool,
}

impl Forecast {
    /// The model of a study as of everything told so far; `None` where the method has none.
    pub fn of(study: &Study) -> Result<Option<Self>> {
        let statement = study.statement();
        Ok(study.model()?.map(|model| Self {
            model,
            space: Arc::clone(&statement.space),
            maximised: statement.objective().goal == Goal::Maximize,
        }))
    }

    /// Means and deviations at rows of numbers, a column a parameter.
    pub fn at_rows(&self, numbers: &[f64], columns: usize) -> Result<Beliefs> {
        self.at(&encoded(&self.space, numbers, columns)?)
    }

    /// Means and deviations at named points.
    pub fn at_points(&self, points: &[Parameters]) -> Result<Beliefs> {
        let mut rows = Points::new(self.space.dim());
        for point in points {
            rows.push(&self.space.encode(point).map_err(Error::Point)?);
        }
        self.at(&rows)
    }

    fn at(&self, points: &Points) -> Result<Beliefs> {
        if points.is_empty() {
            return Ok(Beliefs {
                mean: Vec::new(),
                deviation: Vec::new(),
            });
        }
        let marginals = self
            .model
            .marginals()
            .ok_or_else(|| incapable("means and deviations"))?;
        let mut beliefs = marginals.beliefs(points.matrix());
        if self.maximised {
            beliefs.mean.iter_mut().for_each(|mean| *mean = -*mean);
        }
        Ok(beliefs)
    }

    /// A function drawn from what is believed.
    pub fn draw(&self, seed: u64) -> Result<Drawn> {
        let paths = self.model.paths().ok_or_else(|| incapable("functions to draw"))?;
        Ok(Drawn {
            score: paths.draw(1.0, &mut Rng::new(seed))?,
            space: Arc::clone(&self.space),
            maximised: self.maximised,
        })
    }
}

impl Drawn {
    /// The function at rows of numbers, and its gradients in them where it is smooth and every parameter a float on a
    /// linear scale.
    pub fn at_rows(&self, numbers: &[f64], columns: usize) -> Result<(Vec<f64>, Option<Vec<f64>>)> {
        let points = encoded(&self.space, numbers, columns)?;
        // A score is maximised: it is the negative of the objective, which is minimised inside.
        let sign = if self.maximised { 1.0 } else { -1.0 };
        let mut values = vec![0.0; points.len()];
        if points.is_empty() {
            return Ok((values, None));
        }
        let widths = widths(&self.space);
        let Some((smooth, widths)) = self.score.smooth().zip(widths) else {
            self.score.values(points.matrix(), &mut values);
            values.iter_mut().for_each(|value| *value *= sign);
            return Ok((values, None));
        };
        let mut gradients = Mat::zeros(points.len(), points.dim());
        smooth.values_and_gradients(points.matrix(), &mut values, gradients.as_mut());
        values.iter_mut().for_each(|value| *value *= sign);
        Ok((values, Some(outward(gradients.as_ref(), &widths, sign))))
    }
}

fn outward(gradients: MatRef<'_, f64>, widths: &[f64], sign: f64) -> Vec<f64> {
    let row = |row: usize| (0..gradients.ncols()).map(move |column| sign * gradients[(row, column)] / widths[column]);
    (0..gradients.nrows()).flat_map(row).collect()
}

/// The widths of the parameters' ranges, where all are floats on a linear scale.
fn widths(space: &Space) -> Option<Vec<f64>> {
    let width = |parameter: &hilltop_core::Parameter| match parameter.kind {
        Kind::Float {
            low,
            high,
            log: false,
            step: None,
        } if parameter.when.is_none() => Some(high - low),
        _ => None,
    };
    space.parameters().iter().map(width).collect()
}

/// Rows of numbers as points of the space. Whole numbers and truths may be given as floats.
fn encoded(space: &Space, numbers: &[f64], columns: usize) -> Result<Points> {
    let parameters = space.parameters();
    if columns != parameters.len() || !numbers.len().is_multiple_of(columns.max(1)) {
        let message = format!(
            "the points have {columns} columns; the space has {} parameters",
            parameters.len()
        );
        return Err(Error::Statement { message });
    }
    let mut points = Points::new(space.dim());
    for row in numbers.chunks_exact(columns) {
        let named = parameters
            .iter()
            .zip(row)
            .map(|(one, number)| (one.name.clone(), value(&one.kind, *number)));
        points.push(&space.encode(&named.collect()).map_err(Error::Point)?);
    }
    Ok(points)
}

fn value(kind: &Kind, number: f64) -> Value {
    let whole = number.fract() == 0.0 && number.abs() < 9e15;
    match kind {
        Kind::Int { .. } if whole => Value::Int(number as i64),
        _ => Value::Float(number),
    }
}

fn incapable(what: &str) -> Error {
    Error::Statement {
        message: format!("the model of this method has no {what}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;

    use hilltop_core::{MemoryJournal, Outcome};
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::statement::stated;

    fn study(method: &Json) -> Study {
        let description = json!({
            "seed": 1, "method": method,
            "parameters": { "x": { "float": [-2, 2] }, "n": { "float": [1, 5] } },
            "outputs": { "gain": { "maximize": true } },
        });
        let study = Study::open(stated(&description).unwrap(), MemoryJournal::default()).unwrap();
        for asked in study.ask(10).unwrap() {
            let (x, n) = (
                asked.parameters.number("x").unwrap(),
                asked.parameters.number("n").unwrap(),
            );
            let gain = 3.0 - x * x - (n - 2.0).abs();
            let outcome = Outcome::Outputs(BTreeMap::from([("gain".into(), gain)]));
            study.tell(asked.trial, &outcome).unwrap();
        }
        study
    }

    #[test]
    fn a_forecast_is_in_the_direction_of_the_user_and_the_same_for_rows_and_names() {
        let study = study(&json!("auto"));
        let forecast = Forecast::of(&study).unwrap().unwrap();
        let best = study.best().unwrap().unwrap();
        let row = [
            best.parameters.number("x").unwrap(),
            best.parameters.number("n").unwrap(),
        ];
        let beliefs = forecast.at_rows(&row, 2).unwrap();
        assert!((beliefs.mean[0] - best.outputs["gain"]).abs() < 0.3, "{beliefs:?}");
        assert_eq!(beliefs, forecast.at_points(&[best.parameters]).unwrap());
        assert!(forecast.at_rows(&row, 1).is_err() && forecast.at_rows(&[9.0, 9.0], 2).is_err());
        assert_eq!(forecast.at_rows(&[], 2).unwrap().mean.len(), 0);
    }

    #[test]
    fn gradients_of_a_drawn_function_agree_with_differences() {
        let study = study(&json!({ "name": "compose", "acquisition": "path" }));
        let drawn = Forecast::of(&study).unwrap().unwrap().draw(5).unwrap();
        let at = |x: f64, n: f64| drawn.at_rows(&[x, n], 2).unwrap();
        let (_, gradient) = at(0.5, 2.5);
        let slope = (at(0.501, 2.5).0[0] - at(0.499, 2.5).0[0]) / 0.002;
        assert!((gradient.unwrap()[0] - slope).abs() < 0.01 * slope.abs().max(1.0));
    }

    #[test]
    fn a_method_without_a_model_has_no_forecast() {
        assert!(Forecast::of(&study(&json!("random"))).unwrap().is_none());
    }
}
