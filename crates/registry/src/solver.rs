use tablero_core::{AnyMove, AnyPosition, ForMover};

/// Solves endgames exactly. It keeps its memory from one position to the next.
pub trait Solver {
    /// The value of perfect play from `position`, in the game's margin.
    fn solve(&mut self, position: &AnyPosition, limits: SolveLimits) -> Solution;
}

/// What is asked of a [`Solver`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolveLimits {
    /// Find out only who wins: win, draw or loss.
    pub wld: bool,
}

/// A solved position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The margin, or its sign if only the winner was asked for.
    pub score: ForMover<i32>,
    /// The best move; none if the game is over.
    pub best: Option<AnyMove>,
    /// Positions looked at.
    pub nodes: u64,
    /// How many cells are empty.
    pub empties: u32,
}
