//! Stable discs: those that can never be flipped again. A lower bound of their number bounds the
//! opponent's score, for stability cutoffs.
//!
//! As in Edax: edge discs by a precomputed table over all edge configurations; an interior disc is
//! stable if in each of its four lines the line is full or a stable disc of the same color is next
//! to it.

use std::sync::LazyLock;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const RANKS: u64 = 0xff00_0000_0000_00ff;
/// Squares that are not on an edge.
const INTERIOR: u64 = !(FILE_A | FILE_H | RANKS);

/// Stable discs of the first side on an edge, by the discs of both sides.
static EDGE_STABILITY: LazyLock<Box<[[u8; 256]; 256]>> = LazyLock::new(edge_stability_table);

/// A lower bound of the number of stable discs of `own`.
pub(crate) fn stable_count(own: u64, other: u64) -> u32 {
    let full = full_lines(own | other);
    let inside = own & INTERIOR;
    let mut stable =
        stable_edge_discs(own, other) | (full[0] & full[1] & full[2] & full[3] & inside);
    loop {
        // Shifts do not wrap around into interior squares.
        let safe = |axis: usize, step: u32| full[axis] | stable << step | stable >> step;
        let more = inside & !stable & safe(0, 1) & safe(1, 8) & safe(2, 9) & safe(3, 7);
        if more == 0 {
            return stable.count_ones();
        }
        stable |= more;
    }
}

/// The stable discs of `own` on the four edges.
fn stable_edge_discs(own: u64, other: u64) -> u64 {
    let edges = &**EDGE_STABILITY;
    let stable = |own: u64, other: u64| u64::from(edges[own as usize & 255][other as usize & 255]);
    stable(own, other)
        | stable(own >> 56, other >> 56) << 56
        | to_file(stable(from_file(own), from_file(other)))
        | to_file(stable(from_file(own >> 7), from_file(other >> 7))) << 7
}

/// File a as a row (bit-gather by multiplication).
const fn from_file(set: u64) -> u64 {
    (set & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// A row as file a.
const fn to_file(row: u64) -> u64 {
    // Seven disjoint copies put bit n of the row at bit 8n.
    let low = (row & 0x7f).wrapping_mul(0x0002_0408_1020_4081) & FILE_A;
    low | (row >> 7) << 56
}

/// For each axis (row, column, diagonal, antidiagonal), the squares whose line is full.
fn full_lines(discs: u64) -> [u64; 4] {
    let rows = {
        let mut bytes = discs & discs >> 4;
        bytes &= bytes >> 2;
        bytes &= bytes >> 1;
        (bytes & FILE_A).wrapping_mul(255)
    };
    let columns = {
        let mut rows = discs & discs.rotate_left(32);
        rows &= rows.rotate_left(16);
        rows & rows.rotate_left(8)
    };
    [rows, columns, full_diagonals(discs, 9, &OUTSIDE_9), full_diagonals(discs, 7, &OUTSIDE_7)]
}

/// The squares whose diagonal with this step is full, by parallel prefix in both directions.
fn full_diagonals(discs: u64, step: u32, outside: &[[u64; 2]; 3]) -> u64 {
    let (mut up, mut down) = (discs, discs);
    for (power, [above, below]) in outside.iter().enumerate() {
        up &= up >> (step << power) | above;
        down &= down << (step << power) | below;
    }
    up & down
}

/// The squares from which 1, 2 and 4 steps up and down a diagonal leave the board.
const OUTSIDE_9: [[u64; 2]; 3] = outside(1);
const OUTSIDE_7: [[u64; 2]; 3] = outside(-1);

const fn outside(dx: i32) -> [[u64; 2]; 3] {
    let mut sets = [[0; 2]; 3];
    let mut power = 0;
    while power < 3 {
        let steps = 1 << power;
        let mut square = 0;
        while square < 64 {
            let (x, y) = (square % 8, square / 8);
            let (right, left) = (x + dx * steps, x - dx * steps);
            if right < 0 || right > 7 || y + steps > 7 {
                sets[power][0] |= 1u64 << square;
            }
            if left < 0 || left > 7 || y - steps < 0 {
                sets[power][1] |= 1u64 << square;
            }
            square += 1;
        }
        power += 1;
    }
    sets
}

fn edge_stability_table() -> Box<[[u8; 256]; 256]> {
    let mut edges = Box::new([[0; 256]; 256]);
    // In order of empties: a move leads to an edge that is already computed.
    let mut order: Vec<(u8, u8)> = (0..=255u8)
        .flat_map(|own| (0..=255u8).map(move |other| (own, other)))
        .filter(|(own, other)| own & other == 0)
        .collect();
    order.sort_by_key(|(own, other)| (own | other).count_zeros());
    for (own, other) in order {
        let mut stable = own;
        for index in (0..8).filter(|index| (own | other) >> index & 1 == 0) {
            // A disc is stable if it stays so whichever side plays there.
            let (a, b) = play_on_edge(own, other, index);
            stable &= edges[usize::from(a)][usize::from(b)];
            let (b, a) = play_on_edge(other, own, index);
            stable &= edges[usize::from(a)][usize::from(b)];
        }
        edges[usize::from(own)][usize::from(other)] = stable;
    }
    edges
}

/// An edge after `own` plays on an empty square of it.
fn play_on_edge(own: u8, other: u8, index: u32) -> (u8, u8) {
    let mut flipped = 0;
    for step in [1i32, -1] {
        let (mut at, mut run) = (index as i32 + step, 0u8);
        while (0..8).contains(&at) && other >> at & 1 == 1 {
            run |= 1 << at;
            at += step;
        }
        if (0..8).contains(&at) && own >> at & 1 == 1 {
            flipped |= run;
        }
    }
    (own | flipped | 1 << index, other & !flipped)
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Rng, StandardRules};
    use tablero_othello::{Othello, stable_discs};

    use super::*;

    #[test]
    fn files_become_rows_and_back() {
        for row in 0..256 {
            assert_eq!(from_file(to_file(row)), row);
        }
    }

    /// At least as many as the slow version finds, and none is ever flipped.
    #[test]
    fn stable_discs_are_never_flipped() {
        let mut rng = Rng::seeded(1);
        for _ in 0..2_000 {
            let mut position = Othello::start(StandardRules);
            let mut kept = [0; 2];
            loop {
                for side in tablero_core::Side::BOTH {
                    let (own, other) = (position.discs(side), position.discs(!side));
                    let count = stable_count(own, other);
                    assert!(count >= stable_discs(own, other).count_ones(), "{position:?}");
                    assert!(count <= own.count_ones());
                    kept[side.index()] = count.max(kept[side.index()]);
                    assert!(own.count_ones() >= kept[side.index()], "{position:?}");
                }
                let Some(m) = position.random_move(&mut rng) else { break };
                position.play(m);
            }
        }
    }
}
