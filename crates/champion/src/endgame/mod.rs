//! Exact values when few squares are empty: no evaluation, a null window, and as little as possible
//! done for each position.
//!
//! With four empty squares or fewer, [`last`]; below [`SORTED_FROM`], moves in quarters with an odd
//! number of empty squares first; from there on a small table and moves that leave the other side
//! few replies first.

mod last;

use tablero_core::LazyTable;

use crate::Board;
use crate::clock::Watch;
use crate::stability::stable_count;
use crate::table::{Entry, Finding, NO_MOVE, Table, table_of};

/// From this many empty squares on moves are sorted and positions remembered.
const SORTED_FROM: u32 = 8;

/// Below every value.
const NONE: i32 = -100;

/// An exact search: what it remembers, and how many positions it has looked at.
pub(crate) struct Endgame<'a> {
    /// A [`small_table`] that no other thread uses.
    table: &'a Table,
    watch: &'a Watch<'a>,
    /// Positions looked at.
    pub(crate) nodes: u64,
    /// The search is over: values are no longer to be believed.
    pub(crate) halted: bool,
    /// When to look at the watch again, in nodes.
    next_look: u64,
}

/// A table for endgames, small enough for the processor's cache: FFO 40-49 take 763 million positions, 773 with a
/// quarter of it.
pub(crate) fn small_table() -> LazyTable<Entry> {
    table_of(4 << 20)
}

/// A move, with what it turns and how promising it is.
#[derive(Clone, Copy)]
struct Ranked {
    square: u8,
    turned: u64,
    /// The other side's moves.
    replies: u64,
    rank: i32,
}

impl<'a> Endgame<'a> {
    pub(crate) const fn new(table: &'a Table, watch: &'a Watch<'a>) -> Self {
        Self { table, watch, nodes: 0, halted: false, next_look: 0 }
    }

    /// Whether the exact value is above `alpha`: returns a lower bound above it, or an upper bound
    /// that is not.
    pub(crate) fn solve(&mut self, board: Board, alpha: i32) -> i32 {
        let empties = board.empties();
        self.search(board, alpha, empties.count_ones(), odd_quarters(empties))
    }

    /// `odd` has a bit for each quarter with an odd number of empty squares.
    #[inline]
    fn search(&mut self, board: Board, alpha: i32, empties: u32, odd: u8) -> i32 {
        match empties {
            0 => board.margin(),
            1..=3 => self.few(board, alpha),
            4 => {
                let squares = four_squares(board.empties(), odd);
                last::last4(board, alpha, squares, &mut self.nodes)
            }
            _ => self.at_moves(board, board.moves(), alpha, empties, odd),
        }
    }

    /// Five empty squares or more, with the moves of the side to move.
    #[inline]
    fn at_moves(&mut self, board: Board, moves: u64, alpha: i32, empties: u32, odd: u8) -> i32 {
        if empties < SORTED_FROM {
            self.shallow(board, moves, alpha, empties, odd)
        } else {
            self.sorted(board, moves, alpha, empties, odd)
        }
    }

    /// Fewer than four squares at once: only whoever asks for the value of such a position.
    #[cold]
    fn few(&mut self, board: Board, alpha: i32) -> i32 {
        self.nodes += 1;
        let moves = board.moves();
        if moves == 0 {
            return self.passed(board, alpha, |me, board, _, alpha| me.few(board, alpha));
        }
        let mut best = NONE;
        for square in tablero_othello::bits::squares(moves) {
            let square = square.index() as u8;
            let next = board.play(square, board.flips(square));
            let value = if next.empties() == 0 { -next.margin() } else { -self.few(next, !alpha) };
            best = best.max(value);
        }
        best
    }

    /// The value if the side to move has no move.
    #[inline]
    fn passed(
        &mut self,
        board: Board,
        alpha: i32,
        search: impl FnOnce(&mut Self, Board, u64, i32) -> i32,
    ) -> i32 {
        let next = board.pass();
        let moves = next.moves();
        if moves == 0 { board.margin() } else { -search(self, next, moves, !alpha) }
    }

