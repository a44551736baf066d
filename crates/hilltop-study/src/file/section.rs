//! Tables and values of a study file as they were typed, each knowing its key and its place.

use std::ops::Range;

use hilltop_core::Value;
use hilltop_core::word::nearest;
use toml::de::{DeTable, DeValue};

use super::sheet::Sheet;

/// A table.
pub(crate) struct Section<'s> {
    sheet: &'s Sheet<'s>,
    path: String,
    span: Range<usize>,
    entries: Vec<Field<'s>>,
}

/// A key with its value.
#[derive(Clone)]
pub(crate) struct Field<'s> {
    sheet: &'s Sheet<'s>,
    pub(crate) key: &'s str,
    key_at: usize,
    path: String,
    span: Range<usize>,
    value: &'s DeValue<'s>,
}

impl<'s> Section<'s> {
    /// The table of the whole file.
    pub(crate) fn root(sheet: &'s Sheet<'s>, table: &'s DeTable<'s>) -> Self {
        Self::new(sheet, String::new(), 0..0, table)
    }

    /// The entries come sorted by name; parameters count in the order in which they were written.
    fn new(sheet: &'s Sheet<'s>, path: String, span: Range<usize>, table: &'s DeTable<'s>) -> Self {
        let field = |key: &'s str, key_at, value: &'s toml::Spanned<DeValue<'s>>| Field {
            sheet,
            key,
            key_at,
            path: if path.is_empty() {
                key.to_owned()
            } else {
                format!("{path}.{key}")
            },
            span: value.span(),
            value: value.get_ref(),
        };
        let mut entries: Vec<_> = table
            .iter()
            .map(|(key, value)| field(key.get_ref(), key.span().start, value))
            .collect();
        entries.sort_by_key(|entry| entry.key_at);
        Self {
            sheet,
            path,
            span,
            entries,
        }
    }

    pub(crate) fn field(&self, key: &str) -> Option<Field<'s>> {
        self.entries.iter().find(|entry| entry.key == key).cloned()
    }

    pub(crate) fn fields(&self) -> &[Field<'s>] {
        &self.entries
    }

    /// Those of these keys that were typed.
    pub(crate) fn typed<'k>(&self, keys: &[&'k str]) -> Vec<&'k str> {
        keys.iter().copied().filter(|key| self.field(key).is_some()).collect()
    }

    /// Reports every key that is none of these.
    pub(crate) fn allow(&self, keys: &[&str]) {
        for entry in self.entries.iter().filter(|entry| !keys.contains(&entry.key)) {
            let hint = match nearest(entry.key, keys.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("allowed are {}", keys.join(", ")),
            };
            self.sheet.report(
                entry.key_at,
                &entry.path,
                format!("{} is not a known key: {hint}", entry.path),
            );
        }
    }

    /// Whether nothing has been reported about the file so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.sheet.is_clean()
    }

    /// Reports something about the table as a whole.
    pub(crate) fn refuse(&self, message: impl Into<String>) {
        self.sheet.report(self.span.start, &self.path, message);
    }
}

impl<'s> Field<'s> {
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Reports that the value is not allowed.
    pub(crate) fn refuse(&self, allowed: &str) {
        let given = self.sheet.quote(self.span.clone());
        self.sheet.report(
            self.span.start,
            &self.path,
            format!("{} = {given} is not allowed: {allowed}", self.path),
        );
    }

    /// Reports something about the key itself.
    pub(crate) fn remark(&self, message: impl Into<String>) {
        self.sheet.report(self.key_at, &self.path, message);
    }

    /// Reports something at a column, in bytes from 1, of the text that the value is.
    pub(crate) fn point(&self, column: usize, message: &str) {
        let at = self.value.as_str().and_then(|text| self.inside(text, column));
        let hint = match at {
            None if self.is_text() => format!(" (column {column} of the text)"),
            _ => String::new(),
        };
        let message = format!("{}: {message}{hint}", self.path);
        self.sheet.report(at.unwrap_or(self.span.start), &self.path, message);
    }

    /// The byte of the file where a column of a text stands; none where escapes make the two differ.
    fn inside(&self, text: &str, column: usize) -> Option<usize> {
        let raw = self.sheet.raw(self.span.clone());
        let quotes = if raw.starts_with("\"\"\"") || raw.starts_with("'''") {
            3
        } else {
            1
        };
        let newline = raw[quotes.min(raw.len())..]
            .chars()
            .take_while(|letter| quotes == 3 && matches!(letter, '\r' | '\n'))
            .count();
        let before = quotes + newline;
        raw.get(before..)?
            .starts_with(text)
            .then_some(self.span.start + before + column - 1)
    }

