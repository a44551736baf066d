//! A statement in JSON, in the shape of the study file: what the store keeps, and what later openings must match.

use hilltop_core::physics::{Definition, Known, What};
use hilltop_core::{Goal, Kind, Output, Parameter, Physics};
use serde_json::{Map, Value, json};

use super::{Command, Evaluate, OnFailure, Statement, Table};
use crate::evaluate::Results;

/// What may not change while a study lives, because every suggestion depends on it.
const LASTING: [&str; 10] = [
    "seed",
    "method",
    "noisy",
    "parameters",
    "candidates",
    "contexts",
    "constraints",
    "outputs",
    "physics",
    "on_failure",
];

impl Statement {
    /// The statement in JSON.
    pub fn description(&self) -> Value {
        let mut map = Map::new();
        map.insert("name".into(), json!(self.name));
        map.insert("seed".into(), json!(self.seed));
        map.extend(self.budget.map(|budget| ("budget".into(), json!(budget))));
        map.insert("parallel".into(), json!(self.parallel));
        map.insert("noisy".into(), json!(self.noisy));
        map.insert("asynchronous".into(), json!(self.asynchronous));
        map.insert("method".into(), self.method.description());
        self.describe_space(&mut map);
        map.insert(
            "outputs".into(),
            Value::Object(self.outputs.iter().map(output).collect()),
        );
        map.extend(self.describe_physics().map(|physics| ("physics".into(), physics)));
        if self.on_failure == OnFailure::Ignore {
            map.insert("on_failure".into(), json!("ignore"));
        }
        map.extend(
            self.evaluate
                .as_ref()
                .map(|evaluate| ("evaluate".into(), evaluation(evaluate))),
        );
        Value::Object(map)
    }

    fn describe_space(&self, map: &mut Map<String, Value>) {
        let known: Vec<String> = if let Some(candidates) = self.space.candidates() {
            map.insert("candidates".into(), table(candidates.len(), self.candidates.as_ref()));
            self.candidates
                .as_ref()
                .map(|table| table.known.clone())
                .unwrap_or_default()
        } else {
            let parameters = self.space.parameters().iter().map(parameter).collect();
            map.insert("parameters".into(), Value::Object(parameters));
            map.extend(self.contexts.then(|| ("contexts".into(), json!(true))));
            self.space.known().iter().map(ToString::to_string).collect()
        };
        let mut constraints = Map::new();
        if !known.is_empty() {
            constraints.insert("known".into(), json!(known));
        }
        constraints.extend(self.max_violation.map(|share| ("max_violation".into(), json!(share))));
        if !constraints.is_empty() {
            map.insert("constraints".into(), Value::Object(constraints));
        }
    }

    fn describe_physics(&self) -> Option<Value> {
        let knowledge = self.knowledge.as_ref()?;
        let closures = || {
            let texts: Vec<String> = knowledge.equations.iter().map(|equation| equation.text()).collect();
            json!({ "closures": texts, "points": knowledge.points, "collocation": knowledge.collocation.name() })
        };
        Some(self.physics.as_ref().map_or_else(closures, physics))
    }

    /// In what a stored description differs from this statement, in words; empty when the study is the same.
    pub(crate) fn differences(&self, stored: &Value) -> Vec<String> {
        let stated = self.description();
        LASTING
            .iter()
            .flat_map(|key| compared(key, stored.get(key), stated.get(key)))
            .collect()
    }
}

fn compared(key: &str, stored: Option<&Value>, stated: Option<&Value>) -> Vec<String> {
    if key == "candidates" {
        return renamed(stored)
            .eq(&renamed(stated))
            .then(Vec::new)
            .unwrap_or_else(|| vec!["the candidates".into()]);
    }
    match (stored, stated) {
        (Some(Value::Object(stored)), Some(Value::Object(stated))) => entries(key, stored, stated),
        (stored, stated) if stored == stated => Vec::new(),
        (stored, stated) => vec![difference(key, stored, stated)],
    }
}

/// A file of candidates may move; its content and the columns that count may not change.
fn renamed(candidates: Option<&Value>) -> Option<Value> {
    let mut described = candidates.cloned();
    if let Some(Value::Object(map)) = &mut described {
        map.remove("file");
    }
    described
}

fn entries(key: &str, stored: &Map<String, Value>, stated: &Map<String, Value>) -> Vec<String> {
    let gone = stored.keys().filter(|name| !stated.contains_key(*name));
    let names: Vec<&String> = stated.keys().chain(gone).collect();
    let changed = names.into_iter().filter(|name| stored.get(*name) != stated.get(*name));
    let mut found: Vec<String> = changed
        .map(|name| difference(&format!("{key}.{name}"), stored.get(name), stated.get(name)))
        .collect();
    if found.is_empty() && !stored.keys().eq(stated.keys()) {
        found.push(format!("the order of the {key}"));
    }
    found
}

