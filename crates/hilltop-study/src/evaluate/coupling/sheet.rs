//! The parameters file, in Dakota's three forms.
//!
//! Variables come in Dakota's order: real, whole, text. Every output is asked for its value; there are no derivatives.

use std::fmt::Write as _;

use hilltop_core::{Output, Parameters, Value};
use serde_json::json;

use super::Format;

type Variable<'p> = (&'p str, &'p Value);

/// The text of the file.
pub(super) fn written(format: Format, trial: u64, parameters: &Parameters, outputs: &[Output]) -> String {
    let mut variables: Vec<Variable<'_>> = parameters.iter().collect();
    variables.sort_by_key(|(_, value)| rank(value));
    match format {
        Format::Standard => standard(trial, &variables, outputs),
        Format::Aprepro => aprepro(trial, &variables, outputs),
        Format::Json => json(trial, &variables, outputs),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Float(_) => 0,
        Value::Int(_) => 1,
        Value::Text(_) | Value::Bool(_) => 2,
    }
}

fn real<'v>(variables: &'v [Variable<'_>]) -> impl ExactSizeIterator<Item = (usize, &'v str)> {
    let count = variables.partition_point(|(_, value)| rank(value) == 0);
    variables[..count]
        .iter()
        .enumerate()
        .map(|(index, (name, _))| (index + 1, *name))
}

fn standard(trial: u64, variables: &[Variable<'_>], outputs: &[Output]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |value: String, tag: &str| {
        let _ = writeln!(text, "{value:>24} {tag}");
    };
    line(variables.len().to_string(), "variables");
    for (name, value) in variables {
        line(plain(value), name);
    }
    line(outputs.len().to_string(), "functions");
    for (index, output) in outputs.iter().enumerate() {
        line("1".to_owned(), &format!("ASV_{}:{}", index + 1, output.name));
    }
    line(real(variables).len().to_string(), "derivative_variables");
    for (index, name) in real(variables) {
        line(index.to_string(), &format!("DVV_{index}:{name}"));
    }
    line("0".to_owned(), "analysis_components");
    line(trial.to_string(), "eval_id");
    line("0".to_owned(), "metadata");
    text
}

fn aprepro(trial: u64, variables: &[Variable<'_>], outputs: &[Output]) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{:20}{{ {name} = {value} }}", "");
    };
    line("DAKOTA_VARS", variables.len().to_string());
    for (name, value) in variables {
        let value = match value {
            Value::Text(text) => format!("\"{text}\""),
            other => plain(other),
        };
        line(name, value);
    }
    line("DAKOTA_FNS", outputs.len().to_string());
    for (index, output) in outputs.iter().enumerate() {
        line(&format!("ASV_{}:{}", index + 1, output.name), "1".to_owned());
    }
    line("DAKOTA_DER_VARS", real(variables).len().to_string());
    for (index, name) in real(variables) {
        line(&format!("DVV_{index}:{name}"), index.to_string());
    }
    line("DAKOTA_AN_COMPS", "0".to_owned());
    line("DAKOTA_EVAL_ID", trial.to_string());
    line("DAKOTA_METADATA", "0".to_owned());
    text
}

fn json(trial: u64, variables: &[Variable<'_>], outputs: &[Output]) -> String {
    let variable = |(name, value): &Variable<'_>| json!({ "label": name, "value": value });
    let response = |output: &Output| json!({ "label": output.name, "active_set": 1 });
    let sheet = json!({
        "variables": variables.iter().map(variable).collect::<Vec<_>>(),
        "responses": outputs.iter().map(response).collect::<Vec<_>>(),
        "derivative_variables": real(variables).map(|(index, _)| index).collect::<Vec<_>>(),
        "analysis_components": [],
        "eval_id": trial.to_string(),
        "metadata": [],
    });
    format!("{sheet:#}\n")
}

/// A value as C and Fortran read it, with every digit.
fn plain(value: &Value) -> String {
    match value {
        Value::Float(number) => scientific(*number),
        Value::Bool(flag) => u8::from(*flag).to_string(),
        other => other.to_string(),
    }
}

fn scientific(number: f64) -> String {
    let text = format!("{number:.16e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.abs())
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use hilltop_core::Goal;

    use super::*;

    fn sheet(format: Format) -> String {
        let parameters = Parameters::from_iter([
            ("steel", Value::from("s235")),
            ("blades", Value::Int(3)),
            ("x1", Value::Float(1.5)),
            ("x2", Value::Float(-0.000_1)),
        ]);
        let output = |name: &str, goal| Output {
            name: name.to_owned(),
            goal,
        };
        let outputs = [output("obj", Goal::Minimize), output("c1", Goal::Observe)];
        written(format, 7, &parameters, &outputs)
    }

    #[test]
    fn the_standard_form_is_values_and_tags() {
        let expected = [
            "4 variables",
            "1.5000000000000000e+00 x1",
            "-1.0000000000000000e-04 x2",
            "3 blades",
            "s235 steel",
            "2 functions",
            "1 ASV_1:obj",
            "1 ASV_2:c1",
            "2 derivative_variables",
            "1 DVV_1:x1",
            "2 DVV_2:x2",
            "0 analysis_components",
            "7 eval_id",
            "0 metadata",
        ];
        let sheet = sheet(Format::Standard);
        let lines: Vec<&str> = sheet.lines().map(str::trim).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn the_aprepro_form_is_assignments() {
        let sheet = sheet(Format::Aprepro);
        for line in [
            "{ DAKOTA_VARS = 4 }",
            "{ x1 = 1.5000000000000000e+00 }",
            "{ steel = \"s235\" }",
            "{ ASV_2:c1 = 1 }",
            "{ DAKOTA_EVAL_ID = 7 }",
        ] {
            assert!(sheet.contains(line), "{line} in {sheet}");
        }
    }

    #[test]
    fn the_json_form_is_one_object() {
        let sheet: serde_json::Value = serde_json::from_str(&sheet(Format::Json)).unwrap();
        assert_eq!(sheet["variables"][0], json!({ "label": "x1", "value": 1.5 }));
        assert_eq!(sheet["responses"][1]["label"], "c1");
        assert_eq!(sheet["eval_id"], "7");
    }

    #[test]
    fn every_digit_is_kept() {
        for number in [0.1, 1.0 / 3.0, -1e-300, 1.797e308, 5e-324, 0.0] {
            assert_eq!(scientific(number).parse::<f64>().unwrap().to_bits(), number.to_bits());
        }
    }
}
