//! From named values to coordinates, with every problem of a point named.

use super::axis::{Axis, NOWHERE};
use super::domain::Domain;
use super::{Parameter, Parameters, SpaceError};
use crate::expression::{Expression, Value, list_of_names};

/// Values this close to a grid, relative to its step, are on it.
const SNAP: f64 = 1e-9;

/// The coordinates of named values.
pub(crate) fn encode(
    domain: &Domain,
    parameters: &[Parameter],
    known: &[Expression],
    point: &Parameters,
) -> Result<Vec<f64>, SpaceError> {
    check_names(parameters, point)?;
    let given = sorted(point);
    let mut z = vec![NOWHERE; domain.dim];
    let mut slots = vec![f64::NAN; parameters.len()];
    for &place in &domain.order {
        let active = domain.conditions[place]
            .as_ref()
            .is_none_or(|guard| guard.activates(&slots));
        if let Some(position) = position(&domain.axes[place], &parameters[place], &given, active)? {
            domain.axes[place].write(position, &mut z[domain.range(place)]);
            slots[place] = domain.axes[place].slot(position);
        }
    }
    check_known(domain, known, &slots)?;
    domain.project(&mut z);
    Ok(z)
}

fn check_names(parameters: &[Parameter], point: &Parameters) -> Result<(), SpaceError> {
    let mut known: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    known.sort_unstable();
    match point.iter().find(|(name, _)| known.binary_search(name).is_err()) {
        None => Ok(()),
        Some((name, _)) => Err(SpaceError::UnknownParameter {
            name: name.to_owned(),
            known: list_of_names(parameters.iter().map(|parameter| parameter.name.as_str())),
        }),
    }
}

/// Values by name, to be searched by halving: spaces may have a thousand parameters.
type Given<'a> = Vec<(&'a str, &'a Value)>;

fn sorted(point: &Parameters) -> Given<'_> {
    let mut given: Given<'_> = point.iter().collect();
    given.sort_unstable_by_key(|(name, _)| *name);
    given
}

fn check_known(domain: &Domain, known: &[Expression], slots: &[f64]) -> Result<(), SpaceError> {
    match domain.constraints.iter().find(|guard| !guard.permits(slots)) {
        None => Ok(()),
        Some(violated) => Err(SpaceError::Violated {
            constraint: known[violated.known].to_string(),
        }),
    }
}

/// Where a parameter stands; none where it takes no part.
fn position(axis: &Axis, parameter: &Parameter, given: &Given<'_>, active: bool) -> Result<Option<f64>, SpaceError> {
    let name = &parameter.name;
    let found = given.binary_search_by_key(&name.as_str(), |(name, _)| *name);
    match (found.ok().map(|place| given[place].1), active) {
        (Some(value), true) => located(axis, name, value).map(Some),
        (None, false) => Ok(None),
        (None, true) if matches!(axis, Axis::Fixed { .. }) => Ok(Some(0.0)),
        (None, true) => Err(SpaceError::Missing { name: name.clone() }),
        (Some(_), false) => Err(SpaceError::Inactive {
            name: name.clone(),
            condition: parameter.when.as_ref().map(ToString::to_string).unwrap_or_default(),
        }),
    }
}

/// The position of a value on its scale.
fn located(axis: &Axis, name: &str, value: &Value) -> Result<f64, SpaceError> {
    match axis {
        Axis::Linear { low, high, .. } | Axis::Log { low, high, .. } => {
            let number = number(name, value)?;
            bounded(name, value, number, (*low).into(), (*high).into())?;
            Ok(number)
        }
        Axis::Step { low, step, .. } => on_grid(axis, name, value, *low, *step),
        Axis::Whole { low, levels } | Axis::LogWhole { low, levels, .. } => {
            let high = Value::Int(low + (levels - 1) as i64);
            let number = number(name, value)?;
            if number.fract() != 0.0 {
                return Err(wrong_type(name, value, "a whole number"));
            }
            bounded(name, value, number, (*low).into(), high)?;
            Ok(number - *low as f64)
        }
        Axis::Ordered { options, .. } | Axis::OneHot { options, .. } => option(name, value, options),
        Axis::Fixed { value: fixed, .. } if fixed.same(value) => Ok(0.0),
        Axis::Fixed { value: fixed, .. } => Err(SpaceError::NotFixedValue {
            name: name.to_owned(),
            value: value.clone(),
            fixed: fixed.clone(),
        }),
    }
}

fn number(name: &str, value: &Value) -> Result<f64, SpaceError> {
    match value.number() {
        Some(number) if number.is_finite() => Ok(number),
        _ => Err(wrong_type(name, value, "a number")),
    }
}

fn wrong_type(name: &str, value: &Value, expected: &'static str) -> SpaceError {
    SpaceError::WrongType {
        name: name.to_owned(),
        value: value.clone(),
        expected,
    }
}

fn bounded(name: &str, value: &Value, number: f64, low: Value, high: Value) -> Result<(), SpaceError> {
    let inside = low.number().is_some_and(|low| low <= number) && high.number().is_some_and(|high| number <= high);
    if inside {
        return Ok(());
    }
    Err(SpaceError::OutOfBounds {
        name: name.to_owned(),
        value: value.clone(),
        low,
        high,
    })
}

fn on_grid(axis: &Axis, name: &str, value: &Value, low: f64, step: f64) -> Result<f64, SpaceError> {
    let position = (number(name, value)? - low) / step;
    let last = axis.levels().unwrap_or(1).saturating_sub(1) as f64;
    let tolerance = SNAP * position.abs().max(1.0) + axis.spacing(low) / step;
    let nearest = position.round().clamp(0.0, last);
    if (position - nearest).abs() <= tolerance {
        return Ok(nearest);
    }
    let (name, value) = (name.to_owned(), value.clone());
    if position < 0.0 || position > last {
        return Err(SpaceError::OutOfBounds {
            name,
            value,
            low: low.into(),
            high: axis.value(last),
        });
    }
    Err(SpaceError::OffGrid {
        name,
        value,
        nearest: axis.value(nearest),
    })
}

fn option(name: &str, value: &Value, options: &[Value]) -> Result<f64, SpaceError> {
    options
        .iter()
        .position(|option| option.same(value))
        .map(|place| place as f64)
        .ok_or_else(|| {
            let texts: Vec<String> = options.iter().map(ToString::to_string).collect();
            SpaceError::UnknownOption {
                name: name.to_owned(),
                value: value.clone(),
                options: list_of_names(texts.iter().map(String::as_str)),
            }
        })
}
