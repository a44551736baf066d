//! The plots of a benchmark: one self-contained page.

use hilltop_problem::solved_fraction;
use hilltop_study::report::{Figure, Page, label, plotted};
use serde_json::{Value, json};

use super::contest::Run;
use super::standing::{Quartiles, grouped, suites};

const COLOURS: [&str; 8] = [
    "#2f7fb8", "#d9822b", "#3a9e6e", "#b05cc0", "#c94f4f", "#8a7a3a", "#4bb3c4", "#8c98a4",
];
/// How many points a curve has at most.
const POINTS: usize = 240;

/// The page of all runs.
pub(crate) fn page(runs: &[Run], about: &str) -> String {
    let mut page = Page::new("Hilltop benchmark", about);
    let suites = suites(runs);
    if !suites.is_empty() {
        page.section("BBOB", "The share of pairs of function and target (51 gaps from 100 to 1e-8) that are solved, by evaluations per dimension.");
        let mut dims: Vec<usize> = suites.iter().map(|((dim, _), _)| *dim).collect();
        dims.dedup();
        let figures: Vec<Figure> = dims.into_iter().map(|dim| solved(dim, &suites)).collect();
        page.grid(&figures);
    }
    page.section(
        "Problems",
        "The gap between the best true value so far and the least value: median and quartiles over the seeds.",
    );
    let figures: Vec<Figure> = grouped(runs)
        .iter()
        .map(|(problem, methods)| gaps(problem, methods))
        .collect();
    page.grid(&figures);
    page.html()
}

/// The evaluations at which a curve is drawn: all, or evenly spaced ones with the last.
fn stops(length: usize) -> Vec<usize> {
    let every = length.div_ceil(POINTS).max(1);
    let mut stops: Vec<usize> = (0..length).step_by(every).collect();
    if stops.last() != length.checked_sub(1).as_ref() {
        stops.extend(length.checked_sub(1));
    }
    stops
}

fn gap_at(run: &Run, evaluation: usize) -> f64 {
    run.gaps.get(evaluation).copied().unwrap_or_else(|| run.gap())
}

fn gaps(problem: &str, methods: &[(&str, Vec<&Run>)]) -> Figure {
    let mut data: Vec<Value> = Vec::new();
    for (index, (method, runs)) in methods.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let stops = stops(runs.iter().map(|run| run.gaps.len()).max().unwrap_or(0));
        let quartiles: Vec<Quartiles> = stops
            .iter()
            .map(|&at| Quartiles::of(runs.iter().map(|run| gap_at(run, at))))
            .collect();
        let x: Vec<usize> = stops.iter().map(|at| at + 1).collect();
        let y = |edge: fn(&Quartiles) -> f64| -> Vec<Value> { quartiles.iter().map(|q| floor(edge(q))).collect() };
        let edge = |y: Vec<Value>, fill: &str| {
            json!({
                "type": "scatter", "mode": "lines", "x": x, "y": y, "line": { "width": 0 }, "hoverinfo": "skip", "showlegend": false,
                "fill": fill, "fillcolor": format!("{colour}2e"), "legendgroup": label(method),
            })
        };
        data.push(edge(y(|q| q.lower), "none"));
        data.push(edge(y(|q| q.upper), "tonexty"));
        data.push(json!({
            "type": "scatter", "mode": "lines", "x": x, "y": y(|q| q.median), "name": label(method), "legendgroup": label(method),
            "line": { "width": 2, "color": colour }, "hovertemplate": "%{y}<extra></extra>",
        }));
    }
    Figure {
        title: problem.to_owned(),
        data: data.into(),
        layout: layout("evaluations", "gap", true),
        height: 300,
    }
}

/// A logarithm needs something above zero; below this everything is solved.
fn floor(gap: f64) -> Value {
    plotted(if gap.is_finite() { gap.max(1e-10) } else { gap })
}

fn solved(dim: usize, suites: &[((usize, String), Vec<&Run>)]) -> Figure {
    let own = suites.iter().filter(|((other, _), _)| *other == dim);
    let trace = |(index, ((_, method), runs)): (usize, &((usize, String), Vec<&Run>))| {
        let stops = stops(runs.iter().map(|run| run.gaps.len()).max().unwrap_or(0));
        let share =
            |at: &usize| runs.iter().map(|run| solved_fraction(gap_at(run, *at))).sum::<f64>() / runs.len() as f64;
        let x: Vec<Value> = stops.iter().map(|at| plotted((at + 1) as f64 / dim as f64)).collect();
        let y: Vec<Value> = stops.iter().map(|at| plotted(share(at))).collect();
        json!({
            "type": "scatter", "mode": "lines", "x": x, "y": y, "name": label(method),
            "line": { "width": 2, "color": COLOURS[index % COLOURS.len()] }, "hovertemplate": "%{y:.3f}<extra></extra>",
        })
    };
    let data: Vec<Value> = own.enumerate().map(trace).collect();
    Figure {
        title: format!("BBOB, dimension {dim}"),
        data: data.into(),
        layout: layout("evaluations / dimension", "share solved", false),
        height: 300,
    }
}

fn layout(x: &str, y: &str, log: bool) -> Value {
    let mut layout = json!({
        "xaxis": { "title": { "text": x }, "rangemode": "tozero", "zeroline": false },
        "yaxis": { "title": { "text": y } },
        "legend": { "orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0 },
        "margin": { "l": 60, "r": 10, "t": 8, "b": 42 }, "hovermode": "x",
    });
    if log {
        layout["yaxis"]["type"] = json!("log");
        layout["yaxis"]["exponentformat"] = json!("power");
    }
    layout
}
