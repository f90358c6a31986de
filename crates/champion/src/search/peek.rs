//! Looking no more than a few plies ahead, without the table.

use super::node::{MoveList, Node};
use super::worker::Worker;
use crate::eval::DISC;

/// Beyond every value, in parts of a disc.
pub(super) const INFINITE: i32 = 100 * DISC;

/// A value in parts of a disc, rounded to discs. A guess is never as good as a wipe-out.
#[inline]
pub(super) fn to_discs(value: i32) -> i32 {
    // Halves away from zero, so that both sides see the same value.
    ((value + value.signum() * (DISC / 2)) / DISC).clamp(-63, 63)
}

/// The highest value in parts of a disc that rounds to no more than `alpha` discs.
#[inline]
pub(super) const fn from_discs(alpha: i32) -> i32 {
    alpha * DISC + DISC / 2 - (alpha >= 0) as i32
}

impl Worker<'_> {
    /// What a position looks like without looking ahead, in parts of a disc.
    #[inline]
    pub(super) fn evaluate(&self, node: &Node) -> i32 {
        self.shared.weights.evaluate(&node.features, node.board.player, node.board.opponent)
    }

    /// The value in parts of a disc after `depth` plies, at least as far as it lies between the
    /// bounds.
    pub(super) fn peek(&mut self, node: &Node, mut alpha: i32, beta: i32, depth: u32) -> i32 {
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
            return -self.peek(&next, -beta, -alpha, depth);
        }
        let mut best = -INFINITE;
        for m in MoveList::new(node.board, moves).iter() {
            let value = -self.peek(&node.after(m), -beta, -alpha, depth - 1);
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
