//! The extension module `hilltop._native`: conversions, exceptions, one guarded crossing.
//!
//! The package that users see is written in Python, on top of these few classes.
#![allow(
    clippy::needless_pass_by_value,
    reason = "arguments of Python are extracted into values"
)]

mod advisor;
mod convert;
mod crossing;
mod model;
mod proposer;
mod study;
mod worker;

use pyo3::prelude::*;

/// What Rust gives to the package.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::advisor::Advisor;
    #[pymodule_export]
    use super::model::{Draw, Model};
    #[pymodule_export]
    use super::study::{Study, check_method, methods};
    #[pymodule_export]
    use super::worker::Worker;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
