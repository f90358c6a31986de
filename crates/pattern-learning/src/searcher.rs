//! The champion's search without selectivity, as self-play uses it.

use tablero_champion::engine::Engine;
use tablero_champion::eval::{DISC, Features, Weights};
use tablero_champion::{Board, Selectivity};
use tablero_othello::{Othello, Square};

/// Transposition table: enough for shallow searches, and quickly cleared.
const TABLE_BYTES: usize = 1 << 20;

/// Searches to a fixed depth, or exactly.
pub(crate) struct Searcher<'w> {
    weights: &'w Weights,
    engine: Engine<&'w Weights>,
}

/// Result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SearchOutcome {
    /// Value for the side to move, in discs.
    pub(crate) value: i32,
    /// Best move.
    pub(crate) best_move: Square,
}

impl<'w> Searcher<'w> {
    pub(crate) fn new(weights: &'w Weights) -> Self {
        Self { weights, engine: Engine::new(weights, TABLE_BYTES, 1) }
    }

    /// Clears the tables.
    pub(crate) fn clear(&mut self) {
        self.engine.clear();
    }

    /// The best move of a position that has one: exact with at most `exact_empties` empties,
    /// otherwise by a search to `depth`.
    pub(crate) fn best_move(
        &mut self,
        position: &Othello,
        depth: u32,
        exact_empties: u32,
    ) -> SearchOutcome {
        let board = Board { player: position.mover(), opponent: position.other() };
        if board.empties().count_ones() <= exact_empties {
            self.solve(board)
        } else {
            self.search(board, depth)
        }
    }

    /// Searches to `depth`, at least 1, without ProbCut.
    fn search(&mut self, board: Board, depth: u32) -> SearchOutcome {
        outcome(self.engine.value(board, depth, Selectivity::NONE))
    }

    /// Solves the position.
    fn solve(&mut self, board: Board) -> SearchOutcome {
        outcome(self.engine.solve(board))
    }

    /// Value of a search to `depth`, in discs; the static evaluation for depth 0.
    pub(crate) fn value(&mut self, board: Board, depth: u32) -> f64 {
        if depth == 0 {
            let features = Features::of(board.player, board.opponent);
            let value = self.weights.evaluate(&features, board.player, board.opponent);
            return f64::from(value) / f64::from(DISC);
        }
        f64::from(self.search(board, depth).value)
    }
}

fn outcome((value, square): (i32, u8)) -> SearchOutcome {
    SearchOutcome { value, best_move: Square::new(square).unwrap_or(Square::PASS) }
}
