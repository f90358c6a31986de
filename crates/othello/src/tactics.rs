//! Search knowledge: move ordering, history slots, measured pruning parameters.

use tablero_core::{EvaluationKind, Selectivity, Tactics, WdlModel};

use crate::bitboard::{flips, moves};
use crate::evaluations::{KINDS, positional_weight};
use crate::{Othello, Square};

/// Fastest-first ordering: penalty per reply of the opponent. A corner outweighs several replies.
const REPLY_PENALTY: i32 = 10;

impl Tactics for Othello {
    const HISTORY_SLOTS: usize = 65;

    const WDL_MODEL: WdlModel = WdlModel { midpoint: 80.0, scale: 500.0 };
    const SELECTIVITY: Selectivity = Selectivity {
        deeper_tt_entries: true,
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
    fn is_pass(&self, square: Square) -> bool {
        square.is_pass()
    }

    #[inline]
    fn move_order_score(&self, square: Square) -> i32 {
        if square.is_pass() {
            return 0;
        }
        let flips = flips(self.mover(), self.other(), square);
        let replies = moves(self.other() & !flips, self.mover() | flips | square.bit());
        positional_weight(square.index()) - REPLY_PENALTY * replies.count_ones() as i32
    }
}
