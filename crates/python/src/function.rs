//! Python functions as evaluations of a search.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tablero_jobs::CancellationToken;
use tablero_registry::{BatchEvaluation, BatchPolicyValue, PolicyValues, PositionBatch};

use crate::arguments::floats;
use crate::errors::value_error;
use crate::positions::Positions;

/// A Python function that evaluates positions. Its first exception ends the search that called it, and is raised
/// there.
pub(crate) struct Function {
    function: Py<PyAny>,
    failure: Mutex<Option<PyErr>>,
    /// Cancels the running search.
    cancel: Mutex<CancellationToken>,
}

impl Function {
    pub(crate) fn new(function: &Bound<'_, PyAny>, name: &str) -> PyResult<Arc<Self>> {
        if !function.is_callable() {
            let kind = function.get_type().name()?;
            return Err(PyTypeError::new_err(format!("{name} must be a function, not {kind}")));
        }
        Ok(Arc::new(Self {
            function: function.clone().unbind(),
            failure: Mutex::default(),
            cancel: Mutex::default(),
        }))
    }

    /// The function's name, for records.
    pub(crate) fn name(&self, py: Python<'_>) -> String {
        let name = self.function.bind(py).getattr("__name__");
        name.and_then(|name| name.extract()).unwrap_or_else(|_| "function".into())
    }

    /// Prepares for a search that `cancel` ends.
    pub(crate) fn begin(&self, cancel: &CancellationToken) {
        *lock(&self.cancel) = cancel.clone();
        *lock(&self.failure) = None;
    }

    /// Raises the exception of the function, if there was one.
    pub(crate) fn check(&self) -> PyResult<()> {
        lock(&self.failure).take().map_or(Ok(()), Err)
    }

    /// Calls the function; `None` if it failed, now or before.
    fn call<T>(
        &self,
        positions: Box<dyn PositionBatch>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        if lock(&self.failure).is_some() {
            return None;
        }
        let result = Python::attach(|py| {
            let found = self.function.bind(py).call1((Positions::new(positions)?,))?;
            read(&found)
        });
        result.map_err(|error| self.fail(error)).ok()
    }

    fn fail(&self, error: PyErr) {
        lock(&self.failure).get_or_insert(error);
        lock(&self.cancel).cancel();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One number for each of `count` positions.
fn values(found: &Bound<'_, PyAny>, name: &str, count: usize) -> PyResult<Vec<f32>> {
    let (values, shape) = floats(found, name)?;
    if values.len() != count {
        return Err(value_error(format!(
            "{name}: expected {count} numbers, one for each position, found shape {shape:?}"
        )));
    }
    Ok(values)
}

impl BatchEvaluation for Function {
    fn evaluate(&self, positions: Box<dyn PositionBatch>) -> Vec<i32> {
        /// Scores beyond are those of proven wins.
        const MAX: f32 = 1e6;
        let count = positions.len();
        let scores = self.call(positions, |found| values(found, "the evaluation", count));
        let centi = |score: f32| (100.0 * score).clamp(-MAX, MAX).round() as i32;
        scores.map_or_else(|| vec![0; count], |scores| scores.into_iter().map(centi).collect())
    }
}

impl BatchPolicyValue for Function {
    fn evaluate(&self, positions: Box<dyn PositionBatch>) -> PolicyValues {
        let (count, actions) = (positions.len(), positions.actions());
        let found = self.call(positions, |found| policy_values(found, count, actions));
        found.unwrap_or_default()
    }
}

/// Values, or a tuple of values and priors.
fn policy_values(found: &Bound<'_, PyAny>, count: usize, actions: usize) -> PyResult<PolicyValues> {
    let Ok(pair) = found.cast::<PyTuple>() else {
        return Ok(PolicyValues { values: values(found, "the values", count)?, priors: None });
    };
    let (value, policy): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
    let values = values(&value, "the values", count)?;
    if policy.is_none() {
        return Ok(PolicyValues { values, priors: None });
    }
    let (priors, shape) = floats(&policy, "the policy")?;
    if shape != [count, actions] {
        return Err(value_error(format!(
            "the policy: expected shape [{count}, {actions}] (positions, actions), found {shape:?}"
        )));
    }
    if priors.iter().any(|prior| *prior < 0.0) {
        return Err(value_error("the policy: probabilities cannot be negative; apply a softmax"));
    }
    Ok(PolicyValues { values, priors: Some(priors) })
}
