//! Tables of text, in columns that fit the terminal.

use std::io::{self, Write};

/// The narrowest last column.
const LEAST: usize = 20;

/// Rows of cells under an optional header; the last column is broken over lines where it is too wide.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    header: bool,
}

impl Table {
    /// A table without a header.
    pub(crate) fn plain() -> Self {
        Self::default()
    }

    /// A table whose columns have names.
    pub(crate) fn headed(names: &[&str]) -> Self {
        let mut table = Self {
            header: true,
            ..Self::default()
        };
        table.row(names.iter().copied());
        table
    }

    /// Adds a row.
    pub(crate) fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Whether there is no row but the header.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.len() == usize::from(self.header)
    }

    /// Writes the table, indented by so many blanks.
    pub(crate) fn write(&self, out: &mut dyn Write, indent: usize) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| width(cell))
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let before = indent
            + widths
                .iter()
                .take(columns.saturating_sub(1))
                .map(|width| width + 2)
                .sum::<usize>();
        let room = terminal().saturating_sub(before).max(LEAST);
        for (index, row) in self.rows.iter().enumerate() {
            write_row(out, row, &widths, indent, before, room)?;
            if self.header && index == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat((*width).min(room))).collect();
                write_row(out, &rule, &widths, indent, before, room)?;
            }
        }
        Ok(())
    }
}

fn write_row(
    out: &mut dyn Write,
    row: &[String],
    widths: &[usize],
    indent: usize,
    before: usize,
    room: usize,
) -> io::Result<()> {
    let mut line = " ".repeat(indent);
    for (column, cell) in row.iter().enumerate() {
        if column + 1 < widths.len() {
            line.push_str(cell);
            line.push_str(&" ".repeat(widths[column].saturating_sub(width(cell)) + 2));
            continue;
        }
        let mut pieces = broken(cell, room).into_iter();
        line.push_str(&pieces.next().unwrap_or_default());
        for piece in pieces {
            writeln!(out, "{}", line.trim_end())?;
            line = format!("{}{piece}", " ".repeat(before));
        }
    }
    writeln!(out, "{}", line.trim_end())
}

/// A text in lines of at most so many letters, broken between words.
pub(crate) fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A text cut to so many letters.
pub(crate) fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// The columns of the terminal that is printed to; a hundred where it is none.
pub(crate) fn terminal() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    told.or_else(measured).filter(|columns| *columns >= 40).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_the_last_is_broken() {
        let mut table = Table::headed(&["name", "about"]);
        table.row(["a", "one"]);
        table.row(["longer", &"word ".repeat(40)]);
        let mut out = Vec::new();
        assert!(table.write(&mut out, 2).is_ok());
        let text = String::from_utf8_lossy(&out).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  name    about");
        assert_eq!(lines[2], "  a       one");
        assert!(lines.len() > 5 && lines[4].starts_with("          word"), "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= terminal()));
    }

    #[test]
    fn a_cut_text_shows_that_it_was_cut() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
    }
}