    /// A text, or a number written as one.
    pub(crate) fn expression(&self, allowed: &str) -> Option<String> {
        let written = match self.value {
            DeValue::String(text) => Some(text.to_string()),
            _ => number(self.value)
                .filter(|value| value.is_finite())
                .map(|value| value.to_string()),
        };
        self.or_refuse(written, allowed)
    }

    fn or_refuse<T>(&self, value: Option<T>, allowed: &str) -> Option<T> {
        if value.is_none() {
            self.refuse(allowed);
        }
        value
    }

    /// A finite number.
    pub(crate) fn number(&self) -> Option<f64> {
        self.or_refuse(number(self.value).filter(|value| value.is_finite()), "a finite number")
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        self.or_refuse(integer(self.value), "a whole number")
    }

    /// A whole number from `least` on.
    pub(crate) fn count(&self, least: u64) -> Option<u64> {
        let value = integer(self.value)
            .and_then(|value| u64::try_from(value).ok())
            .filter(|value| *value >= least);
        self.or_refuse(value, &format!("a whole number from {least} on"))
    }

    pub(crate) fn flag(&self) -> Option<bool> {
        self.or_refuse(self.value.as_bool(), "true or false")
    }

    pub(crate) fn text(&self, allowed: &str) -> Option<&'s str> {
        self.or_refuse(self.value.as_str(), allowed)
    }

    pub(crate) fn table(&self, allowed: &str) -> Option<Section<'s>> {
        let table = self.or_refuse(self.value.as_table(), allowed)?;
        Some(Section::new(self.sheet, self.path.clone(), self.span.clone(), table))
    }

    pub(crate) fn list(&self, allowed: &str) -> Option<Vec<Field<'s>>> {
        let items = self.or_refuse(self.value.as_array(), allowed)?;
        let item = |(index, value): (usize, &'s toml::Spanned<DeValue<'s>>)| Field {
            path: format!("{}[{index}]", self.path),
            span: value.span(),
            value: value.get_ref(),
            ..self.clone()
        };
        Some(items.iter().enumerate().map(item).collect())
    }

    /// A list of texts that is not empty.
    pub(crate) fn texts(&self, allowed: &str) -> Option<Vec<(Field<'s>, &'s str)>> {
        let items = self.list(allowed)?;
        let texts: Vec<_> = items
            .into_iter()
            .filter_map(|item| item.text(allowed).map(|text| (item, text)))
            .collect();
        self.or_refuse((!texts.is_empty()).then_some(texts), allowed)
    }

    /// A number, a text or a truth value.
    pub(crate) fn scalar(&self) -> Option<Value> {
        let value = match self.value {
            DeValue::String(text) => Some(Value::Text(text.to_string())),
            DeValue::Boolean(flag) => Some(Value::Bool(*flag)),
            DeValue::Integer(_) => integer(self.value).map(Value::Int),
            DeValue::Float(_) => number(self.value).filter(|value| value.is_finite()).map(Value::Float),
            _ => None,
        };
        self.or_refuse(value, "a text, a finite number, true or false")
    }

    pub(crate) fn is_list(&self) -> bool {
        self.value.is_array()
    }

    pub(crate) fn is_text(&self) -> bool {
        self.value.is_str()
    }

    /// The value in JSON.
    pub(crate) fn json(&self) -> Option<serde_json::Value> {
        self.or_refuse(
            json(self.value),
            "texts, finite numbers, true or false, and lists and tables of these",
        )
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let typed = value.as_integer()?;
    i64::from_str_radix(typed.as_str(), typed.radix()).ok()
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(typed) => typed.as_str().parse().ok(),
        _ => integer(value).map(|value| value as f64),
    }
}

fn json(value: &DeValue<'_>) -> Option<serde_json::Value> {
    Some(match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Integer(_) => integer(value)?.into(),
        DeValue::Float(_) => serde_json::Number::from_f64(number(value)?)?.into(),
        DeValue::Array(items) => items
            .iter()
            .map(|item| json(item.get_ref()))
            .collect::<Option<Vec<_>>>()?
            .into(),
        DeValue::Table(table) => {
            let entry = |(key, value): (&toml::Spanned<toml::de::DeString<'_>>, &toml::Spanned<DeValue<'_>>)| {
                Some((key.get_ref().to_string(), json(value.get_ref())?))
            };
            table
                .iter()
                .map(entry)
                .collect::<Option<serde_json::Map<_, _>>>()?
                .into()
        }
        DeValue::Datetime(_) => return None,
    })
}
