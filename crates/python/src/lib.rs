//! The compiled half of the Python package `tablero`, whose Python half is in `python/tablero`.
//!
//! Classes wrap the registry's objects (`Position`: a game in progress; `Positions`: a
//! [`PositionBatch`](tablero_registry::PositionBatch); `Player`, `Network`, `Record`, `Games`, `Archive`); functions
//! return results as JSON, which the Python half turns into classes.
//!
//! Rules at the border: wrong input raises a Python exception that says what is right. Work that may last
//! releases the GIL, and Ctrl-C ends it (`session`).

mod archive;
mod arguments;
mod arrays;
mod compare;
mod errors;
mod explain;
mod function;
mod games;
mod info;
mod learning;
mod matches;
mod network;
mod player;
mod position;
mod positions;
mod record;
mod search;
mod session;
mod svg;
mod tree;

use pyo3::prelude::*;

/// The compiled half of the package `tablero`.
#[pymodule]
mod _tablero {
    #[pymodule_export]
    use crate::archive::Archive;
    #[pymodule_export]
    use crate::compare::compare;
    #[pymodule_export]
    use crate::explain::{explain, explainable};
    #[pymodule_export]
    use crate::games::{Games, selfplay};
    #[pymodule_export]
    use crate::info::{game_info, games, players, weights};
    #[pymodule_export]
    use crate::learning::{
        evolve, experiment, experiment_plan, experiments, learn, learn_options, train, tune,
    };
    #[pymodule_export]
    use crate::matches::{play_match, play_tournament};
    #[pymodule_export]
    use crate::network::{Network, action_outputs, tensor_shapes};
    #[pymodule_export]
    use crate::player::Player;
    #[pymodule_export]
    use crate::position::{Outcome, Position};
    #[pymodule_export]
    use crate::positions::Positions;
    #[pymodule_export]
    use crate::record::{Record, read_games, record_arrays, write_games};
    #[pymodule_export]
    use crate::search::{perft, review, solve};
    #[pymodule_export]
    use crate::tree::RecordedTree;

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        tablero_registry::install(tablero_catalog::games());
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
