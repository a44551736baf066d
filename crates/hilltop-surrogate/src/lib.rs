//! What is believed about an output: surrogates for Hilltop.
//!
//! [`process`] is the linear algebra of Gaussian processes, shared by every surrogate with a kernel; [`ntk`] is the tangent-kernel
//! surrogate of wide networks; [`image`] describes networks for candidates that are arrays.

pub mod image;
pub mod ntk;
pub mod process;

pub use image::{ImageNetwork, Imaging};
pub use ntk::Ntk;
