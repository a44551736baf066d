//! One parameter between its values and its coordinates.
//!
//! A *position* lies between the two: the value itself of a continuous parameter, the number of the level of a discrete
//! one. A *slot* is what expressions see of it.

use super::rounding::{Decimals, Digits};
use crate::expression::Value;

/// The scale of a parameter.
#[derive(Debug, Clone)]
pub(crate) enum Axis {
    /// Equal differences.
    Linear { low: f64, high: f64, decimals: Decimals },
    /// Equal ratios.
    Log {
        low: f64,
        high: f64,
        ln: (f64, f64),
        digits: Digits,
    },
    /// Every `step` from `low`.
    Step {
        low: f64,
        high: f64,
        step: f64,
        levels: u64,
        decimals: Decimals,
    },
    /// Every whole number from `low`.
    Whole { low: i64, levels: u64 },
    /// Every whole number from `low`, at its logarithm.
    LogWhole { low: i64, levels: u64, ln: (f64, f64) },
    /// Options in a row.
    Ordered { options: Vec<Value>, slots: Vec<f64> },
    /// Options side by side, a coordinate each.
    OneHot { options: Vec<Value>, slots: Vec<f64> },
    /// Nothing to choose.
    Fixed { value: Value, slot: f64 },
}

/// Where a parameter without a value is encoded: in the middle.
pub(crate) const NOWHERE: f64 = 0.5;

impl Axis {
    /// How many coordinates it has.
    pub(crate) fn width(&self) -> usize {
        match self {
            Self::OneHot { options, .. } => options.len(),
            Self::Fixed { .. } => 0,
            _ => 1,
        }
    }

    /// How many values it has; none where there is a continuum.
    pub(crate) fn levels(&self) -> Option<u64> {
        match self {
            Self::Linear { .. } | Self::Log { .. } => None,
            Self::Step { levels, .. } | Self::Whole { levels, .. } | Self::LogWhole { levels, .. } => Some(*levels),
            Self::Ordered { options, .. } | Self::OneHot { options, .. } => Some(options.len() as u64),
            Self::Fixed { .. } => Some(1),
        }
    }

    /// The position nearest to the coordinates, whatever they are.
    pub(crate) fn position(&self, z: &[f64]) -> f64 {
        match self {
            Self::OneHot { .. } => largest(z) as f64,
            Self::Fixed { .. } => 0.0,
            _ => self.position_at(clamped(z[0])),
        }
    }

    fn position_at(&self, z: f64) -> f64 {
        match self {
            Self::Linear { low, high, decimals } => match z {
                0.0 => *low,
                1.0 => *high,
                _ => decimals.round(low + z * (high - low)).clamp(*low, *high),
            },
            Self::Log { low, high, ln, digits } => match z {
                0.0 => *low,
                1.0 => *high,
                _ => digits.round((ln.0 + z * (ln.1 - ln.0)).exp()).clamp(*low, *high),
            },
            Self::LogWhole { low, levels, ln } => nearest_whole(z, *low, *levels, *ln),
            _ => (z * self.last_level()).round(),
        }
    }

    /// The number of the highest level.
    fn last_level(&self) -> f64 {
        self.levels().unwrap_or(1).saturating_sub(1) as f64
    }

    /// Writes the coordinates of a position.
    pub(crate) fn write(&self, position: f64, z: &mut [f64]) {
        match self {
            Self::OneHot { .. } => {
                z.fill(0.0);
                z[position as usize] = 1.0;
            }
            Self::Fixed { .. } => {}
            _ => z[0] = self.coordinate(position),
        }
    }

    /// The coordinate of a position on a scale.
    pub(crate) fn coordinate(&self, position: f64) -> f64 {
        match self {
            Self::Linear { low, high, .. } => ((position - low) / (high - low)).clamp(0.0, 1.0),
            Self::Log { ln, .. } => ((position.ln() - ln.0) / (ln.1 - ln.0)).clamp(0.0, 1.0),
            Self::LogWhole { low, ln, .. } => whole_coordinate(position, *low, *ln),
            _ if self.last_level() == 0.0 => NOWHERE,
            _ => position / self.last_level(),
        }
    }

