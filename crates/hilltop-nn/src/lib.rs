//! Networks for Hilltop: values, gradients, tangent kernels and training on `faer`'s matrix product.
mod activation;
mod architecture;
mod backward;
mod columns;
mod course;
mod direction;
mod directional;
mod elementary;
mod ensemble;
mod error;
mod forward;
mod lanes;
mod network;
mod optimiser;
mod tangent;
mod training;

pub use activation::{Activation, Jet};
pub use architecture::{Architecture, Initial, Parameterisation};
pub use ensemble::Ensemble;
pub use error::{Error, Result};
pub use forward::Workspace;
pub use network::Network;
pub use optimiser::Optimiser;
pub use tangent::Tangent;
pub use training::{Fit, Trainer};
