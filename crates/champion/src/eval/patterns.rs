//! The patterns (Buro 1997): sets of squares whose configurations have weights.
//!
//! The board's symmetries place a pattern in up to eight ways. Every placement (instance) is a
//! *lane* of [`Features`](super::Features), and all instances of a pattern share one table of
//! weights. A pattern that is its own mirror image also shares weights between mirrored
//! configurations.

use std::sync::LazyLock;

/// A set of squares, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// Its name.
    pub name: &'static str,
    /// The squares of its first instance, like `a1 b1 c1`.
    pub squares: &'static str,
}

/// All patterns, most of them those of Logistello and Edax.
pub const PATTERNS: [Pattern; 13] = [
    pattern("corner 3x3", "a1 b1 c1 a2 b2 c2 a3 b3 c3"),
    pattern("edge + 2X", "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2"),
    pattern("triangle", "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4"),
    pattern("edge block", "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2"),
    pattern("corner 2x5", "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2"),
    pattern("arrow", "a1 b2 c3 d4 b1 c2 d3 a2 b3 c4"),
    pattern("row 2", "a2 b2 c2 d2 e2 f2 g2 h2"),
    pattern("row 3", "a3 b3 c3 d3 e3 f3 g3 h3"),
    pattern("row 4", "a4 b4 c4 d4 e4 f4 g4 h4"),
    pattern("diagonal 8", "a1 b2 c3 d4 e5 f6 g7 h8"),
    pattern("diagonal 7", "a2 b3 c4 d5 e6 f7 g8"),
    pattern("diagonal 6", "a3 b4 c5 d6 e7 f8"),
    pattern("diagonal 5", "a4 b5 c6 d7 e8"),
];

/// Lanes padded to whole vector registers; those beyond [`LANES`] stay 0.
pub const PADDED_LANES: usize = 64;

/// Number of pattern instances.
pub const LANES: usize = PLACEMENTS.lanes;

/// Maximum squares of a pattern.
const MAX_SQUARES: usize = 10;

const fn pattern(name: &'static str, squares: &'static str) -> Pattern {
    Pattern { name, squares }
}

impl Pattern {
    /// Number of squares.
    pub const fn len(&self) -> usize {
        (self.squares.len() + 1) / 3
    }

    /// Whether it has no squares.
    pub const fn is_empty(&self) -> bool {
        self.squares.is_empty()
    }

    /// The `index`-th square of its first instance.
    pub const fn square(&self, index: usize) -> u8 {
        let name = self.squares.as_bytes();
        (name[3 * index] - b'a') + 8 * (name[3 * index + 1] - b'1')
    }

    /// Number of configurations: each square is own, empty or the opponent's.
    pub const fn configurations(&self) -> usize {
        3usize.pow(self.len() as u32)
    }

    /// The mask of its squares under a symmetry.
    const fn mask(&self, symmetry: u8) -> u64 {
        let (mut set, mut index) = (0, 0);
        while index < self.len() {
            set |= 1 << transform_square(self.square(index), symmetry);
            index += 1;
        }
        set
    }

    /// The symmetry, other than the identity, that maps its squares onto themselves.
    const fn own_symmetry(&self) -> Option<u8> {
        let mut symmetry = 1;
        while symmetry < 8 {
            if self.mask(symmetry) == self.mask(0) {
                return Some(symmetry);
            }
            symmetry += 1;
        }
        None
    }
}

/// A square under a symmetry, numbered as in `tablero_othello::symmetry`.
const fn transform_square(square: u8, symmetry: u8) -> u8 {
    let mut square = square;
    if symmetry & 1 != 0 {
        square ^= 0b000_111;
    }
    if symmetry & 2 != 0 {
        square ^= 0b111_000;
    }
    if symmetry & 4 != 0 {
        square = square >> 3 | (square & 0b000_111) << 3;
    }
    square
}

/// A pattern instance: a set of squares in the order of its pattern's.
pub struct Window {
    /// The index of its pattern in [`PATTERNS`].
    pub pattern: usize,
    /// Its squares.
    pub squares: Vec<u8>,
}

/// The pattern instance of a lane.
pub fn window(lane: usize) -> Window {
    let mut squares: Vec<u8> = (0..64).filter(|&at| increments(at)[lane] != 0).collect();
    // What a disc adds is a power of three by the square's place in the pattern.
    squares.sort_by_key(|&square| increments(square)[lane]);
    Window { pattern: PLACEMENTS.pattern[lane], squares }
}

/// The instances of all patterns.
struct Placements {
    lanes: usize,
    /// The pattern of each lane.
    pattern: [usize; PADDED_LANES],
    /// By square: what an own disc adds to each lane.
    increments: [[i16; PADDED_LANES]; 64],
}

static INCREMENTS: Lanes64 = Lanes64(PLACEMENTS.increments);

/// Aligned like [`Features`](super::Features).
#[repr(align(32))]
struct Lanes64([[i16; PADDED_LANES]; 64]);

/// What an own disc on a square adds to each lane.
#[inline]
pub(super) fn increments(square: u8) -> &'static [i16; PADDED_LANES] {
    &INCREMENTS.0[(square & 63) as usize]
}

