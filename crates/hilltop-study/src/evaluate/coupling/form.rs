//! An input file of a simulator with blanks: `{name}` and `{expression}`, filled in for each trial.
//!
//! `{{` and `}}` are braces of their own. A name gives the value as it is, an expression its number.

use hilltop_core::{Expression, ExpressionError, Parameters, Value};

use super::super::braces::{Stretch, stretches};

/// A text with expressions over the parameters.
pub(super) struct Form {
    pieces: Vec<Piece>,
}

enum Piece {
    Literal(String),
    Blank { text: String, expression: Expression },
}

/// The number of the trial; a parameter of this name comes first.
const TRIAL: &str = "trial";

impl Form {
    /// Reads a form; the error names the line.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let piece = |stretch| match stretch {
            Stretch::Literal(text) => Ok(Piece::Literal(text)),
            Stretch::Between(typed, line) => {
                let wrong = |error: ExpressionError| format!("line {line}: {{{typed}}}: {error}");
                let (text, expression) = (typed.to_owned(), Expression::parse(typed).map_err(wrong)?);
                Ok(Piece::Blank { text, expression })
            }
        };
        let stretches = stretches(text).map_err(|stray| format!("line {}: {stray}", stray.line))?;
        let pieces = stretches.into_iter().map(piece).collect::<Result<_, String>>()?;
        Ok(Self { pieces })
    }

    /// A name in it that is none of these, no constant and not the trial's number.
    pub(super) fn unknown(&self, names: &[&str]) -> Option<&str> {
        let known = |name: &&str| names.contains(name) || [TRIAL, "pi", "e"].contains(name);
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Blank { expression, .. } => expression.names().into_iter().find(|name| !known(name)),
            Piece::Literal(_) => None,
        })
    }

    /// The text for a trial. A parameter that is inactive leaves nothing; an expression over one cannot be evaluated.
    pub(super) fn fill(&self, trial: u64, parameters: &Parameters) -> Result<String, String> {
        let number = i64::try_from(trial).unwrap_or(i64::MAX);
        let value = |name: &str| {
            parameters
                .get(name)
                .cloned()
                .or((name == TRIAL).then_some(Value::Int(number)))
        };
        let piece = |piece: &Piece| match piece {
            Piece::Literal(text) => Ok(text.clone()),
            Piece::Blank { text, expression } => match value(text) {
                Some(value) => Ok(value.to_string()),
                None if expression.names().contains(text.as_str()) && !["pi", "e"].contains(&text.as_str()) => {
                    Ok(String::new())
                }
                None => {
                    let computed = expression
                        .evaluate(&value)
                        .map_err(|error| format!("{{{text}}}: {error}"))?;
                    // A whole number is written as one, so that it may stand where a simulator wants no other.
                    Ok(computed
                        .number()
                        .map_or(computed.to_string(), |number| number.to_string()))
                }
            },
        };
        self.pieces.iter().map(piece).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn filled(text: &str) -> Result<String, String> {
        let parameters = Parameters::from_iter([("x", Value::Float(0.5)), ("steel", Value::from("s235"))]);
        Form::parse(text)?.fill(4, &parameters)
    }

    #[test]
    fn names_and_expressions_are_filled_in() {
        assert_eq!(filled("length {x*1000} mm\n{steel}").unwrap(), "length 500 mm\ns235");
        assert_eq!(filled("{ x + trial }").unwrap(), "4.5");
        assert_eq!(filled("{{block}} {x}").unwrap(), "{block} 0.5");
        assert_eq!(filled("{inactive}").unwrap(), "");
        assert_eq!(filled("ü {if(x > 0, 1, 2)}").unwrap(), "ü 1");
    }

    #[test]
    fn what_cannot_be_read_names_its_line() {
        for (text, words) in [
            ("a\nb {x", "line 2: a { without its }"),
            ("}", "line 1: a } without its {"),
            ("\n\n{x +}", "line 3: {x +}"),
            ("{}", "line 1"),
            ("{ \"x\":\n {x} }", "line 1: a { without its }; write {{"),
        ] {
            let error = Form::parse(text).err().unwrap();
            assert!(error.contains(words), "{error}");
        }
        assert!(filled("{inactive * 2}").is_err());
        assert_eq!(
            Form::parse("{x} {lenght*2} {pi}").unwrap().unknown(&["x"]),
            Some("lenght")
        );
    }
}
