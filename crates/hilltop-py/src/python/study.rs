//! A study for Python, and the tables of what there is.

use std::path::PathBuf;
use std::sync::Arc;

use hilltop_core::{MemoryJournal, Outcome, Parameters};
use hilltop_method::{Recipe, registry};
use hilltop_study::export::Format;
use hilltop_study::{Asked, Error, Statement, Stop, Store, Trial, export, report};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::convert::{outputs_in, outputs_out, parameters_in, parameters_out};
use super::crossing::{errand, step};
use super::model::Model;
use super::proposer::{Raised, custom};
use super::worker::Worker;
use crate::forecast::Forecast;
use crate::statement::{remembered, stated, stored};

/// A study, open.
#[pyclass(frozen, module = "hilltop._native")]
pub(super) struct Study {
    open: Arc<hilltop_study::Study>,
    /// What a method written in Python raised last; `None` where the method is not.
    raised: Option<Raised>,
    /// The process that opened it; a file must not be used across a fork.
    process: u32,
    filed: bool,
    /// Whether a proposal takes no longer than an errand to send.
    quick: bool,
}

/// The methods that compute nothing.
const QUICK: [&str; 2] = ["random", "sobol"];

/// Where, and the mean and deviation believed there.
type Recommended<'py> = (Bound<'py, PyDict>, Option<(f64, f64)>);

pub(super) type Answer<'py> = (u64, Bound<'py, PyDict>);

impl Study {
    fn open(
        statement: Statement,
        store: Option<PathBuf>,
        events: Option<&[String]>,
        raised: Option<Raised>,
    ) -> hilltop_study::Result<Self> {
        let (filed, quick) = (store.is_some(), QUICK.contains(&statement.method.name()));
        let store = match (store, events) {
            (Some(path), _) => Store::open(path)?,
            (None, Some(events)) => Store::from(remembered(events)?),
            (None, None) => Store::from(MemoryJournal::default()),
        };
        Ok(Self {
            open: Arc::new(hilltop_study::Study::open(statement, store)?),
            raised,
            process: std::process::id(),
            filed,
            quick,
        })
    }

    /// The study, unless it was carried into another process.
    pub(super) fn here(&self) -> hilltop_study::Result<Arc<hilltop_study::Study>> {
        if self.filed && self.process != std::process::id() {
            let message = "it was opened in another process: open its store again in this one";
            return Err(Error::Statement {
                message: message.to_owned(),
            });
        }
        Ok(Arc::clone(&self.open))
    }

    /// Work on the study that may propose: as an errand, unless the method is Python's own and runs where it is called.
    pub(super) fn proposing<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&hilltop_study::Study, &Stop) -> hilltop_study::Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let stop = Stop::new();
        let study = step(py, || self.here())?;
        match &self.raised {
            None if self.quick => step(py, || work(&study, &stop)),
            None => {
                let heard = stop.clone();
                errand(py, &stop, move || work(&study, &heard))
            }
            Some(raised) => step(py, || work(&study, &stop)).map_err(|error| raised.take().unwrap_or(error)),
        }
    }

    fn brief<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&hilltop_study::Study) -> hilltop_study::Result<T> + Send,
    ) -> PyResult<T> {
        step(py, || work(&*self.here()?))
    }
}

pub(super) fn answer<'py>(py: Python<'py>, asked: &Asked) -> PyResult<Answer<'py>> {
    Ok((asked.trial, parameters_out(py, &asked.parameters)?))
}

#[pymethods]
impl Study {
    /// The study of a description in JSON, in a file or in memory, there perhaps after these events.
    #[new]
    #[pyo3(signature = (description, store=None, events=None, method=None, method_name=None))]
    fn new(
        py: Python<'_>,
        description: &str,
        store: Option<PathBuf>,
        events: Option<Vec<String>>,
        method: Option<Py<PyAny>>,
        method_name: Option<String>,
    ) -> PyResult<Self> {
        let description: serde_json::Value =
            serde_json::from_str(description).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let raised = method.is_some().then(Raised::default);
        step(py, || {
            let mut statement = stated(&description)?;
            if let Some((method, raised)) = method.zip(raised.clone()) {
                statement.method = custom(method_name.unwrap_or_else(|| "python".into()), method, raised);
            }
            Self::open(statement, store, events.as_deref(), raised)
        })
    }

    /// The study of a study file.
    #[staticmethod]
    #[pyo3(signature = (path, store=None))]
    fn from_file(py: Python<'_>, path: PathBuf, store: Option<PathBuf>) -> PyResult<Self> {
        step(py, || {
            let store = store.unwrap_or_else(|| Store::beside(&path));
            Self::open(Statement::load(&path)?, Some(store), None, None)
        })
    }

    /// The study that a store holds.
    #[staticmethod]
    fn from_store(py: Python<'_>, store: PathBuf) -> PyResult<Self> {
        step(py, || Self::open(stored(&store)?, Some(store), None, None))
    }

    /// The statement in JSON.
    fn description(&self) -> String {
        self.open.statement().description().to_string()
    }

    /// What is allowed and yet may surprise.
    fn warnings(&self) -> Vec<String> {
        self.open.statement().warnings()
    }

