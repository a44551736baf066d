//! What is believed about an output: surrogates for Hilltop.
//!
//! [`process`] is the linear algebra of Gaussian processes, shared by every surrogate with a kernel; [`ntk`] is the
//! tangent-kernel surrogate of wide networks, [`bent`] the same in coordinates learnt from the observations, and [`image`] describes networks for candidates that are arrays; [`sto`]
//! draws functions by training networks; [`accumulated`] is a trained network with the gradients of every round,
//! [`linear`] the linear model; [`parametric`] is a network whose weights are known up to an ellipsoid, [`dngo`] one
//! with a Bayesian linear head, [`perturbed`] one trained on perturbed targets,
//! [`pinn`] one trained on differential equations too.

pub mod accumulated;
pub mod bent;
pub mod danger;
pub mod dngo;
pub mod gp;
pub mod image;
mod kind;
pub mod linear;
pub mod ntk;
pub mod parametric;
pub mod perturbed;
pub mod physics;
pub mod pinn;
pub mod process;
pub mod sto;

pub use accumulated::Accumulated;
pub use bent::Bent;
pub use danger::Danger;
pub use dngo::Dngo;
pub use gp::Gp;
pub use image::{ImageNetwork, Imaging};
pub use kind::Kind;
pub use linear::Linear;
pub use ntk::Ntk;
pub use parametric::Regression;
pub use perturbed::Perturbed;
pub use physics::Physics;
pub use pinn::Pinn;
pub use sto::Sto;
