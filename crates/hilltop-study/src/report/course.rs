//! The course of a study: every result, and the best one so far.

use serde_json::{Value, json};

use super::page::Figure;
use super::scale::Scale;
use super::survey::{Mark, Survey, thinned};
use super::text::{label, plotted};
use crate::trial::State;

/// How many results and failures are drawn at most.
const DRAWN: usize = 3000;

pub(super) const BLUE: &str = "#3d8fca";
pub(super) const ORANGE: &str = "#d9822b";
pub(super) const GREY: &str = "#8c98a4";
pub(super) const RED: &str = "#c94f4f";
pub(super) const GREEN: &str = "#4a9a5f";

/// The plot of results by trial.
pub(super) fn figure(survey: &Survey<'_>) -> Figure {
    let marks = survey.marks();
    let shown = thinned(&marks, DRAWN);
    let mut data = vec![
        points(shown.iter().filter(|mark| mark.feasible), "result", BLUE, "circle"),
        steps(&marks),
    ];
    if marks.iter().any(|mark| !mark.feasible) {
        let broken = shown.iter().filter(|mark| !mark.feasible);
        data.push(points(broken, "breaks a limit", GREY, "circle-open"));
    }
    if survey.count(State::Failed) > 0 {
        data.push(failures(survey));
    }
    let scale = Scale::of(marks.iter().map(|mark| mark.value));
    let layout = json!({
        "xaxis": { "title": { "text": "trial" }, "rangemode": "tozero", "zeroline": false },
        "yaxis": scale.axis(survey.objective()),
        "yaxis2": { "overlaying": "y", "range": [0, 1], "visible": false, "fixedrange": true },
        "legend": { "orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0 },
        "margin": { "l": 60, "r": 15, "t": 10, "b": 45 },
        "hovermode": "closest",
    });
    Figure {
        title: format!("Best {} so far", survey.objective()),
        data: data.into(),
        layout,
        height: 360,
    }
}

fn points<'m>(marks: impl Iterator<Item = &'m &'m Mark<'m>>, name: &str, colour: &str, symbol: &str) -> Value {
    let (trials, values): (Vec<u64>, Vec<Value>) = marks.map(|mark| (mark.trial.number, plotted(mark.value))).unzip();
    json!({
        "type": "scatter", "mode": "markers", "name": label(name), "x": trials, "y": values,
        "marker": { "size": 5, "color": colour, "symbol": symbol, "opacity": 0.6 },
        "hovertemplate": "trial %{x}: %{y}<extra></extra>",
    })
}

/// The best so far among those that keep every limit, or among all where none does: only where it changes.
fn steps(marks: &[Mark<'_>]) -> Value {
    let strict = marks.iter().any(|mark| mark.feasible);
    let mut best = f64::INFINITY;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for mark in marks.iter().filter(|mark| mark.feasible || !strict) {
        if mark.cost < best {
            best = mark.cost;
            x.push(mark.trial.number);
            y.push(plotted(mark.value));
        }
    }
    x.extend(marks.last().map(|mark| mark.trial.number).filter(|_| !x.is_empty()));
    y.extend(y.last().cloned());
    json!({
        "type": "scatter", "mode": "lines", "name": "best so far", "x": x, "y": y,
        "line": { "shape": "hv", "width": 2, "color": ORANGE }, "hovertemplate": "best: %{y}<extra></extra>",
    })
}

fn failures(survey: &Survey<'_>) -> Value {
    let failed = survey.trials.iter().filter(|trial| trial.state == State::Failed);
    let numbers: Vec<u64> = failed.map(|trial| trial.number).collect();
    let every = numbers.len().div_ceil(DRAWN).max(1);
    let x: Vec<&u64> = numbers.iter().step_by(every).collect();
    json!({
        "type": "scatter", "mode": "markers", "name": "failed", "x": x, "y": vec![0.02; x.len()], "yaxis": "y2",
        "marker": { "size": 7, "color": RED, "symbol": "x-thin", "line": { "width": 1.5, "color": RED } },
        "hovertemplate": "trial %{x} failed<extra></extra>",
    })
}
