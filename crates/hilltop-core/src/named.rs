//! Descriptions that a recipe gives by name alone or as a table with a `name` and settings, for the crates that have such.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{Error, MapAccess, Visitor};

/// Reads `"name"` as `{ name = "name" }` and a table as itself.
pub fn deserialize<'de, D, T>(deserializer: D, expected: &'static str) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Table<'de>,
{
    deserializer.deserialize_any(Named {
        expected,
        table: PhantomData,
    })
}

/// A description that can be read from a table.
pub trait Table<'de>: Sized {
    /// Reads the table.
    fn table<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

struct Named<T> {
    expected: &'static str,
    table: PhantomData<T>,
}

impl<'de, T: Table<'de>> Visitor<'de> for Named<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}: its name, or a table with its name and settings",
            self.expected
        )
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        T::table(MapDeserializer::new(std::iter::once(("name", name))))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::table(MapAccessDeserializer::new(map))
    }
}
