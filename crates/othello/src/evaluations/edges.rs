//! Edge table: a value for each of the 3^8 states of an edge, computed once by a probabilistic
//! minimax over edge moves (P. Rosenbloom, "A World-Championship-Level Othello Program", Artificial
//! Intelligence 19, 1982: IAGO's edge stability table).
//!
//! A move that flips discs of the edge itself is always legal. Whether any other edge square can be
//! played depends on the rest of the board; it gets a fixed probability per square.

use std::sync::LazyLock;

use crate::bitboard::column_a;

/// States of an edge: 8 squares, each empty, own or opposing.
const EDGE_STATES: usize = 6561;

/// The value in centi-discs of an unstable and of a stable disc, by distance from the corner.
const UNSTABLE: [i32; 4] = [0, -60, 15, 10];
const STABLE: [i32; 4] = [250, 80, 70, 60];
/// The probability, in percent, that a move which flips nothing on the edge is legal.
const PLAY_PROBABILITY: [i32; 4] = [10, 40, 60, 60];

/// The table index of an edge: its squares as base-3 digits.
pub(super) fn ternary_index(own: u8, other: u8) -> usize {
    usize::from(TERNARY[usize::from(own)]) + 2 * usize::from(TERNARY[usize::from(other)])
}

/// Bits reinterpreted as base-3 digits.
static TERNARY: [u16; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut value, mut power, mut square) = (0, 1, 0);
        while square < 8 {
            if bits >> square & 1 == 1 {
                value += power;
            }
            power *= 3;
            square += 1;
        }
        table[bits] = value;
        bits += 1;
    }
    table
};

static TABLE: LazyLock<Vec<i16>> = LazyLock::new(build_table);

/// The value of all four edges in centi-discs, for `mover`. Averaged over both sides to move, so it is
/// antisymmetric.
pub(super) fn edge_score(mover: u64, other: u64) -> i32 {
    let table = &*TABLE;
    let one = |own: u8, other: u8| {
        i32::from(table[ternary_index(own, other)]) - i32::from(table[ternary_index(other, own)])
    };
    let edges = |set: u64| [set as u8, (set >> 56) as u8, column_a(set), column_a(set >> 7)];
    edges(mover).into_iter().zip(edges(other)).map(|(own, other)| one(own, other)).sum::<i32>() / 2
}

/// Fills the table from full edges to empty ones: every move leads to a state already computed.
fn build_table() -> Vec<i16> {
    let mut table = vec![0i16; EDGE_STATES];
    let pairs = || (0..=255u8).flat_map(|own| (0..=255u8).map(move |other| (own, other)));
    for empties in 0..=8 {
        for (own, other) in pairs().filter(|(own, other)| own & other == 0) {
            if (own | other).count_zeros() == empties {
                table[ternary_index(own, other)] = expected_value(&table, own, other) as i16;
            }
        }
    }
    table
}

/// The expected value for the side to move, which plays the best move that turns out to be legal and
/// may always stay off the edge.
fn expected_value(table: &[i16], own: u8, other: u8) -> i32 {
    let mut moves: Vec<(i32, i32)> = (0..8)
        .filter(|square| (own | other) >> square & 1 == 0)
        .map(|square| {
            let flips = flips(own, other, square);
            let probability = if flips != 0 { 100 } else { PLAY_PROBABILITY[from_corner(square)] };
            let value = -i32::from(table[ternary_index(other & !flips, own | flips | 1 << square)]);
            (value, probability)
        })
        .collect();
    moves.sort_unstable_by(|a, b| b.cmp(a));
    let stand_pat = static_value(own, other);
    // `remaining` is the probability, in 1/10000, that no better move was legal.
    let (mut expected, mut remaining) = (0, 10_000);
    for (value, probability) in moves.into_iter().filter(|(value, _)| *value > stand_pat) {
        expected += value * (remaining * probability / 100);
        remaining -= remaining * probability / 100;
    }
    (expected + stand_pat * remaining) / 10_000
}

/// The value of an edge on which no more moves are made.
fn static_value(own: u8, other: u8) -> i32 {
    side_value(own, other) - side_value(other, own)
}

fn side_value(own: u8, other: u8) -> i32 {
    let full = own | other == 0xff;
    let anchored = |square: u32| {
        let below = (1u8 << square) - 1;
        let above = !(below | 1 << square);
        full || own & below == below || own & above == above
    };
    let disc = |square: u32| {
        if anchored(square) { STABLE[from_corner(square)] } else { UNSTABLE[from_corner(square)] }
    };
    (0..8).filter(|square| own >> square & 1 == 1).map(disc).sum()
}

/// Distance from the nearer corner, 0 to 3.
fn from_corner(square: u32) -> usize {
    square.min(7 - square) as usize
}

/// The discs of the edge that a move on `square` flips.
pub(super) fn flips(own: u8, other: u8, square: u32) -> u8 {
    let walk = |step: i32| {
        let (mut at, mut line) = (square as i32 + step, 0u8);
        while (0..8).contains(&at) && other >> at & 1 == 1 {
            line |= 1 << at;
            at += step;
        }
        if (0..8).contains(&at) && own >> at & 1 == 1 { line } else { 0 }
    };
    walk(1) | walk(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_distinct() {
        let mut seen = vec![false; EDGE_STATES];
        for own in 0..=255u8 {
            for other in (0..=255u8).filter(|other| own & other == 0) {
                assert!(!std::mem::replace(&mut seen[ternary_index(own, other)], true));
            }
        }
        assert!(seen.into_iter().all(|edge| edge));
    }

    #[test]
    fn edge_values_agree_with_basic_strategy() {
        let edge = |own: u8, other: u8| edge_score(u64::from(own), u64::from(other));
        assert!(edge(0b1, 0) > edge(0b100, 0), "a corner beats an edge disc");
        assert!(edge(0b10, 0) < 0, "a lone C-square is a weakness");
        assert!(edge(0b0011_1100, 0) > edge(0b0111_1100, 0), "balanced beats unbalanced");
        assert!(edge(0xff, 0) > 400);
        assert_eq!(edge(0b1, 0b1000_0000), 0);
    }

    #[test]
    fn only_flanked_discs_are_flipped() {
        assert_eq!(flips(0b0001_0000, 0b0000_1110, 0), 0b0000_1110);
        assert_eq!(flips(0b0010_0000, 0b0000_1110, 0), 0);
    }
}
