//! The top of a report: how the study stands, its best trial, what it is about, and what failed.

use std::collections::BTreeMap;

use hilltop_core::{Goal, Output, Parameters};

use super::survey::Survey;
use super::text::{escaped, short, span, value};
use crate::study::Best;
use crate::trial::State;

/// How many different reasons are listed.
const REASONS: usize = 30;
/// How many trials are named a reason.
const NAMED: usize = 8;

/// The numbers that say how the study stands.
pub(super) fn cards(survey: &Survey<'_>) -> String {
    let open = survey.count(State::Running) + survey.count(State::Reserved);
    let begun = survey.trials.len();
    let trials = match survey.statement.budget {
        Some(budget) => format!("{begun} of {budget}"),
        None => begun.to_string(),
    };
    let seconds: f64 = survey.trials.iter().filter_map(|trial| trial.seconds).sum();
    let best = survey
        .best
        .as_ref()
        .and_then(|best| best.outputs.get(survey.objective()));
    let verb = if survey.statement.objective().goal == Goal::Maximize {
        "largest"
    } else {
        "smallest"
    };
    let tally = survey.tally();
    let (verb, best) = match survey.best {
        _ if tally.violations.is_empty() => (verb.to_owned(), best.map(|best| short(*best))),
        Some(Best { feasible: true, .. }) => (format!("{verb} feasible"), best.map(|best| short(*best))),
        _ => (format!("{verb} feasible"), Some("none feasible yet".into())),
    };
    let mut cards = vec![
        (
            format!("{verb} {}", survey.objective()),
            best.unwrap_or_else(|| "none yet".into()),
        ),
        ("trials".into(), trials),
        ("failed".into(), survey.count(State::Failed).to_string()),
        ("method".into(), survey.statement.method.name().to_owned()),
        ("time in evaluations".into(), span(seconds)),
    ];
    if tally.divides() {
        let share = format!("{} of {}", tally.feasible, tally.settled);
        cards.insert(2, ("feasible trials".into(), share));
    }
    if open > 0 {
        cards.push(("under way".into(), open.to_string()));
    }
    let card = |(name, text): &(String, String)| {
        format!(
            "<div class=\"card\"><span>{}</span><b>{}</b></div>",
            escaped(name),
            escaped(text)
        )
    };
    format!(
        "<div class=\"cards\">{}</div>",
        cards.iter().map(card).collect::<String>()
    )
}

/// The best trial, and the study's own statement.
pub(super) fn tables(survey: &Survey<'_>) -> String {
    let Some(best) = &survey.best else {
        return "<p>No trial has been evaluated yet.</p>".into();
    };
    let outputs = survey
        .statement
        .outputs
        .iter()
        .map(|output| outcome(survey, output, &best.outputs));
    let warning = if best.feasible {
        ""
    } else {
        "<p class=\"warn\">No trial keeps every limit; this one breaks them least.</p>"
    };
    format!(
        "{warning}<div class=\"columns\">{}{}{}</div>",
        point(&format!("trial {}", best.trial), &best.parameters),
        table(
            "what it gave",
            &["output", "value", "wanted", "the model expects"],
            outputs
        ),
        choice(survey),
    )
}

/// What the model would choose amid noise, where that is another point.
fn choice(survey: &Survey<'_>) -> String {
    let Some((parameters, expected)) = &survey.preferred else {
        return String::new();
    };
    let (mean, deviation) = (short(expected.mean), short(expected.deviation));
    let caption = format!("the model's choice amid noise, {mean} ± {deviation} expected");
    point(&caption, parameters)
}

fn point(caption: &str, parameters: &Parameters) -> String {
    let rows = parameters.iter().map(|(name, given)| [name.to_owned(), value(given)]);
    table(caption, &["parameter", "value"], rows)
}

fn outcome(survey: &Survey<'_>, output: &Output, values: &BTreeMap<String, f64>) -> [String; 4] {
    let expected = survey.predicted.filter(|_| output.goal.is_objective());
    [
        output.name.clone(),
        values.get(&output.name).map(|value| short(*value)).unwrap_or_default(),
        wanted(output.goal),
        expected
            .map(|p| format!("{} ± {}", short(p.mean), short(p.deviation)))
            .unwrap_or_default(),
    ]
}

/// What is wanted of an output, in words.
pub fn wanted(goal: Goal) -> String {
    match goal {
        Goal::Minimize => "as small as possible".into(),
        Goal::Maximize => "as large as possible".into(),
        Goal::Within {
            min: Some(min),
            max: Some(max),
        } => format!("{} to {}", short(min), short(max)),
        Goal::Within {
            min: None,
            max: Some(max),
        } => format!("at most {}", short(max)),
        Goal::Within {
            min: Some(min),
            max: None,
        } => format!("at least {}", short(min)),
        Goal::Within { min: None, max: None } | Goal::Observe => "recorded".into(),
    }
}

/// The reasons of failures with how often they occurred; none where nothing failed.
pub(super) fn failures(survey: &Survey<'_>) -> Option<String> {
    let ranked = survey.tally().reasons;
    let rest = ranked.len().saturating_sub(REASONS);
    let row = |(reason, trials): &(&str, Vec<u64>)| [(*reason).to_owned(), trials.len().to_string(), named(trials)];
    let listed = table("", &["reason", "times", "trials"], ranked.iter().take(REASONS).map(row));
    let more = if rest > 0 {
        format!("<p>and {rest} other reasons</p>")
    } else {
        String::new()
    };
    (!ranked.is_empty()).then(|| format!("{listed}{more}"))
}

fn named(trials: &[u64]) -> String {
    let numbers: Vec<String> = trials.iter().take(NAMED).map(ToString::to_string).collect();
    let more = if trials.len() > NAMED { ", …" } else { "" };
    format!("{}{more}", numbers.join(", "))
}

/// A table of texts.
pub fn table<const N: usize>(caption: &str, header: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let cells = |tag: &str, texts: &[String]| {
        let cells: Vec<String> = texts
            .iter()
            .map(|text| format!("<{tag}>{}</{tag}>", escaped(text)))
            .collect();
        format!("<tr>{}</tr>", cells.concat())
    };
    let head = cells("th", &header.map(str::to_owned));
    let body: String = rows.map(|row| cells("td", &row)).collect();
    let caption = if caption.is_empty() {
        String::new()
    } else {
        format!("<caption>{}</caption>", escaped(caption))
    };
    format!("<div class=\"scroll\"><table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table></div>")
}
