//! The vocabulary of Hilltop: spaces, outputs, histories, journals, and the roles that methods are composed of.
//!
//! No input or output, no clock, no threads: everything here is data and the contracts between the crates above.

mod error;
pub mod expression;
mod history;
mod journal;
mod lbfgs;
mod limit;
pub mod named;
mod output;
pub mod physics;
mod rng;
mod role;
mod sighting;
mod sobol;
pub mod space;
pub mod word;

pub use error::{Error, Result};
pub use expression::{Expression, ExpressionError, Value};
pub use history::{Failure, History, Pending, Points, Settled};
pub use journal::{Choice, Event, FORMAT, Journal, JournalError, MemoryJournal, Outcome};
pub use lbfgs::{Lbfgs, Minimum};
pub use limit::{Limit, Models};
pub use output::{Goal, Output};
pub use physics::{Knowledge, Physics, PhysicsError};
pub use rng::Rng;
pub use role::{
    Acquisition, Beliefs, Bounds, Capabilities, Context, Evidence, Feasibility, HeldOut, Marginals, Maximiser, Model,
    Parametric, Paths, Previous, Proposer, Query, Recommendation, Score, Slopes, SmoothScore, Surrogate,
};
pub use sighting::{Seen, Sighting};
pub use sobol::Sobol;
pub use space::{Candidates, Coordinate, Kind, Parameter, Parameters, Space, SpaceError};
