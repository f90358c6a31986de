//! The last four empties, one function each: no move lists, no table.
//!
//! All are null-window searches of `(alpha, alpha + 1)`: a result above `alpha` is a lower bound of
//! the value, any other an upper bound.

use crate::Board;
use crate::flips::{count_last_flip, flips};

/// Below every value.
const SCORE_NONE: i32 = -100;

/// The squares adjacent to each square.
static NEIGHBOURS: [u64; 64] = {
    let mut neighbours = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (x, y) = (square % 8, square / 8);
        let mut other = 0;
        while other < 64 {
            let (dx, dy) = (x - other % 8, y - other / 8);
            if dx * dx <= 1 && dy * dy <= 1 && other != square {
                neighbours[square as usize] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    neighbours
};

/// The flips of a move; a quick test first whether it has an adjacent opponent's disc.
#[inline]
fn flips_if_adjacent(own: u64, other: u64, square: u8) -> u64 {
    if NEIGHBOURS[usize::from(square & 63)] & other == 0 { 0 } else { flips(own, other, square) }
}

/// Whether two squares are in the same quadrant.
#[inline]
const fn same_quadrant(a: u8, b: u8) -> bool {
    (a ^ b) & 0b100_100 == 0
}

/// Four empties, those in odd quadrants first.
#[inline]
pub(super) fn solve_4(board: Board, alpha: i32, squares: [u8; 4], nodes: &mut u64) -> i32 {
    *nodes += 1;
    let [a, b, c, d] = squares;
    let Board { player, opponent } = board;
    let mut best = SCORE_NONE;
    for (square, rest) in [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])] {
        let flips = flips_if_adjacent(player, opponent, square);
        if flips != 0 {
            let value = -solve_3(board.play(square, flips), !alpha, rest, nodes);
            if value > alpha {
                return value;
            }
            best = best.max(value);
        }
    }
    if best != SCORE_NONE {
        return best;
    }
    if board.pass().moves() == 0 {
        return board.margin();
    }
    -solve_4(board.pass(), !alpha, squares, nodes)
}

/// Three empties.
fn solve_3(board: Board, alpha: i32, [a, b, c]: [u8; 3], nodes: &mut u64) -> i32 {
    *nodes += 1;
    // Parity: a single empty in its quadrant first.
    let [a, b, c] = if same_quadrant(a, b) {
        [c, a, b]
    } else if same_quadrant(a, c) {
        [b, a, c]
    } else {
        [a, b, c]
    };
    let value = search_3(board, alpha, [a, b, c], nodes);
    if value != SCORE_NONE {
        return value;
    }
    let value = search_3(board.pass(), !alpha, [a, b, c], nodes);
    if value != SCORE_NONE {
        return -value;
    }
    board.margin()
}

/// The value of the best move, or [`SCORE_NONE`] without one.
#[inline]
fn search_3(board: Board, alpha: i32, [a, b, c]: [u8; 3], nodes: &mut u64) -> i32 {
    let Board { player, opponent } = board;
    let mut best = SCORE_NONE;
    for (square, rest) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
        let flips = flips_if_adjacent(player, opponent, square);
        if flips != 0 {
            let value = -solve_2(board.play(square, flips), !alpha, rest, nodes);
            if value > alpha {
                return value;
            }
            best = best.max(value);
        }
    }
    best
}

/// Two empties.
#[inline]
fn solve_2(board: Board, alpha: i32, [a, b]: [u8; 2], nodes: &mut u64) -> i32 {
    *nodes += 1;
    let Board { player, opponent } = board;
    let mut best = SCORE_NONE;
    for (square, rest) in [(a, b), (b, a)] {
        let flips = flips_if_adjacent(player, opponent, square);
        if flips != 0 {
            *nodes += 1;
            let value = -solve_1(opponent ^ flips, !alpha, rest);
            if value > alpha {
                return value;
            }
            best = best.max(value);
        }
    }
    if best != SCORE_NONE {
        return best;
    }
    let mut worst = -SCORE_NONE;
    for (square, rest) in [(a, b), (b, a)] {
        let flips = flips_if_adjacent(opponent, player, square);
        if flips != 0 {
            *nodes += 1;
            let value = solve_1(player ^ flips, alpha, rest);
            if value <= alpha {
                return value;
            }
            worst = worst.min(value);
        }
    }
    if worst != -SCORE_NONE { worst } else { board.margin() }
}

/// One empty: only discs are counted.
#[inline]
fn solve_1(player: u64, alpha: i32, square: u8) -> i32 {
    let own = player.count_ones() as i32;
    let flipped = count_last_flip(player, square) as i32;
    if flipped > 0 {
        return 2 * (own + 1 + flipped) - 64;
    }
    // If neither side can move, the empty square goes to the winner; an opponent's move only makes
    // it worse.
    let no_move = if own > 31 { 2 * own - 62 } else { 2 * own - 64 };
    if no_move <= alpha {
        return no_move;
    }
    let opponent = !(player | 1 << (square & 63));
    match count_last_flip(opponent, square) as i32 {
        0 => no_move,
        flipped => 2 * (own - flipped) - 64,
    }
}
