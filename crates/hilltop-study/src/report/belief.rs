//! What the model believes: mean and deviation along every parameter, through the best point.

use faer::{Mat, MatRef};
use hilltop_acquire::feasibility::chance;
use hilltop_core::{Beliefs, Coordinate, Marginals, Parameter};
use serde_json::{Value, json};

use super::axis;
use super::course::{BLUE, GREEN};
use super::page::Figure;
use super::scale::Scale;
use super::slice;
use super::survey::Survey;
use super::text::{plotted, value};

/// How many points a slice has, where a parameter has as many values; fewer where there are many parameters.
const POINTS: usize = 81;
const MANY: usize = 20;

/// The parameter that a coordinate belongs to.
pub(super) fn owner(coordinate: Coordinate) -> usize {
    match coordinate {
        Coordinate::Continuous { parameter }
        | Coordinate::Grid { parameter, .. }
        | Coordinate::OneHot { parameter, .. } => parameter,
    }
}

/// A plot a parameter that takes part at the best point; none without a model.
pub(super) fn figures(survey: &Survey<'_>) -> Vec<Figure> {
    let marginals = survey.model.as_deref().and_then(|model| model.marginals());
    let best = survey
        .best
        .as_ref()
        .and_then(|best| survey.space().encode(&best.parameters).ok());
    let (Some(marginals), Some(best)) = (marginals, best) else {
        return Vec::new();
    };
    let figure = |(place, parameter)| figure(survey, marginals, &best, place, parameter);
    survey.varying().filter_map(figure).collect()
}

fn figure(
    survey: &Survey<'_>,
    marginals: &dyn Marginals,
    best: &[f64],
    place: usize,
    parameter: &Parameter,
) -> Option<Figure> {
    if !survey.space().active(best).get(place).copied().unwrap_or(true) {
        return None;
    }
    let stops = stops(survey, best, place, parameter);
    let points = Mat::from_fn(stops.len(), best.len(), |row, column| stops[row].1[column]);
    let beliefs = marginals.beliefs(points.as_ref());
    let x: Vec<f64> = stops.iter().map(|(x, _)| *x).collect();
    let allowed: Vec<bool> = stops.iter().map(|(_, point)| survey.space().satisfies(point)).collect();
    let mut data = if axis::options(parameter).is_some() {
        vec![bars(survey, &x, &beliefs)]
    } else {
        band(survey, &x, &beliefs, &allowed)
    };
    data.extend(slice::best(survey, parameter));
    let mut layout = layout(survey, parameter, &beliefs);
    if !survey.limits.is_empty() {
        data.push(feasibility(survey, parameter, &x, points.as_ref()));
        layout["yaxis2"] = share_axis();
        layout["margin"]["r"] = json!(55);
    }
    Some(Figure {
        title: format!("{} (best: {})", parameter.name, shown(survey, parameter)),
        data: data.into(),
        layout,
        height: 250,
    })
}

fn layout(survey: &Survey<'_>, parameter: &Parameter, beliefs: &Beliefs) -> Value {
    let spread = |k: usize| [-2.0, 2.0].map(|times| survey.outward(beliefs.mean[k] + times * beliefs.deviation[k]));
    let scale = Scale::of((0..beliefs.mean.len()).flat_map(spread));
    json!({
        "xaxis": axis::axis(parameter), "yaxis": scale.axis(survey.objective()), "showlegend": false,
        "margin": { "l": 55, "r": 10, "t": 8, "b": 42 }, "hovermode": "x",
    })
}

/// The probability that a trial is feasible, on the axis at the right.
fn feasibility(survey: &Survey<'_>, parameter: &Parameter, x: &[f64], points: MatRef<'_, f64>) -> Value {
    let options = axis::options(parameter).is_some();
    json!({
        "type": "scatter", "mode": if options { "markers" } else { "lines" }, "yaxis": "y2",
        "x": x.iter().map(|x| plotted(*x)).collect::<Vec<_>>(),
        "y": chance(&survey.limits, points).into_iter().map(plotted).collect::<Vec<_>>(),
        "line": { "width": 1.5, "color": GREEN }, "marker": { "size": 8, "symbol": "square-open", "color": GREEN },
        "hovertemplate": "feasible: %{y:.1%}<extra></extra>",
    })
}

fn share_axis() -> Value {
    json!({
        "overlaying": "y", "side": "right", "range": [-0.02, 1.02], "tickformat": ".0%", "showgrid": false,
        "zeroline": false, "fixedrange": true, "tickfont": { "color": GREEN },
    })
}

