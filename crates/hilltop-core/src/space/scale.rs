//! From the description of a parameter to its checked scale.

use super::axis::Axis;
use super::rounding::{Decimals, Digits};
use super::{Kind, Parameter, SpaceError};
use crate::expression::{Labels, Type, Value};

/// The largest bound of an int, and the most values of a grid: up to here coordinates tell neighbours apart.
const LARGEST: i64 = 1 << 40;

/// The scale of a parameter, or why it has none.
pub(crate) fn axis(parameter: &Parameter, labels: &mut Labels) -> Result<Axis, SpaceError> {
    let name = &parameter.name;
    check_name(name)?;
    match &parameter.kind {
        Kind::Float { low, high, log, step } => float(name, (*low, *high), *log, *step),
        Kind::Int { low, high, log } => whole(name, (*low, *high), *log),
        Kind::Choice { options } => {
            check_options(name, options)?;
            Ok(Axis::OneHot {
                slots: option_slots(options, labels),
                options: options.clone(),
            })
        }
        Kind::Ordered { options } => {
            check_options(name, options)?;
            Ok(Axis::Ordered {
                slots: option_slots(options, labels),
                options: options.clone(),
            })
        }
        Kind::Fixed { value } => {
            check_finite(name, value)?;
            Ok(Axis::Fixed {
                slot: slot(value, Type::of(value), labels),
                value: value.clone(),
            })
        }
    }
}

fn check_name(name: &str) -> Result<(), SpaceError> {
    let problem = if name.is_empty() {
        "is empty"
    } else if name.trim() != name {
        "starts or ends with a blank"
    } else if name.contains(['`', '{', '}']) {
        "has a backquote or a brace in it"
    } else if name.contains(char::is_control) {
        "has a control character in it"
    } else {
        return Ok(());
    };
    Err(SpaceError::BadName {
        name: name.escape_debug().to_string(),
        problem,
    })
}

fn float(name: &str, (low, high): (f64, f64), log: bool, step: Option<f64>) -> Result<Axis, SpaceError> {
    let name = || name.to_owned();
    if !low.is_finite() || !high.is_finite() || !(high - low).is_finite() {
        return Err(SpaceError::BoundsNotFinite {
            name: name(),
            low,
            high,
        });
    }
    if low >= high {
        return Err(SpaceError::BoundsEmpty {
            name: name(),
            low: low.into(),
            high: high.into(),
        });
    }
    match (log, step) {
        (true, Some(_)) => Err(SpaceError::LogWithStep { name: name() }),
        (true, None) if low <= 0.0 => Err(SpaceError::LogNotPositive {
            name: name(),
            low: low.into(),
        }),
        (true, None) => Ok(Axis::Log {
            low,
            high,
            ln: (low.ln(), high.ln()),
            digits: Digits::between(low, high),
        }),
        (false, None) => Ok(Axis::Linear {
            low,
            high,
            decimals: Decimals::between(low, high),
        }),
        (false, Some(step)) => stepped(name(), (low, high), step),
    }
}

fn stepped(name: String, (low, high): (f64, f64), step: f64) -> Result<Axis, SpaceError> {
    let range = high - low;
    // A step of 0.1 fits ten times between 0 and 1, though 1 / 0.1 may come out below ten.
    let fits = (range / step * (1.0 + 1e-9)).floor();
    if step.is_nan() || step <= 0.0 || fits < 1.0 {
        return Err(SpaceError::BadStep { name, step, range });
    }
    let decimals = Decimals::between(low, high);
    let limit = LARGEST.min((range / decimals.spacing() / 100.0) as i64);
    if fits >= limit as f64 {
        return Err(SpaceError::StepTooSmall {
            name,
            step,
            limit: limit as u64,
        });
    }
    Ok(Axis::Step {
        low,
        high,
        step,
        levels: fits as u64 + 1,
        decimals,
    })
}

fn whole(name: &str, (low, high): (i64, i64), log: bool) -> Result<Axis, SpaceError> {
    let name = || name.to_owned();
    if low < -LARGEST || high > LARGEST {
        return Err(SpaceError::BoundsTooLarge {
            name: name(),
            low: low.into(),
            high: high.into(),
            limit: LARGEST.into(),
        });
    }
    if low >= high {
        return Err(SpaceError::BoundsEmpty {
            name: name(),
            low: low.into(),
            high: high.into(),
        });
    }
    let levels = (high - low) as u64 + 1;
    match log {
        false => Ok(Axis::Whole { low, levels }),
        true if low <= 0 => Err(SpaceError::LogNotPositive {
            name: name(),
            low: low.into(),
        }),
        true => Ok(Axis::LogWhole {
            low,
            levels,
            ln: ((low as f64).ln(), (high as f64).ln()),
        }),
    }
}

fn check_options(name: &str, options: &[Value]) -> Result<(), SpaceError> {
    if options.is_empty() {
        return Err(SpaceError::NoOptions { name: name.to_owned() });
    }
    for (index, option) in options.iter().enumerate() {
        check_finite(name, option)?;
        if options[..index].iter().any(|earlier| earlier.same(option)) {
            return Err(SpaceError::DuplicateOption {
                name: name.to_owned(),
                option: option.clone(),
            });
        }
    }
    Ok(())
}

fn check_finite(name: &str, value: &Value) -> Result<(), SpaceError> {
    match value {
        Value::Float(number) if !number.is_finite() => Err(SpaceError::ValueNotFinite {
            name: name.to_owned(),
            value: value.clone(),
        }),
        _ => Ok(()),
    }
}

/// What expressions may do with a parameter.
pub(crate) fn kind_of(parameter: &Parameter) -> Type {
    match &parameter.kind {
        Kind::Float { .. } | Kind::Int { .. } => Type::Number,
        Kind::Fixed { value } => Type::of(value),
        Kind::Choice { options } | Kind::Ordered { options } => common_type(options),
    }
}

/// The type of values, mixed where they differ.
pub(crate) fn common_type<'a>(values: impl IntoIterator<Item = &'a Value>) -> Type {
    let mut types = values.into_iter().map(Type::of);
    let first = types.next().unwrap_or(Type::Mixed);
    if types.all(|other| other == first) {
        first
    } else {
        Type::Mixed
    }
}

fn option_slots(options: &[Value], labels: &mut Labels) -> Vec<f64> {
    let kind = common_type(options);
    options.iter().map(|option| slot(option, kind, labels)).collect()
}

/// What a slot of a type holds for a value.
pub(crate) fn slot(value: &Value, kind: Type, labels: &mut Labels) -> f64 {
    match (kind, value) {
        (Type::Truth, Value::Bool(truth)) => f64::from(u8::from(*truth)),
        (Type::Number, value) => value.number().unwrap_or(f64::NAN),
        _ => labels.number(value) as f64,
    }
}
