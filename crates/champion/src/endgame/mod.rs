//! Exact endgame search: null windows, no evaluation, and as little work per node as possible.
//!
//! The method depends on the number of empties, as in Zebra and Edax:
//! - up to 4: one function each, in [`last_empties`];
//! - 5: moves in quadrants with an odd number of empties first (parity: the player who moves there
//!   first usually also moves there last);
//! - from 6 on: fastest-first ordering (moves that leave the opponent the fewest replies) and a
//!   small transposition table per thread. When this was measured, FFO 40-49 took 511 million nodes,
//!   578 with parity alone at 6 empties and 763 with parity alone up to 7, in about the same time.
//!
//! All nodes from 5 empties on try a stability cutoff first.

mod last_empties;

use tablero_core::LazyTable;

use crate::Board;
use crate::clock::StopSignal;
use crate::stability::stable_count;
use crate::tt::{NO_MOVE, NodeResult, TransTable, TtEntry, new_table};

/// Below every value.
const SCORE_NONE: i32 = -100;

/// The endgame solver of one thread.
pub(crate) struct Endgame<'a> {
    /// An [`endgame_table`] of this thread.
    table: &'a TransTable,
    stop_signal: &'a StopSignal<'a>,
    /// Nodes searched, including those of the midgame search.
    pub(crate) nodes: u64,
    /// The search was stopped: values returned from now on are invalid.
    pub(crate) stopped: bool,
    /// Node count of the next check of the stop signal.
    next_check: u64,
}

/// A transposition table that fits the L2 or L3 cache: FFO 40-49 take 474 million nodes, 481 with a
/// quarter of the size.
pub(crate) fn endgame_table() -> LazyTable<TtEntry> {
    new_table(4 << 20)
}

/// A move with its ordering score.
#[derive(Clone, Copy)]
struct ScoredMove {
    square: u8,
    flips: u64,
    /// The opponent's moves after it.
    replies: u64,
    score: i32,
}

impl<'a> Endgame<'a> {
    pub(crate) const fn new(table: &'a TransTable, stop_signal: &'a StopSignal<'a>) -> Self {
        Self { table, stop_signal, nodes: 0, stopped: false, next_check: 0 }
    }

    /// Null-window search of `(alpha, alpha + 1)`: a lower bound above `alpha`, or an upper bound
    /// at most `alpha`.
    pub(crate) fn solve(&mut self, board: Board, alpha: i32) -> i32 {
        let empties = board.empties();
        self.search(board, alpha, empties.count_ones(), quadrant_parity(empties))
    }

    /// `parity` has a bit for each quadrant with an odd number of empties.
    #[inline]
    fn search(&mut self, board: Board, alpha: i32, empties: u32, parity: u8) -> i32 {
        match empties {
            0 => board.margin(),
            1..=3 => self.solve_1_to_3(board, alpha),
            4 => {
                let squares = parity_ordered_squares(board.empties(), parity);
                last_empties::solve_4(board, alpha, squares, &mut self.nodes)
            }
            _ => self.solve_5_plus(board, board.moves(), alpha, empties, parity),
        }
    }

    /// Five empties or more; `moves` are those of the side to move.
    #[inline]
    fn solve_5_plus(
        &mut self,
        board: Board,
        moves: u64,
        alpha: i32,
        empties: u32,
        parity: u8,
    ) -> i32 {
        if empties == 5 {
            self.solve_5(board, moves, alpha, parity)
        } else {
            self.fastest_first_search(board, moves, alpha, empties, parity)
        }
    }

    /// Plain negamax, for root positions with fewer than four empties.
    #[cold]
    fn solve_1_to_3(&mut self, board: Board, alpha: i32) -> i32 {
        self.nodes += 1;
        let moves = board.moves();
        if moves == 0 {
            return self
                .search_pass(board, alpha, |me, board, _, alpha| me.solve_1_to_3(board, alpha));
        }
        let mut best = SCORE_NONE;
        for square in tablero_othello::bitboard::squares(moves) {
            let square = square.index() as u8;
            let next = board.play(square, board.flips(square));
            let value =
                if next.empties() == 0 { -next.margin() } else { -self.solve_1_to_3(next, !alpha) };
            best = best.max(value);
        }
        best
    }

    /// The value of a position whose side to move has no move.
    #[inline]
    fn search_pass(
        &mut self,
        board: Board,
        alpha: i32,
        search: impl FnOnce(&mut Self, Board, u64, i32) -> i32,
    ) -> i32 {
        let next = board.pass();
        let moves = next.moves();
        if moves == 0 { board.margin() } else { -search(self, next, moves, !alpha) }
    }

