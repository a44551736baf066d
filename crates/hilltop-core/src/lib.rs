//! The vocabulary of Hilltop.
#![doc = ""]
mod rng;
pub use rng::Rng;
