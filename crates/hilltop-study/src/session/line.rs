//! Lines of bounded length from a stream, whatever bytes it holds.

use std::io::{self, BufRead};

/// The longest line that is read; a longer one is skipped to its end.
pub(super) const LIMIT: usize = 16 << 20;

/// What stood on a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Text(String),
    Blank,
    TooLong,
    NotText,
    End,
}

/// The next line.
pub(super) fn next(input: &mut impl BufRead) -> io::Result<Line> {
    bounded(input, LIMIT)
}

fn bounded(input: &mut impl BufRead, limit: usize) -> io::Result<Line> {
    let mut line = Vec::new();
    let (mut started, mut length) = (false, 0);
    loop {
        let held = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        started |= !held.is_empty();
        let end = held.iter().position(|byte| *byte == b'\n');
        let part = &held[..end.unwrap_or(held.len())];
        length += part.len();
        if length <= limit {
            line.extend_from_slice(part);
        }
        let (last, used) = (
            held.is_empty() || end.is_some(),
            part.len() + usize::from(end.is_some()),
        );
        input.consume(used);
        if last {
            return Ok(if started {
                judged(line, length > limit)
            } else {
                Line::End
            });
        }
    }
}

fn judged(line: Vec<u8>, too_long: bool) -> Line {
    if too_long {
        return Line::TooLong;
    }
    match String::from_utf8(line) {
        Err(_) => Line::NotText,
        Ok(text) if text.trim().is_empty() => Line::Blank,
        Ok(text) => Line::Text(text),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn lines(mut input: impl BufRead) -> Vec<Line> {
        std::iter::from_fn(|| Some(bounded(&mut input, 8).unwrap()).filter(|line| *line != Line::End)).collect()
    }

    #[test]
    fn every_kind_of_line_is_told_apart_and_none_is_lost() {
        let text = b"one\n\n  \r\n\xff\xfe\n123456789\n12345678\nlast";
        let told = |text: &str| Line::Text(text.into());
        let expected = [
            told("one"),
            Line::Blank,
            Line::Blank,
            Line::NotText,
            Line::TooLong,
            told("12345678"),
            told("last"),
        ];
        assert_eq!(lines(&text[..]), expected);
        assert_eq!(lines(io::BufReader::with_capacity(1, &text[..])), expected);
    }
}
