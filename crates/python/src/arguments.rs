//! Arguments that several functions share.

use std::thread;
use std::time::Duration;

use numpy::{PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use tablero_core::{AnyRules, max_threads};
use tablero_nets::{EncodingSpec, Mlp, NetKind, Resnet, View};
use tablero_registry::GameEntry;

use crate::errors::value_error;

/// A registered game.
pub(crate) type Entry = &'static dyn GameEntry;

pub(crate) fn find(game: &str) -> PyResult<Entry> {
    tablero_registry::find(game).map_err(value_error)
}

pub(crate) fn rules(entry: Entry, name: Option<&str>) -> PyResult<AnyRules> {
    entry.game().rules_or_default(name).map_err(value_error)
}

/// The number of threads: as given, otherwise one per core.
pub(crate) fn threads(given: Option<usize>) -> PyResult<usize> {
    let max = max_threads();
    match given {
        None => Ok(thread::available_parallelism().map_or(1, usize::from)),
        Some(threads) if (1..=max).contains(&threads) => Ok(threads),
        Some(threads) => Err(value_error(format!("threads must be 1 to {max}, not {threads}"))),
    }
}

/// A search time in seconds.
pub(crate) fn seconds(given: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = given else { return Ok(None) };
    if !(0.001..=86_400.0).contains(&seconds) {
        let problem = format!("time must be 0.001 to 86400 seconds, not {seconds}");
        return Err(value_error(problem));
    }
    Ok(Some(Duration::from_secs_f64(seconds)))
}

/// The kinds of input: a network kind that sees positions so.
pub(crate) fn view(name: &str, spec: &EncodingSpec) -> PyResult<NetKind> {
    let resnet = |view| NetKind::Resnet(Resnet { blocks: 1, filters: 1, ownership: false, view });
    let mlp = |inputs, is_absolute| NetKind::Mlp(Mlp { sizes: vec![inputs, 1], is_absolute });
    let kind = match name {
        "planes" => resnet(View::Planes),
        "mover" => resnet(View::Mover),
        "attacks" => resnet(View::Attacks),
        "flat" if spec.flat_size > 0 => mlp(spec.flat_size, false),
        "absolute" if spec.absolute_size > 0 => mlp(spec.absolute_size, true),
        "flat" | "absolute" => {
            return Err(value_error(format!("{} has no {name} input; use planes", spec.game)));
        }
        _ => {
            let problem = "expected planes, mover, attacks, flat or absolute";
            return Err(value_error(format!("no view `{name}`: {problem}")));
        }
    };
    kind.check(spec).map_err(value_error)?;
    Ok(kind)
}

/// The shape of the input of one position.
pub(crate) fn input_shape(kind: &NetKind, spec: &EncodingSpec) -> Vec<usize> {
    match kind {
        NetKind::Mlp(mlp) => vec![mlp.sizes[0]],
        NetKind::Resnet(resnet) => vec![resnet.planes(spec), spec.height, spec.width],
    }
}

/// The integers of an array or sequence of one dimension.
pub(crate) fn integers(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<i64>> {
    let array = as_array(given)?;
    let kind = array.dtype().kind();
    let is_empty = array.len() == 0;
    if array.ndim() != 1 || !(is_empty || matches!(kind, b'i' | b'u')) {
        return Err(wrong_array(&array, name, "integers of one dimension"));
    }
    converted::<i64>(&array, "int64")
}

/// The finite numbers of an array or sequence, and its shape.
pub(crate) fn floats(given: &Bound<'_, PyAny>, name: &str) -> PyResult<(Vec<f32>, Vec<usize>)> {
    let array = as_array(given)?;
    if !matches!(array.dtype().kind(), b'i' | b'u' | b'f' | b'b') {
        return Err(wrong_array(&array, name, "numbers"));
    }
    let shape = array.shape().to_vec();
    let flat = array.call_method1("reshape", (-1,))?;
    let values = converted::<f32>(flat.cast::<PyUntypedArray>()?, "float32")?;
    if values.iter().any(|value| !value.is_finite()) {
        return Err(value_error(format!(
            "{name} has values that are not finite (NaN or infinite)"
        )));
    }
    Ok((values, shape))
}

fn as_array<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    Ok(array.cast_into::<PyUntypedArray>()?)
}

fn converted<T: numpy::Element + Clone>(
    array: &Bound<'_, PyUntypedArray>,
    dtype: &str,
) -> PyResult<Vec<T>> {
    let array = array.call_method1("astype", (dtype,))?;
    let array = array.py().import("numpy")?.call_method1("ascontiguousarray", (array,))?;
    Ok(array.cast::<PyArray1<T>>()?.to_vec()?)
}

fn wrong_array(array: &Bound<'_, PyUntypedArray>, name: &str, expected: &str) -> PyErr {
    let dtype = array.dtype().str().map_or_else(|_| String::new(), |text| text.to_string());
    PyTypeError::new_err(format!(
        "{name}: expected {expected}, found an array of {dtype} with shape {:?}",
        array.shape()
    ))
}
