//! How limits are kept over the trials: the share of trials that keep them all, and how far each is broken.

use hilltop_core::Output;
use serde_json::{Value, json};

use super::course::{BLUE, GREY, ORANGE, RED};
use super::page::Figure;
use super::scale::Scale;
use super::survey::{Mark, Survey, thinned};
use super::tally::{Verdict, limited};
use super::text::plotted;
use super::wanted;

/// How many points a running share has at most.
const STEPS: usize = 1000;
/// How many results the plots of all limits draw together, and one of them at least and at most.
const DRAWN: usize = 12_000;
const FEWEST: usize = 250;
const MOST: usize = 2000;

/// The running share of trials that are feasible, break a limit, and failed; and what is granted.
pub(super) fn shares(survey: &Survey<'_>) -> Figure {
    let verdicts: Vec<(u64, Verdict)> = survey
        .verdicts()
        .map(|(trial, verdict)| (trial.number, verdict))
        .collect();
    let kinds = [
        (Verdict::Feasible, "feasible", BLUE),
        (Verdict::Violating, "breaks a limit", ORANGE),
        (Verdict::Failed, "failed", RED),
    ];
    let occurs = |kind: Verdict| verdicts.iter().any(|(_, verdict)| *verdict == kind);
    let shown = kinds
        .into_iter()
        .filter(|(kind, ..)| *kind == Verdict::Feasible || occurs(*kind));
    let mut data: Vec<Value> = shown
        .map(|(kind, name, colour)| running(&verdicts, kind, name, colour))
        .collect();
    let ends = verdicts.first().zip(verdicts.last());
    if let (Some(granted), Some((first, last))) = (survey.statement.max_violation, ends) {
        data.push(json!({
            "type": "scatter", "mode": "lines", "name": "may break limits", "x": [first.0, last.0],
            "y": [granted, granted], "line": { "width": 1.5, "color": GREY, "dash": "dash" },
            "hovertemplate": "max_violation %{y:.1%}<extra></extra>",
        }));
    }
    Figure {
        title: "Share of the trials so far".into(),
        data: data.into(),
        layout: json!({
            "xaxis": { "title": { "text": "trial" }, "rangemode": "tozero", "zeroline": false },
            "yaxis": { "tickformat": ".0%", "range": [-0.02, 1.02] },
            "legend": { "orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0 },
            "margin": { "l": 60, "r": 15, "t": 10, "b": 45 }, "hovermode": "x", "showlegend": true,
        }),
        height: 260,
    }
}

/// The share of one kind among the trials up to each.
fn running(verdicts: &[(u64, Verdict)], kind: Verdict, name: &str, colour: &str) -> Value {
    let every = verdicts.len().div_ceil(STEPS).max(1);
    let mut count = 0;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (index, (number, verdict)) in verdicts.iter().enumerate() {
        count += usize::from(*verdict == kind);
        if (verdicts.len() - 1 - index).is_multiple_of(every) {
            x.push(number);
            y.push(plotted(count as f64 / (index + 1) as f64));
        }
    }
    json!({
        "type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": { "width": 2, "color": colour },
        "hovertemplate": format!("%{{y:.1%}} {name}<extra></extra>"),
    })
}

/// A plot a limited output: how far each result lies beyond its limits.
pub(super) fn violations(survey: &Survey<'_>) -> Vec<Figure> {
    let marks = survey.marks();
    let count = limited(&survey.statement.outputs).count().max(1);
    let shown = thinned(&marks, (DRAWN / count).clamp(FEWEST, MOST));
    limited(&survey.statement.outputs)
        .filter(|_| !marks.is_empty())
        .map(|output| violation(output, &marks, &shown))
        .collect()
}

fn violation(output: &Output, marks: &[Mark<'_>], shown: &[&Mark<'_>]) -> Figure {
    let beyond = |mark: &Mark<'_>| {
        let value = mark.trial.outputs.as_ref()?.get(&output.name)?;
        Some((mark.trial.number, output.goal.violation(*value)))
    };
    let all: Vec<f64> = marks.iter().filter_map(|mark| Some(beyond(mark)?.1)).collect();
    let broken = all.iter().filter(|violation| **violation > 0.0).count();
    let points = || shown.iter().filter_map(|mark| beyond(mark));
    let mut axis = Scale::of(all.iter().copied().chain([0.0]))
        .showing(0.0)
        .axis("beyond the limit");
    axis["zeroline"] = json!(true);
    axis["zerolinecolor"] = json!(GREY);
    axis["zerolinewidth"] = json!(2);
    Figure {
        title: format!(
            "{}, {}: broken {broken} of {} times",
            output.name,
            wanted(output.goal),
            all.len()
        ),
        data: json!([
            dots(points().filter(|(_, violation)| *violation <= 0.0), BLUE),
            dots(points().filter(|(_, violation)| *violation > 0.0), ORANGE),
        ]),
        layout: json!({
            "xaxis": { "title": { "text": "trial" }, "rangemode": "tozero", "zeroline": false }, "yaxis": axis,
            "showlegend": false, "margin": { "l": 55, "r": 10, "t": 8, "b": 42 }, "hovermode": "closest",
        }),
        height: 250,
    }
}

fn dots(points: impl Iterator<Item = (u64, f64)>, colour: &str) -> Value {
    let (x, y): (Vec<u64>, Vec<Value>) = points.map(|(trial, violation)| (trial, plotted(violation))).unzip();
    json!({
        "type": "scatter", "mode": "markers", "x": x, "y": y, "marker": { "size": 5, "color": colour, "opacity": 0.7 },
        "hovertemplate": "trial %{x}: %{y}<extra></extra>",
    })
}
