//! Errors of the program as Python exceptions.

use std::fmt::Display;

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use tablero_core::PlayerError;
use tablero_learn::LearnError;
use tablero_nets::NetError;

/// Wrong input.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Something that should have worked.
pub(crate) fn runtime_error(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// A file that cannot be read or written.
pub(crate) fn os_error(error: impl Display) -> PyErr {
    PyOSError::new_err(error.to_string())
}

pub(crate) fn net_error(error: &NetError) -> PyErr {
    match error {
        NetError::Io { .. } => os_error(error),
        _ => value_error(error),
    }
}

pub(crate) fn player_error(error: &PlayerError) -> PyErr {
    match error {
        PlayerError::GameOver => value_error(error),
        _ => runtime_error(error),
    }
}

pub(crate) fn learn_error(error: LearnError) -> PyErr {
    match error {
        LearnError::Config(error) => value_error(error),
        LearnError::Job(_) => os_error(error),
        _ => value_error(error),
    }
}
