//! Shallow search: the last plies before the evaluation, without transposition table or ordering.

use super::node::{MoveList, Node};
use super::worker::Worker;
use crate::eval::DISC;

/// Beyond every value, in [`DISC`]ths.
pub(super) const INFINITE: i32 = 100 * DISC;

/// Rounds [`DISC`]ths to discs. An evaluation never claims a wipe-out.
#[inline]
pub(super) fn to_discs(value: i32) -> i32 {
    // Half away from zero: symmetric for both sides.
    ((value + value.signum() * (DISC / 2)) / DISC).clamp(-63, 63)
}

/// The largest value in [`DISC`]ths that rounds to at most `alpha` discs.
#[inline]
pub(super) const fn from_discs(alpha: i32) -> i32 {
    alpha * DISC + DISC / 2 - (alpha >= 0) as i32
}

impl Worker<'_> {
    /// Static evaluation, in [`DISC`]ths.
    #[inline]
    pub(super) fn evaluate(&self, node: &Node) -> i32 {
        self.shared.weights.evaluate(&node.features, node.board.player, node.board.opponent)
    }

    /// Plain alpha-beta to `depth`, in [`DISC`]ths.
    pub(super) fn shallow_search(
        &mut self,
        node: &Node,
        mut alpha: i32,
        beta: i32,
        depth: u32,
    ) -> i32 {
        self.endgame.nodes += 1;
        if depth == 0 {
            return self.evaluate(node);
        }
        let moves = node.board.moves();
        if moves == 0 {
            let next = node.after_pass();
            if next.board.moves() == 0 {
                return node.board.margin() * DISC;
            }
            return -self.shallow_search(&next, -beta, -alpha, depth);
        }
        let mut best = -INFINITE;
        for m in MoveList::new(node.board, moves).iter() {
            let value = -self.shallow_search(&node.after(m), -beta, -alpha, depth - 1);
            if value > best {
                best = value;
                alpha = alpha.max(value);
                if value >= beta {
                    break;
                }
            }
        }
        best
    }
}
