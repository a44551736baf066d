//! Where the values of a parameter stand on an axis.

use hilltop_core::{Kind, Parameter, Value};
use serde_json::json;

use super::text::{self, label, plotted};
use crate::trial::Trial;

/// The golden ratio's fraction: multiples of it, modulo one, spread evenly.
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// The options of a parameter that is no number.
pub(super) fn options(parameter: &Parameter) -> Option<&[Value]> {
    match &parameter.kind {
        Kind::Choice { options } | Kind::Ordered { options } => Some(options),
        _ => None,
    }
}

/// Where a value stands: itself, or the place of its option.
pub(super) fn position(parameter: &Parameter, value: &Value) -> Option<f64> {
    match options(parameter) {
        Some(options) => options
            .iter()
            .position(|option| option.same(value))
            .map(|place| place as f64),
        None => value.number(),
    }
}

/// Where a trial stands; those at one option are spread a little, so that they do not hide each other.
pub(super) fn spread(parameter: &Parameter, trial: &Trial) -> Option<f64> {
    let value = trial.parameters.as_ref()?.get(&parameter.name)?;
    let place = position(parameter, value)?;
    let jitter = (trial.number as f64 * GOLDEN).fract() - 0.5;
    Some(if options(parameter).is_some() {
        place + 0.3 * jitter
    } else {
        place
    })
}

/// The axis of a parameter as plotly understands it.
pub(super) fn axis(parameter: &Parameter) -> serde_json::Value {
    let mut axis = json!({ "title": { "text": label(&parameter.name) } });
    if let Some(options) = options(parameter) {
        axis["tickvals"] = json!((0..options.len()).collect::<Vec<_>>());
        axis["ticktext"] = options.iter().map(|option| label(&text::value(option))).collect();
        axis["range"] = json!([-0.5, options.len() as f64 - 0.5]);
        axis["zeroline"] = json!(false);
        return axis;
    }
    let Some((low, high)) = bounds(parameter) else {
        return axis;
    };
    if is_log(parameter) {
        let ticks = ticks(low, high);
        axis["type"] = json!("log");
        axis["ticktext"] = ticks.iter().map(|tick| text::short(*tick)).collect();
        axis["tickvals"] = json!(ticks);
        let margin = 0.03 * (high / low).log10();
        axis["range"] = json!([plotted(low.log10() - margin), plotted(high.log10() + margin)]);
        return axis;
    }
    let margin = 0.03 * (high - low);
    axis["range"] = json!([plotted(low - margin), plotted(high + margin)]);
    axis
}

/// Round numbers between bounds, evenly spread in the logarithm: powers of ten, and their double and fivefold where
/// those are few.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let decades = (high / low).log10();
    let (every, factors): (usize, &[f64]) = match decades {
        0.0..2.2 => (1, &[1.0, 2.0, 5.0]),
        2.2..6.0 => (1, &[1.0]),
        _ => ((decades / 5.0).ceil() as usize, &[1.0]),
    };
    let powers = (low.log10().floor() as i32..=high.log10().ceil() as i32).step_by(every);
    let all = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
    let inside = |tick: &f64| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(tick);
    all.filter(inside).collect()
}

fn is_log(parameter: &Parameter) -> bool {
    matches!(
        parameter.kind,
        Kind::Float { log: true, .. } | Kind::Int { log: true, .. }
    )
}

/// The bounds of a number.
pub(super) fn bounds(parameter: &Parameter) -> Option<(f64, f64)> {
    match parameter.kind {
        Kind::Float { low, high, .. } => Some((low, high)),
        Kind::Int { low, high, .. } => Some((low as f64, high as f64)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_a_logarithm_are_round_and_few() {
        assert_eq!(ticks(0.002, 0.02), [0.002, 0.005, 0.01, 0.02]);
        assert_eq!(ticks(1e-4, 1.0), [1e-4, 1e-3, 1e-2, 0.1, 1.0]);
        assert!(ticks(1e-30, 1e30).len() < 8);
    }
}
