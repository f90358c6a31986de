//! The champion's search, as learning uses it.

use tablero_champion::engine::Engine;
use tablero_champion::eval::{DISC, Features, Weights};
use tablero_champion::{Board, Selectivity};
use tablero_othello::{Othello, Square};

/// Bytes of memory: enough for shallow searches, and soon cleared.
const MEMORY: usize = 1 << 20;

/// Searches to a fixed depth, or to the end.
pub(crate) struct Searcher<'w> {
    weights: &'w Weights,
    engine: Engine<&'w Weights>,
}

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    /// For the side to move, in discs.
    pub(crate) value: i32,
    /// The move to play.
    pub(crate) best: Square,
}

impl<'w> Searcher<'w> {
    pub(crate) fn new(weights: &'w Weights) -> Self {
        Self { weights, engine: Engine::new(weights, MEMORY, 1) }
    }

    /// Forgets what it saw, so that what comes next does not depend on what was before.
    pub(crate) fn forget(&mut self) {
        self.engine.clear();
    }

    /// The best move in a position that has one: exact from `exact` empty squares on, before that found
    /// by looking `depth` plies ahead.
    pub(crate) fn best(&mut self, position: &Othello, depth: u32, exact: u32) -> Found {
        let board = Board { player: position.mover(), opponent: position.other() };
        if board.empties().count_ones() <= exact {
            self.solve(board)
        } else {
            self.search(board, depth)
        }
    }

    /// Looks `depth` plies ahead, 1 at least, without short cuts.
    fn search(&mut self, board: Board, depth: u32) -> Found {
        found(self.engine.value(board, depth, Selectivity::NONE))
    }

    /// Looks to the end.
    fn solve(&mut self, board: Board) -> Found {
        found(self.engine.solve(board))
    }

    /// What the position is worth after `depth` plies, in discs.
    pub(crate) fn value(&mut self, board: Board, depth: u32) -> f64 {
        if depth == 0 {
            let features = Features::of(board.player, board.opponent);
            let value = self.weights.evaluate(&features, board.player, board.opponent);
            return f64::from(value) / f64::from(DISC);
        }
        f64::from(self.search(board, depth).value)
    }
}

fn found((value, square): (i32, u8)) -> Found {
    Found { value, best: Square::new(square).unwrap_or(Square::PASS) }
}
