//! The root: the position to decide on, its moves and lines.

use super::NONE;
use super::node::{Move, MoveList, Node};
use super::selectivity::Selectivity;
use super::worker::Worker;
use crate::table::{NO_MOVE, Table};

/// The position to decide on.
pub(crate) struct Root {
    node: Node,
    /// The best first.
    moves: Vec<RootMove>,
}

struct RootMove {
    m: Move,
    /// What this stage found; nothing yet, or only that the move is not best.
    value: Option<i32>,
    /// What an earlier stage found.
    previous: Option<i32>,
}

/// A move of the root, what it is worth in discs, and the squares of the best line that begins with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RootLine {
    pub(crate) value: i32,
    pub(crate) squares: Vec<u8>,
}

/// Half the width of the first window around the last value.
const ASPIRE: i32 = 2;

impl Root {
    /// A position in which the side to move has moves in the set `only`.
    pub(crate) fn new(board: crate::Board, only: u64) -> Self {
        let list = MoveList::new(board, board.moves() & only);
        let root_move = |m: &Move| RootMove { m: *m, value: None, previous: None };
        Self { node: Node::new(board), moves: list.iter().map(root_move).collect() }
    }

    /// How many squares are empty.
    pub(crate) const fn empties(&self) -> u32 {
        self.node.empties
    }

    /// The best move so far.
    pub(crate) fn best(&self) -> u8 {
        self.moves.first().map_or(NO_MOVE, |best| best.m.square)
    }

    /// The best lines, as far as their values are known.
    pub(crate) fn lines(&self, count: usize, table: &Table) -> Vec<RootLine> {
        let line = |root_move: &RootMove| {
            let value = root_move.value.or(root_move.previous)?;
            Some(RootLine { value, squares: self.line(root_move.m, table) })
        };
        self.moves.iter().take(count.max(1)).filter_map(line).collect()
    }

    /// The line that begins with `m`, as the table knows it; passes are in it.
    fn line(&self, m: Move, table: &Table) -> Vec<u8> {
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
            let best = table.probe(board.key()).map_or(NO_MOVE, |entry| entry.moves[0]);
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
    /// Finds the `lines` best moves with `depth` plies; false if the search was broken off. Values
    /// outside the bounds are only known to be so.
    pub(crate) fn search_root(
        &mut self,
        root: &mut Root,
        depth: u32,
        selectivity: Selectivity,
        lines: usize,
        bounds: (i32, i32),
    ) -> bool {
        self.selectivity = selectivity;
        for root_move in &mut root.moves {
            root_move.previous = root_move.value.or(root_move.previous);
            root_move.value = None;
        }
        if depth <= 1 || root.moves.iter().all(|root_move| root_move.previous.is_none()) {
            self.rank_root(root, depth);
        }
        for line in 0..root.moves.len().min(lines.max(1)) {
            self.aspire(root, depth, line, bounds);
            if self.is_halted() {
                return false;
            }
        }
        // A later line can turn out to be better where short cuts made an earlier one look bad.
        root.sort(0);
        true
    }

    fn rank_root(&mut self, root: &mut Root, depth: u32) {
        let set = root.moves.iter().fold(0, |set, root_move| set | 1u64 << root_move.m.square);
        let mut list = MoveList::new(root.node.board, set);
        self.rank(&root.node, &mut list, depth, [NO_MOVE; 2]);
        for root_move in &mut root.moves {
            let ranked = list.iter().find(|m| m.square == root_move.m.square);
            root_move.m.rank = ranked.map_or(0, |m| m.rank);
        }
        root.moves.sort_by_key(|root_move| std::cmp::Reverse(root_move.m.rank));
    }

    /// Finds the best of `moves[line..]`, which comes to `line`, with a small window that is opened
    /// until the value lies inside.
    fn aspire(&mut self, root: &mut Root, depth: u32, line: usize, (low, high): (i32, i32)) {
        let mut width = ASPIRE;
        let (mut alpha, mut beta) = match root.moves[line].previous {
            Some(centre) => {
                let centre = centre.clamp(low, high);
                ((centre - width).max(low), (centre + width).min(high))
            }
            None => (low, high),
        };
        loop {
            let value = self.root_window(root, (alpha, beta), depth, line);
            if self.is_halted() {
                return;
            }
            width *= 4;
            if value <= alpha && alpha > low {
                (alpha, beta) = ((value - width).max(low), (value + 1).max(low + 1));
            } else if value >= beta && beta < high {
                (alpha, beta) = ((value - 1).min(high - 1), (value + width).min(high));
            } else {
                return;
            }
            // Short cuts can make the value swing from one side of the window to the other.
            if width > 64 {
                (alpha, beta) = (low, high);
            }
        }
    }

    fn root_window(
        &mut self,
        root: &mut Root,
        (alpha, beta): (i32, i32),
        depth: u32,
        line: usize,
    ) -> i32 {
        let mut best = NONE;
        for at in line..root.moves.len() {
            let m = root.moves[at].m;
            let from = alpha.max(best);
            let value = self.follow(&root.node, &m, (from, beta), depth, at == line);
            if self.is_halted() {
                break;
            }
            let root_move = &mut root.moves[at];
            root_move.value = (at == line || value > from).then_some(value);
            if value > best {
                best = value;
                if value >= beta {
                    break;
                }
            }
        }
        root.sort(line);
        best
    }
}
