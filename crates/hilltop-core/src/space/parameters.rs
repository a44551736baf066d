//! The values of one point, by name, in the order of the space.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::expression::Value;

/// Named values in a fixed order; a JSON object outside. Equal to another when both hold the same names with the same
/// values, in whatever order.
///
/// ```
/// use hilltop_core::{Parameters, Value};
/// let point = Parameters::from_iter([("length", 31.2.into()), ("steel", Value::from("s355"))]);
/// assert_eq!(serde_json::to_string(&point)?, r#"{"length":31.2,"steel":"s355"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Parameters(Vec<(String, Value)>);

impl Parameters {
    /// No values yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The number of a name, for black boxes written as closures; the error is the reason of a failed evaluation.
    pub fn number(&self, name: &str) -> Result<f64, String> {
        let value = self.get(name).ok_or_else(|| absent(name))?;
        value
            .number()
            .ok_or_else(|| format!("parameter {name} is {value}, not a number"))
    }

    /// The text of a name, likewise.
    pub fn text(&self, name: &str) -> Result<&str, String> {
        let value = self.get(name).ok_or_else(|| absent(name))?;
        value
            .text()
            .ok_or_else(|| format!("parameter {name} is {value}, not a text"))
    }

    /// Sets a value: in its place where the name is known, at the end otherwise. Gives back what it replaced.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) -> Option<Value> {
        let name = name.into();
        if let Some((_, old)) = self.0.iter_mut().find(|(known, _)| *known == name) {
            return Some(std::mem::replace(old, value));
        }
        self.0.push((name, value));
        None
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a name that is known to be new.
    pub(crate) fn push(&mut self, name: &str, value: Value) {
        self.0.push((name.to_owned(), value));
    }
}

fn absent(name: &str) -> String {
    format!("there is no parameter {name} here: it is inactive, or called otherwise")
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl<N: Into<String>> FromIterator<(N, Value)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(values: I) -> Self {
        let mut parameters = Self::new();
        for (name, value) in values {
            parameters.insert(name, value);
        }
        parameters
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.iter().enumerate() {
            write!(f, "{}{name} = {value}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

/// Reads a map in the order it was written.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Parameters;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of parameter names and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
        let mut parameters = Parameters::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            parameters.insert(name, value);
        }
        Ok(parameters)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn json_keeps_the_order() {
        let text = r#"{"z":1,"a":2.5,"m":"x","b":true}"#;
        let point: Parameters = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&point).unwrap(), text);
        assert_eq!(point.to_string(), "z = 1, a = 2.5, m = x, b = true");
    }

    #[test]
    fn inserting_a_known_name_keeps_its_place() {
        let mut point = Parameters::from_iter([("a", Value::Int(1)), ("b", Value::Int(2))]);
        assert_eq!(point.insert("a", Value::Int(3)), Some(Value::Int(1)));
        assert_eq!(point.to_string(), "a = 3, b = 2");
        assert_eq!(
            point,
            Parameters::from_iter([("b", Value::Int(2)), ("a", Value::Int(3))])
        );
    }
}
