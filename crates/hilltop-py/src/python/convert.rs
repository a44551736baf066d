//! Values on their way in and out. Whatever Python gives is checked here; `NumPy`'s scalars are what they stand for.

use std::collections::BTreeMap;

use hilltop_core::{Parameters, Value};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyDict, PyFloat, PyInt, PyString};

/// A value for Python.
pub(super) fn value_out<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Bool(truth) => PyBool::new(py, *truth).to_owned().into_any(),
        Value::Int(whole) => whole.into_pyobject(py)?.into_any(),
        Value::Float(number) => number.into_pyobject(py)?.into_any(),
        Value::Text(text) => PyString::new(py, text).into_any(),
    })
}

/// Named values for Python.
pub(super) fn parameters_out<'py>(py: Python<'py>, parameters: &Parameters) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in parameters.iter() {
        dict.set_item(name, value_out(py, value)?)?;
    }
    Ok(dict)
}

/// A value of Python: a truth, a whole number, a number or a text.
pub(super) fn value_in(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(truth) = given.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if given.is_instance_of::<PyInt>() {
        let whole = given.extract::<i64>();
        return whole.map(Value::Int).map_err(|_| {
            PyOverflowError::new_err(format!(
                "{name} = {given} is too large: whole numbers lie between -2**63 and 2**63 - 1"
            ))
        });
    }
    if given.is_instance_of::<PyFloat>() {
        return given.extract().map(Value::Float);
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Value::Text(text.to_str()?.to_owned()));
    }
    match scalar(given) {
        Some(plain) => value_in(name, &plain),
        None => Err(PyTypeError::new_err(format!(
            "{name} = {} is a {}: a bool, an int, a float or a str is needed",
            given.repr()?,
            given.get_type().name()?
        ))),
    }
}

/// The plain value of a scalar of `NumPy` or another library, or of an array with one element.
fn scalar<'py>(given: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let plain = given.call_method0("item").ok()?;
    let types = |kind: &Bound<'py, PyAny>| kind.get_type().is(given.get_type());
    (!types(&plain)).then_some(plain)
}

/// Named values of Python.
pub(super) fn parameters_in(given: &Bound<'_, PyDict>) -> PyResult<Parameters> {
    let entry = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = text_in("a parameter's name", &name)?;
        let value = value_in(&name, &value)?;
        Ok((name, value))
    };
    given.iter().map(entry).collect()
}

/// Named numbers of Python.
pub(super) fn outputs_in(given: &Bound<'_, PyDict>) -> PyResult<BTreeMap<String, f64>> {
    let output = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = text_in("an output's name", &name)?;
        let number = value.extract::<f64>();
        let number = number.map_err(|_| PyTypeError::new_err(format!("output {name} is {value:?}, not a number")))?;
        Ok((name, number))
    };
    given.iter().map(output).collect()
}

fn text_in(what: &str, given: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = given.cast::<PyString>();
    let text = text.map_err(|_| PyTypeError::new_err(format!("{what} is {given:?}, not a str")))?;
    Ok(text.to_str()?.to_owned())
}

/// Named numbers for Python.
pub(super) fn outputs_out<'py>(py: Python<'py>, outputs: &BTreeMap<String, f64>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in outputs {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

/// The doubles of a buffer in the machine's order.
pub(super) fn numbers_in(buffer: &[u8]) -> Vec<f64> {
    let double = |bytes: &[u8]| bytes.try_into().map_or(f64::NAN, f64::from_ne_bytes);
    buffer.chunks_exact(size_of::<f64>()).map(double).collect()
}

/// Doubles as a buffer of Python's own, on which an array can lie without another copy.
pub(super) fn numbers_out<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, size_of_val(numbers), |buffer| {
        for (place, number) in buffer.chunks_exact_mut(size_of::<f64>()).zip(numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        Ok(())
    })
}
