//! An advisor for Python: how samplers of other programs reach the methods.

use std::sync::{Arc, Mutex, PoisonError};

use hilltop_study::Stop;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::convert::{outputs_in, parameters_in, parameters_out};
use super::crossing::{errand, step};
use crate::advice;
use crate::statement::stated;

/// A method at work on a history of somebody else's.
#[pyclass(frozen, module = "hilltop._native")]
pub(super) struct Advisor(Arc<Mutex<advice::Advisor>>);

impl Advisor {
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut advice::Advisor) -> T + Send) -> PyResult<T> {
        step(py, || {
            Ok(work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
        })
    }
}

#[pymethods]
impl Advisor {
    /// An advisor for the study of a description in JSON.
    #[new]
    fn new(py: Python<'_>, description: &str) -> PyResult<Self> {
        let description = json(description)?;
        let advisor = step(py, || advice::Advisor::new(stated(&description)?))?;
        Ok(Self(Arc::new(Mutex::new(advisor))))
    }

    fn forget(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, advice::Advisor::forget)
    }

    fn remember(&self, py: Python<'_>, memory: &str) -> PyResult<()> {
        let memory = json(memory)?;
        self.with(py, |advisor| advisor.remember(memory))
    }

    /// Takes note of a result; false where it is none of the space.
    fn observe(
        &self,
        py: Python<'_>,
        trial: u64,
        parameters: &Bound<'_, PyDict>,
        outputs: &Bound<'_, PyDict>,
    ) -> PyResult<bool> {
        let (parameters, outputs) = (parameters_in(parameters)?, outputs_in(outputs)?);
        self.with(py, |advisor| advisor.observe(trial, &parameters, &outputs))
    }

    /// Takes note of a failure; false where it is none of the space.
    fn fail(&self, py: Python<'_>, trial: u64, parameters: &Bound<'_, PyDict>, reason: &str) -> PyResult<bool> {
        let parameters = parameters_in(parameters)?;
        self.with(py, |advisor| advisor.fail(trial, &parameters, reason))
    }

    /// The point of a trial, and what to remember in JSON where that has changed.
    fn suggest<'py>(
        &self,
        py: Python<'py>,
        trial: u64,
        pending: Vec<(u64, Bound<'py, PyDict>)>,
    ) -> PyResult<(Bound<'py, PyDict>, Option<String>)> {
        let named = |(trial, point): &(u64, Bound<'py, PyDict>)| Ok((*trial, parameters_in(point)?));
        let pending = pending.iter().map(named).collect::<PyResult<Vec<_>>>()?;
        let advisor = Arc::clone(&self.0);
        let advice = errand(py, &Stop::new(), move || {
            advisor
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .suggest(trial, &pending)
        })?;
        Ok((
            parameters_out(py, &advice.parameters)?,
            advice.memory.map(|memory| memory.to_string()),
        ))
    }
}

fn json(text: &str) -> PyResult<serde_json::Value> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}
