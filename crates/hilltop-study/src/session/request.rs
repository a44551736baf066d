//! What a line asks for.

use std::collections::BTreeMap;

use hilltop_core::{Outcome, Parameters};
use serde_json::{Map, Value, json};

/// How many points may be asked for at once.
const MOST: u64 = 10_000;

/// A line that was understood.
pub(super) enum Request {
    Ask {
        count: usize,
        arms: Option<Vec<Vec<f64>>>,
    },
    Tell {
        trial: u64,
        outcome: Outcome,
        seconds: Option<f64>,
    },
    Add {
        parameters: Parameters,
        outputs: BTreeMap<String, f64>,
    },
    Best,
}

/// Why a line is answered by an error.
pub(super) struct Refusal {
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn malformed(message: impl Into<String>) -> Self {
        Self {
            code: "malformed",
            message: message.into(),
        }
    }

    pub(super) fn answer(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message } })
    }
}

type Understood<T> = Result<T, Refusal>;

impl Request {
    pub(super) fn parse(line: &str) -> Understood<Self> {
        let value: Value = serde_json::from_str(line).map_err(|error| {
            let hint = if line.contains("NaN") || line.contains("Infinity") {
                "; JSON has no NaN and no Infinity, tell the trial as failed instead"
            } else {
                ""
            };
            Refusal::malformed(format!("the line is not JSON: {error}{hint}"))
        })?;
        let Value::Object(mut object) = value else {
            return Err(Refusal::malformed("the line is not a JSON object such as {\"ask\": 1}"));
        };
        if object.len() == 2
            && object.contains_key("ask")
            && let Some(given) = object.shift_remove("arms")
        {
            return ask(&object["ask"], Some(arms(&given)?));
        }
        let mut entries = object.into_iter();
        match (entries.next(), entries.next()) {
            (Some((command, argument)), None) => Self::command(&command, argument),
            _ => Err(Refusal::malformed(
                "a line has exactly one command: ask, tell, add or best",
            )),
        }
    }

    fn command(command: &str, argument: Value) -> Understood<Self> {
        match command {
            "ask" => ask(&argument, None),
            "tell" => tell(table("tell", argument, &["trial", "outputs", "failed", "seconds"])?),
            "add" => add(table("add", argument, &["parameters", "outputs"])?),
            "best" if argument == Value::Bool(true) => Ok(Self::Best),
            "best" => Err(Refusal::malformed(format!("best = {argument} is not allowed: true"))),
            other => {
                let message = format!("there is no command {other}: ask, tell, add or best");
                Err(Refusal {
                    code: "unknown-command",
                    message,
                })
            }
        }
    }
}

fn ask(argument: &Value, arms: Option<Vec<Vec<f64>>>) -> Understood<Request> {
    match argument.as_u64().filter(|count| (1..=MOST).contains(count)) {
        Some(count) => Ok(Request::Ask {
            count: count as usize,
            arms,
        }),
        None => Err(Refusal::malformed(format!(
            "ask = {argument} is not allowed: a whole number from 1 to {MOST}"
        ))),
    }
}

/// The arms of a round: a list of lists of numbers.
pub(crate) fn arms(given: &Value) -> Understood<Vec<Vec<f64>>> {
    let bad = |message: String| Refusal {
        code: "bad-arms",
        message,
    };
    let Value::Array(rows) = given else {
        return Err(bad("arms is not a list of arms, each a list of numbers".into()));
    };
    let arm = |(arm, row): (usize, &Value)| {
        let Value::Array(features) = row else {
            return Err(bad(format!("arm {arm} is not a list of numbers")));
        };
        let number = |(feature, value): (usize, &Value)| {
            let named = || bad(format!("feature {feature} of arm {arm} is {value}, not a number"));
            value.as_f64().ok_or_else(named)
        };
        features.iter().enumerate().map(number).collect()
    };
    rows.iter().enumerate().map(arm).collect()
}

fn tell(mut table: Map<String, Value>) -> Understood<Request> {
    let trial = table.get("trial").and_then(Value::as_u64);
    let trial = trial.ok_or_else(|| Refusal::malformed("tell.trial is missing or no trial number"))?;
    let seconds = match table.get("seconds") {
        None => None,
        Some(given) => Some(
            given
                .as_f64()
                .ok_or_else(|| Refusal::malformed("tell.seconds is not a number"))?,
        ),
    };
    let outcome = match (table.remove("outputs"), table.remove("failed")) {
        (Some(values), None) => Outcome::Outputs(outputs(values)?),
        (None, Some(Value::String(reason))) => Outcome::Failed(reason),
        (None, Some(_)) => return Err(Refusal::malformed("tell.failed is not a text, the reason")),
        _ => return Err(Refusal::malformed("tell needs either outputs or failed")),
    };
    Ok(Request::Tell {
        trial,
        outcome,
        seconds,
    })
}

fn add(mut table: Map<String, Value>) -> Understood<Request> {
    let mut take = |key: &str| {
        table
            .remove(key)
            .ok_or_else(|| Refusal::malformed(format!("add.{key} is missing")))
    };
    let (parameters, values) = (take("parameters")?, take("outputs")?);
    let parameters = serde_json::from_value(parameters).map_err(|error| Refusal {
        code: "bad-parameters",
        message: format!("add.parameters cannot be read: {error}"),
    })?;
    Ok(Request::Add {
        parameters,
        outputs: outputs(values)?,
    })
}

fn outputs(values: Value) -> Understood<BTreeMap<String, f64>> {
    let bad = |message: String| Refusal {
        code: "bad-outputs",
        message,
    };
    let Value::Object(values) = values else {
        return Err(bad("outputs is not an object of names and numbers".into()));
    };
    let number = |(name, value): (String, Value)| match value.as_f64() {
        Some(number) => Ok((name, number)),
        None => Err(bad(format!(
            "output {name} is {value}, not a number; tell the trial as failed instead"
        ))),
    };
    values.into_iter().map(number).collect()
}

fn table(command: &str, argument: Value, allowed: &[&str]) -> Understood<Map<String, Value>> {
    let Value::Object(table) = argument else {
        return Err(Refusal::malformed(format!(
            "{command} takes an object with {}",
            allowed.join(", ")
        )));
    };
    match table.keys().find(|key| !allowed.contains(&key.as_str())) {
        Some(key) => Err(Refusal::malformed(format!(
            "{command}.{key} is not a known key: allowed are {}",
            allowed.join(", ")
        ))),
        None => Ok(table),
    }
}