    /// Odd quarters first, nothing remembered.
    fn shallow(&mut self, board: Board, moves: u64, alpha: i32, empties: u32, odd: u8) -> i32 {
        self.nodes += 1;
        if let Some(bound) = stability_bound(board, alpha, empties) {
            return bound;
        }
        if moves == 0 {
            return self.passed(board, alpha, |me, next, moves, alpha| {
                me.shallow(next, moves, alpha, empties, odd)
            });
        }
        let mut best = NONE;
        let first = moves & ODD_SQUARES[usize::from(odd & 15)];
        for mut part in [first, moves & !first] {
            while part != 0 {
                let square = part.trailing_zeros() as u8;
                part &= part - 1;
                let next = board.play(square, board.flips(square));
                let odd = odd ^ quarter(square);
                let value = if empties == 5 {
                    let squares = four_squares(next.empties(), odd);
                    -last::last4(next, !alpha, squares, &mut self.nodes)
                } else {
                    -self.shallow(next, next.moves(), !alpha, empties - 1, odd)
                };
                if value > alpha {
                    return value;
                }
                best = best.max(value);
            }
        }
        best
    }

    #[cold]
    fn look_at_watch(&mut self) {
        /// About a millisecond.
        const INTERVAL: u64 = 30_000;
        self.halted = self.watch.is_over();
        self.next_look = self.nodes + INTERVAL;
    }

    /// Sorted moves, and a table.
    fn sorted(&mut self, board: Board, moves: u64, alpha: i32, empties: u32, odd: u8) -> i32 {
        self.nodes += 1;
        if self.nodes >= self.next_look {
            self.look_at_watch();
        }
        if self.halted {
            return alpha;
        }
        let key = board.key();
        self.table.prefetch(key);
        if let Some(bound) = stability_bound(board, alpha, empties) {
            return bound;
        }
        if moves == 0 {
            return self.passed(board, alpha, |me, next, moves, alpha| {
                me.sorted(next, moves, alpha, empties, odd)
            });
        }
        let before = self.nodes;
        let mut known = [NO_MOVE; 2];
        if let Some(entry) = self.table.probe(key) {
            if i32::from(entry.lower) > alpha {
                return entry.lower.into();
            }
            if i32::from(entry.upper) <= alpha {
                return entry.upper.into();
            }
            known = entry.moves;
        }
        let mut list = [Ranked { square: NO_MOVE, turned: 0, replies: 0, rank: 0 }; 32];
        let remembering = (empties > SORTED_FROM).then_some(self.table);
        let count = rank(board, moves, odd, known, remembering, &mut list);
        let list = &mut list[..count];
        let (mut best, mut best_square) = (NONE, NO_MOVE);
        for at in 0..list.len() {
            let m = take_best(list, at);
            let next = board.play(m.square, m.turned);
            let odd = odd ^ quarter(m.square);
            let value = -self.at_moves(next, m.replies, !alpha, empties - 1, odd);
            if value > best {
                (best, best_square) = (value, m.square);
                if value > alpha {
                    break;
                }
            }
        }
        if self.halted {
            return alpha;
        }
        let finding = Finding {
            depth: empties,
            selectivity: 0,
            alpha,
            beta: alpha + 1,
            score: best,
            best: best_square,
            nodes: self.nodes - before,
        };
        finding.store(self.table, key);
        best
    }
}

/// Moves the best of `list[at..]` to `at`.
#[inline]
fn take_best(list: &mut [Ranked], at: usize) -> Ranked {
    let mut best = at;
    for other in at + 1..list.len() {
        if list[other].rank > list[best].rank {
            best = other;
        }
    }
    list.swap(at, best);
    list[at]
}

