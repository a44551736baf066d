//! Where trials are feasible, break a limit, or fail: a map over the two parameters that matter most.

use serde_json::{Value, json};

use super::axis;
use super::course::{BLUE, ORANGE, RED};
use super::page::Figure;
use super::survey::Survey;
use super::tally::Verdict;
use super::text::{label, plotted};
use crate::trial::Trial;

/// How many trials of a kind are drawn at most.
const DRAWN: usize = 2000;
/// How much of a reason is shown.
const LETTERS: usize = 80;

/// The map; over the trials' numbers where only one parameter varies, none where no parameter does.
pub(super) fn figure(survey: &Survey<'_>) -> Option<Figure> {
    let foremost = survey.foremost(2);
    let (_, across) = *foremost.first()?;
    let up = foremost.get(1).map(|(_, parameter)| *parameter);
    let place = |trial: &Trial| {
        let y = up.map_or(Some(trial.number as f64), |up| axis::spread(up, trial))?;
        Some((axis::spread(across, trial)?, y))
    };
    let kinds = [
        (Verdict::Feasible, "feasible", "circle", BLUE),
        (Verdict::Violating, "breaks a limit", "circle-open", ORANGE),
        (Verdict::Failed, "failed", "x-thin", RED),
    ];
    let mut data: Vec<Value> = Vec::new();
    for (kind, name, symbol, colour) in kinds {
        let of_kind = survey.verdicts().filter(|(_, verdict)| *verdict == kind);
        let placed: Vec<(&Trial, (f64, f64))> = of_kind.filter_map(|(trial, _)| Some((trial, place(trial)?))).collect();
        if !placed.is_empty() {
            data.push(marked(&placed, name, symbol, colour));
        }
    }
    Some(Figure {
        title: match up {
            Some(up) => format!("What became of trials, by {} and {}", across.name, up.name),
            None => format!("What became of trials, by {}", across.name),
        },
        data: data.into(),
        layout: json!({
            "xaxis": axis::axis(across),
            "yaxis": up.map_or_else(|| json!({ "title": { "text": "trial" }, "zeroline": false }), axis::axis),
            "legend": { "orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0 }, "showlegend": true,
            "margin": { "l": 60, "r": 15, "t": 10, "b": 45 }, "hovermode": "closest",
        }),
        height: 420,
    })
}

fn marked(placed: &[(&Trial, (f64, f64))], name: &str, symbol: &str, colour: &str) -> Value {
    let every = placed.len().div_ceil(DRAWN).max(1);
    let shown = || placed.iter().step_by(every);
    let x: Vec<Value> = shown().map(|(_, (x, _))| plotted(*x)).collect();
    let y: Vec<Value> = shown().map(|(_, (_, y))| plotted(*y)).collect();
    let texts: Vec<String> = shown().map(|(trial, _)| said(trial)).collect();
    json!({
        "type": "scatter", "mode": "markers", "name": name, "x": x, "y": y, "text": texts,
        "marker": { "size": 7, "color": colour, "symbol": symbol, "line": { "width": 1.5, "color": colour } },
        "hovertemplate": "trial %{text}<extra></extra>",
    })
}

/// The trial's number, and why it failed.
fn said(trial: &Trial) -> String {
    let Some(reason) = &trial.reason else {
        return trial.number.to_string();
    };
    let start: String = reason.chars().take(LETTERS).collect();
    format!("{}: {}", trial.number, label(&start))
}
