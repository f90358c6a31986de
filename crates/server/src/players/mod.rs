//! Engines: built from player lines, pooled between moves, and their searches.

mod factory;
mod pool;
mod search;

pub(crate) use factory::{PlayerFactory, PlayerSpec};
pub(crate) use pool::{PlayerPool, Seat};
pub(crate) use search::{EngineMove, Search, SearchError, move_names};
