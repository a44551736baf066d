//! Networks for Hilltop: values, gradients, tangent kernels and training on `faer`'s matrix product.
mod activation;
mod architecture;
mod backward;
mod columns;
mod direction;
mod directional;
mod elementary;
mod error;
mod forward;
mod lanes;
mod network;
mod tangent;

pub use activation::{Activation, Jet};
pub use architecture::{Architecture, Initial, Parameterisation};
pub use error::{Error, Result};
pub use forward::Workspace;
pub use network::Network;
pub use tangent::Tangent;