    /// Five empties: parity ordering, no table.
    fn solve_5(&mut self, board: Board, moves: u64, alpha: i32, parity: u8) -> i32 {
        self.nodes += 1;
        if let Some(bound) = stability_cutoff(board, alpha, 5) {
            return bound;
        }
        if moves == 0 {
            return self.search_pass(board, alpha, |me, next, moves, alpha| {
                me.solve_5(next, moves, alpha, parity)
            });
        }
        let mut best = SCORE_NONE;
        let first = moves & QUADRANT_SQUARES[usize::from(parity & 15)];
        for mut part in [first, moves & !first] {
            while part != 0 {
                let square = part.trailing_zeros() as u8;
                part &= part - 1;
                let next = board.play(square, board.flips(square));
                let squares = parity_ordered_squares(next.empties(), parity ^ quadrant_bit(square));
                let value = -last_empties::solve_4(next, !alpha, squares, &mut self.nodes);
                if value > alpha {
                    return value;
                }
                best = best.max(value);
            }
        }
        best
    }

    #[cold]
    fn check_stop(&mut self) {
        /// About a millisecond.
        const INTERVAL: u64 = 30_000;
        self.stopped = self.stop_signal.poll();
        self.next_check = self.nodes + INTERVAL;
    }

    /// Six empties or more: fastest-first ordering and a table.
    fn fastest_first_search(
        &mut self,
        board: Board,
        moves: u64,
        alpha: i32,
        empties: u32,
        parity: u8,
    ) -> i32 {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.check_stop();
        }
        if self.stopped {
            return alpha;
        }
        let key = board.key();
        self.table.prefetch(key);
        if let Some(bound) = stability_cutoff(board, alpha, empties) {
            return bound;
        }
        if moves == 0 {
            return self.search_pass(board, alpha, |me, next, moves, alpha| {
                me.fastest_first_search(next, moves, alpha, empties, parity)
            });
        }
        let nodes_before = self.nodes;
        let mut tt_moves = [NO_MOVE; 2];
        if let Some(entry) = self.table.probe(key) {
            if i32::from(entry.lower) > alpha {
                return entry.lower.into();
            }
            if i32::from(entry.upper) <= alpha {
                return entry.upper.into();
            }
            tt_moves = entry.moves;
        }
        let mut list = [ScoredMove { square: NO_MOVE, flips: 0, replies: 0, score: 0 }; 32];
        let prefetch_table = (empties > 6).then_some(self.table);
        let count = score_moves(board, moves, parity, tt_moves, prefetch_table, &mut list);
        let list = &mut list[..count];
        let (mut best, mut best_square) = (SCORE_NONE, NO_MOVE);
        for at in 0..list.len() {
            let m = pick_best(list, at);
            let next = board.play(m.square, m.flips);
            let parity = parity ^ quadrant_bit(m.square);
            let value = -self.solve_5_plus(next, m.replies, !alpha, empties - 1, parity);
            if value > best {
                (best, best_square) = (value, m.square);
                if value > alpha {
                    break;
                }
            }
        }
        if self.stopped {
            return alpha;
        }
        let result = NodeResult {
            depth: empties,
            selectivity: 0,
            alpha,
            beta: alpha + 1,
            score: best,
            best: best_square,
            nodes: self.nodes - nodes_before,
        };
        result.store(self.table, key);
        best
    }
}

/// Swaps the best of `list[at..]` to `at`.
#[inline]
fn pick_best(list: &mut [ScoredMove], at: usize) -> ScoredMove {
    let mut best = at;
    for other in at + 1..list.len() {
        if list[other].score > list[best].score {
            best = other;
        }
    }
    list.swap(at, best);
    list[at]
}

/// Lists and scores the moves, and prefetches the table entries of their children.
#[inline]
fn score_moves(
    board: Board,
    mut moves: u64,
    parity: u8,
    tt_moves: [u8; 2],
    prefetch_table: Option<&TransTable>,
    list: &mut [ScoredMove; 32],
) -> usize {
    let mut count = 0;
    while moves != 0 {
        let square = moves.trailing_zeros() as u8;
        moves &= moves - 1;
        let flips = board.flips(square);
        let next = board.play(square, flips);
        if let Some(table) = prefetch_table {
            table.prefetch(next.key());
        }
        let replies = next.moves();
        let score = if square == tt_moves[0] {
            i32::MAX
        } else if square == tt_moves[1] {
            i32::MAX - 1
        } else {
            move_score(next, replies, square, parity)
        };
        list[count & 31] = ScoredMove { square, flips, replies, score };
        count += 1;
    }
    count.min(32)
}

