//! Move ordering: table moves, then a shallow search of each move less the opponent's mobility.
//!
//! Low mobility of the opponent, now and potentially, means a small subtree ("fastest first"), which
//! counts more in exact searches.

use super::node::{MoveList, Node};
use super::shallow::INFINITE;
use super::worker::Worker;
use crate::Board;
use crate::endgame::neighbourhood;
use crate::eval::DISC;
use crate::tt::NO_MOVE;

const CORNERS: u64 = 0x8100_0000_0000_0081;

/// Penalty per opponent's move (corners count twice), relative to the evaluation.
const MOBILITY_WEIGHT: i32 = DISC;
/// The same in exact searches: FFO 40-49 take 474 million nodes, 504 with 1 disc.
const ENDGAME_MOBILITY_WEIGHT: i32 = DISC * 5 / 2;
/// Penalty per empty square next to the mover's discs in exact searches: 474 million nodes of
/// FFO 40-49, 483 without.
const POTENTIAL_MOBILITY_WEIGHT: i32 = DISC / 2;

/// Moves worse than the best by more than this need no exact ordering score.
const ORDERING_WINDOW: i32 = 10 * DISC;

impl Worker<'_> {
    /// Scores the moves of a node that is to be searched to `depth`.
    pub(super) fn score_moves(
        &mut self,
        node: &Node,
        list: &mut MoveList,
        depth: u32,
        tt_moves: [u8; 2],
    ) {
        let shallow = ordering_depth(node, depth);
        let is_exact = depth == node.empties;
        let mut best = -INFINITE;
        for m in list.iter_mut() {
            m.score = match m.square {
                square if square == tt_moves[0] => i32::MAX,
                square if square == tt_moves[1] && square != NO_MOVE => i32::MAX - 1,
                _ => {
                    let next = node.after(m);
                    if next.board.player == 0 {
                        // Wipe-out.
                        i32::MAX - 2
                    } else {
                        let beta = (ORDERING_WINDOW - best).min(INFINITE);
                        let value = self.shallow_search(&next, -INFINITE, beta, shallow);
                        best = best.max(-value);
                        -value - mobility_penalty(next.board, is_exact)
                    }
                }
            };
        }
    }
}

/// Penalty for the mobility of the side to move.
#[inline]
fn mobility_penalty(board: Board, is_exact: bool) -> i32 {
    let replies = board.moves();
    let mobility = (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
    if !is_exact {
        return mobility * MOBILITY_WEIGHT;
    }
    let potential = (neighbourhood(board.opponent) & board.empties()).count_ones() as i32;
    mobility * ENDGAME_MOBILITY_WEIGHT + potential * POTENTIAL_MOBILITY_WEIGHT
}

/// Depth of the shallow search for move ordering.
fn ordering_depth(node: &Node, depth: u32) -> u32 {
    let is_exact = depth == node.empties;
    match depth {
        0..=9 => 0,
        10..=15 if is_exact => 0,
        10..=15 => 1,
        16..=17 if is_exact => 1,
        _ => 2,
    }
}
