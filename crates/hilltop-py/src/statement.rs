//! A study stated in code: a description in JSON, in the shape of the study file, becomes what the file would mean.
//!
//! The way leads through the study file itself, so that a study stated here and one stated there are the same study,
//! checked by the same rules, and each continues the other.

use std::path::Path;

use hilltop_core::{Event, Journal, MemoryJournal};
use hilltop_study::{Error, Result, SqliteJournal, Statement, Store, StudyFile};
use serde_json::Value;

/// What a description means. What is wrong with it is told by its keys; it has no lines.
pub fn stated(description: &Value) -> Result<Statement> {
    let text = toml::to_string(description).map_err(|error| unstated(error.to_string()))?;
    StudyFile::new("study", text).check().map_err(without_lines)
}

/// The study that a store holds, from its first event. How its trials are evaluated is left aside.
pub fn stored(path: &Path) -> Result<Statement> {
    drop(Store::existing(path)?);
    let first = SqliteJournal::open(path)?.read(0)?.into_iter().next();
    match first {
        Some(Event::Created { study, .. }) => stated(&lasting(study)?),
        _ => Err(unstated(format!("{} holds no study yet", path.display()))),
    }
}

/// A journal in memory with these events, each in JSON.
pub fn remembered(events: &[String]) -> Result<MemoryJournal> {
    let read = |text: &String| {
        serde_json::from_str(text).map_err(|error| unstated(format!("an event cannot be read: {error}")))
    };
    let events = events.iter().map(read).collect::<Result<Vec<Event>>>()?;
    let mut journal = MemoryJournal::default();
    journal.append(0, &events)?;
    Ok(journal)
}

fn lasting(mut study: Value) -> Result<Value> {
    if study.get("candidates").is_some() {
        let message = "its space is a file of candidates: open it by its study file";
        return Err(unstated(message));
    }
    if let Some(map) = study.as_object_mut() {
        map.shift_remove("evaluate");
    }
    Ok(study)
}

fn without_lines(error: Error) -> Error {
    match error {
        Error::File { findings, .. } => {
            let messages: Vec<String> = findings.into_iter().map(|finding| finding.message).collect();
            unstated(messages.join("; "))
        }
        other => other,
    }
}

fn unstated(message: impl Into<String>) -> Error {
    Error::Statement {
        message: message.into(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use hilltop_study::Study;
    use serde_json::json;

    use super::*;

    fn description() -> Value {
        json!({
            "name": "größe", "seed": 7, "budget": 20, "method": { "name": "random" },
            "parameters": {
                "z \"quoted\"": { "float": [0, 1.5] }, "n": { "int": [1, 64], "log": true },
                "b": { "choice": ["x", "y"] }, "a": { "float": [0, 1], "when": "b == 'x'" },
            },
            "constraints": { "known": ["n <= 32"] },
            "outputs": { "stress": { "max": 250.5 }, "cost": { "maximize": true } },
            "physics": { "equations": ["d(f, `z \"quoted\"`) = k*n"], "functions": { "k": "2" }, "points": 9, "collocation": "fixed" },
        })
    }

    #[test]
    fn a_description_means_itself() {
        let statement = stated(&description()).unwrap();
        let again = stated(&lasting(statement.description()).unwrap()).unwrap();
        assert_eq!(statement.description(), again.description());
        let names: Vec<&str> = statement
            .space
            .parameters()
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["z \"quoted\"", "n", "b", "a"]);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_key_and_has_no_line() {
        let mut wrong = description();
        wrong["parameters"]["n"] = json!({ "int": [9, 3] });
        let message = stated(&wrong).unwrap_err().to_string();
        assert!(
            message.contains("parameters.n.int") && !message.contains("line"),
            "{message}"
        );
        assert!(stated(&json!({ "seed": null })).is_err());
        assert!(stated(&json!([1])).is_err());
    }

    #[test]
    fn a_store_says_what_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        assert!(matches!(stored(&path), Err(Error::NoStore { .. })));
        let statement = stated(&description()).unwrap();
        let described = statement.description();
        drop(Study::open(statement, Store::open(&path).unwrap()).unwrap());
        assert_eq!(stored(&path).unwrap().description(), described);
    }

    #[test]
    fn events_make_the_same_study_again() {
        let study = Study::open(stated(&description()).unwrap(), MemoryJournal::default()).unwrap();
        study.ask(3).unwrap();
        let events: Vec<String> = study
            .events()
            .unwrap()
            .iter()
            .map(|event| json!(event).to_string())
            .collect();
        let copy = Study::open(stated(&description()).unwrap(), remembered(&events).unwrap()).unwrap();
        assert_eq!(study.ask(1).unwrap(), copy.ask(1).unwrap());
        assert!(remembered(&["{".to_owned()]).is_err());
    }
}
