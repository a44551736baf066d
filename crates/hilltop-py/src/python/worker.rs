//! A worker for Python: what to evaluate next, in the order in which a run of the command line would.

use std::sync::Arc;

use hilltop_study::{Claim, Task};
use pyo3::prelude::*;

use super::study::{Answer, Study, answer};

/// A place among those who work on a store; free again when it is dropped.
#[pyclass(frozen, module = "hilltop._native")]
pub(super) struct Worker {
    study: Py<Study>,
    claim: Arc<Claim>,
}

impl Worker {
    pub(super) fn new(study: Py<Study>, claim: Claim) -> Self {
        Self {
            study,
            claim: Arc::new(claim),
        }
    }
}

#[pymethods]
impl Worker {
    /// `"evaluate"` with trial and parameters, `"wait"` or `"done"`.
    fn task<'py>(&self, py: Python<'py>) -> PyResult<(&'static str, Option<Answer<'py>>)> {
        let claim = Arc::clone(&self.claim);
        let task = self.study.get().proposing(py, move |study, _| study.task(&claim))?;
        Ok(match task {
            Task::Evaluate { asked, .. } => ("evaluate", Some(answer(py, &asked)?)),
            Task::Wait => ("wait", None),
            Task::Done => ("done", None),
        })
    }
}
