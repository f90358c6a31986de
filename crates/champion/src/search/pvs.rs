//! Interior nodes: null-window search and PVS.
//!
//! A null-window node tries, in this order: stability cutoff, transposition table, Multi-ProbCut,
//! enhanced transposition cutoff (ETC, Schaeffer and Plaat 1996: does a child's entry already
//! refute alpha?), then its moves. PV nodes without a table move get one by internal iterative
//! deepening (IID).

use super::node::{Move, MoveList, Node};
use super::shallow::{from_discs, to_discs};
use super::worker::Worker;
use super::{ENDGAME_EMPTIES, SCORE_NONE};
use crate::board::BoardKey;
use crate::endgame::stability_cutoff;
use crate::tt::{NO_MOVE, NodeResult, TtEntry};

/// Minimum depth for enhanced transposition cutoffs.
const ETC_MIN_DEPTH: u32 = 5;
/// Searches up to this depth do without the transposition table.
const SHALLOW_DEPTH: u32 = 2;

impl Worker<'_> {
    /// Null-window search of `(alpha, alpha + 1)`: a lower bound above `alpha`, or an upper bound
    /// at most `alpha`. Exact if `depth` is the number of empties.
    pub(super) fn null_window_search(&mut self, node: &Node, alpha: i32, depth: u32) -> i32 {
        let is_exact = depth == node.empties;
        if is_exact && depth < ENDGAME_EMPTIES {
            return self.endgame.solve(node.board, alpha);
        }
        if depth <= SHALLOW_DEPTH {
            let alpha = from_discs(alpha);
            return to_discs(self.shallow_search(node, alpha, alpha + 1, depth));
        }
        if !self.enter_node() {
            return alpha;
        }
        let key = node.board.key();
        self.shared.tt.prefetch(key);
        if is_exact && let Some(bound) = stability_cutoff(node.board, alpha, depth) {
            return bound;
        }
        let moves = node.board.moves();
        if moves == 0 {
            let next = node.after_pass();
            if next.board.moves() == 0 {
                return node.board.margin();
            }
            return -self.null_window_search(&next, !alpha, depth);
        }
        let entry = self.shared.tt.probe(key);
        if let Some((lower, upper)) = self.tt_bounds(entry, depth) {
            if lower > alpha {
                return lower;
            }
            if upper <= alpha {
                return upper;
            }
        }
        if let Some(value) = self.probcut(node, alpha, depth) {
            return value;
        }
        let nodes_before = self.endgame.nodes;
        let mut list = MoveList::new(node.board, moves);
        if depth >= ETC_MIN_DEPTH
            && let Some(value) = self.etc_cutoff(node, &list, alpha, depth)
        {
            return value;
        }
        let tt_moves = entry.map_or([NO_MOVE; 2], |entry| entry.moves);
        self.score_moves(node, &mut list, depth, tt_moves);
        let (best, square) = self.search_moves(node, &mut list, alpha, depth);
        if self.is_aborted() {
            return alpha;
        }
        self.tt_store(key, (alpha, alpha + 1), depth, (best, square), nodes_before);
        best
    }

    /// The best value and move of a null-window node; splits it if threads are idle.
    fn search_moves(
        &mut self,
        node: &Node,
        list: &mut MoveList,
        alpha: i32,
        depth: u32,
    ) -> (i32, u8) {
        let mut best = (SCORE_NONE, NO_MOVE);
        for at in 0..list.len() {
            if at > 0 && self.shared.split_pool.can_split(depth, list.len() - at) {
                for next in at..list.len() {
                    list.pick_best(next);
                }
                return self.split_node(node, &list[at..], alpha, depth, best);
            }
            let m = list.pick_best(at);
            let value = -self.null_window_search(&node.after(&m), !alpha, depth - 1);
            if self.is_aborted() {
                break;
            }
            if value > best.0 {
                best = (value, m.square);
                if value > alpha {
                    break;
                }
            }
        }
        best
    }

    /// Principal variation search: the value if it lies between alpha and beta, otherwise a bound.
    pub(super) fn pvs(&mut self, node: &Node, alpha: i32, beta: i32, depth: u32) -> i32 {
        if beta - alpha <= 1 {
            return self.null_window_search(node, alpha, depth);
        }
        if !self.enter_node() {
            return alpha;
        }
        let moves = node.board.moves();
        if moves == 0 {
            let next = node.after_pass();
            if next.board.moves() == 0 {
                return node.board.margin();
            }
            return -self.pvs(&next, -beta, -alpha, depth);
        }
        if depth == 0 {
            return to_discs(self.evaluate(node));
        }
        let key = node.board.key();
        let entry = self.shared.tt.probe(key);
        if let Some((lower, upper)) = self.tt_bounds(entry, depth)
            && (lower >= beta || upper <= alpha || lower == upper)
        {
            return if upper <= alpha { upper } else { lower };
        }
        let nodes_before = self.endgame.nodes;
        let mut tt_moves = entry.map_or([NO_MOVE; 2], |entry| entry.moves);
        if tt_moves[0] == NO_MOVE && depth > 6 {
            tt_moves[0] = self.iid_move(node, alpha, beta, depth);
        }
        let mut list = MoveList::new(node.board, moves);
        self.score_moves(node, &mut list, depth, tt_moves);
        let mut best = (SCORE_NONE, NO_MOVE);
        for at in 0..list.len() {
            let m = list.pick_best(at);
            let value = self.search_child(node, &m, (alpha.max(best.0), beta), depth, at == 0);
            if self.is_aborted() {
                return alpha;
            }
            if value > best.0 {
                best = (value, m.square);
                if value >= beta {
                    break;
                }
            }
        }
        self.tt_store(key, (alpha, beta), depth, best, nodes_before);
        best.0
    }

    /// PVS of a move: the first with the full window, the others with a null window unless they
    /// beat alpha.
    pub(super) fn search_child(
        &mut self,
        node: &Node,
        m: &Move,
        (alpha, beta): (i32, i32),
        depth: u32,
        is_first: bool,
    ) -> i32 {
        let next = node.after(m);
        if is_first {
            return -self.pvs(&next, -beta, -alpha, depth - 1);
        }
        let value = -self.null_window_search(&next, !alpha, depth - 1);
        if value > alpha && value < beta && !self.is_aborted() {
            return -self.pvs(&next, -beta, -alpha, depth - 1);
        }
        value
    }

    /// Internal iterative deepening: the best move of a shallower search.
    fn iid_move(&mut self, node: &Node, alpha: i32, beta: i32, depth: u32) -> u8 {
        let shallow = if depth == node.empties { depth.saturating_sub(8) } else { depth - 4 };
        if shallow < 3 {
            return NO_MOVE;
        }
        self.pvs(node, alpha, beta, shallow);
        let entry = self.shared.tt.probe(node.board.key());
        entry.map_or(NO_MOVE, |entry| entry.moves[0])
    }

    /// The bounds of an entry that is deep enough and no more selective than this search.
    #[inline]
    fn tt_bounds(&self, entry: Option<TtEntry>, depth: u32) -> Option<(i32, i32)> {
        let entry = entry?;
        let is_usable =
            u32::from(entry.depth) >= depth && entry.selectivity >= self.selectivity.level();
        is_usable.then_some((entry.lower.into(), entry.upper.into()))
    }

    /// Enhanced transposition cutoff: a child's upper bound that refutes alpha.
    fn etc_cutoff(&self, node: &Node, list: &[Move], alpha: i32, depth: u32) -> Option<i32> {
        let tt = self.shared.tt;
        let mut keys = [None; 34];
        for (next, m) in keys.iter_mut().zip(list) {
            let key = node.board.play(m.square, m.flips).key();
            tt.prefetch(key);
            *next = Some(key);
        }
        let value = |key: BoardKey| {
            let (_, upper) = self.tt_bounds(tt.probe(key), depth - 1)?;
            (-upper > alpha).then_some(-upper)
        };
        keys.into_iter().flatten().find_map(value)
    }

    fn tt_store(
        &self,
        key: BoardKey,
        (alpha, beta): (i32, i32),
        depth: u32,
        (score, best): (i32, u8),
        nodes_before: u64,
    ) {
        let result = NodeResult {
            depth,
            selectivity: self.selectivity.level(),
            alpha,
            beta,
            score,
            best,
            nodes: self.endgame.nodes - nodes_before,
        };
        result.store(self.shared.tt, key);
    }
}
