//! The last four empty squares: no lists, no tables, each number of squares in a function of its own.
//!
//! All of them answer whether the value is above `alpha`: what they return is above it exactly if the
//! value is, and then a lower bound of the value, otherwise an upper bound.

use crate::Board;
use crate::flips::{count_last, flips};

/// Below every value.
const NONE: i32 = -100;

/// The squares beside each square.
static BESIDE: [u64; 64] = {
    let mut beside = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (x, y) = (square % 8, square / 8);
        let mut other = 0;
        while other < 64 {
            let (dx, dy) = (x - other % 8, y - other / 8);
            if dx * dx <= 1 && dy * dy <= 1 && other != square {
                beside[square as usize] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    beside
};

/// What `own` turns on `square`; the discs beside it tell quickly if it is nothing.
#[inline]
fn turned(own: u64, other: u64, square: u8) -> u64 {
    if BESIDE[usize::from(square & 63)] & other == 0 { 0 } else { flips(own, other, square) }
}

/// Whether two squares are in the same quarter of the board.
#[inline]
const fn same_quarter(a: u8, b: u8) -> bool {
    (a ^ b) & 0b100_100 == 0
}

/// The value with four empty squares, those in quarters with an odd number of empty ones first.
#[inline]
pub(super) fn last4(board: Board, alpha: i32, squares: [u8; 4], nodes: &mut u64) -> i32 {
    *nodes += 1;
    let [a, b, c, d] = squares;
    let Board { player, opponent } = board;
    let mut best = NONE;
    for (square, rest) in [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])] {
        let turned = turned(player, opponent, square);
        if turned != 0 {
            let value = -last3(board.play(square, turned), !alpha, rest, nodes);
            if value > alpha {
                return value;
            }
            best = best.max(value);
        }
    }
    if best != NONE {
        return best;
    }
    if board.pass().moves() == 0 {
        return board.margin();
    }
    -last4(board.pass(), !alpha, squares, nodes)
}

/// The value with three empty squares.
fn last3(board: Board, alpha: i32, [a, b, c]: [u8; 3], nodes: &mut u64) -> i32 {
    *nodes += 1;
    // A square alone in its quarter first: whoever plays there need not be answered there.
    let [a, b, c] = if same_quarter(a, b) {
        [c, a, b]
    } else if same_quarter(a, c) {
        [b, a, c]
    } else {
        [a, b, c]
    };
    let value = any3(board, alpha, [a, b, c], nodes);
    if value != NONE {
        return value;
    }
    let value = any3(board.pass(), !alpha, [a, b, c], nodes);
    if value != NONE {
        return -value;
    }
    board.margin()
}

/// The value if the side to move has a move, or [`NONE`].
#[inline]
fn any3(board: Board, alpha: i32, [a, b, c]: [u8; 3], nodes: &mut u64) -> i32 {
    let Board { player, opponent } = board;
    let mut best = NONE;
    for (square, rest) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
        let turned = turned(player, opponent, square);
        if turned != 0 {
            let value = -last2(board.play(square, turned), !alpha, rest, nodes);
            if value > alpha {
                return value;
            }
            best = best.max(value);
        }
    }
    best
}

/// The value with two empty squares.
#[inline]
fn last2(board: Board, alpha: i32, [a, b]: [u8; 2], nodes: &mut u64) -> i32 {
    *nodes += 1;
    let Board { player, opponent } = board;
    let mut best = NONE;
    for (square, rest) in [(a, b), (b, a)] {
        let turned = turned(player, opponent, square);
        if turned != 0 {
            *nodes += 1;
            let value = -last1(opponent ^ turned, !alpha, rest);
            if value > alpha {
                return value;
            }
            best = best.max(value);
        }
    }
    if best != NONE {
        return best;
    }
    let mut worst = -NONE;
    for (square, rest) in [(a, b), (b, a)] {
        let turned = turned(opponent, player, square);
        if turned != 0 {
            *nodes += 1;
            let value = last1(player ^ turned, alpha, rest);
            if value <= alpha {
                return value;
            }
            worst = worst.min(value);
        }
    }
    if worst != -NONE { worst } else { board.margin() }
}

/// The value with one empty square: only counting is left.
#[inline]
fn last1(player: u64, alpha: i32, square: u8) -> i32 {
    let own = player.count_ones() as i32;
    let turned = count_last(player, square) as i32;
    if turned > 0 {
        return 2 * (own + 1 + turned) - 64;
    }
    // Nobody moves: the empty square is the winner's. If the other side can move, it is worse than that.
    let ended = if own > 31 { 2 * own - 62 } else { 2 * own - 64 };
    if ended <= alpha {
        return ended;
    }
    let opponent = !(player | 1 << (square & 63));
    match count_last(opponent, square) as i32 {
        0 => ended,
        lost => 2 * (own - lost) - 64,
    }
}
