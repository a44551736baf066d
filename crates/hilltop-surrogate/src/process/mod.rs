//! Gaussian processes: one core of linear algebra for every kernel.
//!
//! A [`Kernel`] says how points go together, a [`Condition`] what observations explain of it, a [`Posterior`] what is believed
//! after them. [`Refit`] finds a kernel's parameters, [`ProcessModel`] is the result as the roles see it.

mod border;
mod condition;
mod embedded;
mod exact;
mod factor;
mod inner;
mod kernel;
mod landmark;
mod likelihood;
mod model;
mod parameters;
mod path;
mod pivot;
mod posterior;
mod profile;
mod pull;
mod refit;
mod schedule;
mod selected;
mod standard;

pub use border::Bordered;
pub use condition::{Condition, Crossings};
pub use embedded::Embedded;
pub(crate) use embedded::products_of_rows as own_products;
pub use exact::Exact;
pub use factor::Factor;
pub(crate) use factor::update as raised;
pub use inner::{Inner, Source};
pub use kernel::{Anchors, Crossing, Field, Kernel, Variance};
pub use landmark::Landmark;
pub use likelihood::Likelihood;
pub use model::{Origin, ProcessModel, digest};
pub use parameters::{Grouping, Hyperparameters, Prior, Priors};
pub use path::Path;
pub use posterior::{Mean, Posterior};
pub use profile::{Part, Partials, Profile, Tables};
pub(crate) use refit::Telling;
pub use refit::{Fitted, Observed, Refit};
pub use schedule::{Schedule, subset};
pub use selected::Selected;
pub use standard::Standard;