const PLACEMENTS: Placements = place_patterns();

const fn place_patterns() -> Placements {
    let mut placements =
        Placements { lanes: 0, pattern: [0; PADDED_LANES], increments: [[0; PADDED_LANES]; 64] };
    let mut number = 0;
    while number < PATTERNS.len() {
        let pattern = PATTERNS[number];
        assert!(pattern.len() <= MAX_SQUARES);
        let mut symmetry = 0;
        while symmetry < 8 {
            if is_distinct(&pattern, symmetry) {
                placements.pattern[placements.lanes] = number;
                let (mut index, mut power) = (0, 1);
                while index < pattern.len() {
                    let square = transform_square(pattern.square(index), symmetry) as usize;
                    placements.increments[square][placements.lanes] = power;
                    // The last product overflows and is not used.
                    power = power.wrapping_mul(3);
                    index += 1;
                }
                placements.lanes += 1;
            }
            symmetry += 1;
        }
        number += 1;
    }
    placements
}

/// Whether no earlier symmetry places the pattern on the same squares.
const fn is_distinct(pattern: &Pattern, symmetry: u8) -> bool {
    let mut before = 0;
    while before < symmetry {
        if pattern.mask(before) == pattern.mask(symmetry) {
            return false;
        }
        before += 1;
    }
    true
}

/// For each lane, the index of the empty configuration in the table of all configurations of all
/// patterns: the middle of its pattern's part, since lanes are signed.
pub(super) const EMPTY_CONFIGURATION: [u32; LANES] = {
    let (mut indices, mut lane) = ([0; LANES], 0);
    while lane < LANES {
        let pattern = PLACEMENTS.pattern[lane];
        indices[lane] = (table_offset(pattern) + PATTERNS[pattern].configurations() / 2) as u32;
        lane += 1;
    }
    indices
};

/// The offset of a pattern in the table of all configurations.
pub(super) const fn table_offset(pattern: usize) -> usize {
    let (mut offset, mut before) = (0, 0);
    while before < pattern {
        offset += PATTERNS[before].configurations();
        before += 1;
    }
    offset
}

/// Number of configurations of all patterns.
pub(super) const TOTAL_CONFIGURATIONS: usize = table_offset(PATTERNS.len());

/// Maps configurations to weights, which mirrored configurations share.
pub(super) struct WeightMap {
    /// The weight of each of [`TOTAL_CONFIGURATIONS`].
    pub(super) weight: Vec<u32>,
    /// Number of weights.
    pub(super) weights: usize,
}

/// The map of all patterns.
pub(super) static WEIGHT_MAP: LazyLock<WeightMap> = LazyLock::new(|| {
    let mut map = WeightMap { weight: vec![0; TOTAL_CONFIGURATIONS], weights: 0 };
    for (number, pattern) in PATTERNS.iter().enumerate() {
        let offset = table_offset(number);
        for configuration in 0..pattern.configurations() {
            let mirrored = mirrored(pattern, configuration);
            map.weight[offset + configuration] = if mirrored < configuration {
                map.weight[offset + mirrored]
            } else {
                map.weights += 1;
                map.weights as u32 - 1
            };
        }
    }
    map
});

/// The configuration of a symmetric pattern on the mirrored board.
fn mirrored(pattern: &Pattern, configuration: usize) -> usize {
    let Some(symmetry) = pattern.own_symmetry() else {
        return configuration;
    };
    let index_of =
        |square: u8| (0..pattern.len()).position(|index| pattern.square(index) == square);
    let mut rest = configuration;
    let mut mirrored = 0;
    for index in 0..pattern.len() {
        let to = index_of(transform_square(pattern.square(index), symmetry))
            .expect("the pattern is symmetric");
        mirrored += rest % 3 * 3usize.pow(to as u32);
        rest /= 3;
    }
    mirrored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_every_square() {
        assert_eq!(LANES, 54);
        for square in 0..64 {
            let lanes = increments(square).iter().filter(|power| **power != 0).count();
            assert!(lanes >= 3, "{square} is in {lanes} patterns");
        }
        let placements = |name: &str| {
            let lanes = PLACEMENTS.pattern[..LANES].iter();
            lanes.filter(|pattern| PATTERNS[**pattern].name == name).count()
        };
        assert_eq!(placements("corner 2x5"), 8);
        assert_eq!(placements("diagonal 8"), 2);
        assert_eq!(placements("triangle"), 4);
    }

    #[test]
    fn mirrored_configurations_share_a_weight() {
        let row = PATTERNS.iter().position(|pattern| pattern.name == "row 2").unwrap();
        let weight = |configuration: usize| WEIGHT_MAP.weight[table_offset(row) + configuration];
        // One disc on a2 is one on h2.
        assert_eq!(weight(1), weight(3usize.pow(7)));
        assert_ne!(weight(1), weight(2));
        let symmetric = 3usize.pow(4);
        let row_weights = (6561 + symmetric) / 2;
        let distinct = (0..6561).map(weight).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(distinct.len(), row_weights);
        assert!(WEIGHT_MAP.weights < TOTAL_CONFIGURATIONS * 2 / 3);
    }
}