fn shown(survey: &Survey<'_>, parameter: &Parameter) -> String {
    let best = survey
        .best
        .as_ref()
        .and_then(|best| best.parameters.get(&parameter.name));
    best.map(value).unwrap_or_default()
}

/// Where the slice is looked at: the value of the parameter, and the best point with it.
fn stops(survey: &Survey<'_>, best: &[f64], place: usize, parameter: &Parameter) -> Vec<(f64, Vec<f64>)> {
    let space = survey.space();
    let own: Vec<usize> = (0..space.dim())
        .filter(|&k| owner(space.coordinates()[k]) == place)
        .collect();
    let many = space.parameters().len() > MANY;
    let count = if many { POINTS / 2 } else { POINTS };
    let levels = match own.first().map(|&k| space.coordinates()[k]) {
        Some(Coordinate::OneHot { count, .. }) => count,
        Some(Coordinate::Grid { levels, .. }) => (levels as usize).clamp(2, count),
        _ => count,
    };
    let mut stops: Vec<(f64, Vec<f64>)> = Vec::new();
    for level in 0..levels {
        let mut point = best.to_vec();
        match own[..] {
            [one] => point[one] = level as f64 / (levels - 1).max(1) as f64,
            ref several => several
                .iter()
                .enumerate()
                .for_each(|(option, &k)| point[k] = f64::from(u8::from(option == level))),
        }
        let x = stop(survey, &mut point, parameter, &own);
        stops.extend(x.map(|x| (x, point)));
    }
    stops.dedup_by(|later, earlier| (later.0 - earlier.0).abs() <= f64::EPSILON * later.0.abs());
    stops
}

/// The parameter's value at a point. Points between the rows of a table are looked at too: a model knows no rows.
fn stop(survey: &Survey<'_>, point: &mut [f64], parameter: &Parameter, own: &[usize]) -> Option<f64> {
    if survey.space().candidates().is_some() {
        let (low, high) = axis::bounds(parameter)?;
        return Some(low + point[*own.first()?] * (high - low));
    }
    survey.space().project(point);
    axis::position(parameter, survey.space().decode(point).get(&parameter.name)?)
}

/// The mean with two deviations on either side; where a known constraint forbids the point the mean is dotted.
fn band(survey: &Survey<'_>, x: &[f64], beliefs: &Beliefs, allowed: &[bool]) -> Vec<Value> {
    let places: Vec<Value> = x.iter().map(|x| plotted(*x)).collect();
    let edge = |times: f64| -> Vec<Value> {
        let at = |(mean, deviation): (&f64, &f64)| plotted(survey.outward(mean + times * deviation));
        beliefs.mean.iter().zip(&beliefs.deviation).map(at).collect()
    };
    let line = |width: f64| json!({ "width": width, "color": BLUE });
    let mut traces = vec![
        json!({ "type": "scatter", "mode": "lines", "x": places, "y": edge(-2.0), "line": line(0.0), "hoverinfo": "skip" }),
        json!({
            "type": "scatter", "mode": "lines", "x": places, "y": edge(2.0), "line": line(0.0), "hoverinfo": "skip",
            "fill": "tonexty", "fillcolor": "rgba(47,127,184,0.22)",
        }),
    ];
    for (permitted, dash) in [(true, "solid"), (false, "dot")] {
        if allowed.contains(&permitted) {
            let gap = |(y, here): (Value, &bool)| if *here == permitted { y } else { Value::Null };
            let y: Vec<Value> = edge(0.0).into_iter().zip(allowed).map(gap).collect();
            let deviations: Vec<Value> = beliefs.deviation.iter().map(|deviation| plotted(*deviation)).collect();
            traces.push(json!({
                "type": "scatter", "mode": "lines", "x": places, "y": y, "customdata": deviations,
                "line": { "width": 2, "color": BLUE, "dash": dash },
                "hovertemplate": "%{y} ± %{customdata}<extra></extra>",
            }));
        }
    }
    traces
}

/// Mean and two deviations an option.
fn bars(survey: &Survey<'_>, x: &[f64], beliefs: &Beliefs) -> Value {
    let means: Vec<Value> = beliefs.mean.iter().map(|mean| plotted(survey.outward(*mean))).collect();
    let reach: Vec<Value> = beliefs
        .deviation
        .iter()
        .map(|deviation| plotted(2.0 * deviation))
        .collect();
    json!({
        "type": "scatter", "mode": "markers", "x": x.iter().map(|x| plotted(*x)).collect::<Vec<_>>(), "y": means,
        "error_y": { "type": "data", "array": reach, "color": BLUE, "thickness": 1.5 },
        "marker": { "size": 8, "color": BLUE }, "hovertemplate": "%{y}<extra></extra>",
    })
}
