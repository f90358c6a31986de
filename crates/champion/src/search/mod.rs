//! The search: principal variation search with a shared table, Multi-ProbCut in the middle of the
//! game and exact endgames.
//!
//! - `nodes` searches one position, `peek` looks one or two plies ahead, `rank` says which move comes
//!   first, `probcut` what need not be looked at;
//! - `split` shares the moves of a position among threads;
//! - `worker` is one thread, `root` deepens and keeps the lines.

mod node;
mod nodes;
mod peek;
mod probcut;
mod rank;
mod root;
mod selectivity;
mod split;
#[cfg(test)]
mod tests;
mod worker;

pub(crate) use root::{Root, RootLine};
pub use selectivity::Selectivity;
pub(crate) use split::Team;
pub(crate) use worker::{Shared, Worker};

/// Below every value, in discs.
const NONE: i32 = -100;

/// Positions with so few empty squares are solved without evaluations or the shared table.
const SOLVED_BELOW: u32 = 13;
