//! What is believed about an output: surrogates for Hilltop.
//!
//! [`process`] is the linear algebra of Gaussian processes, shared by every surrogate with a kernel; [`ntk`] is the tangent-kernel
//! surrogate of wide networks; [`parametric`] is a network whose weights are known up to an ellipsoid.

pub mod ntk;
pub mod parametric;
pub mod process;

pub use ntk::Ntk;
pub use parametric::Regression;