/// Ordering score of a move to `next`: opponent's mobility first (corners count twice), then
/// potential mobility, parity and the square.
#[inline]
fn move_score(next: Board, replies: u64, square: u8, parity: u8) -> i32 {
    if next.player == 0 {
        return i32::MAX - 2;
    }
    let mobility = (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
    let odd = i32::from(parity & quadrant_bit(square) != 0);
    let potential_mobility = (neighbourhood(next.opponent) & next.empties()).count_ones() as i32;
    -(mobility << 8) + SQUARE_VALUE[usize::from(square & 63)] + (odd << 4)
        - (potential_mobility << 3)
}

const CORNERS: u64 = 0x8100_0000_0000_0081;

/// A set and the squares next to it.
#[inline]
pub(crate) const fn neighbourhood(set: u64) -> u64 {
    const NOT_A: u64 = !0x0101_0101_0101_0101;
    const NOT_H: u64 = !0x8080_8080_8080_8080;
    let wide = set | (set << 1 & NOT_A) | (set >> 1 & NOT_H);
    wide | wide << 8 | wide >> 8
}

/// Static ordering of squares: corners first, X- and C-squares last.
static SQUARE_VALUE: [i32; 64] = {
    const ROWS: [[i32; 4]; 4] = [[18, 4, 16, 12], [4, 2, 6, 8], [16, 6, 14, 10], [12, 8, 10, 0]];
    let mut values = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (x, y) = (square % 8, square / 8);
        let (x, y) = (if x < 4 { x } else { 7 - x }, if y < 4 { y } else { 7 - y });
        values[square] = ROWS[y][x];
        square += 1;
    }
    values
};

/// Minimum alpha for a stability cutoff, by empties: with many empties few discs are stable, and
/// counting them does not pay.
const STABILITY_THRESHOLD: [i32; 61] = {
    let mut threshold = [99; 61];
    let mut empties = 0;
    while empties < 61 {
        let n = empties as i32;
        threshold[empties] = if n < 5 {
            99
        } else if n < 9 {
            2 * n - 20
        } else {
            2 * n - 18
        };
        if threshold[empties] < -6 {
            threshold[empties] = -6;
        }
        empties += 1;
    }
    threshold
};

/// Stability cutoff: the opponent keeps its stable discs, which bounds the value from above.
#[inline]
pub(crate) fn stability_cutoff(board: Board, alpha: i32, empties: u32) -> Option<i32> {
    if alpha < STABILITY_THRESHOLD[empties as usize] {
        return None;
    }
    let bound = 64 - 2 * stable_count(board.opponent, board.player) as i32;
    (bound <= alpha).then_some(bound)
}

/// The four squares of a set, those in odd quadrants first.
#[inline]
fn parity_ordered_squares(set: u64, parity: u8) -> [u8; 4] {
    let first = set & QUADRANT_SQUARES[usize::from(parity & 15)];
    let mut squares = [0; 4];
    let (mut part, mut rest) = (first, set & !first);
    for square in &mut squares {
        if part == 0 {
            (part, rest) = (rest, 0);
        }
        *square = part.trailing_zeros() as u8;
        part &= part.wrapping_sub(1);
    }
    squares
}

/// The bit of a square's quadrant.
#[inline]
const fn quadrant_bit(square: u8) -> u8 {
    1 << ((square >> 4 & 2) | (square >> 2 & 1))
}

const QUADRANTS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];

/// The squares of each combination of quadrants.
static QUADRANT_SQUARES: [u64; 16] = {
    let mut sets = [0; 16];
    let mut quadrants = 0;
    while quadrants < 16 {
        let mut quadrant = 0;
        while quadrant < 4 {
            if quadrants >> quadrant & 1 == 1 {
                sets[quadrants] |= QUADRANTS[quadrant];
            }
            quadrant += 1;
        }
        quadrants += 1;
    }
    sets
};

/// A bit for each quadrant with an odd number of squares of a set.
fn quadrant_parity(set: u64) -> u8 {
    let odd = |quadrant: usize| ((set & QUADRANTS[quadrant]).count_ones() as u8 & 1) << quadrant;
    odd(0) | odd(1) | odd(2) | odd(3)
}

#[cfg(test)]
mod tests;
