//! The line protocol: one JSON object a line, both ways, over any pair of streams.

mod line;
mod request;

use std::io::{BufRead, Write};

use serde_json::{Value, json};

use crate::study::{Prediction, Study};
use crate::{Error, Result};
use line::Line;
use request::{Refusal, Request};

/// Serves a study until the input ends.
///
/// Whatever stands on a line is answered by a line; what is wrong is answered by
/// `{"error": {"code": "…", "message": "…"}}`, and the session goes on. Blank lines are not answered. An error comes
/// back only where the streams themselves fail.
pub fn serve(study: &Study, mut input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    loop {
        let answer = match line::next(&mut input)? {
            Line::End => return Ok(()),
            Line::Blank => continue,
            Line::TooLong => Refusal::malformed(format!("the line is longer than {} bytes", line::LIMIT)).answer(),
            Line::NotText => Refusal::malformed("the line is not UTF-8 text").answer(),
            Line::Text(text) => answer(study, &text),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
}

/// The arms of a round from their JSON, a list of lists of numbers; otherwise what is wrong with it.
pub fn arms(text: &str) -> Result<Vec<Vec<f64>>, String> {
    let given: Value = serde_json::from_str(text).map_err(|error| format!("the arms are not JSON: {error}"))?;
    request::arms(&given).map_err(|refusal| refusal.message)
}

/// The answer to one line.
pub fn answer(study: &Study, line: &str) -> Value {
    let request = Request::parse(line);
    request
        .and_then(|request| fulfil(study, request))
        .unwrap_or_else(|refusal| refusal.answer())
}

fn fulfil(study: &Study, request: Request) -> Result<Value, Refusal> {
    Ok(match request {
        Request::Ask { count, arms } => {
            let asked = match arms {
                Some(arms) => study.ask_among(count, &arms)?,
                None => study.ask(count)?,
            };
            json!({ "trials": asked.iter().map(crate::Asked::described).collect::<Vec<_>>() })
        }
        Request::Tell {
            trial,
            outcome,
            seconds,
        } => {
            study.tell_after(trial, &outcome, seconds)?;
            json!({ "told": { "trial": trial } })
        }
        Request::Add { parameters, outputs } => json!({ "told": { "trial": study.add(&parameters, &outputs)? } }),
        Request::Best => best(study)?,
    })
}

/// The best trial with what the model believes there, and amid noise, where that is mostly a lucky one, what the method would
/// choose; a model that cannot be fitted is left out, not an error.
fn best(study: &Study) -> Result<Value> {
    let Some(best) = study.best()? else {
        return Ok(json!({ "best": null }));
    };
    let objective = &study.statement().objective().name;
    let believed = |predicted: Prediction| json!({ objective: { "mean": predicted.mean, "sd": predicted.deviation } });
    let found = json!({ "trial": best.trial, "parameters": best.parameters, "outputs": best.outputs });
    let mut answer = json!({ "best": found });
    if let Ok(Some(predicted)) = study.predict(&best.parameters) {
        answer["best"]["predicted"] = believed(predicted);
    }
    if let Some((parameters, predicted)) = study.preferred() {
        answer["recommended"] = json!({ "parameters": parameters, "predicted": believed(predicted) });
    }
    Ok(answer)
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::UnknownTrial { .. } => "unknown-trial",
            Error::AlreadyTold { .. } => "already-told",
            Error::NoPoint { .. } => "not-asked",
            Error::MissingOutput { .. } | Error::UnknownOutput { .. } | Error::NotFinite { .. } => "bad-outputs",
            Error::Point(_) => "bad-parameters",
            Error::ArmsMissing
            | Error::ArmsUnexpected
            | Error::TooFewArms { .. }
            | Error::ArmLength { .. }
            | Error::Arm { .. } => "bad-arms",
            Error::TooFewPoints { .. } => "too-many",
            exhausted if exhausted.is_exhausted() => "exhausted",
            Error::Journal(_) | Error::Access { .. } | Error::Contradiction { .. } => "store",
            _ => "internal",
        };
        Self {
            code,
            message: error.to_string(),
        }
    }
}
