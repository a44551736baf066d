//! A text with placeholders: `--length {length}`. `{{` and `}}` are literal braces.

use std::fmt;

use hilltop_core::Parameters;

use super::braces::{Stretch, stretches};

/// The number of the trial; a parameter of this name comes first.
const TRIAL: &str = "trial";

/// A text whose placeholders are filled with the values of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Placeholder(String),
}

impl Template {
    /// Reads a template; the error says what is wrong with its braces.
    pub fn parse(text: &str) -> Result<Self, String> {
        let piece = |stretch| match stretch {
            Stretch::Literal(text) => Ok(Piece::Literal(text)),
            Stretch::Between("", _) => {
                Err("an empty placeholder {}; put a parameter's name between the braces".to_owned())
            }
            Stretch::Between(name, _) => Ok(Piece::Placeholder(name.to_owned())),
        };
        let stretches = stretches(text).map_err(|stray| stray.to_string())?;
        let mut pieces = stretches.into_iter().map(piece).collect::<Result<Vec<_>, _>>()?;
        pieces.retain(|piece| *piece != Piece::Literal(String::new()));
        Ok(Self {
            text: text.to_owned(),
            pieces,
        })
    }

    /// A text that ends with the number of the trial.
    pub(crate) fn trial(text: &str) -> Self {
        Self {
            text: format!("{text}{{{TRIAL}}}"),
            pieces: vec![Piece::Literal(text.to_owned()), Piece::Placeholder(TRIAL.to_owned())],
        }
    }

    /// The names between braces.
    pub fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Placeholder(name) => Some(name.as_str()),
            Piece::Literal(_) => None,
        })
    }

    /// A placeholder that is neither one of these names nor `trial`.
    pub fn unknown<'n>(&self, names: &(impl Iterator<Item = &'n str> + Clone)) -> Option<&str> {
        self.placeholders()
            .find(|name| *name != TRIAL && !names.clone().any(|known| known == *name))
    }

    /// The text with values in place; a parameter that is inactive in this trial leaves nothing.
    pub fn fill(&self, trial: u64, parameters: &Parameters) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Placeholder(name) => match parameters.get(name) {
                Some(value) => value.to_string(),
                None if name == TRIAL => trial.to_string(),
                None => String::new(),
            },
        };
        self.pieces.iter().map(piece).collect()
    }
}

impl fmt::Display for Template {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn filled(text: &str) -> String {
        let parameters = Parameters::from_iter([("x".to_owned(), 0.5.into()), ("steel".to_owned(), "s235".into())]);
        Template::parse(text).unwrap().fill(4, &parameters)
    }

    #[test]
    fn placeholders_are_filled_and_double_braces_are_braces() {
        assert_eq!(filled("--x={x}"), "--x=0.5");
        assert_eq!(filled("{steel}-{ x }-{trial}"), "s235-0.5-4");
        assert_eq!(filled("{{\"x\": {x}}}"), "{\"x\": 0.5}");
        assert_eq!(filled("{{{x}}}"), "{0.5}");
        assert_eq!(filled("plain ü"), "plain ü");
        assert_eq!(filled("{inactive}"), "");
    }

    #[test]
    fn unbalanced_braces_are_refused() {
        for text in ["{", "}", "{x", "x}", "{}", "{ }", "a{b{c}", "{{}"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_placeholder_that_names_nothing_is_found() {
        let template = Template::parse("{x} {trial} {lenght}").unwrap();
        assert_eq!(template.unknown(&["x", "length"].into_iter()), Some("lenght"));
    }
}
