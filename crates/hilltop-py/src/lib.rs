//! What stands between Hilltop and Python.
//!
//! Everything that can be said without an interpreter is said, and tested, without one: a study [stated](statement) in
//! code, an [errand] that runs elsewhere while somebody listens, an [advisor](advice) whose history is kept by another
//! program, a [forecast] at many points, a [fault] with its fields. The extension module itself, which only converts and
//! crosses, is compiled with the feature `python`; the package that users see is written in Python.

pub mod advice;
pub mod errand;
pub mod fault;
pub mod forecast;
#[cfg(feature = "python")]
mod python;
pub mod statement;
