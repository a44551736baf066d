//! The report of a study: one HTML file with every plot, which opens without a network.
//!
//! What it shows is a fold over the journal and, where the method has one, what its model believes. At many trials the
//! plots are thinned: the best are always shown, the others evenly. The pieces ([`Page`], [`Figure`], [`Scale`]) serve
//! other pages of plots too.

mod axis;
mod belief;
mod course;
mod importance;
mod page;
mod parallel;
mod scale;
mod slice;
mod summary;
mod survey;
mod text;

use serde_json::{Value, json};

pub use page::{Figure, Page};
pub use scale::Scale;
pub use summary::{table, wanted};
pub use text::{escaped, label, plotted, short, span, value};

use crate::Result;
use crate::study::Study;
use importance::{Importance, Source};
use survey::Survey;

/// The report of a study as it stands.
pub fn html(study: &Study) -> Result<String> {
    let survey = Survey::of(study)?;
    let mut page = Page::new(&survey.statement.name, &about(&survey));
    page.fragment(&summary::cards(&survey));
    page.section(
        "Best trial",
        "The best objective among the trials that keep every limit.",
    );
    page.fragment(&summary::tables(&survey));
    if !survey.history.is_empty() {
        plots(&mut page, &survey);
    }
    if let Some(table) = summary::failures(&survey) {
        page.section(
            "Failures",
            "Evaluations that gave no outputs, by reason. They count as trials.",
        );
        page.fragment(&table);
    }
    Ok(page.html())
}

fn about(survey: &Survey<'_>) -> String {
    let statement = survey.statement;
    let space = match statement.space.candidates() {
        Some(candidates) => format!("{} candidates", candidates.len()),
        None => format!("{} parameters", survey.varying().count()),
    };
    let objective = statement.objective();
    format!(
        "{} {}, over {space}, seed {}.",
        objective.name,
        wanted(objective.goal),
        statement.seed
    )
}

fn plots(page: &mut Page, survey: &Survey<'_>) {
    page.section(
        "Course",
        "Every result in the order of trials, and the best one so far.",
    );
    page.figure(&course::figure(survey));
    if let Some(importance) = &survey.importance {
        page.section("Importance", grounds(importance));
        page.figure(&bars(survey, importance));
    }
    let beliefs = belief::figures(survey);
    let through = match &survey.best {
        Some(best) if !beliefs.is_empty() => format!(
            "The model's mean along each parameter with two deviations on either side, all others as in trial {}.",
            best.trial
        ),
        _ => format!(
            "The method {} keeps no model of the objective.",
            survey.statement.method.name()
        ),
    };
    page.section("What the model believes", &through);
    page.grid(&beliefs);
    page.section(
        "Slices",
        "Every parameter against the objective; later trials are darker blue, the best is a diamond.",
    );
    page.grid(&slice::figures(survey));
    if let Some(figure) = parallel::figure(survey) {
        let about = "A trial is a line. Click a legend entry to hide or show its trials; a line below an axis has no such parameter.";
        page.section("Parallel coordinates", about);
        page.figure(&figure);
    }
}

fn grounds(importance: &Importance) -> &'static str {
    match importance.source {
        Source::Model => {
            "The share of the model's variance over the whole space that goes with a parameter, alone or together with others."
        }
        Source::Trials => "How much of the variance of the trials' ranks a parameter explains alone, as a share.",
    }
}

/// The most important first.
fn bars(survey: &Survey<'_>, importance: &Importance) -> Figure {
    let mut shares: Vec<(f64, String)> = survey
        .varying()
        .map(|(place, parameter)| (importance.share(place), label(&parameter.name)))
        .collect();
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    let names: Vec<&String> = shares.iter().map(|(_, name)| name).collect();
    let x: Vec<Value> = shares.iter().map(|(share, _)| plotted(*share)).collect();
    let y: Vec<usize> = (0..shares.len()).collect();
    Figure {
        title: format!("Share of each parameter in {}", survey.objective()),
        data: json!([{
            "type": "bar", "orientation": "h", "x": x, "y": y, "marker": { "color": course::BLUE }, "width": 0.7,
            "hovertemplate": "%{x:.1%}<extra></extra>",
        }]),
        layout: json!({
            "xaxis": { "tickformat": ".0%", "rangemode": "tozero" },
            "yaxis": { "tickvals": y, "ticktext": names, "showgrid": false, "zeroline": false, "range": [-0.6, shares.len() as f64 - 0.4] },
            "margin": { "l": 60, "r": 15, "t": 5, "b": 35 },
        }),
        height: (70 + 24 * shares.len() as u32).min(1600),
    }
}
