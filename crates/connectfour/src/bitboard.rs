//! Bitboards: sets of cells as 64-bit words, in John Tromp's layout (also used by Pascal Pons's solver).
//!
//! A column takes seven bits, its lowest cell first. The seventh bit is a sentinel that is never
//! set, so a shift cannot carry a line from one column into the next.
//!
//! ```text
//!  .  .  .  .  .  .  .      sentinel row
//!  5 12 19 26 33 40 47      row 5
//!  ...
//!  0  7 14 21 28 35 42      row 0
//! ```

/// Columns of the board.
pub const COLUMNS: usize = 7;
/// Rows of the board.
pub const ROWS: usize = 6;

/// Bits per column, sentinel included.
const STRIDE: usize = ROWS + 1;
const COLUMN_MASK: u64 = (1 << ROWS) - 1;

/// A set with `bits` in every column.
#[inline]
const fn in_every_column(bits: u64) -> u64 {
    let (mut set, mut column) = (0, 0);
    while column < COLUMNS {
        set |= bits << (STRIDE * column);
        column += 1;
    }
    set
}

/// All cells.
pub(crate) const BOARD: u64 = in_every_column(COLUMN_MASK);
/// The lowest cell of every column.
pub(crate) const BOTTOM_ROW: u64 = in_every_column(1);
/// Rows 1, 3 and 5, counted from 1: where red's threats win by zugzwang.
pub(crate) const ODD_ROWS: u64 = in_every_column(0b01_0101);

/// Shift distances to the next cell of a line: vertical, horizontal, the two diagonals.
const DIRECTIONS: [usize; 4] = [1, STRIDE, STRIDE + 1, STRIDE - 1];

// ANCHOR: column
/// A move: a column of the board, counted from the left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Column(u8);

impl Column {
    /// All columns, from the left.
    pub const ALL: [Self; COLUMNS] =
        [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6)];

    /// The column with this index, if it is below [`COLUMNS`].
    #[inline]
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// 0 for the leftmost, 6 for the rightmost.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
// ANCHOR_END: column

impl Column {
    /// The mirror image of the column.
    #[inline]
    pub(crate) const fn mirrored(self) -> Self {
        Self(COLUMNS as u8 - 1 - self.0)
    }

    /// Its cells.
    #[inline]
    pub(crate) const fn mask(self) -> u64 {
        COLUMN_MASK << (STRIDE * self.index())
    }

    /// The cells of a set that are in this column, the lowest first.
    #[inline]
    pub(crate) const fn bits(self, set: u64) -> usize {
        (set >> (STRIDE * self.index()) & COLUMN_MASK) as usize
    }

    /// Its lowest cell.
    #[inline]
    pub(crate) const fn bottom_cell(self) -> u64 {
        1 << (STRIDE * self.index())
    }
}

/// The cell in this column and row, counted from the left and from below.
#[inline]
pub(crate) const fn cell(column: usize, row: usize) -> u64 {
    1 << (STRIDE * column + row)
}

/// The column and row of a set's only cell.
#[inline]
pub(crate) const fn coordinates(cell: u64) -> (usize, usize) {
    let bit = cell.trailing_zeros() as usize;
    (bit / STRIDE, bit % STRIDE)
}

// ANCHOR: four
/// Whether the set contains four in a line: pairs of neighbours, then pairs of pairs.
#[inline]
pub(crate) fn has_four(stones: u64) -> bool {
    DIRECTIONS.iter().any(|&step| {
        let pairs = stones & stones >> step;
        pairs & pairs >> (2 * step) != 0
    })
}
// ANCHOR_END: four

/// The lines of four: first cell, and step to the next.
pub(crate) const LINES: [(usize, usize); 69] = {
    let (mut lines, mut count, mut direction) = ([(0, 0); 69], 0, 0);
    while direction < DIRECTIONS.len() {
        let (step, mut first) = (DIRECTIONS[direction], 0);
        while first + 3 * step < STRIDE * COLUMNS {
            let line = 1 << first | 1 << (first + step) | 1 << (first + 2 * step);
            let line: u64 = line | 1 << (first + 3 * step);
            if line & BOARD == line {
                lines[count] = (first, step);
                count += 1;
            }
            first += 1;
        }
        direction += 1;
    }
    assert!(count == lines.len());
    lines
};

/// The cells of a set that are on a line, as four bits.
#[inline]
pub(crate) const fn line_bits(set: u64, (first, step): (usize, usize)) -> usize {
    let set = set >> first;
    (set & 1 | (set >> step & 1) << 1 | (set >> (2 * step) & 1) << 2 | (set >> (3 * step) & 1) << 3)
        as usize
}