/// Lists the moves with their ranks. If the positions after them are to be looked up, they are on the way
/// to the cache from now on.
#[inline]
fn rank(
    board: Board,
    mut moves: u64,
    odd: u8,
    known: [u8; 2],
    remembering: Option<&Table>,
    list: &mut [Ranked; 32],
) -> usize {
    let mut count = 0;
    while moves != 0 {
        let square = moves.trailing_zeros() as u8;
        moves &= moves - 1;
        let turned = board.flips(square);
        let next = board.play(square, turned);
        if let Some(table) = remembering {
            table.prefetch(next.key());
        }
        let replies = next.moves();
        let rank = if square == known[0] {
            i32::MAX
        } else if square == known[1] {
            i32::MAX - 1
        } else {
            rank_of(next, replies, square, odd)
        };
        list[count & 31] = Ranked { square, turned, replies, rank };
        count += 1;
    }
    count.min(32)
}

/// How promising a move is that led to `next`: the fewer replies, the better.
#[inline]
fn rank_of(next: Board, replies: u64, square: u8, odd: u8) -> i32 {
    if next.player == 0 {
        return i32::MAX - 2;
    }
    let weight = (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
    let odd = i32::from(odd & quarter(square) != 0);
    let liberties = (around(next.opponent) & next.empties()).count_ones() as i32;
    -(weight << 8) + (SQUARE_WORTH[usize::from(square & 63)]) + (odd << 4) - (liberties << 3)
}

const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The squares beside those of a set.
#[inline]
const fn around(set: u64) -> u64 {
    const NOT_A: u64 = !0x0101_0101_0101_0101;
    const NOT_H: u64 = !0x8080_8080_8080_8080;
    let wide = set | (set << 1 & NOT_A) | (set >> 1 & NOT_H);
    wide | wide << 8 | wide >> 8
}

/// What a square is worth if nothing else tells moves apart: corners, then edges and the middle, squares
/// beside corners last.
static SQUARE_WORTH: [i32; 64] = {
    const ROWS: [[i32; 4]; 4] = [[18, 4, 16, 12], [4, 2, 6, 8], [16, 6, 14, 10], [12, 8, 10, 0]];
    let mut worth = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (x, y) = (square % 8, square / 8);
        let (x, y) = (if x < 4 { x } else { 7 - x }, if y < 4 { y } else { 7 - y });
        worth[square] = ROWS[y][x];
        square += 1;
    }
    worth
};

/// From how low an alpha on it is worth looking for stable discs, by the number of empty squares: with
/// many of them, few discs are stable.
const STABLE_FROM: [i32; 61] = {
    let mut from = [99; 61];
    let mut empties = 0;
    while empties < 61 {
        let n = empties as i32;
        from[empties] = if n < 5 {
            99
        } else if n < 9 {
            2 * n - 20
        } else {
            2 * n - 18
        };
        if from[empties] < -6 {
            from[empties] = -6;
        }
        empties += 1;
    }
    from
};

/// An upper bound of the value that is not above alpha, if the other side's stable discs give one.
#[inline]
pub(crate) fn stability_bound(board: Board, alpha: i32, empties: u32) -> Option<i32> {
    if alpha < STABLE_FROM[empties as usize] {
        return None;
    }
    let bound = 64 - 2 * stable_count(board.opponent, board.player) as i32;
    (bound <= alpha).then_some(bound)
}

/// The four squares of a set, those in odd quarters first.
#[inline]
fn four_squares(set: u64, odd: u8) -> [u8; 4] {
    let first = set & ODD_SQUARES[usize::from(odd & 15)];
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

/// The bit of a square's quarter.
#[inline]
const fn quarter(square: u8) -> u8 {
    1 << ((square >> 4 & 2) | (square >> 2 & 1))
}

const QUARTERS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];

/// The squares of each combination of quarters.
static ODD_SQUARES: [u64; 16] = {
    let mut sets = [0; 16];
    let mut odd = 0;
    while odd < 16 {
        let mut quarter = 0;
        while quarter < 4 {
            if odd >> quarter & 1 == 1 {
                sets[odd] |= QUARTERS[quarter];
            }
            quarter += 1;
        }
        odd += 1;
    }
    sets
};

/// A bit for each quarter with an odd number of squares of a set.
fn odd_quarters(set: u64) -> u8 {
    let odd = |quarter: usize| ((set & QUARTERS[quarter]).count_ones() as u8 & 1) << quarter;
    odd(0) | odd(1) | odd(2) | odd(3)
}

#[cfg(test)]
mod tests;
