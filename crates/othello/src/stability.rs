//! Discs that can never be turned again.

const NOT_A: u64 = !0x0101_0101_0101_0101;
const NOT_H: u64 = !0x8080_8080_8080_8080;

/// Sides of the board, one pair for each axis: squares that have no neighbour along it.
const ENDS: [u64; 4] = [
    !NOT_A | !NOT_H,
    0xff00_0000_0000_00ff,
    !NOT_A | !NOT_H | 0xff00_0000_0000_00ff,
    !NOT_A | !NOT_H | 0xff00_0000_0000_00ff,
];

/// Both neighbours of every square of a set along each axis: row, column, two diagonals.
fn neighbours(set: u64) -> [u64; 4] {
    [
        (set & NOT_H) << 1 | (set & NOT_A) >> 1,
        set << 8 | set >> 8,
        (set & NOT_H) << 9 | (set & NOT_A) >> 9,
        (set & NOT_A) << 7 | (set & NOT_H) >> 7,
    ]
}

/// Squares of each axis whose whole line is occupied, so that nothing can be turned along it.
fn full_lines(occupied: u64) -> [u64; 4] {
    let empty = !occupied;
    // An empty square spoils every square that it reaches along an axis.
    let spread = |mut set: u64, axis: usize| {
        for _ in 0..7 {
            set |= neighbours(set)[axis];
        }
        !set
    };
    [0, 1, 2, 3].map(|axis| spread(empty, axis))
}

/// The discs of `own` that no play can turn: along every axis the line is full, or a neighbour is the
/// edge of the board or itself such a disc. (There are stable discs beyond these; these are certain.)
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
        let beside = neighbours(stable);
        let safe = |axis: usize| full[axis] | ENDS[axis] | beside[axis];
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
    fn stable_discs_are_never_turned_in_random_games() {
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
            // At the end every line is full or nobody can move, so some discs were stable.
            assert!(stable[0] | stable[1] != 0 || position.outcome().is_some());
        }
    }

    #[test]
    fn a_full_board_is_stable() {
        assert_eq!(
            stable_discs(0x00ff_00ff_00ff_00ff, 0xff00_ff00_ff00_ff00),
            0x00ff_00ff_00ff_00ff
        );
    }
}
