//! One position of the tree.

use super::node::{Move, MoveList, Node};
use super::peek::{from_discs, to_discs};
use super::worker::Worker;
use super::{NONE, SOLVED_BELOW};
use crate::board::BoardKey;
use crate::endgame::stability_bound;
use crate::table::{Entry, Finding, NO_MOVE};

/// From this depth on, the table is asked about all moves before any is searched.
const LOOK_UP_FROM: u32 = 5;
/// Searches of no more plies than this do without the table.
const PEEK: u32 = 2;

impl Worker<'_> {
    /// Whether the value after `depth` plies (exact if there are no more empty squares) is above
    /// `alpha`: a lower bound above it, or an upper bound that is not.
    pub(super) fn null_window(&mut self, node: &Node, alpha: i32, depth: u32) -> i32 {
        let is_exact = depth == node.empties;
        if is_exact && depth < SOLVED_BELOW {
            return self.endgame.solve(node.board, alpha);
        }
        if depth <= PEEK {
            let alpha = from_discs(alpha);
            return to_discs(self.peek(node, alpha, alpha + 1, depth));
        }
        if !self.enter() {
            return alpha;
        }
        let key = node.board.key();
        self.shared.table.prefetch(key);
        if is_exact && let Some(bound) = stability_bound(node.board, alpha, depth) {
            return bound;
        }
        let moves = node.board.moves();
        if moves == 0 {
            let next = node.after_pass();
            if next.board.moves() == 0 {
                return node.board.margin();
            }
            return -self.null_window(&next, !alpha, depth);
        }
        let entry = self.shared.table.probe(key);
        if let Some((lower, upper)) = self.bounds(entry, depth) {
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
        let before = self.endgame.nodes;
        let mut list = MoveList::new(node.board, moves);
        if depth >= LOOK_UP_FROM
            && let Some(value) = self.known_cut(node, &list, alpha, depth)
        {
            return value;
        }
        let known = entry.map_or([NO_MOVE; 2], |entry| entry.moves);
        self.rank(node, &mut list, depth, known);
        let (best, square) = self.try_moves(node, &mut list, alpha, depth);
        if self.is_over() {
            return alpha;
        }
        self.keep(key, (alpha, alpha + 1), depth, (best, square), before);
        best
    }

    /// The best value of the moves, and the move; stops at one above alpha.
    fn try_moves(&mut self, node: &Node, list: &mut MoveList, alpha: i32, depth: u32) -> (i32, u8) {
        let mut best = (NONE, NO_MOVE);
        for at in 0..list.len() {
            if at > 0 && self.shared.team.wants_work(depth, list.len() - at) {
                for next in at..list.len() {
                    list.take_best(next);
                }
                return self.share(node, &list[at..], alpha, depth, best);
            }
            let m = list.take_best(at);
            let value = -self.null_window(&node.after(&m), !alpha, depth - 1);
            if self.is_over() {
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

    /// The value after `depth` plies, at least as far as it lies between alpha and beta.
    pub(super) fn window(&mut self, node: &Node, alpha: i32, beta: i32, depth: u32) -> i32 {
        if beta - alpha <= 1 {
            return self.null_window(node, alpha, depth);
        }
        if !self.enter() {
            return alpha;
        }
        let moves = node.board.moves();
        if moves == 0 {
            let next = node.after_pass();
            if next.board.moves() == 0 {
                return node.board.margin();
            }
            return -self.window(&next, -beta, -alpha, depth);
        }
        if depth == 0 {
            return to_discs(self.evaluate(node));
        }
        let key = node.board.key();
        let entry = self.shared.table.probe(key);
        if let Some((lower, upper)) = self.bounds(entry, depth)
            && (lower >= beta || upper <= alpha || lower == upper)
        {
            return if upper <= alpha { upper } else { lower };
        }
        let before = self.endgame.nodes;
        let mut known = entry.map_or([NO_MOVE; 2], |entry| entry.moves);
        if known[0] == NO_MOVE && depth > 6 {
            known[0] = self.guess(node, alpha, beta, depth);
        }
        let mut list = MoveList::new(node.board, moves);
        self.rank(node, &mut list, depth, known);
        let mut best = (NONE, NO_MOVE);
        for at in 0..list.len() {
            let m = list.take_best(at);
            let value = self.follow(node, &m, (alpha.max(best.0), beta), depth, at == 0);
            if self.is_over() {
                return alpha;
            }
            if value > best.0 {
                best = (value, m.square);
                if value >= beta {
                    break;
                }
            }
        }
        self.keep(key, (alpha, beta), depth, best, before);
        best.0
    }

    /// The value of a move: the first is believed to be the best, the others only have to be shown
    /// not to be.
    pub(super) fn follow(
        &mut self,
        node: &Node,
        m: &Move,
        (alpha, beta): (i32, i32),
        depth: u32,
        is_first: bool,
    ) -> i32 {
        let next = node.after(m);
        if is_first {
            return -self.window(&next, -beta, -alpha, depth - 1);
        }
        let value = -self.null_window(&next, !alpha, depth - 1);
        if value > alpha && value < beta && !self.is_over() {
            return -self.window(&next, -beta, -alpha, depth - 1);
        }
        value
    }

    /// A first move, where the table knows none: that of a shallower search.
    fn guess(&mut self, node: &Node, alpha: i32, beta: i32, depth: u32) -> u8 {
        let shallow = if depth == node.empties { depth.saturating_sub(8) } else { depth - 4 };
        if shallow < 3 {
            return NO_MOVE;
        }
        self.window(node, alpha, beta, shallow);
        let entry = self.shared.table.probe(node.board.key());
        entry.map_or(NO_MOVE, |entry| entry.moves[0])
    }

    /// The bounds of an entry that are good enough for a search of `depth` plies.
    #[inline]
    fn bounds(&self, entry: Option<Entry>, depth: u32) -> Option<(i32, i32)> {
        let entry = entry?;
        let is_enough =
            u32::from(entry.depth) >= depth && entry.selectivity >= self.selectivity.level();
        is_enough.then_some((entry.lower.into(), entry.upper.into()))
    }

    /// A value above alpha, if the table knows one of a move.
    fn known_cut(&self, node: &Node, list: &[Move], alpha: i32, depth: u32) -> Option<i32> {
        let table = self.shared.table;
        let mut keys = [None; 34];
        for (next, m) in keys.iter_mut().zip(list) {
            let key = node.board.play(m.square, m.flips).key();
            table.prefetch(key);
            *next = Some(key);
        }
        let value = |key: BoardKey| {
            let (_, upper) = self.bounds(table.probe(key), depth - 1)?;
            (-upper > alpha).then_some(-upper)
        };
        keys.into_iter().flatten().find_map(value)
    }

    fn keep(
        &self,
        key: BoardKey,
        (alpha, beta): (i32, i32),
        depth: u32,
        (score, best): (i32, u8),
        before: u64,
    ) {
        let finding = Finding {
            depth,
            selectivity: self.selectivity.level(),
            alpha,
            beta,
            score,
            best,
            nodes: self.endgame.nodes - before,
        };
        finding.store(self.shared.table, key);
    }
}
