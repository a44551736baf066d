//! The values of parameters at an encoded point.

use super::chart::{Chart, Scale, Standing};
use crate::space::Space;

/// Reads some parameters, in physical units.
///
/// Continuous ones are not rounded to the decimals of suggestions: between them the objective is as smooth as anywhere.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    space: Space,
    readings: Vec<Reading>,
    conditional: bool,
}

#[derive(Clone, Copy, Debug)]
enum Reading {
    Smooth { coordinate: usize, scale: Scale },
    Level(usize),
    Constant(f64),
}

impl Inputs {
    /// Reads these parameters, in this order.
    pub(super) fn new(chart: &Chart, parameters: &[usize]) -> Self {
        let reading = |&place: &usize| match &chart.standings[place] {
            Standing::Smooth { coordinate, scale } => Reading::Smooth {
                coordinate: *coordinate,
                scale: *scale,
            },
            Standing::Level | Standing::Options(_) => Reading::Level(place),
            Standing::Fixed(value) => Reading::Constant(value.number().unwrap_or(f64::NAN)),
        };
        let conditional = |&place: &usize| chart.space.parameters()[place].when.is_some();
        let mut readings: Vec<Reading> = parameters.iter().map(reading).collect();
        if parameters.iter().any(conditional) {
            readings = parameters.iter().map(|&place| Reading::Level(place)).collect();
        }
        Self {
            space: chart.space.clone(),
            readings,
            conditional: parameters.iter().any(conditional),
        }
    }

    /// The values at a point; NaN where a parameter takes no part.
    pub(super) fn read(&self, point: &[f64]) -> Vec<f64> {
        let Some(domain) = self.space.domain().filter(|_| self.conditional) else {
            return self.readings.iter().map(|reading| self.one(reading, point)).collect();
        };
        domain.with_slots(point, |slots| {
            let value = |reading: &Reading| match reading {
                Reading::Level(place) => slots[*place],
                other => self.one(other, point),
            };
            self.readings.iter().map(value).collect()
        })
    }

    fn one(&self, reading: &Reading, point: &[f64]) -> f64 {
        match reading {
            Reading::Smooth { coordinate, scale } => scale.value(point[*coordinate]),
            Reading::Constant(value) => *value,
            Reading::Level(place) => self.space.domain().map_or(f64::NAN, |domain| {
                domain.axes[*place].slot(domain.position(point, *place))
            }),
        }
    }
}