    /// The position of a number of the unit interval, levels sharing it equally.
    pub(crate) fn position_of_unit(&self, u: f64) -> f64 {
        match self.levels() {
            None => self.position_at(clamped(u)),
            Some(_) if matches!(self, Self::LogWhole { .. }) => self.position_at(clamped(u)),
            Some(levels) => (clamped(u) * levels as f64).floor().min(self.last_level()),
        }
    }

    /// A number of the unit interval whose position this is.
    pub(crate) fn unit_of_position(&self, position: f64) -> f64 {
        match self.levels() {
            None => self.coordinate(position),
            Some(_) if matches!(self, Self::LogWhole { .. }) => self.coordinate(position),
            Some(levels) => (position + 0.5) / levels as f64,
        }
    }

    /// The bounds of a continuous scale.
    pub(crate) fn bounds(&self) -> (f64, f64) {
        match self {
            Self::Linear { low, high, .. } | Self::Log { low, high, .. } => (*low, *high),
            _ => (0.0, self.last_level()),
        }
    }

    /// A value of a continuous scale with the decimals that are kept.
    pub(crate) fn rounded(&self, value: f64) -> f64 {
        match self {
            Self::Linear { low, high, decimals } => decimals.round(value).clamp(*low, *high),
            Self::Log { low, high, digits, .. } => digits.round(value).clamp(*low, *high),
            _ => value,
        }
    }

    /// How far apart the values are that rounding tells apart, near one of them.
    pub(crate) fn spacing(&self, value: f64) -> f64 {
        match self {
            Self::Linear { decimals, .. } | Self::Step { decimals, .. } => decimals.spacing(),
            Self::Log { digits, .. } => digits.spacing(value),
            _ => 0.0,
        }
    }

    /// What expressions see at a position.
    pub(crate) fn slot(&self, position: f64) -> f64 {
        match self {
            Self::Linear { .. } | Self::Log { .. } => position,
            Self::Step {
                low,
                high,
                step,
                decimals,
                ..
            } => decimals.round(low + position * step).clamp(*low, *high),
            Self::Whole { low, .. } | Self::LogWhole { low, .. } => *low as f64 + position,
            Self::Ordered { slots, .. } | Self::OneHot { slots, .. } => slots[position as usize],
            Self::Fixed { slot, .. } => *slot,
        }
    }

    /// The value at a position.
    pub(crate) fn value(&self, position: f64) -> Value {
        match self {
            Self::Whole { low, .. } | Self::LogWhole { low, .. } => Value::Int(low + position as i64),
            Self::Ordered { options, .. } | Self::OneHot { options, .. } => options[position as usize].clone(),
            Self::Fixed { value, .. } => value.clone(),
            _ => Value::Float(self.slot(position)),
        }
    }
}

/// Into the unit interval; NaN goes to the middle.
fn clamped(z: f64) -> f64 {
    if z.is_nan() { NOWHERE } else { z.clamp(0.0, 1.0) }
}

/// The place of the largest coordinate, the first one where several are; NaN counts as the smallest.
fn largest(z: &[f64]) -> usize {
    let mut best = 0;
    for (place, &value) in z.iter().enumerate() {
        if value > z[best] || (z[best].is_nan() && !value.is_nan()) {
            best = place;
        }
    }
    best
}

fn whole_coordinate(position: f64, low: i64, ln: (f64, f64)) -> f64 {
    let value = low as f64 + position;
    ((value.ln() - ln.0) / (ln.1 - ln.0)).clamp(0.0, 1.0)
}

/// The level whose logarithm is nearest to a coordinate.
fn nearest_whole(z: f64, low: i64, levels: u64, ln: (f64, f64)) -> f64 {
    let last = (levels - 1) as f64;
    let below = ((ln.0 + z * (ln.1 - ln.0)).exp() - low as f64).floor().clamp(0.0, last);
    let above = (below + 1.0).min(last);
    let distance = |position| (whole_coordinate(position, low, ln) - z).abs();
    if distance(above) < distance(below) {
        above
    } else {
        below
    }
}
