//! The methods of Hilltop, one file each, and the recipe by which a user names one.

mod auto;
mod cma_es;
mod compose;
mod composite;
mod descent;
mod designed;
mod dngo;
mod go_ucb;
mod neural_bo;
mod neural_greedy;
mod random;
mod recipe;
pub mod registry;
mod sobol;
mod transform;
mod trust;

pub use auto::Auto;
pub use cma_es::CmaEs;
pub use compose::Compose;
pub use composite::Composite;
pub use descent::Descent;
pub use dngo::Dngo;
pub use go_ucb::{GoUcb, Region};
pub use neural_bo::{Draw, NeuralBo};
pub use neural_greedy::NeuralGreedy;
pub use random::Random;
pub use recipe::Recipe;
pub use sobol::Sobol;
pub use transform::Transform;
pub use trust::Trust;