fn difference(key: &str, stored: Option<&Value>, stated: Option<&Value>) -> String {
    let shown = |value: Option<&Value>| value.map_or("absent".to_owned(), ToString::to_string);
    format!("{key} is {} in the store and {} now", shown(stored), shown(stated))
}

fn table(rows: usize, table: Option<&Table>) -> Value {
    match table {
        Some(table) => {
            let mut described = json!({
                "file": table.file,
                "features": table.features,
                "rows": rows,
                "fingerprint": table.fingerprint,
            });
            set(&mut described, "shape", table.shape.as_ref().map(|shape| json!(shape)));
            described
        }
        None => json!({ "rows": rows }),
    }
}

fn parameter(parameter: &Parameter) -> (String, Value) {
    let mut described = match &parameter.kind {
        Kind::Float { low, high, log, step } => {
            let mut described = json!({ "float": [low, high] });
            set(&mut described, "log", log.then_some(json!(true)));
            set(&mut described, "step", step.map(|step| json!(step)));
            described
        }
        Kind::Int { low, high, log } => {
            let mut described = json!({ "int": [low, high] });
            set(&mut described, "log", log.then_some(json!(true)));
            described
        }
        Kind::Choice { options } => json!({ "choice": options }),
        Kind::Ordered { options } => json!({ "ordered": options }),
        Kind::Fixed { value } => json!({ "value": value }),
    };
    set(
        &mut described,
        "when",
        parameter.when.as_ref().map(|when| json!(when.to_string())),
    );
    (parameter.name.clone(), described)
}

fn output(output: &Output) -> (String, Value) {
    let mut described = json!({});
    match output.goal {
        Goal::Minimize => set(&mut described, "minimize", Some(json!(true))),
        Goal::Maximize => set(&mut described, "maximize", Some(json!(true))),
        Goal::Within { min, max } => {
            set(&mut described, "min", min.map(|min| json!(min)));
            set(&mut described, "max", max.map(|max| json!(max)));
        }
        Goal::Observe => {}
    }
    (output.name.clone(), described)
}

/// Always with every text, those of a built-in problem too: a store may not depend on what a problem says later.
fn physics(physics: &Physics) -> Value {
    let mut described = json!({});
    let some = |present: bool, value: Value| present.then_some(value);
    set(
        &mut described,
        "equations",
        some(!physics.equations.is_empty(), json!(physics.equations)),
    );
    let functions: Map<String, Value> = physics.functions.iter().map(function).collect();
    set(
        &mut described,
        "functions",
        some(!functions.is_empty(), Value::Object(functions)),
    );
    let values: Vec<Value> = physics.values.iter().map(known).collect();
    set(&mut described, "values", some(!values.is_empty(), json!(values)));
    set(&mut described, "points", Some(json!(physics.points)));
    set(&mut described, "collocation", Some(json!(physics.collocation.name())));
    described
}

fn function((name, definition): &(String, Definition)) -> (String, Value) {
    let described = match definition {
        Definition::One(text) => json!(text),
        Definition::Many(texts) => json!(texts),
    };
    (name.clone(), described)
}

fn known(known: &Known) -> Value {
    let mut described = json!({});
    set(&mut described, "at", known.at.as_ref().map(|at| json!(at)));
    match &known.what {
        What::Value(text) => set(&mut described, "f", Some(json!(text))),
        What::Equation(text) => set(&mut described, "equation", Some(json!(text))),
    }
    described
}

fn evaluation(evaluate: &Evaluate) -> Value {
    match evaluate {
        Evaluate::Command(command) => program(command),
        Evaluate::Problem { name, noise } if *noise == 0.0 => json!({ "problem": name }),
        Evaluate::Problem { name, noise } => json!({ "problem": name, "noise": noise }),
    }
}

fn program(command: &Command) -> Value {
    let words: Vec<String> = command.command.iter().map(ToString::to_string).collect();
    let mut described = json!({ "command": words });
    set(
        &mut described,
        "timeout",
        command.timeout.map(|timeout| json!(timeout.as_secs_f64())),
    );
    set(
        &mut described,
        "start_timeout",
        command.start_timeout.map(|timeout| json!(timeout.as_secs_f64())),
    );
    set(
        &mut described,
        "retries",
        (command.retries > 0).then_some(json!(command.retries)),
    );
    match &command.results {
        Results::LastLine => {}
        Results::File(file) => set(&mut described, "results", Some(json!({ "file": file.to_string() }))),
        Results::Coupled(coupling) => set(&mut described, "coupling", Some(coupling.described())),
    }
    described
}

fn set(described: &mut Value, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        described[key] = value;
    }
}
