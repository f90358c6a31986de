//! Tables of line states, as in BILL (K.-F. Lee and S. Mahajan, "BILL: A Table-Based, Knowledge-Intensive
//! Othello Program", CMU-CS-86-141, 1986): what a row, column or diagonal contributes to mobility is looked up
//! by the state of its squares, so that hundreds of thousands of patterns cost the same.

use std::sync::LazyLock;

use super::edges::{flips, ternary_index};
use crate::bitboard::column_a;

/// Squares of the shortest line on which a disc can be flipped.
const MIN_LENGTH: u32 = 3;
/// Moves every bit of a diagonal to the last row.
const ALL_ROWS: u64 = 0x0101_0101_0101_0101;

/// Sums over lines, each a difference between the sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct LineSums {
    /// Squares on which a move flips discs of the line.
    pub(super) mobility: i32,
    /// Empty squares next to an opposing disc.
    pub(super) potential: i32,
    /// Discs in sequences of two or more that end at an empty square: the opponent can flank them.
    pub(super) sequences: i32,
}

/// The sums over all rows, columns and diagonals, for `mover`.
pub(super) fn line_sums(mover: u64, other: u64) -> LineSums {
    let tables = &*TABLES;
    let mut sums = LineSums::default();
    let mut add = |length: u32, own: u8, other: u8| {
        let [mobility, potential, sequences] =
            tables[length as usize][ternary_index(own, other)].map(i32::from);
        sums.mobility += mobility;
        sums.potential += potential;
        sums.sequences += sequences;
    };
    for index in 0..8 {
        add(8, (mover >> (8 * index)) as u8, (other >> (8 * index)) as u8);
        add(8, column_a(mover >> index), column_a(other >> index));
    }
    for &Diagonal { mask, first, length } in &*DIAGONALS {
        let squares = |set: u64| ((set & mask).wrapping_mul(ALL_ROWS) >> 56) as u8 >> first;
        add(length, squares(mover), squares(other));
    }
    sums
}

/// A diagonal: its squares, its first column and its length.
struct Diagonal {
    mask: u64,
    first: u32,
    length: u32,
}

static DIAGONALS: LazyLock<Vec<Diagonal>> = LazyLock::new(|| {
    let diagonal = |(start, step): (i32, i32)| {
        // From the top or bottom row at column `start`, which may lie outside, one column per row.
        let columns: Vec<(i32, i32)> = (0..8)
            .map(|row| (start + step * row, row))
            .filter(|(c, _)| (0..8).contains(c))
            .collect();
        let mask = columns.iter().map(|(column, row)| 1u64 << (8 * row + column)).sum();
        let first = columns.iter().map(|&(column, _)| column as u32).min().unwrap_or(0);
        Diagonal { mask, first, length: columns.len() as u32 }
    };
    let all = (-7..8).map(|start| (start, 1)).chain((0..15).map(|start| (start, -1)));
    all.map(diagonal).filter(|diagonal| diagonal.length >= MIN_LENGTH).collect()
});

/// The contributions of a line, by its length and state: those of [`LineSums`].
static TABLES: LazyLock<Vec<Vec<[i8; 3]>>> = LazyLock::new(|| {
    let table = |length: u32| {
        let mut table = vec![[0; 3]; 3usize.pow(length)];
        let states = 1u16 << length;
        for own in 0..states {
            for other in (0..states).filter(|other| own & other == 0) {
                let (own, other) = (own as u8, other as u8);
                let (mine, theirs) = (counts(length, own, other), counts(length, other, own));
                let difference = std::array::from_fn(|i| mine[i] - theirs[i]);
                table[ternary_index(own, other)] = difference;
            }
        }
        table
    };
    (0..=8).map(table).collect()
});

/// Mobility, potential mobility and exposed sequences of one side.
fn counts(length: u32, own: u8, other: u8) -> [i8; 3] {
    let inside = ((1u16 << length) - 1) as u8;
    let empty = !(own | other) & inside;
    let playable = (0..length).filter(|&s| empty >> s & 1 == 1 && flips(own, other, s) != 0);
    let frontier = (other << 1 | other >> 1) & empty;
    [playable.count() as i8, frontier.count_ones() as i8, exposed(length, own, empty)]
}

/// The discs of `own` in runs of two or more that end at an empty square.
fn exposed(length: u32, own: u8, empty: u8) -> i8 {
    let has = |set: u8, square: i32| (0..length as i32).contains(&square) && set >> square & 1 == 1;
    let (mut total, mut square) = (0, 0);
    while square < length as i32 {
        let start = square;
        while has(own, square) {
            square += 1;
        }
        let run = square - start;
        if run >= 2 && (has(empty, start - 1) || has(empty, square)) {
            total += run as i8;
        }
        square += 1;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cover_the_board() {
        assert_eq!(DIAGONALS.len(), 22);
        let squares: u32 = DIAGONALS.iter().map(|diagonal| diagonal.mask.count_ones()).sum();
        assert_eq!(squares, DIAGONALS.iter().map(|diagonal| diagonal.length).sum());
        // Two diagonals per square, without those of one and two squares.
        assert_eq!(squares, 128 - 4 * (1 + 2));
    }

    /// The line `..XOO.X.` by hand: X on c and g, O on d and e; a, b, f and h are empty.
    #[test]
    fn counts_of_a_line_by_hand() {
        let (x, o) = (0b0100_0100, 0b0001_1000);
        // X flips d and e from f, the only empty square next to O.
        assert_eq!(counts(8, x, o), [1, 1, 0]);
        // O flips c from b; b, f and h are next to X; the run d, e ends at the empty f.
        assert_eq!(counts(8, o, x), [1, 3, 2]);
    }

    /// In the start position each side has two moves in a row and two in a column.
    #[test]
    fn sums_of_known_positions() {
        let (black, white) = (1u64 << 28 | 1 << 35, 1u64 << 27 | 1 << 36);
        assert_eq!(line_sums(black, white), LineSums::default());
        // After f5 black has four discs, three of them in a row.
        let (black, white) = (1u64 << 28 | 1 << 35 | 1 << 36 | 1 << 37, 1u64 << 27);
        let sums = line_sums(white, black);
        assert_eq!(sums, -line_sums(black, white));
        assert!(sums.potential > 0 && sums.sequences < 0, "{sums:?}");
    }

    impl std::ops::Neg for LineSums {
        type Output = Self;

        fn neg(self) -> Self {
            let Self { mobility, potential, sequences } = self;
            Self { mobility: -mobility, potential: -potential, sequences: -sequences }
        }
    }
}
