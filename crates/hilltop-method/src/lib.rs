//! The methods of Hilltop, one file each, and the recipe by which a user names one.

mod auto;
mod cma_es;
mod compose;
mod composite;
mod deep_ensemble;
mod descent;
mod designed;
mod neural_bo;
mod random;
mod recipe;
pub mod registry;
mod sobol;
mod sto_bnts;
mod sto_bnts_linear;
mod thompson;
mod transform;
mod uncertainty;

pub use auto::Auto;
pub use cma_es::CmaEs;
pub use compose::Compose;
pub use composite::Composite;
pub use deep_ensemble::DeepEnsemble;
pub use descent::Descent;
pub use neural_bo::{Draw, NeuralBo};
pub use random::Random;
pub use recipe::Recipe;
pub use sobol::Sobol;
pub use sto_bnts::StoBnts;
pub use sto_bnts_linear::StoBntsLinear;
pub use transform::Transform;
pub use uncertainty::Opening;
