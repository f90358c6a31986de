//! The root: aspiration windows and MultiPV.

use super::SCORE_NONE;
use super::node::{Move, MoveList, Node};
use super::selectivity::Selectivity;
use super::worker::Worker;
use crate::tt::{NO_MOVE, TransTable};

/// The root position and its moves.
pub(crate) struct Root {
    node: Node,
    /// The best first.
    moves: Vec<RootMove>,
}

struct RootMove {
    m: Move,
    /// Value in this iteration; none if not searched yet or failed low.
    value: Option<i32>,
    /// Value in an earlier iteration.
    previous: Option<i32>,
}

/// A principal variation: value in discs and squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RootPv {
    pub(crate) value: i32,
    pub(crate) squares: Vec<u8>,
}

/// Half the width of the first aspiration window, in discs.
const ASPIRATION_DELTA: i32 = 2;

impl Root {
    /// The root of a search restricted to the squares in `searchmoves`.
    pub(crate) fn new(board: crate::Board, searchmoves: u64) -> Self {
        let list = MoveList::new(board, board.moves() & searchmoves);
        let root_move = |m: &Move| RootMove { m: *m, value: None, previous: None };
        Self { node: Node::new(board), moves: list.iter().map(root_move).collect() }
    }

    /// Number of empty squares.
    pub(crate) const fn empties(&self) -> u32 {
        self.node.empties
    }

    /// The best move so far.
    pub(crate) fn best_move(&self) -> u8 {
        self.moves.first().map_or(NO_MOVE, |best| best.m.square)
    }

    /// The best `multi_pv` lines with known values.
    pub(crate) fn lines(&self, multi_pv: usize, tt: &TransTable) -> Vec<RootPv> {
        let line = |root_move: &RootMove| {
            let value = root_move.value.or(root_move.previous)?;
            Some(RootPv { value, squares: self.pv(root_move.m, tt) })
        };
        self.moves.iter().take(multi_pv.max(1)).filter_map(line).collect()
    }

    /// The PV that starts with `m`, from the transposition table; includes passes.
    fn pv(&self, m: Move, tt: &TransTable) -> Vec<u8> {
        let mut squares = vec![m.square];
        let mut board = self.node.board.play(m.square, m.flips);
        loop {
            if board.moves() == 0 {
                board = board.pass();
                if board.moves() == 0 {
                    return squares;
                }
                squares.push(NO_MOVE);
            }
            let best = tt.probe(board.key()).map_or(NO_MOVE, |entry| entry.moves[0]);
            if best == NO_MOVE || board.moves() >> best & 1 == 0 {
                return squares;
            }
            squares.push(best);
            board = board.play(best, board.flips(best));
        }
    }

    fn sort(&mut self, from: usize) {
        self.moves[from..].sort_by_key(|root_move| std::cmp::Reverse(root_move.value));
    }
}

impl Worker<'_> {
    /// Searches the best `multi_pv` moves to `depth`; false if the search was stopped. Values are
    /// exact only within `bounds`.
    pub(crate) fn search_root(
        &mut self,
        root: &mut Root,
        depth: u32,
        selectivity: Selectivity,
        multi_pv: usize,
        bounds: (i32, i32),
    ) -> bool {
        self.selectivity = selectivity;
        for root_move in &mut root.moves {
            root_move.previous = root_move.value.or(root_move.previous);
            root_move.value = None;
        }
        if depth <= 1 || root.moves.iter().all(|root_move| root_move.previous.is_none()) {
            self.order_root_moves(root, depth);
        }
        for pv_index in 0..root.moves.len().min(multi_pv.max(1)) {
            self.aspiration_search(root, depth, pv_index, bounds);
            if self.is_stopped() {
                return false;
            }
        }
        // Search instability: with ProbCut, a later line can turn out better than an earlier one.
        root.sort(0);
        true
    }

    fn order_root_moves(&mut self, root: &mut Root, depth: u32) {
        let set = root.moves.iter().fold(0, |set, root_move| set | 1u64 << root_move.m.square);
        let mut list = MoveList::new(root.node.board, set);
        self.score_moves(&root.node, &mut list, depth, [NO_MOVE; 2]);
        for root_move in &mut root.moves {
            let scored = list.iter().find(|m| m.square == root_move.m.square);
            root_move.m.score = scored.map_or(0, |m| m.score);
        }
        root.moves.sort_by_key(|root_move| std::cmp::Reverse(root_move.m.score));
    }

    /// Searches `moves[pv_index..]` and moves the best to `pv_index`. The window is widened until
    /// the value lies inside.
    fn aspiration_search(
        &mut self,
        root: &mut Root,
        depth: u32,
        pv_index: usize,
        (low, high): (i32, i32),
    ) {
        let mut delta = ASPIRATION_DELTA;
        let (mut alpha, mut beta) = match root.moves[pv_index].previous {
            Some(centre) => {
                let centre = centre.clamp(low, high);
                ((centre - delta).max(low), (centre + delta).min(high))
            }
            None => (low, high),
        };
        loop {
            let value = self.search_root_moves(root, (alpha, beta), depth, pv_index);
            if self.is_stopped() {
                return;
            }
            delta *= 4;
            if value <= alpha && alpha > low {
                (alpha, beta) = ((value - delta).max(low), (value + 1).max(low + 1));
            } else if value >= beta && beta < high {
                (alpha, beta) = ((value - 1).min(high - 1), (value + delta).min(high));
            } else {
                return;
            }
            // Search instability can make the value swing around the window.
            if delta > 64 {
                (alpha, beta) = (low, high);
            }
        }
    }

    /// PVS of `moves[pv_index..]`.
    fn search_root_moves(
        &mut self,
        root: &mut Root,
        (alpha, beta): (i32, i32),
        depth: u32,
        pv_index: usize,
    ) -> i32 {
        let mut best = SCORE_NONE;
        for at in pv_index..root.moves.len() {
            let m = root.moves[at].m;
            let from = alpha.max(best);
            let value = self.search_child(&root.node, &m, (from, beta), depth, at == pv_index);
            if self.is_stopped() {
                break;
            }
            let root_move = &mut root.moves[at];
            root_move.value = (at == pv_index || value > from).then_some(value);
            if value > best {
                best = value;
                if value >= beta {
                    break;
                }
            }
        }
        root.sort(pv_index);
        best
    }
}
