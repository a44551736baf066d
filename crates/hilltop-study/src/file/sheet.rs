//! The text of a study file and what was found wrong with it, by line and column.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

/// Something in a study file that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The key with the sections it stands in: `parameters.length.float`.
    pub key: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What was given, and what is allowed.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

/// A text under examination.
pub(crate) struct Sheet<'s> {
    text: &'s str,
    found: RefCell<Vec<(usize, Finding)>>,
}

impl<'s> Sheet<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        Self {
            text,
            found: RefCell::default(),
        }
    }

    /// Records what is wrong at a byte of the text.
    pub(crate) fn report(&self, at: usize, key: &str, message: impl Into<String>) {
        let (line, column) = self.place(at);
        let finding = Finding {
            key: key.to_owned(),
            line,
            column,
            message: message.into(),
        };
        self.found.borrow_mut().push((at, finding));
    }

    /// Whether nothing was found so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// Everything found, in the order of the text.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let mut found = self.found.borrow().clone();
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, finding)| finding).collect()
    }

    /// What stands in a span, on one line and not too long.
    pub(crate) fn quote(&self, span: Range<usize>) -> String {
        let words: Vec<&str> = self.text.get(span).unwrap_or_default().split_whitespace().collect();
        shortened(&words.join(" "), 60)
    }

    /// What stands in a span, letter by letter.
    pub(crate) fn raw(&self, span: Range<usize>) -> &'s str {
        self.text.get(span).unwrap_or_default()
    }

    fn place(&self, at: usize) -> (usize, usize) {
        let mut end = at.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }
}

/// A text cut to so many characters.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_names_line_and_column_in_characters() {
        let sheet = Sheet::new("a = 1\nß = 'ü', x");
        sheet.report(17, "x", "wrong");
        let found = sheet.findings();
        assert_eq!((found[0].line, found[0].column), (2, 10));
    }

    #[test]
    fn a_position_inside_a_letter_or_past_the_end_is_no_panic() {
        let sheet = Sheet::new("ß");
        sheet.report(1, "x", "wrong");
        sheet.report(99, "x", "wrong");
        assert_eq!(sheet.findings().len(), 2);
    }
}