    fn ask<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Vec<Answer<'py>>> {
        let asked = self.proposing(py, move |study, stop| study.ask_unless(count, stop))?;
        asked.iter().map(|asked| answer(py, asked)).collect()
    }

    #[pyo3(signature = (trial, outputs, seconds=None))]
    fn tell(&self, py: Python<'_>, trial: u64, outputs: &Bound<'_, PyDict>, seconds: Option<f64>) -> PyResult<()> {
        let outcome = Outcome::Outputs(outputs_in(outputs)?);
        self.brief(py, |study| study.tell_after(trial, &outcome, seconds))
    }

    #[pyo3(signature = (trial, reason, seconds=None))]
    fn fail(&self, py: Python<'_>, trial: u64, reason: String, seconds: Option<f64>) -> PyResult<()> {
        let outcome = Outcome::Failed(reason);
        self.brief(py, |study| study.tell_after(trial, &outcome, seconds))
    }

    fn add(&self, py: Python<'_>, parameters: &Bound<'_, PyDict>, outputs: &Bound<'_, PyDict>) -> PyResult<u64> {
        let (parameters, outputs) = (parameters_in(parameters)?, outputs_in(outputs)?);
        self.brief(py, |study| study.add(&parameters, &outputs))
    }

    fn add_failed(&self, py: Python<'_>, parameters: &Bound<'_, PyDict>, reason: &str) -> PyResult<u64> {
        let parameters = parameters_in(parameters)?;
        self.brief(py, |study| study.add_failed(&parameters, reason))
    }

    /// Trial, parameters, outputs and whether every limit is kept.
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let best = self.brief(py, hilltop_study::Study::best)?;
        let known = best.map(|best| {
            let (parameters, outputs) = (parameters_out(py, &best.parameters)?, outputs_out(py, &best.outputs)?);
            (best.trial, parameters, outputs, best.feasible).into_pyobject(py)
        });
        known.transpose()
    }

    /// The parameters to use if nothing more could be evaluated, and the mean and deviation believed there.
    fn recommend<'py>(&self, py: Python<'py>) -> PyResult<Option<Recommended<'py>>> {
        let answer = self.proposing(py, |study, _| study.recommend())?;
        let known = answer.map(|answer| {
            let believed = answer.believed.map(|belief| (belief.mean, belief.deviation));
            Ok((parameters_out(py, &answer.parameters)?, believed))
        });
        known.transpose()
    }

    /// Number, state, parameters, outputs, reason, seconds and whether it was added, of every trial from a number on.
    #[pyo3(signature = (start=0))]
    fn trials<'py>(&self, py: Python<'py>, start: usize) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let trials = self.brief(py, hilltop_study::Study::trials)?;
        trials.iter().skip(start).map(|trial| row(py, trial)).collect()
    }

    fn begun(&self, py: Python<'_>) -> PyResult<u64> {
        self.brief(py, hilltop_study::Study::begun)
    }

    /// A place among those who work on the store.
    fn worker(slf: Bound<'_, Self>) -> PyResult<Worker> {
        let claim = slf.get().brief(slf.py(), hilltop_study::Study::enlist)?;
        Ok(Worker::new(slf.unbind(), claim))
    }

    /// The report: one HTML file.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        self.proposing(py, |study, _| report::html(study))
    }

    /// Every trial as `csv` or `json`.
    fn export(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format = match format {
            "csv" => Format::Csv,
            "json" => Format::Json,
            other => {
                return Err(PyValueError::new_err(format!(
                    "there is no format {other}: csv or json"
                )));
            }
        };
        let mut bytes = Vec::new();
        self.brief(py, |study| export::export(study, format, &mut bytes))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Every event of the journal in JSON.
    fn events(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let events = self.brief(py, hilltop_study::Study::events)?;
        let written = |error: serde_json::Error| PyValueError::new_err(error.to_string());
        events
            .iter()
            .map(|event| serde_json::to_string(event).map_err(written))
            .collect()
    }

    /// The model of the objective; `None` where the method has none.
    fn model(&self, py: Python<'_>) -> PyResult<Option<Model>> {
        Ok(self.proposing(py, |study, _| Forecast::of(study))?.map(Model::new))
    }
}

fn row<'py>(py: Python<'py>, trial: &Trial) -> PyResult<Bound<'py, PyTuple>> {
    let named = |parameters: &Parameters| parameters_out(py, parameters);
    let parameters = trial.parameters.as_ref().map(named).transpose()?;
    let outputs = trial
        .outputs
        .as_ref()
        .map(|outputs| outputs_out(py, outputs))
        .transpose()?;
    let state = trial.state.word();
    (
        trial.number,
        state,
        parameters,
        outputs,
        trial.reason.as_deref(),
        trial.seconds,
        trial.added,
    )
        .into_pyobject(py)
}

/// The methods there are: name, what it does, paper.
#[pyfunction]
pub(super) fn methods() -> Vec<(&'static str, &'static str, &'static str)> {
    registry::methods()
        .iter()
        .map(|entry| (entry.name, entry.about, entry.paper))
        .collect()
}

/// Refuses a method, in JSON, that there is not or whose settings are not allowed.
#[pyfunction]
pub(super) fn check_method(py: Python<'_>, method: &str) -> PyResult<()> {
    let method: serde_json::Value =
        serde_json::from_str(method).map_err(|error| PyValueError::new_err(error.to_string()))?;
    step(py, || Ok(Recipe::parse(&method).map(drop)?))
}
