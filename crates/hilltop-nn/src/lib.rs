//! Networks for Hilltop: values, gradients, tangent kernels and training on `faer`'s matrix product.
//!
//! A surrogate asks of its network what tensor frameworks do not give: the gradients of every example with respect to the
//! weights (the tangent kernel), derivatives along directions of the weights and their gradients in the inputs, and thousands of
//! tiny training steps without overhead. This crate has these and nothing else: fully connected networks with one output, with a
//! convolution before them where points are arrays, in double precision, on one thread.
//!
//! * [`Architecture`] is what a network looks like, [`Network`] adds the weights; a [`Convolution`] may be its first layer.
//! * [`Network::forward`], [`Network::input_gradients`], [`Network::weight_gradient`] are the usual passes.
//! * [`Network::tangent`] gives the features `g(x) = ∇_θ h(x)` in factors; [`Tangent::kernel`] their inner products
//!   without ever forming one.
//! * [`Network::jvp`] and [`Network::jvp_input_gradients`] differentiate along a direction of the weights;
//!   [`Network::kernel_input_gradients`] and [`Network::diagonal_input_gradients`] are what the gradients of a posterior's mean and
//!   variance are made of.
//! * [`Jets`] are derivatives in the inputs up to the fourth order, mixed ones included: [`Network::jets`] their values,
//!   [`Network::jets_loss`] and [`Network::operator_loss`] gradients in the weights of what depends on them, [`JetTangent`]
//!   the features and kernels of differential operators.
//! * [`Trainer`] fits a network, [`Ensemble`] several together; [`Newton`] fits one to convergence.
//!
//! Points are the rows of a matrix. A call whose shapes do not fit together panics, as it does in `faer`: such a call is a mistake
//! in the program and not in its data. What depends on data or settings is an [`Error`].
//!
//! ```
//! use faer::Mat;
//! use hilltop_core::Rng;
//! use hilltop_nn::{Activation, Architecture, Network, Optimiser, Parameterisation, Trainer};
//!
//! let mut rng = Rng::new(7);
//! // Without biases (or a constant input) a network of odd functions such as erf is an odd function of its inputs.
//! let architecture = Architecture::new(2, &[64, 64], Activation::Erf, Parameterisation::Antisymmetric).with_bias(1.0);
//! let mut network = Network::init(&architecture, &mut rng)?;
//!
//! let points = Mat::from_fn(30, 2, |_, _| rng.between(-1.0, 1.0));
//! let targets: Vec<f64> = (0..30).map(|i| points[(i, 0)] * points[(i, 1)]).collect();
//!
//! let kernel = network.tangent(points.as_ref()).gram();
//! assert_eq!((kernel.nrows(), kernel.ncols()), (30, 30));
//!
//! let trainer = Trainer::new(Optimiser::adam(0.01, 10, 100)).with_penalty(0.001);
//! let fit = trainer.train(&mut network, points.as_ref(), &targets, &mut rng)?;
//! assert!(fit.loss < 0.1 * targets.iter().map(|y| 0.5 * y * y).sum::<f64>());
//! # Ok::<(), hilltop_nn::Error>(())
//! ```

mod activation;
mod architecture;
mod backward;
mod bell;
mod columns;
mod convolution;
mod course;
mod descent;
mod direction;
mod directional;
mod downset;
mod elementary;
mod ensemble;
mod error;
mod features;
mod forward;
mod fused;
mod jet_network;
mod jet_pass;
mod jet_tangent;
mod jets;
mod lanes;
mod network;
mod newton;
mod optimiser;
mod series;
mod shared;
mod stance;
mod tangent;
mod tower;
mod training;

pub use activation::{Activation, Jet};
pub use architecture::{Architecture, Initial, Parameterisation};
pub use bell::exponentials;
pub use convolution::Convolution;
pub use ensemble::Ensemble;
pub use error::{Error, Result};
pub use forward::Workspace;
pub use jet_pass::JetWorkspace;
pub use jet_tangent::JetTangent;
pub use jets::Jets;
pub use network::Network;
pub use newton::{Memory, Newton, Settled, Tilt};
pub use optimiser::Optimiser;
pub use tangent::Tangent;
pub use training::{Fit, Trainer};
