//! The report of a study: one HTML file with every plot, which opens without a network.
//!
//! What it shows is a fold over the journal and, where the method has one, what its model believes. At many trials the
//! plots are thinned: the best are always shown, the others evenly. The pieces ([`Page`], [`Figure`], [`Scale`]) serve
//! other pages of plots too.

mod axis;
mod belief;
mod course;
mod importance;
mod limit;
mod map;
mod page;
mod parallel;
mod physics;
mod scale;
mod slice;
mod summary;
mod survey;
mod tally;
mod text;

use serde_json::{Value, json};

pub use page::{Figure, Page};
pub use scale::Scale;
pub use summary::{table, wanted};
pub use tally::Tally;
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
        best_title(&survey),
        "The best objective among the trials that keep every limit.",
    );
    page.fragment(&summary::tables(&survey));
    if !survey.history.is_empty() {
        page.section(
            "Course",
            "Every result in the order of trials, and the best one so far.",
        );
        page.figure(&course::figure(&survey));
    }
    limits(&mut page, &survey);
    equations(&mut page, &survey);
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

fn best_title(survey: &Survey<'_>) -> &'static str {
    let limited = !survey.tally().violations.is_empty();
    match &survey.best {
        Some(best) if limited && best.feasible => "Best feasible trial",
        Some(_) if limited => "None feasible yet",
        _ => "Best trial",
    }
}

/// Which trials are feasible, where a trial can be anything else.
fn limits(page: &mut Page, survey: &Survey<'_>) {
    let tally = survey.tally();
    if tally.settled == 0 || !tally.divides() {
        return;
    }
    let about = "A trial is feasible where it gave outputs and they keep every limit. Shares are of all trials, failed ones included.";
    page.section("Feasibility", about);
    page.figure(&limit::shares(survey));
    let violations = limit::violations(survey);
    if !violations.is_empty() {
        page.grid(&violations);
    }
    if let Some(figure) = map::figure(survey) {
        page.figure(&figure);
    }
}

/// How much the equations are believed, and where the model obeys them.
fn equations(page: &mut Page, survey: &Survey<'_>) {
    let Some(obedience) = survey.model.as_ref().and_then(|model| model.obedience()) else {
        return;
    };
    let standing = obedience.standing();
    page.section("Physics", &physics::verdict(&standing));
    if standing.course.len() > 1 {
        page.figure(&physics::course(&standing));
    }
    page.grid(&physics::residuals(survey, obedience));
}

/// What evidence says of a study's equations, in a sentence; `None` where there are none or the method does not use them.
pub fn physics_verdict(study: &Study) -> Option<String> {
    let model = study.model().ok().flatten()?;
    Some(physics::verdict(&model.obedience()?.standing()))
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
    if let Some(importance) = &survey.importance {
        page.section("Importance", grounds(importance));
        page.figure(&bars(survey, importance));
    }
    let beliefs = belief::figures(survey);
    let through = match &survey.best {
        Some(best) if !beliefs.is_empty() => format!(
            "The model's mean along each parameter with two deviations on either side, all others as in trial {}.{}",
            best.trial,
            if survey.limits.is_empty() {
                ""
            } else {
                " Green, on the right: the probability that a trial there is feasible."
            }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use hilltop_core::{Goal, MemoryJournal, Outcome, Output, Rng, Space};

    use super::*;
    use crate::{Method, Statement};

    fn output(name: &str, goal: Goal) -> Output {
        let name = name.into();
        Output { name, goal }
    }

    fn opened(dim: usize, outputs: Vec<Output>, method: &str) -> Study {
        let method = Method::parse(method).unwrap();
        let statement = Statement::new(Arc::new(Space::unit_box(dim)), outputs.into(), method).unwrap();
        Study::open(statement, MemoryJournal::default()).unwrap()
    }

    fn fail(study: &Study, reason: &str) {
        let asked = study.ask(1).unwrap().remove(0);
        study.tell(asked.trial, &Outcome::Failed(reason.into())).unwrap();
    }

    /// A study of so many parameters after so many trials, one in `failing` of them failed.
    fn study(dim: usize, trials: usize, failing: usize, method: &str) -> Study {
        let study = opened(dim, vec![output("cost", Goal::Maximize)], method);
        let mut rng = Rng::new(2);
        for trial in 0..trials {
            if trial % failing == failing - 1 {
                fail(&study, &format!("diverged in step {trial}"));
                continue;
            }
            let point = study.statement().space.sample(&mut rng).unwrap();
            let terms = point
                .iter()
                .enumerate()
                .map(|(k, x)| (x - 0.3).powi(2) / (k + 1) as f64);
            let outputs = BTreeMap::from([("cost".into(), -terms.sum::<f64>())]);
            study.add(&study.statement().space.decode(&point), &outputs).unwrap();
        }
        study
    }

    /// A study whose limits are the first parameter below `max`, and that and the second between a tenth and one.
    fn limited(trials: usize, max: f64, method: &str) -> Study {
        let within = |min, max| Goal::Within { min, max };
        let outputs = vec![
            output("cost", Goal::Minimize),
            output("stress", within(None, Some(max))),
            output("temp", within(Some(0.1), Some(1.0))),
        ];
        let study = opened(2, outputs, method);
        let mut rng = Rng::new(3);
        for _ in 0..trials {
            let point = study.statement().space.sample(&mut rng).unwrap();
            let values = [
                ("cost", point[1] - point[0]),
                ("stress", point[0]),
                ("temp", point[0] + point[1]),
            ];
            let outputs = values.map(|(name, value)| (name.to_owned(), value)).into();
            study.add(&study.statement().space.decode(&point), &outputs).unwrap();
        }
        study
    }

    fn plots_in(html: &str) -> usize {
        html.matches("class=\"plot\"").count()
    }

    /// How many slices have a curve of the probability that a trial is feasible.
    fn curves_in(html: &str) -> usize {
        html.matches("feasible: %{y:.1%}").count()
    }

    #[test]
    fn ten_thousand_trials_of_fifty_parameters_stay_below_six_megabytes() {
        let html = html(&study(50, 10_000, 10, "random")).unwrap();
        assert!(html.len() < 6_000_000, "{} bytes", html.len());
        assert_eq!(plots_in(&html), 3 + 2 + 50);
        assert!(html.contains("and 970 other reasons"));
    }

    #[test]
    fn ten_thousand_trials_with_limits_stay_below_six_megabytes() {
        let html = html(&limited(10_000, 0.5, "random")).unwrap();
        assert!(html.len() < 6_000_000, "{} bytes", html.len());
        assert_eq!(plots_in(&html), 3 + 4 + 2);
    }

    #[test]
    fn a_method_with_a_model_says_what_it_believes_in_the_direction_of_the_user() {
        let study = study(2, 40, usize::MAX, "auto");
        let html = html(&study).unwrap();
        assert_eq!(plots_in(&html), 3 + 2 + 2);
        assert!(html.contains("largest cost") && html.contains("as large as possible"));
        let best = study.best().unwrap().unwrap();
        let predicted = study.predict(&best.parameters).unwrap().unwrap();
        assert!(predicted.mean <= 0.1, "{predicted:?}");
        assert!(html.contains(&format!("{} ± {}", short(predicted.mean), short(predicted.deviation))));
    }

    #[test]
    fn feasibility_is_shown_exactly_where_limits_or_failures_are() {
        let free = html(&study(2, 20, usize::MAX, "auto")).unwrap();
        assert!(!free.contains("<h2>Feasibility</h2>") && !free.contains("feasible trials"));
        assert_eq!((plots_in(&free), curves_in(&free)), (3 + 2 + 2, 0));

        let failing = html(&study(2, 20, 4, "auto")).unwrap();
        assert!(failing.contains("<h2>Feasibility</h2>") && failing.contains("<b>15 of 20</b>"));
        assert!(failing.contains("<h2>Best trial</h2>") && failing.contains("largest cost"));
        assert_eq!((plots_in(&failing), curves_in(&failing)), (3 + 2 + 2 + 2, 2));

        let limited = html(&limited(20, 0.5, "auto")).unwrap();
        assert!(limited.contains("<h2>Best feasible trial</h2>") && limited.contains("smallest feasible cost"));
        assert!(limited.contains("stress, at most 0.5: broken"));
        assert_eq!((plots_in(&limited), curves_in(&limited)), (3 + 4 + 2 + 2, 2));
    }

    #[test]
    fn where_nothing_is_feasible_the_report_says_so() {
        let html = html(&limited(12, -0.1, "random")).unwrap();
        assert!(html.contains("<h2>None feasible yet</h2>") && html.contains("<b>none feasible yet</b>"));
        assert!(html.contains("<b>0 of 12</b>") && html.contains("broken 12 of 12 times"));
    }

    #[test]
    fn the_probability_of_feasibility_follows_limits_and_failures() {
        use hilltop_acquire::feasibility::chance;
        let study = limited(30, 0.5, "auto");
        let limits = study.limits().unwrap();
        assert_eq!(limits.len(), 2);
        let points = faer::mat![[0.2, 0.4], [0.9, 0.05], [0.01, 0.01]];
        let [inside, beyond, below] = chance(&limits, points.as_ref())[..] else {
            unreachable!("three points")
        };
        assert!(inside > 0.9 && beyond < 0.1 && below < 0.1, "{inside} {beyond} {below}");
        fail(&study, "diverged");
        assert!(
            study
                .limits()
                .unwrap()
                .last()
                .is_some_and(hilltop_core::Limit::is_failure)
        );
    }

    #[test]
    fn a_study_in_which_nothing_happened_has_a_report_without_plots() {
        let empty = html(&study(2, 0, 10, "random")).unwrap();
        assert!(empty.contains("No trial has been evaluated yet.") && !empty.contains("plotly"));
        assert!(html(&study(2, 1, 10, "random")).unwrap().contains("class=\"plot\""));
    }

    #[test]
    fn a_study_in_which_everything_failed_shows_where() {
        let html = html(&study(2, 5, 1, "random")).unwrap();
        assert!(html.contains("<b>0 of 5</b>") && html.contains("What became of trials, by "));
        assert_eq!(plots_in(&html), 2);
    }
}
