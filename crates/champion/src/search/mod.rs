//! Midgame search: principal variation search with a shared transposition table, Multi-ProbCut and
//! YBWC parallelism.
//!
//! - `pvs`: PV and null-window nodes (TT, ETC, stability cutoff, IID); `probcut`: Multi-ProbCut;
//!   `shallow`: the last plies, without the table; `ordering`: move ordering;
//! - `root`: aspiration windows, MultiPV; `split`: split points of the Young Brothers Wait Concept;
//!   `worker`: one thread;
//! - with fewer than [`ENDGAME_EMPTIES`] empties an exact search continues in
//!   [`endgame`](crate::endgame).
//!
//! Values are in discs; shallow searches and evaluations are in [`DISC`](crate::eval::DISC)ths of a
//! disc.

mod node;
mod ordering;
mod probcut;
mod pvs;
mod root;
mod selectivity;
mod shallow;
mod split;
#[cfg(test)]
mod tests;
mod worker;

pub(crate) use root::{Root, RootPv};
pub use selectivity::Selectivity;
pub(crate) use split::SplitPool;
pub(crate) use worker::{Shared, Worker};

/// Below every value, in discs.
const SCORE_NONE: i32 = -100;

/// Exact searches with fewer empties need no evaluation and no shared table.
const ENDGAME_EMPTIES: u32 = 12;
