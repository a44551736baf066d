//! A method written in Python: any object with `propose(history)`.

use std::sync::{Arc, Mutex, PoisonError};

use hilltop_core::{Error, History, Proposer, Query, Result};
use hilltop_study::Method;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::convert::{parameters_in, parameters_out};

/// What a method written in Python raised, on its way to whoever asked.
#[derive(Clone, Default)]
pub(super) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    pub(super) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, error: PyErr) -> Error {
        let detail = error.to_string();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        Error::Numerical {
            what: "the method written in Python",
            detail,
        }
    }
}

/// A method of Python's as the store names it.
pub(super) fn custom(name: String, method: Py<PyAny>, raised: Raised) -> Method {
    let method = Arc::new(method);
    Method::custom(name, move || {
        Ok(Custom {
            method: Arc::clone(&method),
            raised: raised.clone(),
        })
    })
}

struct Custom {
    method: Arc<Py<PyAny>>,
    raised: Raised,
}

impl Proposer for Custom {
    fn propose(&mut self, history: &History, _count: usize) -> Result<Vec<Query>> {
        let proposed = Python::attach(|py| self.proposed(py, history));
        let parameters = proposed.map_err(|error| self.raised.keep(error))?;
        Ok(vec![Query::from(history.space().encode(&parameters)?)])
    }
}

impl Custom {
    fn proposed(&self, py: Python<'_>, history: &History) -> PyResult<hilltop_core::Parameters> {
        let shown = shown(py, history)?;
        let answer = self.method.bind(py).call_method1("propose", (shown,))?;
        let parameters = answer.cast::<PyDict>();
        let parameters = parameters.map_err(|_| {
            PyTypeError::new_err(format!(
                "propose(history) returned {answer:?}: a dict of parameters is needed"
            ))
        })?;
        parameters_in(parameters)
    }
}

/// The history as a method written in Python sees it.
fn shown<'py>(py: Python<'py>, history: &History) -> PyResult<Bound<'py, PyAny>> {
    let point = |point: &[f64]| parameters_out(py, &history.space().decode(point));
    let parameters = history.points().rows().map(point).collect::<PyResult<Vec<_>>>()?;
    let outputs = PyDict::new(py);
    for (index, output) in history.outputs().iter().enumerate() {
        let outward: Vec<f64> = history
            .values(index)
            .iter()
            .map(|value| output.goal.inward(*value))
            .collect();
        outputs.set_item(&output.name, outward)?;
    }
    let pending = history
        .pending()
        .iter()
        .map(|pending| point(&pending.point))
        .collect::<PyResult<Vec<_>>>()?;
    let failed = |failure: &hilltop_core::Failure| Ok((point(&failure.point)?, failure.reason.clone()));
    let failures = history.failures().iter().map(failed).collect::<PyResult<Vec<_>>>()?;
    let fields = PyDict::new(py);
    fields.set_item("trial", history.next_trial())?;
    fields.set_item("seed", history.seed())?;
    fields.set_item("budget", history.budget())?;
    fields.set_item("parameters", parameters)?;
    fields.set_item("objective", history.objective())?;
    fields.set_item("outputs", outputs)?;
    fields.set_item("pending", pending)?;
    fields.set_item("failures", failures)?;
    py.import("hilltop._history")?
        .getattr("History")?
        .call((), Some(&fields))
}
