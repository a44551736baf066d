//! What became of the equations: how much they are believed, and where the model obeys them.

use faer::Mat;
use hilltop_core::Coordinate;
use hilltop_core::physics::{Obedience, Standing};
use serde_json::{Value, json};

use super::axis;
use super::course::{BLUE, GREY};
use super::page::Figure;
use super::survey::Survey;
use super::text::plotted;

/// Places along a line, and along each side of a map.
const LINE: usize = 200;
const SIDE: usize = 40;
/// So many equations are drawn.
const DRAWN: usize = 6;

/// What evidence says of the equations, in a sentence.
pub(super) fn verdict(standing: &Standing) -> String {
    let Standing {
        weight,
        with,
        without,
        rows,
        dropped,
        ..
    } = standing;
    let ratio = (with - without).exp();
    let held = match ratio {
        0.9..1.1 => "Observations that are held out are expected as well with the equations as without.".to_owned(),
        _ => format!(
            "Observations that are held out are expected {} with the equations than without (density {} times).",
            if ratio > 1.0 { "better" } else { "worse" },
            super::short(ratio)
        ),
    };
    let belief = if *weight >= 0.5 {
        format!(
            "The equations are believed with probability {:.0} % and used.",
            100.0 * weight
        )
    } else {
        format!(
            "The equations do not fit the data: they are believed with probability {:.0} % only, and suggestions are made without them. Look \
             at units and signs first.",
            100.0 * weight
        )
    };
    let lost = match dropped {
        0 => String::new(),
        count => format!(" At {count} more points a coefficient has no value; these were left out."),
    };
    format!("{belief} {held} They are asked for at {rows} points.{lost}")
}

/// The weight over the observations.
pub(super) fn course(standing: &Standing) -> Figure {
    let (x, y): (Vec<usize>, Vec<f64>) = standing.course.iter().copied().unzip();
    let ends = [x.first().copied().unwrap_or(0), x.last().copied().unwrap_or(0)];
    Figure {
        title: "How much the equations are believed".into(),
        data: json!([
            { "type": "scatter", "mode": "lines+markers", "x": x, "y": y, "name": "weight",
              "line": { "width": 2, "color": BLUE }, "hovertemplate": "%{y:.1%}<extra></extra>" },
            { "type": "scatter", "mode": "lines", "x": ends, "y": [0.5, 0.5], "name": "used above",
              "line": { "width": 1.5, "color": GREY, "dash": "dash" }, "hoverinfo": "skip" },
        ]),
        layout: json!({
            "xaxis": { "title": { "text": "results" }, "rangemode": "tozero", "zeroline": false },
            "yaxis": { "tickformat": ".0%", "range": [-0.02, 1.02] }, "showlegend": true,
            "legend": { "orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0 },
            "margin": { "l": 60, "r": 15, "t": 10, "b": 45 }, "hovermode": "x",
        }),
        height: 260,
    }
}

/// What is left of each equation over the parameters it differentiates in, the others as in the best trial.
pub(super) fn residuals(survey: &Survey<'_>, obedience: &dyn Obedience) -> Vec<Figure> {
    let Some(knowledge) = &survey.statement.knowledge else {
        return Vec::new();
    };
    let Some(best) = survey
        .history
        .best()
        .map(|index| survey.history.points().row(index).to_vec())
    else {
        return Vec::new();
    };
    let drawn = knowledge.equations.iter().enumerate().take(DRAWN);
    drawn
        .filter_map(|(place, equation)| {
            let mut axes: Vec<usize> = equation
                .partials()
                .iter()
                .flat_map(|partial| partial.axes().iter().map(|(axis, _)| *axis))
                .collect();
            axes.sort_unstable();
            axes.dedup();
            axes.truncate(2);
            figure(survey, obedience, place, &equation.text(), &axes, &best)
        })
        .collect()
}

fn figure(
    survey: &Survey<'_>,
    obedience: &dyn Obedience,
    place: usize,
    text: &str,
    axes: &[usize],
    best: &[f64],
) -> Option<Figure> {
    let side = if axes.len() == 1 { LINE } else { SIDE };
    let step = |k: usize| (k as f64 + 0.5) / side as f64;
    let count = side.pow(axes.len() as u32);
    let mut points = Mat::from_fn(count, best.len(), |_, j| best[j]);
    for i in 0..count {
        points[(i, *axes.first()?)] = step(i % side);
        if let Some(&up) = axes.get(1) {
            points[(i, up)] = step(i / side);
        }
    }
    let shares = obedience.residuals(points.as_ref()).into_iter().nth(place)?;
    let stops = |axis: usize| -> Vec<Value> {
        let value = |k: usize| {
            let mut point = best.to_vec();
            point[axis] = step(k);
            survey
                .space()
                .decode(&point)
                .get(&parameter(survey, axis)?.name)?
                .number()
        };
        (0..side).map(|k| value(k).map_or(Value::Null, plotted)).collect()
    };
    let across = parameter(survey, axes[0])?;
    let up = axes.get(1).and_then(|&axis| parameter(survey, axis));
    let shown: Vec<Value> = shares.iter().map(|share| plotted(*share)).collect();
    let data = match axes.get(1) {
        None => json!([{ "type": "scatter", "mode": "lines", "x": stops(axes[0]), "y": shown,
                         "line": { "width": 2, "color": BLUE }, "hovertemplate": "%{y:.1%}<extra></extra>" }]),
        Some(&axis) => json!([{
            "type": "heatmap", "x": stops(axes[0]), "y": stops(axis), "zmin": 0, "zmax": 1, "colorscale": "Blues", "reversescale": true,
            "z": shown.chunks(side).collect::<Vec<_>>(), "colorbar": { "tickformat": ".0%" },
            "hovertemplate": "%{x}, %{y}: %{z:.1%}<extra></extra>",
        }]),
    };
    let share_axis = json!({ "tickformat": ".0%", "range": [-0.02, 1.02], "title": { "text": "left of the terms" } });
    Some(Figure {
        title: format!("What is left of {text}"),
        data,
        layout: json!({
            "xaxis": axis::axis(across), "yaxis": up.map_or(share_axis, axis::axis), "showlegend": false,
            "margin": { "l": 60, "r": 15, "t": 10, "b": 45 },
        }),
        height: 320,
    })
}

/// The parameter of a coordinate.
fn parameter<'s>(survey: &'s Survey<'_>, axis: usize) -> Option<&'s hilltop_core::Parameter> {
    let place = match *survey.space().coordinates().get(axis)? {
        Coordinate::Continuous { parameter }
        | Coordinate::Grid { parameter, .. }
        | Coordinate::OneHot { parameter, .. } => parameter,
    };
    survey.space().parameters().get(place)
}
