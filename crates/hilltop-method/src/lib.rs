//! The methods of Hilltop, one file each, and the recipe by which a user names one.

mod auto;
mod cma_es;
mod compose;
mod composite;
mod descent;
mod designed;
mod go_ucb;
mod neural_bo;
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
pub use go_ucb::GoUcb;
pub use neural_bo::{Draw, NeuralBo};
pub use random::Random;
pub use recipe::Recipe;
pub use sobol::Sobol;
pub use transform::Transform;
