//! Sparse inputs of NNUE: patterns of up to eight squares, as those of the champion.

use tablero_core::{Side, SparseInputs, ternary};

use crate::{Othello, symmetry};

/// A pattern: how its squares are gathered from a bitboard, how many they are, and the symmetries that make its
/// instances. All instances share its features.
struct Pattern {
    gather: fn(u64) -> usize,
    squares: u32,
    symmetries: &'static [usize],
}

/// Symmetries that bring each edge to the top, each corner to the top left, or everything.
const EDGES: &[usize] = &[0, 2, 4, 5];
const CORNERS: &[usize] = &[0, 1, 2, 3];
const ALL: &[usize] = &[0, 1, 2, 3, 4, 5, 6, 7];

const PATTERNS: [Pattern; 10] = [
    // Rows 1 to 4.
    pattern(|set| (set & 0xff) as usize, 8, EDGES),
    pattern(|set| (set >> 8 & 0xff) as usize, 8, EDGES),
    pattern(|set| (set >> 16 & 0xff) as usize, 8, EDGES),
    pattern(|set| (set >> 24 & 0xff) as usize, 8, EDGES),
    // The corner's 2x4 squares, and its 3x3 without c3.
    pattern(|set| (set & 0xf | set >> 4 & 0xf0) as usize, 8, ALL),
    pattern(|set| (set & 0x7 | set >> 5 & 0x38 | set >> 10 & 0xc0) as usize, 8, CORNERS),
    // Diagonals of 8, 7, 6 and 5 squares.
    pattern(|set| by_file(set & 0x8040_2010_0804_0201), 8, &[0, 1]),
    pattern(|set| by_file(set & 0x4020_1008_0402_0100), 7, CORNERS),
    pattern(|set| by_file(set & 0x2010_0804_0201_0000), 6, CORNERS),
    pattern(|set| by_file(set & 0x1008_0402_0100_0000), 5, CORNERS),
];

const fn pattern(gather: fn(u64) -> usize, squares: u32, symmetries: &'static [usize]) -> Pattern {
    Pattern { gather, squares, symmetries }
}

/// Squares on different files, gathered by file.
const fn by_file(set: u64) -> usize {
    (set.wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize
}

/// Features and slots of all patterns.
const TOTAL: (usize, usize) = {
    let (mut features, mut slots, mut index) = (0, 0, 0);
    while index < PATTERNS.len() {
        features += 3usize.pow(PATTERNS[index].squares);
        slots += PATTERNS[index].symmetries.len();
        index += 1;
    }
    (features, slots)
};

impl SparseInputs for Othello {
    const INPUT_FEATURES: usize = TOTAL.0;
    const INPUT_SLOTS: usize = TOTAL.1;
    const OUTPUT_BUCKETS: usize = 8;

    fn write_inputs(&self, side: Side, slots: &mut [u16]) {
        let boards: [[u64; 2]; symmetry::COUNT] = std::array::from_fn(|symmetry| {
            [side, !side].map(|side| symmetry::transform(self.discs(side), symmetry))
        });
        let (mut slots, mut first) = (slots.iter_mut(), 0);
        for pattern in &PATTERNS {
            for (&symmetry, slot) in pattern.symmetries.iter().zip(&mut slots) {
                let [own, other] = boards[symmetry].map(pattern.gather);
                *slot = first as u16 + ternary(own, other);
            }
            first += 3usize.pow(pattern.squares);
        }
    }

    /// By the number of discs.
    fn output_bucket(&self) -> usize {
        let discs = (!self.empties()).count_ones() as usize;
        (discs.saturating_sub(4) / 8).min(Self::OUTPUT_BUCKETS - 1)
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Rng, StandardRules};

    use super::*;

    /// The instances of a pattern are what the symmetries make of it: a transformed board has the same features.
    #[test]
    fn symmetric_boards_have_the_same_features() {
        let (mut rng, mut position) = (Rng::seeded(3), Othello::start(StandardRules));
        for _ in 0..30 {
            position.play(position.random_move(&mut rng).expect("a move"));
        }
        let features = |position: &Othello| {
            let mut slots = [0; Othello::INPUT_SLOTS];
            position.write_inputs(Side::First, &mut slots);
            slots
        };
        let corners = |slots: &[u16]| {
            let mut corners = slots[16..24].to_vec();
            corners.sort_unstable();
            corners
        };
        let expected = corners(&features(&position));
        for symmetry in 1..symmetry::COUNT {
            assert_eq!(corners(&features(&position.transform(symmetry))), expected);
        }
    }

    #[test]
    fn features_fit_their_type() {
        assert!(Othello::INPUT_FEATURES < usize::from(u16::MAX), "{}", Othello::INPUT_FEATURES);
        assert_eq!(Othello::INPUT_SLOTS, 42);
    }
}
