//! Non-pattern terms: mobility and potential mobility of both sides, and parity of quadrants.

use tablero_othello::bitboard::moves;

/// Number of terms. Each has a table with a weight for every value.
pub const TERMS: usize = 5;

/// Names of the terms.
pub const NAMES: [&str; TERMS] = [
    "mobility",
    "opponent mobility",
    "potential mobility",
    "opponent potential mobility",
    "quadrant parity",
];

/// Number of values of each term.
pub const VALUES: [usize; TERMS] = [32, 32, 40, 40, 10];

/// Offset of each term's weights.
pub(super) const STARTS: [usize; TERMS + 1] = {
    let (mut starts, mut term) = ([0; TERMS + 1], 0);
    while term < TERMS {
        starts[term + 1] = starts[term] + VALUES[term];
        term += 1;
    }
    starts
};

/// Number of values of all terms.
pub(super) const ALL_VALUES: usize = STARTS[TERMS];

const QUADRANTS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];

/// The values of the terms, each less than its number of [`VALUES`]. Potential mobility counts the
/// empties next to the opponent's discs; parity is the number of odd quadrants and the parity of
/// all empties.
#[inline]
pub fn terms(player: u64, opponent: u64) -> [usize; TERMS] {
    let empty = !(player | opponent);
    let count = |set: u64, term: usize| (set.count_ones() as usize).min(VALUES[term] - 1);
    let odd = |quadrant: u64| (empty & quadrant).count_ones() as usize & 1;
    let odd_quadrants: usize = QUADRANTS.into_iter().map(odd).sum();
    [
        count(moves(player, opponent), 0),
        count(moves(opponent, player), 1),
        count(neighbours(opponent) & empty, 2),
        count(neighbours(player) & empty, 3),
        2 * odd_quadrants + (empty.count_ones() as usize & 1),
    ]
}

/// A set and the squares next to it.
#[inline]
fn neighbours(set: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let wide = set | set << 1 & NOT_A | set >> 1 & NOT_H;
    wide | wide << 8 | wide >> 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_has_four_moves_and_even_parity() {
        let (player, opponent) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
        // Each pair of discs on a diagonal touches ten empty squares.
        assert_eq!(terms(player, opponent), [4, 4, 10, 10, 8]);
    }

    #[test]
    fn neighbours_do_not_wrap_around_the_board() {
        assert_eq!(neighbours(1), 0x0303);
        assert_eq!(neighbours(1 << 63), 0xc0c0_0000_0000_0000);
        assert_eq!(neighbours(1 << 7), 0xc0c0);
    }
}
