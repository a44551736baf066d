//! What is believed about an output: surrogates for Hilltop.
//!
//! [`process`] is the linear algebra of Gaussian processes, shared by every surrogate with a kernel; [`ntk`] is the tangent-kernel
//! surrogate of wide networks; [`sto`] draws functions by training networks.

pub mod ntk;
pub mod process;
pub mod sto;

pub use ntk::Ntk;
pub use sto::Sto;
