//! What searches may know about Othello.

use tablero_core::{Chances, EvaluationKind, Selectivity, Tactics};

use crate::bits::{flips, moves};
use crate::evaluations::{KINDS, positional_weight};
use crate::{Othello, Square};

/// Moves that leave the opponent little to do come first; corners count as several moves.
const PER_REPLY: i32 = 10;

impl Tactics for Othello {
    const HISTORY_SLOTS: usize = 65;

    const CHANCES: Chances = Chances { edge: 80.0, spread: 500.0 };
    const SELECTIVITY: Selectivity = Selectivity {
        deeper_results: true,
        late_move_reductions: true,
        futility: Some(300),
        reverse_futility: Some(300),
        ..Selectivity::NONE
    };

    #[inline]
    fn evaluations() -> &'static [EvaluationKind<Self>] {
        KINDS
    }

    #[inline]
    fn history_slot(&self, square: Square) -> usize {
        square.index()
    }

    #[inline]
    fn promise(&self, square: Square) -> i32 {
        if square.is_pass() {
            return 0;
        }
        let flips = flips(self.mover(), self.other(), square);
        let replies = moves(self.other() & !flips, self.mover() | flips | square.bit());
        positional_weight(square.index()) - PER_REPLY * replies.count_ones() as i32
    }
}
