//! What is worth evaluating, what limits do to it, and how the best such point is found: acquisitions, feasibility,
//! maximisers and initial designs.
//!
//! Descriptions are plain data that a recipe can hold; see [`acquisition::Kind`] and [`maximiser::Kind`] for how users
//! name them. Nothing here knows a surrogate: everything works on the capabilities of `hilltop_core`.

pub mod acquisition;
pub mod design;
pub mod feasibility;
pub mod maximiser;
pub mod normal;

use hilltop_core::named;

pub use acquisition::{
    Ei, Incumbent, KnowledgeGradient, LogEi, LogPi, MaxValueEntropy, Mean, Optimism, Path, Pi, Pointwise, Radius,
    Schedule, Ucb,
};
pub use design::{Design, Layout};
pub use feasibility::{Budget, Likely, Optimistic, Probability};
pub use maximiser::{Auto, Finite, Gradient, Known, Local, Pool};
