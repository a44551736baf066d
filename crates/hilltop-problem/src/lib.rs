//! Test problems with known optima: the classic functions, problems with unknown constraints, problems with a
//! differential equation, and the BBOB suite.
//!
//! A problem is looked up by name and evaluated at points of its box. Everything is minimised, and a constraint is
//! feasible where it is at most zero.
//!
//! ```
//! use hilltop_core::Rng;
//! use hilltop_problem::{Noisy, Problem, registry};
//!
//! let problem = registry::lookup("bbob-f8-d5-i1")?;
//! let optimum = problem.optimum().expect("every problem here states its minimum");
//! let at = optimum.at.expect("and a point that has it");
//! let values = problem.evaluate(&at)?;
//! assert!((values[0] - optimum.value).abs() < 1e-9);
//!
//! let noisy = Noisy::new(problem, 0.05)?;
//! let observed = noisy.observe(&at, &mut Rng::new(1))?;
//! assert!(observed != values);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bbob;
mod classic;
mod constrained;
mod design;
mod formula;
mod hartmann;
mod heat;
mod mechanics;
mod michalewicz;
mod noise;
mod problem;
pub mod registry;

pub use bbob::{Bbob, solved_fraction, targets};
pub use noise::{Noisy, deviations};
pub use problem::{Failure, Optimum, Output, Problem};
pub use registry::{ProblemSpec, UnknownProblem};