/// Threats: the empty cells that would complete a line of four for `own`, playable or not.
#[inline]
pub(crate) fn winning_cells(own: u64, empty: u64) -> u64 {
    DIRECTIONS.iter().fold(0, |wins, &step| {
        let (one_up, one_down) = (own << step, own >> step);
        let (pair_up, pair_down) = (one_up & own << (2 * step), one_down & own >> (2 * step));
        wins | pair_up & own << (3 * step)
            | pair_up & one_down
            | one_up & pair_down
            | pair_down & own >> (3 * step)
    }) & empty
}

/// Counts the lines of four without opposing stones that have 0, 1, 2 and 3 own ones.
#[inline]
pub(crate) fn open_lines(own: u64, other: u64) -> [u32; 4] {
    let open = BOARD & !other;
    let mut counts = [0; 4];
    for step in DIRECTIONS {
        let pairs = open & open >> step;
        let lines = pairs & pairs >> (2 * step);
        // Bit-sliced adder: the two-bit stone count of all lines at once, at their first cells.
        let [a, b, c, d] = [own, own >> step, own >> (2 * step), own >> (3 * step)];
        let (ab, cd) = (a ^ b, c ^ d);
        let (ab_two, cd_two) = (a & b, c & d);
        let ones = ab ^ cd;
        let twos = ab_two ^ cd_two ^ (ab & cd);
        counts[0] += (lines & !ones & !twos & !(ab_two & cd_two)).count_ones();
        counts[1] += (lines & ones & !twos).count_ones();
        counts[2] += (lines & !ones & twos).count_ones();
        counts[3] += (lines & ones & twos).count_ones();
    }
    counts
}

/// The set mirrored left to right.
#[inline]
pub(crate) fn mirror(set: u64) -> u64 {
    let column = |index: usize| set >> (STRIDE * index) & COLUMN_MASK;
    (0..COLUMNS).fold(0, |image, index| image | column(index) << (STRIDE * (COLUMNS - 1 - index)))
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    /// All lines of four, enumerated cell by cell.
    fn lines() -> Vec<u64> {
        let directions = [(0, 1), (1, 0), (1, 1), (1, -1)];
        let mut lines = Vec::new();
        for (column, row) in (0..7).flat_map(|column| (0..6).map(move |row| (column, row))) {
            for (right, up) in directions {
                let walk = (0..4).map(|n| (column + n * right, row + n * up));
                if walk.clone().all(|(c, r)| (0..7).contains(&c) && (0..6).contains(&r)) {
                    lines.push(walk.fold(0, |set, (c, r)| set | cell(c as usize, r as usize)));
                }
            }
        }
        lines
    }

    /// Two disjoint random sets of stones, ignoring gravity.
    fn random_stones(rng: &mut Rng) -> [u64; 2] {
        let taken = BOARD & rng.bits() & (rng.bits() | rng.bits());
        let own = taken & rng.bits();
        [own, taken & !own]
    }

    #[test]
    fn shifts_agree_with_enumerated_lines() {
        let lines = lines();
        assert_eq!(lines.len(), 69);
        let mut rng = Rng::seeded(1);
        for _ in 0..20_000 {
            let [own, other] = random_stones(&mut rng);
            let full = |stones: u64| lines.iter().any(|line| line & stones == *line);
            assert_eq!(has_four(own), full(own), "{own:#x}");
            let empty = BOARD & !(own | other);
            let completes = |&at: &u64| {
                let lines = lines.iter().filter(|line| *line & at != 0);
                empty & at != 0 && lines.into_iter().any(|line| (line ^ at) & own == line ^ at)
            };
            let wins = (0..49).map(|bit| 1 << bit).filter(completes).sum::<u64>();
            assert_eq!(winning_cells(own, empty), wins, "{own:#x} {other:#x}");
            let mut counts = [0; 5];
            for line in lines.iter().filter(|line| *line & other == 0) {
                counts[(line & own).count_ones() as usize] += 1;
            }
            assert_eq!(open_lines(own, other), counts[..4], "{own:#x} {other:#x}");
        }
    }

    #[test]
    fn mirroring_is_an_involution() {
        assert_eq!(mirror(Column::ALL[1].mask()), Column::ALL[5].mask());
        let mut rng = Rng::seeded(2);
        for _ in 0..1000 {
            let set = rng.bits() & BOARD;
            assert_eq!(mirror(mirror(set)), set);
            assert_eq!(has_four(mirror(set)), has_four(set));
        }
    }

    #[test]
    fn cells_and_coordinates_round_trip() {
        for (column, row) in (0..COLUMNS).flat_map(|c| (0..ROWS).map(move |r| (c, r))) {
            assert_eq!(coordinates(cell(column, row)), (column, row));
        }
        assert_eq!(Column::from_index(7), None);
        assert_eq!(BOARD.count_ones(), 42);
    }
}
