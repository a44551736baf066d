//! The methods of Hilltop, one file each, and the recipe by which a user names one.

mod arm;
mod auto;
mod cma_es;
mod compose;
mod composite;
mod descent;
mod designed;
mod lin_ts;
mod lin_ucb;
mod moving;
mod neural_bo;
mod neural_ts;
mod neural_ucb;
mod random;
mod recipe;
pub mod registry;
mod sobol;
mod transform;

pub use auto::Auto;
pub use cma_es::CmaEs;
pub use compose::Compose;
pub use composite::Composite;
pub use descent::Descent;
pub use lin_ts::LinTs;
pub use lin_ucb::LinUcb;
pub use neural_bo::{Draw, NeuralBo};
pub use neural_ts::NeuralTs;
pub use neural_ucb::NeuralUcb;
pub use random::Random;
pub use recipe::Recipe;
pub use sobol::Sobol;
pub use transform::Transform;
