//! What stands between braces in a text: `--length {length}`. `{{` and `}}` are braces of their own.

use std::fmt;

/// A stretch of a text.
pub(super) enum Stretch<'t> {
    /// As it is to be written.
    Literal(String),
    /// What stands between braces, trimmed, and its line, counted from 1.
    Between(&'t str, usize),
}

/// A brace without its other.
pub(super) struct Stray {
    brace: char,
    /// Where, counted from 1.
    pub(super) line: usize,
}

impl fmt::Display for Stray {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (brace, other) = (self.brace, if self.brace == '{' { '}' } else { '{' });
        write!(
            out,
            "a {brace} without its {other}; write {brace}{brace} for a brace of its own"
        )
    }
}

/// A text as its stretches.
pub(super) fn stretches(text: &str) -> Result<Vec<Stretch<'_>>, Stray> {
    let (mut found, mut literal, mut rest) = (Vec::new(), String::new(), text);
    while let Some(at) = rest.find(['{', '}']) {
        literal.push_str(&rest[..at]);
        let (brace, after) = (&rest[at..=at], &rest[at + 1..]);
        if let Some(after) = after.strip_prefix(brace) {
            literal.push_str(brace);
            rest = after;
            continue;
        }
        let line = text[..text.len() - after.len()].matches('\n').count() + 1;
        let brace = if brace == "{" { '{' } else { '}' };
        let closed = after
            .find(['{', '}'])
            .filter(|end| brace == '{' && after[*end..].starts_with('}'));
        let end = closed.ok_or(Stray { brace, line })?;
        found.push(Stretch::Literal(std::mem::take(&mut literal)));
        found.push(Stretch::Between(after[..end].trim(), line));
        rest = &after[end + 1..];
    }
    literal.push_str(rest);
    found.push(Stretch::Literal(literal));
    Ok(found)
}
