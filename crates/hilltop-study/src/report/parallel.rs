//! Parallel coordinates: every trial a line through its parameters to its result.
//!
//! Drawn with plain lines in bands of rank, each a legend entry that can be switched off, and not with plotly's own
//! trace of that kind, which needs WebGL and leaves an empty frame where there is none.

use hilltop_core::Parameter;
use serde_json::{Value, json};

use super::axis;
use super::page::Figure;
use super::survey::{Mark, Survey, thinned};
use super::text::{self, label, plotted, short};

/// How many lines are drawn at most.
const LINES: usize = 500;
/// How many parameters fit side by side; the most important ones are shown.
const AXES: usize = 14;
/// Where a line passes whose trial has no such parameter: below the axis.
const ABSENT: f64 = -0.12;

/// The bands by share of rank, with name, colour and opacity; drawn from the last to the first.
const BANDS: [(f64, &str, &str, f64); 4] = [
    (0.05, "best 5 %", "#d9822b", 0.95),
    (0.25, "to 25 %", "#2f7fb8", 0.6),
    (0.5, "to 50 %", "#6f9cc0", 0.4),
    (1.0, "the rest", "#97a3ae", 0.25),
];

/// The plot; none where there is nothing to connect.
pub(super) fn figure(survey: &Survey<'_>) -> Option<Figure> {
    let marks = survey.marks();
    let mut shown = thinned(&marks, LINES);
    if shown.is_empty() {
        return None;
    }
    shown.sort_by(|a, b| b.feasible.cmp(&a.feasible).then(a.cost.total_cmp(&b.cost)));
    let parameters = survey.foremost(AXES);
    let mut data: Vec<Value> = Vec::new();
    for (band, &(share, name, colour, opacity)) in BANDS.iter().enumerate().rev() {
        let from = if band == 0 {
            0
        } else {
            edge(BANDS[band - 1].0, shown.len())
        };
        let lines = &shown[from..edge(share, shown.len()).max(from)];
        let places = |(rank, mark): (usize, &&Mark<'_>)| line(survey, &parameters, mark, from + rank, shown.len());
        let (x, y): (Vec<Value>, Vec<Value>) = lines.iter().enumerate().flat_map(places).unzip();
        data.push(json!({
            "type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "opacity": opacity,
            "legendrank": band, "line": { "width": 1, "color": colour, "shape": "spline", "smoothing": 0.6 }, "hoverinfo": "skip",
        }));
    }
    Some(Figure {
        title: "Parameters and result of every trial, coloured by rank".into(),
        data: data.into(),
        layout: layout(survey, &parameters, &shown),
        height: 420,
    })
}

/// The first band has at least one line.
fn edge(share: f64, lines: usize) -> usize {
    ((share * lines as f64).round() as usize).clamp(1, lines)
}

/// The corners of a trial's line, and a gap.
fn line(
    survey: &Survey<'_>,
    parameters: &[(usize, &Parameter)],
    mark: &Mark<'_>,
    rank: usize,
    ranks: usize,
) -> Vec<(Value, Value)> {
    let jitter = ((rank as f64 * 0.618).fract() - 0.5) * 0.05;
    let height = |(place, parameter): &(usize, &Parameter)| {
        let discrete = axis::options(parameter).map_or(0.0, |_| jitter);
        level(survey, *place, parameter, mark).map_or(ABSENT, |level| level + discrete)
    };
    let last = rank as f64 / (ranks.max(2) - 1) as f64;
    let heights = parameters.iter().map(height).chain([last]);
    let corners = heights.enumerate().map(|(x, y)| (json!(x), plotted(y)));
    corners.chain([(Value::Null, Value::Null)]).collect()
}

/// How far up its axis a parameter stands, from 0 to 1, on the scale on which it is searched.
fn level(survey: &Survey<'_>, place: usize, parameter: &Parameter, mark: &Mark<'_>) -> Option<f64> {
    let value = mark.trial.parameters.as_ref()?.get(&parameter.name)?;
    if let Some(options) = axis::options(parameter) {
        return Some(axis::position(parameter, value)? / (options.len() - 1).max(1) as f64);
    }
    let coordinate = survey
        .space()
        .coordinates()
        .iter()
        .position(|coordinate| super::belief::owner(*coordinate) == place)?;
    mark.trial.point.get(coordinate).copied()
}

fn layout(survey: &Survey<'_>, parameters: &[(usize, &Parameter)], shown: &[&Mark<'_>]) -> Value {
    let mut names: Vec<String> = parameters
        .iter()
        .map(|(_, parameter)| label(&shortened(&parameter.name)))
        .collect();
    names.push(format!("<b>{}</b>", label(&shortened(survey.objective()))));
    let lines: Vec<Value> = (0..names.len())
        .map(|x| json!({ "type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": { "color": "#8c98a4", "width": 1 } }))
        .collect();
    let mut notes: Vec<Value> = parameters
        .iter()
        .enumerate()
        .flat_map(|(x, (_, parameter))| ends(x, parameter))
        .collect();
    let worst_best = [shown.last(), shown.first()].map(|mark| mark.map_or(String::new(), |mark| short(mark.value)));
    let [worst, best] = worst_best;
    notes.extend([note(parameters.len(), 1.0, &worst), note(parameters.len(), 0.0, &best)]);
    json!({
        "xaxis": {
            "tickvals": (0..names.len()).collect::<Vec<_>>(), "ticktext": names, "range": [-0.4, names.len() as f64 - 0.6],
            "showgrid": false, "zeroline": false, "fixedrange": true, "side": "bottom",
        },
        "yaxis": { "visible": false, "range": [-0.16, 1.1], "fixedrange": true },
        "shapes": lines, "annotations": notes, "hovermode": false,
        "legend": { "orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0 },
        "margin": { "l": 20, "r": 20, "t": 10, "b": 40 },
    })
}

/// What stands at the ends of an axis.
fn ends(x: usize, parameter: &Parameter) -> Vec<Value> {
    let (low, high) = match (axis::options(parameter), axis::bounds(parameter)) {
        (Some([first, .., last]), _) => (text::value(first), text::value(last)),
        (_, Some((low, high))) => (short(low), short(high)),
        _ => return Vec::new(),
    };
    vec![note(x, 0.0, &low), note(x, 1.0, &high)]
}

fn note(x: usize, y: f64, text: &str) -> Value {
    let anchor = if y > 0.5 { "bottom" } else { "top" };
    json!({ "x": x, "y": y, "text": label(&shortened(text)), "showarrow": false, "yanchor": anchor, "font": { "size": 11 } })
}

fn shortened(text: &str) -> String {
    crate::file::shortened(text, 14)
}
