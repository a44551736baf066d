//! The results file, in Dakota's standard form or in JSON.

use std::collections::BTreeMap;

use hilltop_core::Output;
use serde_json::Value;

use super::super::complete;
use super::super::number::number;
use crate::file::shortened;

/// The outputs, or why there are none.
pub(super) fn parse(text: &str, outputs: &[Output]) -> Result<BTreeMap<String, f64>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the results file is empty".to_owned());
    }
    if text.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("fail")) {
        return Err(format!("the results file says: {}", shortened(text, 120)));
    }
    let values = if text.starts_with('{') {
        object(text)?
    } else {
        standard(text, outputs)?
    };
    complete(&values, outputs, &[])
}

/// Values, each with a label or without; gradients and Hessians between brackets are passed over.
fn standard(text: &str, outputs: &[Output]) -> Result<BTreeMap<String, f64>, String> {
    let mut values: Vec<(f64, Option<&str>)> = Vec::new();
    let mut depth = 0;
    for word in text.split_whitespace() {
        let (opened, closed) = (word.matches('[').count(), word.matches(']').count());
        if depth > 0 || opened > 0 {
            depth = (depth + opened).saturating_sub(closed);
        } else if let Some(value) = number(word) {
            values.push((value, None));
        } else {
            match values.last_mut() {
                Some((_, label @ None)) => *label = Some(word),
                _ => return Err(format!("not a number in the results file: {}", shortened(word, 60))),
            }
        }
    }
    named(&values, outputs)
}

/// By label where every output has one, in the order of the outputs otherwise; what follows is metadata.
fn named(values: &[(f64, Option<&str>)], outputs: &[Output]) -> Result<BTreeMap<String, f64>, String> {
    let labelled = |output: &Output| values.iter().find(|(_, label)| *label == Some(output.name.as_str()));
    let by_label: Option<BTreeMap<String, f64>> = outputs
        .iter()
        .map(|output| labelled(output).map(|(value, _)| (output.name.clone(), *value)))
        .collect();
    if let Some(values) = by_label {
        return Ok(values);
    }
    if values.len() < outputs.len() {
        return Err(format!(
            "the results file has {} of {} outputs",
            values.len(),
            outputs.len()
        ));
    }
    let in_order = outputs.iter().zip(values);
    Ok(in_order
        .map(|(output, (value, _))| (output.name.clone(), *value))
        .collect())
}

/// `{"functions": {"obj": 1.0}}`, or the outputs themselves.
fn object(text: &str) -> Result<BTreeMap<String, f64>, String> {
    let json: Value = serde_json::from_str(text).map_err(|error| format!("the results file is no JSON: {error}"))?;
    let fails = |fail: &Value| match fail {
        Value::String(word) => !word.eq_ignore_ascii_case("false"),
        other => other.as_bool() != Some(false),
    };
    if json.get("fail").is_some_and(fails) {
        return Err(format!("the results file says: {}", shortened(text, 120)));
    }
    let functions = json.get("functions").unwrap_or(&json);
    let entries = functions
        .as_object()
        .ok_or("functions of the results file is no object")?;
    let value =
        |(name, value): (&String, &Value)| Some((name.clone(), value.as_f64().or_else(|| number(value.as_str()?))?));
    Ok(entries.iter().filter_map(value).collect())
}

#[cfg(test)]
mod tests {
    use hilltop_core::Goal;
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Vec<f64>, String> {
        let output = |name: &str| Output {
            name: name.to_owned(),
            goal: Goal::Observe,
        };
        let outputs = [output("f"), output("g")];
        parse(text, &outputs).map(|values| values.into_values().collect())
    }

    #[test]
    fn values_come_in_order_or_by_label() {
        assert_eq!(read(" 1.0 f\n 2.0 g\n"), Ok(vec![1.0, 2.0]));
        assert_eq!(read("2.0 g\n1.0 f"), Ok(vec![1.0, 2.0]));
        assert_eq!(read("1.0\n2.0\n"), Ok(vec![1.0, 2.0]));
        assert_eq!(read("1.0 obj_fn 2.0 nln_ineq_con_1 12.5 seconds"), Ok(vec![1.0, 2.0]));
        assert_eq!(read("1.0D+05 f\n-2.5d-01 g"), Ok(vec![1e5, -0.25]));
    }

    #[test]
    fn gradients_and_hessians_are_passed_over() {
        let text = "1.0 f\n2.0 g\n[ 1.0 2.0 ]\n[3 4]\n[[ 1 2\n 3 4 ]]\n";
        assert_eq!(read(text), Ok(vec![1.0, 2.0]));
    }

    #[test]
    fn json_has_functions() {
        assert_eq!(
            read("{\"functions\": {\"g\": 2, \"f\": 1.5}, \"gradients\": {}}"),
            Ok(vec![1.5, 2.0])
        );
        assert_eq!(read("{\"f\": 1, \"g\": \"2.0D0\"}"), Ok(vec![1.0, 2.0]));
    }

    #[test]
    fn failures_say_so() {
        let reason = |text: &str| read(text).err().unwrap_or_default();
        assert!(reason("FAIL: no convergence").contains("FAIL: no convergence"));
        assert!(reason("fail").contains("says"));
        assert!(reason("{\"fail\": \"true\"}").contains("says"));
        assert!(reason("  \n").contains("empty"));
        assert!(reason("1.0 f").contains("1 of 2 outputs"));
        assert!(reason("***** f\n1 g").contains("not a number"));
        assert_eq!(reason("nan f\n1 g"), "output f is NaN");
        assert!(reason("{\"functions\": 3}").contains("no object"));
        assert!(reason("{").contains("no JSON"));
        assert_eq!(reason("{\"functions\": {\"f\": 1}}"), "output g is missing");
    }

    proptest! {
        #[test]
        fn whatever_the_file_holds_gives_finite_values_or_a_reason(
            text in prop_oneof![".*", "[-0-9.eEdDfg\\[\\] \n]{0,40}", "\\{\"[fg]\": ?[-0-9a-z.\"]{0,6}(, \"g\": 1)?\\}"]
        ) {
            match read(&text) {
                Ok(values) => prop_assert!(values.len() == 2 && values.iter().all(|value| value.is_finite())),
                Err(reason) => prop_assert!(!reason.is_empty()),
            }
        }
    }
}
