//! The lexer: text to tokens, each with the bytes it came from.

use super::{ExpressionError, Span};

/// A token of the language.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Symbol {
    /// A number.
    Number(f64),
    /// A quoted text.
    Text(String),
    /// A name, plain or between backquotes.
    Name(String),
    /// Punctuation or a word of the language, in its first spelling (`and` for `&&`, `^` for `**`).
    Mark(&'static str),
    /// Behind the last token.
    End,
}

/// A token and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) symbol: Symbol,
    pub(crate) span: Span,
}

/// Spellings and what they mean; longer ones first, so that `<=` is not read as `<`.
const MARKS: [(&str, &str); 23] = [
    ("**", "^"),
    ("<=", "<="),
    (">=", ">="),
    ("==", "=="),
    ("!=", "!="),
    ("&&", "and"),
    ("||", "or"),
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("%", "%"),
    ("^", "^"),
    ("<", "<"),
    (">", ">"),
    ("!", "not"),
    ("=", "="),
    ("(", "("),
    (")", ")"),
    (",", ","),
];

/// Words that are not names.
const WORDS: [&str; 5] = ["and", "or", "not", "true", "false"];

/// Whether a text can stand as a name without backquotes.
pub(crate) fn is_plain_name(text: &str) -> bool {
    !WORDS.contains(&text) && !text.is_empty() && name_length(text) == text.len()
}

/// All tokens of a text, the last one being [`Symbol::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, ExpressionError> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        at += blank_length(&text[at..]);
        let (symbol, length) = next(text, at)?;
        let span = Span {
            start: at,
            end: at + length,
        };
        at = span.end;
        let ended = symbol == Symbol::End;
        found.push(Token { symbol, span });
        if ended {
            return Ok(found);
        }
    }
}

fn blank_length(rest: &str) -> usize {
    rest.len() - rest.trim_start().len()
}

/// The token that starts at byte `at`, and its length.
fn next(text: &str, at: usize) -> Result<(Symbol, usize), ExpressionError> {
    let rest = &text[at..];
    let Some(first) = rest.chars().next() else {
        return Ok((Symbol::End, 0));
    };
    let second_is_digit = rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
    if first.is_ascii_digit() || (first == '.' && second_is_digit) {
        return number(rest, at);
    }
    if matches!(first, '\'' | '"' | '`') {
        return quoted(rest, at, first);
    }
    if let Some((spelling, mark)) = MARKS.iter().find(|(spelling, _)| rest.starts_with(spelling)) {
        return Ok((Symbol::Mark(mark), spelling.len()));
    }
    match name_length(rest) {
        0 => Err(ExpressionError::Syntax {
            column: at + 1,
            expected: "a value, a name or an operator",
            found: format!("`{}`", first.escape_debug()),
        }),
        length => Ok((word(&rest[..length]), length)),
    }
}

fn word(text: &str) -> Symbol {
    match WORDS.iter().find(|word| **word == text) {
        Some(word) => Symbol::Mark(word),
        None => Symbol::Name(text.to_owned()),
    }
}

/// Letters, digits and underscores, with single dots between the parts; does not start with a digit.
fn name_length(rest: &str) -> usize {
    let mut length = 0;
    let mut start = true;
    for c in rest.chars() {
        let letter = c == '_' || c.is_alphabetic();
        if !(letter || (!start && (c.is_alphanumeric() || c == '.'))) {
            break;
        }
        start = c == '.';
        length += c.len_utf8();
    }
    if start {
        rest[..length].trim_end_matches('.').len()
    } else {
        length
    }
}

fn number(rest: &str, at: usize) -> Result<(Symbol, usize), ExpressionError> {
    let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(0);
    if rest[length..].starts_with('.') {
        length += 1 + digits(length + 1);
    }
    if rest[length..].starts_with(['e', 'E']) {
        let signed = usize::from(rest[length + 1..].starts_with(['+', '-']));
        let exponent = digits(length + 1 + signed);
        if exponent > 0 {
            length += 1 + signed + exponent;
        }
    }
    match rest[..length].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Symbol::Number(value), length)),
        _ => Err(ExpressionError::NumberRange {
            column: at + 1,
            text: rest[..length].to_owned(),
        }),
    }
}

/// A text or a backquoted name; the quote itself is written twice inside.
fn quoted(rest: &str, at: usize, quote: char) -> Result<(Symbol, usize), ExpressionError> {
    let mut content = String::new();
    let mut from = 1;
    while let Some(length) = rest[from..].find(quote) {
        content.push_str(&rest[from..from + length]);
        from += length + 1;
        if !rest[from..].starts_with(quote) {
            let symbol = if quote == '`' {
                Symbol::Name(content)
            } else {
                Symbol::Text(content)
            };
            return Ok((symbol, from));
        }
        content.push(quote);
        from += 1;
    }
    Err(ExpressionError::Unclosed { column: at + 1, quote })
}
