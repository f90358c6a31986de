//! What an edge of the board is worth: a table over all 3^8 ways to occupy it, worked out once by
//! playing every edge to its end (IAGO's idea).
//!
//! On an edge alone a move is certain where it turns discs of that edge; elsewhere it may or may not
//! be possible because of the rest of the board, and has a chance that depends on the square.

use std::sync::LazyLock;

/// Edges: their 8 squares with 3 states each.
const EDGES: usize = 6561;

/// What a disc on each square is worth for its owner when the edge is played out: squares from one
/// end, for a disc that can still be turned and for one that cannot.
const UNSTABLE: [i32; 4] = [0, -60, 15, 10];
const STABLE: [i32; 4] = [250, 80, 70, 60];
/// The chance, in percent, that a side can play on an empty square of which the edge itself says
/// nothing.
const CHANCE: [i32; 4] = [10, 40, 60, 60];

/// The number of an edge in the table, from the mover's and the other's discs on it.
fn number(own: u8, other: u8) -> usize {
    usize::from(TERNARY[usize::from(own)]) + 2 * usize::from(TERNARY[usize::from(other)])
}

/// Bits read as digits of a number in base 3.
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

static TABLE: LazyLock<Vec<i16>> = LazyLock::new(build);

/// The worth of all four edges for the mover minus the same for the other side, in hundredths of a
/// disc. Whose turn it is does not matter.
pub(super) fn all_edges(mover: u64, other: u64) -> i32 {
    let table = &*TABLE;
    let one = |own: u8, other: u8| {
        i32::from(table[number(own, other)]) - i32::from(table[number(other, own)])
    };
    let edges = |set: u64| [set as u8, (set >> 56) as u8, column(set), column(set >> 7)];
    edges(mover).into_iter().zip(edges(other)).map(|(own, other)| one(own, other)).sum::<i32>() / 2
}

/// The bits of column a, gathered into a byte.
fn column(set: u64) -> u8 {
    ((set & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Fills the table from full edges to empty ones: a move leads to an edge with fewer free squares.
fn build() -> Vec<i16> {
    let mut table = vec![0i16; EDGES];
    let pairs = || (0..=255u8).flat_map(|own| (0..=255u8).map(move |other| (own, other)));
    for free in 0..=8 {
        for (own, other) in pairs().filter(|(own, other)| own & other == 0) {
            if (own | other).count_zeros() == free {
                table[number(own, other)] = worth(&table, own, other) as i16;
            }
        }
    }
    table
}

/// The worth for the side to move: it takes the best move that turns out to be possible; if none is,
/// the edge stays as it is.
fn worth(table: &[i16], own: u8, other: u8) -> i32 {
    let mut moves: Vec<(i32, i32)> = (0..8)
        .filter(|square| (own | other) >> square & 1 == 0)
        .map(|square| {
            let turned = turned(own, other, square);
            let chance = if turned != 0 { 100 } else { CHANCE[fold(square)] };
            let after = -i32::from(table[number(other & !turned, own | turned | 1 << square)]);
            (after, chance)
        })
        .collect();
    moves.sort_unstable_by(|a, b| b.cmp(a));
    let stay = as_it_stands(own, other);
    let (mut expected, mut left) = (0, 10_000);
    for (value, chance) in moves.into_iter().filter(|(value, _)| *value > stay) {
        expected += value * (left * chance / 100);
        left -= left * chance / 100;
    }
    (expected + stay * left) / 10_000
}

/// The worth of the discs on an edge on which nobody plays any more.
fn as_it_stands(own: u8, other: u8) -> i32 {
    side_as_it_stands(own, other) - side_as_it_stands(other, own)
}

fn side_as_it_stands(own: u8, other: u8) -> i32 {
    let full = own | other == 0xff;
    let anchored = |square: u32| {
        let below = (1u8 << square) - 1;
        let above = !(below | 1 << square);
        full || own & below == below || own & above == above
    };
    let disc =
        |square: u32| if anchored(square) { STABLE[fold(square)] } else { UNSTABLE[fold(square)] };
    (0..8).filter(|square| own >> square & 1 == 1).map(disc).sum()
}

/// Squares as far from one end as from the other are alike.
fn fold(square: u32) -> usize {
    square.min(7 - square) as usize
}

/// The discs on the edge that playing on `square` turns.
fn turned(own: u8, other: u8, square: u32) -> u8 {
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
    fn numbers_are_distinct() {
        let mut seen = vec![false; EDGES];
        for own in 0..=255u8 {
            for other in (0..=255u8).filter(|other| own & other == 0) {
                assert!(!std::mem::replace(&mut seen[number(own, other)], true));
            }
        }
        assert!(seen.into_iter().all(|edge| edge));
    }

    #[test]
    fn edges_are_worth_what_players_know() {
        let edge = |own: u8, other: u8| all_edges(u64::from(own), u64::from(other));
        assert!(edge(0b1, 0) > edge(0b100, 0), "a corner beats an edge disc");
        assert!(edge(0b10, 0) < 0, "a lone C-square is a weakness");
        assert!(edge(0b0011_1100, 0) > edge(0b0111_1100, 0), "balanced beats unbalanced");
        assert!(edge(0xff, 0) > 400);
        assert_eq!(edge(0b1, 0b1000_0000), 0);
    }

    #[test]
    fn turns_only_flanked_discs() {
        assert_eq!(turned(0b0001_0000, 0b0000_1110, 0), 0b0000_1110);
        assert_eq!(turned(0b0010_0000, 0b0000_1110, 0), 0);
    }
}
