//! A model for Python: means and deviations at many points, and functions drawn from it.

use hilltop_core::Beliefs;
use hilltop_study::Stop;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};

use super::convert::{numbers_in, numbers_out, parameters_in};
use super::crossing::errand;
use crate::forecast::{Drawn, Forecast};

/// What is believed of the objective.
#[pyclass(frozen, module = "hilltop._native")]
pub(super) struct Model(Forecast);

/// A function drawn from a model.
#[pyclass(frozen, module = "hilltop._native")]
pub(super) struct Draw(Drawn);

type Buffer<'py> = Bound<'py, PyByteArray>;

impl Model {
    pub(super) fn new(forecast: Forecast) -> Self {
        Self(forecast)
    }
}

#[pymethods]
impl Model {
    /// Means and deviations, as buffers of doubles, at the rows of a buffer of doubles.
    fn at_rows<'py>(&self, py: Python<'py>, buffer: &[u8], columns: usize) -> PyResult<(Buffer<'py>, Buffer<'py>)> {
        let (forecast, numbers) = (self.0.clone(), numbers_in(buffer));
        let beliefs = errand(py, &Stop::new(), move || forecast.at_rows(&numbers, columns))?;
        buffers(py, &beliefs)
    }

    /// The same at named points.
    fn at_points<'py>(&self, py: Python<'py>, points: Vec<Bound<'py, PyDict>>) -> PyResult<(Buffer<'py>, Buffer<'py>)> {
        let points = points.iter().map(parameters_in).collect::<PyResult<Vec<_>>>()?;
        let forecast = self.0.clone();
        let beliefs = errand(py, &Stop::new(), move || forecast.at_points(&points))?;
        buffers(py, &beliefs)
    }

    /// A function drawn from what is believed.
    fn draw(&self, py: Python<'_>, seed: u64) -> PyResult<Draw> {
        let forecast = self.0.clone();
        errand(py, &Stop::new(), move || forecast.draw(seed)).map(Draw)
    }
}

#[pymethods]
impl Draw {
    /// Values and, where there are any, gradients at the rows of a buffer of doubles.
    fn at_rows<'py>(
        &self,
        py: Python<'py>,
        buffer: &[u8],
        columns: usize,
    ) -> PyResult<(Buffer<'py>, Option<Buffer<'py>>)> {
        let (drawn, numbers) = (self.0.clone(), numbers_in(buffer));
        let (values, gradients) = errand(py, &Stop::new(), move || drawn.at_rows(&numbers, columns))?;
        let gradients = gradients.map(|gradients| numbers_out(py, &gradients)).transpose()?;
        Ok((numbers_out(py, &values)?, gradients))
    }
}

fn buffers<'py>(py: Python<'py>, beliefs: &Beliefs) -> PyResult<(Buffer<'py>, Buffer<'py>)> {
    Ok((numbers_out(py, &beliefs.mean)?, numbers_out(py, &beliefs.deviation)?))
}
