//! The vocabulary of Hilltop.
#![doc = ""]
pub mod expression;
mod rng;
pub mod space;
pub use expression::{Expression, Value};
pub use rng::Rng;
pub use space::{Candidates, Coordinate, Kind, Parameter, Parameters, Space};
