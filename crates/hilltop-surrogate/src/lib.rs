//! What is believed about an output: surrogates for Hilltop.
//!
//! [`process`] is the linear algebra of Gaussian processes, shared by every surrogate with a kernel; [`ntk`] is the tangent-kernel
//! surrogate of wide networks; [`parametric`] is a network whose weights are known up to an ellipsoid,
//! [`dngo`] one with a Bayesian linear head, [`perturbed`] one trained on perturbed targets.

pub mod dngo;
pub mod ntk;
pub mod parametric;
pub mod perturbed;
pub mod process;

pub use dngo::Dngo;
pub use ntk::Ntk;
pub use parametric::Regression;
pub use perturbed::Perturbed;
