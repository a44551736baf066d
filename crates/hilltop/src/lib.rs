//! Black-box optimisation with neural-network surrogates.
//!
//! Somebody has a program, a simulator or an experiment that is expensive to run. Hilltop finds its best inputs in as
//! few evaluations as it can, and stays fast when there are ten thousand of them.
//!
//! # A closure, minimised
//!
//! ```
//! use hilltop::{Parameter, Space, minimize};
//!
//! let space = Space::new(vec![Parameter::float("x", -5.0, 10.0), Parameter::float("y", 0.0, 15.0)], vec![])?;
//! let found = minimize(space).budget(40).seed(1).run(|at| {
//!     let (x, y) = (at.number("x")?, at.number("y")?);
//!     Ok((y - 0.129 * x * x + 1.592 * x - 6.0).powi(2) + 9.602 * x.cos() + 10.0)
//! })?;
//! assert!(found.value().is_some_and(|value| value < 0.5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An error of the closure, a panic, NaN or infinity is a failed evaluation: it is recorded with its reason and the
//! search goes on. With `.store("study.db")` the search survives being killed: run the same program again and it
//! continues as if nothing had happened.
//!
//! # Ask and tell
//!
//! When something else evaluates, ask for points and tell what came of them, in any order.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//! use hilltop::{Expression, Goal, MemoryJournal, Method, Outcome, Output, Parameter, Space, Statement, Study};
//!
//! let space = Space::new(
//!     vec![
//!         Parameter::log_float("rate", 1e-4, 1.0),
//!         Parameter::int("layers", 1, 8),
//!         Parameter::choice("optimiser", ["sgd", "adam"]),
//!         Parameter::float("momentum", 0.0, 0.99).when("optimiser == 'sgd'")?,
//!     ],
//!     vec![Expression::parse("rate * layers <= 2")?],
//! )?;
//! let outputs = [Output { name: "loss".into(), goal: Goal::Minimize }];
//! let statement = Statement::new(Arc::new(space), outputs.into(), Method::parse("auto")?)?;
//! let study = Study::open(statement, MemoryJournal::default())?;
//!
//! for asked in study.ask(3)? {
//!     let loss = (asked.parameters.number("rate")? - 0.1).abs();
//!     study.tell(asked.trial, &Outcome::Outputs(BTreeMap::from([("loss".into(), loss)])))?;
//! }
//! println!("{:?}", study.best()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A method of one's own, composed
//!
//! Most methods are a surrogate, an acquisition and a maximiser. Compose them by name, or in types; what cannot work
//! together is refused before anything is evaluated.
//!
//! ```
//! use std::sync::Arc;
//! use hilltop::acquire::{Design, Ucb, maximiser};
//! use hilltop::method::{Composite, Transform};
//! use hilltop::surrogate::Ntk;
//! use hilltop::{Method, Space, minimize};
//!
//! let optimist = Method::custom("optimist", || {
//!     let (surrogate, acquisition) = (Arc::new(Ntk { depth: 2, ..Ntk::default() }), Arc::new(Ucb::default()));
//!     Composite::new(Design::default(), Transform::Winsorise, surrogate, acquisition, Arc::new(maximiser::Auto::default()))
//! });
//! let found = minimize(Space::unit_box(2)).method(optimist).budget(25).run(|at| {
//!     Ok((at.number("x1")? - 0.3).powi(2) + (at.number("x2")? - 0.6).powi(2))
//! })?;
//! assert!(found.value().is_some_and(|value| value < 0.01));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A surrogate of one's own
//!
//! A [`Surrogate`] is a description; fitting it gives a [`Model`], which says what it can do by returning the
//! capability. This one believes that the nearest observation is the truth and doubts with the distance.
//!
//! ```
//! use std::sync::Arc;
//! use hilltop::acquire::{Design, LogEi, maximiser};
//! use hilltop::method::{Composite, Transform};
//! use hilltop::{Beliefs, Capabilities, Evidence, Marginals, Method, Model, Paths, Points, Previous, Result, Slopes};
//! use hilltop::{Space, Surrogate, minimize};
//! use faer::MatRef;
//!
//! struct Nearest;
//! struct NearestModel { points: Points, values: Vec<f64> }
//!
//! impl Surrogate for Nearest {
//!     fn fit(&self, evidence: &Evidence<'_>, _: Previous<'_>) -> Result<Arc<dyn Model>> {
//!         Ok(Arc::new(NearestModel { points: evidence.points.clone(), values: evidence.values.to_vec() }))
//!     }
//!     fn capabilities(&self) -> Capabilities {
//!         Capabilities { marginals: true, ..Capabilities::none("nearest") }
//!     }
//! }
//! impl Model for NearestModel {
//!     fn marginals(&self) -> Option<&dyn Marginals> { Some(self) }
//!     fn paths(&self) -> Option<&dyn Paths> { None }
//!     fn believe(&self, _: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> { None }
//!     fn as_any(&self) -> &dyn std::any::Any { self }
//! }
//! impl Marginals for NearestModel {
//!     fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
//!         let distance = |row: usize, known: &[f64]| {
//!             (0..known.len()).map(|k| (points[(row, k)] - known[k]).powi(2)).sum::<f64>().sqrt()
//!         };
//!         let nearest = |row| {
//!             let known = self.points.rows().zip(&self.values).map(|(known, value)| (distance(row, known), *value));
//!             known.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((1.0, 0.0))
//!         };
//!         let (deviation, mean) = (0..points.nrows()).map(nearest).unzip();
//!         Beliefs { mean, deviation }
//!     }
//!     fn slopes(&self, _: MatRef<'_, f64>) -> Option<Slopes> { None }
//!     fn noise(&self) -> f64 { 0.0 }
//! }
//!
//! let method = Method::custom("nearest", || {
//!     let maximiser = Arc::new(maximiser::Auto::default());
//!     Composite::new(Design::default(), Transform::None, Arc::new(Nearest), Arc::new(LogEi::default()), maximiser)
//! });
//! let found = minimize(Space::unit_box(2)).method(method).budget(40).run(|at| {
//!     Ok((at.number("x1")? - 0.3).powi(2) + (at.number("x2")? - 0.6).powi(2))
//! })?;
//! assert!(found.value().is_some_and(|value| value < 0.05));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crates behind this one, for those who need less: [`nn`] networks and their tangent kernels, [`surrogate`],
//! [`acquire`], [`method`], [`problem`] test problems with known optima, [`study`] files, stores and evaluators.

mod minimize;

pub use hilltop_acquire as acquire;
pub use hilltop_method as method;
pub use hilltop_nn as nn;
pub use hilltop_problem as problem;
pub use hilltop_study as study;
pub use hilltop_surrogate as surrogate;

pub use hilltop_core::{
    Acquisition, Beliefs, Bounds, Candidates, Capabilities, Context, Error, Evidence, Expression, Goal, History,
    Journal, Marginals, Maximiser, MemoryJournal, Model, Models, Outcome, Output, Parameter, Parameters, Paths, Points,
    Previous, Proposer, Query, Recommendation, Result, Rng, Score, Slopes, SmoothScore, Space, Surrogate, Value,
};
pub use hilltop_method::Recipe;
pub use hilltop_study::{Best, Method, SqliteJournal, Statement, Store, Study};
pub use minimize::{Found, Minimize, maximize, minimize};
