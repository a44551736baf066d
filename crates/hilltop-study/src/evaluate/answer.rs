//! What a program printed, as values: a number, or a JSON object of outputs.

use std::collections::BTreeMap;

use hilltop_core::Output;

use super::number::number;
use crate::file::shortened;

/// What some write into JSON for numbers that are none.
const NOT_FINITE: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// The values of a text, or why there are none.
pub(super) fn parse(text: &str, outputs: &[Output], wanted: &[String]) -> Result<BTreeMap<String, f64>, String> {
    let text = text.trim();
    if let Some(value) = number(text) {
        return alone(value, outputs, wanted);
    }
    let json: serde_json::Value = serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&worded(text)))
        .map_err(|_| unreadable(text))?;
    let object = json.as_object().ok_or_else(|| unreadable(text))?;
    super::complete(&numbers(object, outputs)?, outputs, wanted)
}

/// JSON with the words for what is no finite number, as Python and others write them into it, as texts.
fn worded(text: &str) -> String {
    let outside = |piece: &str| {
        let quoted = piece.replace("NaN", "\"NaN\"").replace("Infinity", "\"Infinity\"");
        quoted.replace("-\"Infinity\"", "\"-Infinity\"")
    };
    let piece = |(index, piece): (usize, &str)| match index % 2 {
        0 => outside(piece),
        _ => format!("\"{piece}\""),
    };
    text.split('"').enumerate().map(piece).collect()
}

fn alone(value: f64, outputs: &[Output], wanted: &[String]) -> Result<BTreeMap<String, f64>, String> {
    match (outputs, wanted) {
        ([Output { name, .. }], _) | (_, [name]) => {
            super::complete(&BTreeMap::from([(name.clone(), value)]), outputs, wanted)
        }
        (several, _) => {
            let names: Vec<String> = several.iter().map(|output| format!("\"{}\": …", output.name)).collect();
            Err(format!(
                "one number for {} outputs: print a JSON object {{{}}}",
                several.len(),
                names.join(", ")
            ))
        }
    }
}

fn numbers(
    object: &serde_json::Map<String, serde_json::Value>,
    outputs: &[Output],
) -> Result<BTreeMap<String, f64>, String> {
    let wanted = outputs
        .iter()
        .filter_map(|output| Some((output, object.get(&output.name)?)));
    let number = |(output, value): (&Output, &serde_json::Value)| match value.as_f64() {
        Some(number) => Ok((output.name.clone(), number)),
        None if NOT_FINITE.iter().any(|word| value == word) => Err(format!(
            "output {} is {}",
            output.name,
            value.as_str().unwrap_or_default()
        )),
        None => Err(format!(
            "output {} is {}, not a number",
            output.name,
            shortened(&value.to_string(), 60)
        )),
    };
    wanted.map(number).collect()
}

fn unreadable(text: &str) -> String {
    let hint = if text.starts_with("{'") {
        " (JSON has names in double quotes; in Python, print json.dumps(…))"
    } else {
        ""
    };
    format!(
        "neither a number nor a JSON object of outputs{hint}: {}",
        shortened(text, 120)
    )
}

#[cfg(test)]
mod tests {
    use hilltop_core::Goal;
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, names: &[&str]) -> Result<Vec<f64>, String> {
        let output = |name: &&str| Output {
            name: (*name).to_owned(),
            goal: Goal::Observe,
        };
        let outputs: Vec<Output> = names.iter().map(output).collect();
        parse(text, &outputs, &[]).map(|values| values.into_values().collect())
    }

    #[test]
    fn numbers_and_objects_are_understood() {
        assert_eq!(read(" 1.5e3 ", &["a"]), Ok(vec![1500.0]));
        assert_eq!(read("1.5D+03", &["a"]), Ok(vec![1500.0]));
        assert_eq!(read("{\"a\": 1, \"c\": \"extra\"}", &["a"]), Ok(vec![1.0]));
        assert_eq!(read("{\"b\": 2, \"a\": 1.5}", &["a", "b"]), Ok(vec![1.5, 2.0]));
    }

    #[test]
    fn everything_else_is_a_failure_that_says_why() {
        let reason = |text: &str, names: &[&str]| read(text, names).err().unwrap_or_default();
        assert_eq!(reason("nan", &["a"]), "output a is NaN");
        assert_eq!(reason("-inf", &["a"]), "output a is -inf");
        assert!(reason("1.0", &["a", "b"]).contains("one number for 2 outputs"));
        assert!(reason("done", &["a"]).contains("neither a number nor"));
        assert!(reason("[1]", &["a"]).contains("neither"));
        assert_eq!(reason("{\"a\": NaN}", &["a"]), "output a is NaN");
        assert_eq!(
            reason("{\"b\": 1, \"a\": -Infinity}", &["a", "b"]),
            "output a is -Infinity"
        );
        assert_eq!(read("{\"a\": 1, \"NaN\": NaN}", &["a"]), Ok(vec![1.0]));
        assert!(reason("{'a': 1}", &["a"]).contains("double quotes"));
        assert_eq!(reason("{\"b\": 1}", &["a"]), "output a is missing");
        assert_eq!(reason("{\"a\": \"1\"}", &["a"]), "output a is \"1\", not a number");
        assert_eq!(reason("{\"a\": null}", &["a"]), "output a is null, not a number");
        assert!(reason("{\"a\": 1e999}", &["a"]).contains("neither"));
    }

    proptest! {
        #[test]
        fn whatever_is_printed_gives_finite_values_or_a_reason(
            text in prop_oneof![".*", "-?[0-9.eEinfa]{1,8}", "\\{\"[ab]\": ?[-0-9a-z.\"]{0,6}(, \"b\": 1)?\\}"]
        ) {
            match read(&text, &["a", "b"]) {
                Ok(values) => prop_assert!(values.len() == 2 && values.iter().all(|value| value.is_finite())),
                Err(reason) => prop_assert!(!reason.is_empty()),
            }
        }
    }
}
