//! Stable discs: discs that can never be flipped again.

use crate::bitboard::{NOT_A, NOT_H};

/// By axis: the border squares, which lack a neighbour along it.
const BORDER: [u64; 4] = [
    !NOT_A | !NOT_H,
    0xff00_0000_0000_00ff,
    !NOT_A | !NOT_H | 0xff00_0000_0000_00ff,
    !NOT_A | !NOT_H | 0xff00_0000_0000_00ff,
];

/// By axis (row, column, two diagonals): both neighbours of every square of a set.
fn neighbours(set: u64) -> [u64; 4] {
    [
        (set & NOT_H) << 1 | (set & NOT_A) >> 1,
        set << 8 | set >> 8,
        (set & NOT_H) << 9 | (set & NOT_A) >> 9,
        (set & NOT_A) << 7 | (set & NOT_H) >> 7,
    ]
}

/// By axis: the squares whose whole line is occupied, so that no disc can be flipped along it.
fn full_lines(occupied: u64) -> [u64; 4] {
    let empty = !occupied;
    // Flood fill: an empty square reaches every square of its lines.
    let spread = |mut set: u64, axis: usize| {
        for _ in 0..7 {
            set |= neighbours(set)[axis];
        }
        !set
    };
    [0, 1, 2, 3].map(|axis| spread(empty, axis))
}

/// A lower bound on the stable discs of `own`: along every axis the line is full, or a neighbour is
/// off the board or itself stable. Iterated to a fixed point, as in Edax's `get_stability`.
///
/// ```
/// use tablero_othello::stable_discs;
/// let corner_and_edge = 0b111;
/// assert_eq!(stable_discs(corner_and_edge, 0), corner_and_edge);
/// assert_eq!(stable_discs(0b110, 0), 0);
/// ```
pub fn stable_discs(own: u64, other: u64) -> u64 {
    let full = full_lines(own | other);
    let mut stable = 0;
    loop {
        let next_to_stable = neighbours(stable);
        let safe = |axis: usize| full[axis] | BORDER[axis] | next_to_stable[axis];
        let next = own & safe(0) & safe(1) & safe(2) & safe(3);
        if next == stable {
            return stable;
        }
        stable = next;
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Rng, StandardRules};

    use super::*;
    use crate::Othello;

    #[test]
    fn stable_discs_are_never_flipped_in_random_games() {
        let mut rng = Rng::seeded(5);
        for _ in 0..300 {
            let mut position = Othello::start(StandardRules);
            let mut stable = [0u64; 2];
            loop {
                for side in tablero_core::Side::BOTH {
                    let discs = position.discs(side);
                    assert_eq!(stable[side.index()] & !discs, 0, "{position:?}");
                    stable[side.index()] |= stable_discs(discs, position.discs(!side));
                }
                let Some(m) = position.random_move(&mut rng) else { break };
                position.play(m);
            }
            // At the end every line is full or neither side can move, so some discs were stable.
            assert!(stable[0] | stable[1] != 0 || position.outcome().is_some());
        }
    }

    #[test]
    fn all_discs_of_a_full_board_are_stable() {
        assert_eq!(
            stable_discs(0x00ff_00ff_00ff_00ff, 0xff00_ff00_ff00_ff00),
            0x00ff_00ff_00ff_00ff
        );
    }
}
