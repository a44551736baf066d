//! The crossing: everything that runs in Rust on Python's behalf passes here.
//!
//! The interpreter's lock is released. What may take long runs as an errand, so that Ctrl-C is heard while it runs. An
//! error becomes the exception of its class with its fields; a panic becomes an exception too and goes no further.

use hilltop_study::{Result, Stop};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errand;
use crate::fault::{Fault, Field};

/// Work that may take long. When a signal ends the wait, `stop` is requested and the work ends unheard.
pub(super) fn errand<T: Send + 'static>(
    py: Python<'_>,
    stop: &Stop,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let listen = || Python::attach(signals).inspect_err(|_| stop.request());
    let done = py.detach(|| errand::run(work, listen))?;
    settled(py, done)
}

/// Lets Python hear what came, such as Ctrl-C.
fn signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Work that is short, or that is Python's own and hears signals itself.
pub(super) fn step<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let done = py.detach(|| errand::guarded(work));
    settled(py, done)
}

fn settled<T>(py: Python<'_>, done: Result<Result<T>, String>) -> PyResult<T> {
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(exception(py, &Fault::from(error))),
        Err(panic) => Err(exception(py, &Fault::panic(&panic))),
    }
}

/// The exception of a fault; where even that cannot be made, the reason why.
fn exception(py: Python<'_>, fault: &Fault) -> PyErr {
    let raised = || -> PyResult<PyErr> {
        let fields = PyDict::new(py);
        for (name, field) in &fault.fields {
            match field {
                Field::Text(text) => fields.set_item(name, text)?,
                Field::Count(count) => fields.set_item(name, count)?,
                Field::Number(number) => fields.set_item(name, number)?,
                Field::Texts(texts) => fields.set_item(name, texts)?,
            }
        }
        let class = py.import("hilltop.errors")?.getattr(fault.class)?;
        Ok(PyErr::from_value(class.call((&fault.message,), Some(&fields))?))
    };
    raised().unwrap_or_else(|error| error)
}
