//! Every parameter against the objective.

use hilltop_core::Parameter;
use serde_json::{Value, json};

use super::axis;
use super::course::ORANGE;
use super::page::Figure;
use super::scale::Scale;
use super::survey::{Mark, Survey, thinned};
use super::text::plotted;

/// How many points all slices draw together, and one of them at least and at most.
const DRAWN: usize = 24_000;
const FEWEST: usize = 250;
const MOST: usize = 2000;

/// A plot a parameter.
pub(super) fn figures(survey: &Survey<'_>) -> Vec<Figure> {
    let marks = survey.marks();
    let limit = (DRAWN / survey.varying().count().max(1)).clamp(FEWEST, MOST);
    let shown = thinned(&marks, limit);
    let scale = Scale::of(marks.iter().map(|mark| mark.value));
    let slice = |(_, parameter)| figure(survey, parameter, &shown, scale);
    survey.varying().map(slice).collect()
}

fn figure(survey: &Survey<'_>, parameter: &Parameter, shown: &[&Mark<'_>], scale: Scale) -> Figure {
    let located: Vec<(f64, &Mark<'_>)> = shown
        .iter()
        .filter_map(|mark| Some((axis::spread(parameter, mark.trial)?, *mark)))
        .collect();
    let x: Vec<Value> = located.iter().map(|(x, _)| plotted(*x)).collect();
    let y: Vec<Value> = located.iter().map(|(_, mark)| plotted(mark.value)).collect();
    let trials: Vec<u64> = located.iter().map(|(_, mark)| mark.trial.number).collect();
    let mut data = vec![json!({
        "type": "scatter", "mode": "markers", "x": x, "y": y,
        "marker": { "size": 5, "opacity": 0.7, "color": trials, "colorscale": [[0, "#c9b38b"], [1, "#1f6fb2"]] },
        "hovertemplate": "trial %{marker.color}: %{y}<extra></extra>",
    })];
    data.extend(best(survey, parameter));
    Figure {
        title: parameter.name.clone(),
        data: data.into(),
        layout: json!({
            "xaxis": axis::axis(parameter), "yaxis": scale.axis(survey.objective()), "showlegend": false,
            "margin": { "l": 55, "r": 10, "t": 8, "b": 42 }, "hovermode": "closest",
        }),
        height: 250,
    }
}

/// The best trial, marked.
pub(super) fn best(survey: &Survey<'_>, parameter: &Parameter) -> Option<Value> {
    let best = survey.best.as_ref()?;
    let x = axis::position(parameter, best.parameters.get(&parameter.name)?)?;
    let y = best.outputs.get(survey.objective())?;
    Some(json!({
        "type": "scatter", "mode": "markers", "x": [plotted(x)], "y": [plotted(*y)], "showlegend": false,
        "marker": { "size": 11, "symbol": "diamond", "color": ORANGE, "line": { "width": 1, "color": "#ffffff" } },
        "hovertemplate": format!("best, trial {}: %{{y}}<extra></extra>", best.trial),
    }))
}
