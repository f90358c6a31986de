//! Endgame solvers.

use std::sync::atomic::AtomicBool;

use tablero_core::{AnyMove, AnyPosition, ForMover};

/// An exact endgame solver. Its transposition table is allocated once and reused.
pub trait Solver: Send {
    /// Solves `position`: the margin with perfect play. `None` if `stop` was set meanwhile.
    fn solve(
        &mut self,
        position: &AnyPosition,
        limits: SolveLimits,
        stop: &AtomicBool,
    ) -> Option<Solution>;
}

/// What a [`Solver`] has to determine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolveLimits {
    /// Only the outcome: win, loss or draw (WLD).
    pub wld: bool,
}

/// A solved position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The margin, or its sign if only the outcome was solved.
    pub score: ForMover<i32>,
    /// The best move; none if the game is over.
    pub best: Option<AnyMove>,
    /// Nodes searched.
    pub nodes: u64,
    /// The number of empty squares.
    pub empties: u32,
}
