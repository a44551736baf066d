//! What is believed about an output: surrogates for Hilltop.
//!
//! [`process`] is the linear algebra of Gaussian processes, shared by every surrogate with a kernel; [`ntk`] is the tangent-kernel
//! surrogate of wide networks; [`image`] describes networks for candidates that are arrays; [`accumulated`] is a trained network with the
//! gradients of every round, [`linear`] the linear model; [`sto`] draws functions by
//! training networks.

pub mod accumulated;
pub mod image;
pub mod linear;
pub mod ntk;
pub mod process;
pub mod sto;

pub use accumulated::Accumulated;
pub use image::{ImageNetwork, Imaging};
pub use linear::Linear;
pub use ntk::Ntk;
pub use sto::Sto;
