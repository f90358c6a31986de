//! Boards, squares, directions and move vectors.
//!
//! A bitboard holds the squares of all four boards: 16 bits per board in the order of [`Board::ALL`],
//! row by row from White's edge. One rotation shifts the stones of all boards at once; a mask then
//! drops those that would leave their board.

use std::fmt;

use tablero_core::Side;

/// One of the four boards, from Black's point of view: the rope separates the top and the bottom pair.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Board {
    /// Dark, White's home.
    TopLeft,
    /// Light, White's home.
    TopRight,
    /// Dark, Black's home.
    BottomLeft,
    /// Light, Black's home.
    BottomRight,
}

impl Board {
    /// All four, in the order of the notation.
    pub const ALL: [Self; 4] = [Self::TopLeft, Self::TopRight, Self::BottomLeft, Self::BottomRight];

    /// The home boards of `side`, the dark one first.
    #[inline]
    pub const fn home(side: Side) -> [Self; 2] {
        match side {
            Side::First => [Self::BottomLeft, Self::BottomRight],
            Side::Second => [Self::TopLeft, Self::TopRight],
        }
    }

    /// The side whose home board this is.
    #[inline]
    pub const fn owner(self) -> Side {
        match self {
            Self::TopLeft | Self::TopRight => Side::Second,
            Self::BottomLeft | Self::BottomRight => Side::First,
        }
    }

    /// Whether the board is dark.
    #[inline]
    pub const fn is_dark(self) -> bool {
        matches!(self, Self::TopLeft | Self::BottomLeft)
    }
}

impl fmt::Display for Board {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TopLeft => "top left",
            Self::TopRight => "top right",
            Self::BottomLeft => "bottom left",
            Self::BottomRight => "bottom right",
        })
    }
}

/// A square of one of the boards. Its name (`a1` to `h8`) treats the four boards as one 8x8 grid:
/// columns from the left, rows from Black's edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Square(u8);

impl Square {
    /// The square of bit `index` of a bitboard, modulo 64.
    #[inline]
    pub const fn from_index(index: u32) -> Self {
        Self((index & 63) as u8)
    }

    /// The square's bit index in a bitboard.
    #[inline]
    pub const fn index(self) -> u32 {
        self.0 as u32
    }

    /// The square in row `row` (0 at White's edge) and column `column` (0 on the left) of the 8x8 grid.
    #[inline]
    pub const fn from_grid(row: usize, column: usize) -> Option<Self> {
        if row >= 8 || column >= 8 {
            return None;
        }
        let board = 2 * (row / 4) + column / 4;
        Some(Self((16 * board + 4 * (row % 4) + column % 4) as u8))
    }

    /// Row (0 at White's edge) and column (0 on the left) in the 8x8 grid.
    #[inline]
    pub const fn grid(self) -> (usize, usize) {
        let (board, row, column) = (self.0 / 16, self.0 / 4 % 4, self.0 % 4);
        ((4 * (board / 2) + row) as usize, (4 * (board % 2) + column) as usize)
    }

    /// The board that the square is on.
    #[inline]
    pub const fn board(self) -> Board {
        Board::ALL[self.0 as usize / 16]
    }

    /// The square `steps` steps away; `None` if that leaves the board.
    #[inline]
    pub const fn step(self, direction: Direction, steps: u8) -> Option<Self> {
        let (dx, dy) = direction.offset();
        let column = (self.0 % 4) as i32 + dx * steps as i32;
        let row = (self.0 / 4 % 4) as i32 + dy * steps as i32;
        if column < 0 || column > 3 || row < 0 || row > 3 {
            return None;
        }
        Some(Self((self.0 & !15) + 4 * row as u8 + column as u8))
    }

    /// The bitboard with only this square.
    #[inline]
    pub(crate) const fn bit(self) -> u64 {
        1 << self.0
    }
}

impl fmt::Display for Square {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (row, column) = self.grid();
        write!(f, "{}{}", char::from(b'a' + column as u8), 8 - row)
    }
}

/// A direction on the boards; north is away from Black.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Direction {
    /// Up, away from Black.
    N,
    /// Up and to the right.
    NE,
    /// To the right.
    E,
    /// Down and to the right.
    SE,
    /// Down, towards Black.
    S,
    /// Down and to the left.
    SW,
    /// To the left.
    W,
    /// Up and to the left.
    NW,
}

impl Direction {
    /// All eight, clockwise from north.
    pub const ALL: [Self; 8] =
        [Self::N, Self::NE, Self::E, Self::SE, Self::S, Self::SW, Self::W, Self::NW];

    /// The direction mirrored left to right.
    #[inline]
    pub(crate) const fn mirrored(self) -> Self {
        Self::ALL[(8 - self as usize) % 8]
    }

    /// One step as (right, down).
    #[inline]
    const fn offset(self) -> (i32, i32) {
        match self {
            Self::N => (0, -1),
            Self::NE => (1, -1),
            Self::E => (1, 0),
            Self::SE => (1, 1),
            Self::S => (0, 1),
            Self::SW => (-1, 1),
            Self::W => (-1, 0),
            Self::NW => (-1, -1),
        }
    }
}

/// The distance that both stones of a turn move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Distance {
    /// One step.
    One = 1,
    /// Two steps.
    Two = 2,
}

impl Distance {
    /// Both, the shorter first.
    pub const ALL: [Self; 2] = [Self::One, Self::Two];

    /// The number of steps.
    #[inline]
    pub const fn steps(self) -> u8 {
        self as u8
    }
}

/// The squares of the dark boards.
pub(crate) const DARK: u64 = 0x0000_ffff_0000_ffff;
/// The squares of the light boards.
pub(crate) const LIGHT: u64 = !DARK;
/// The squares of each side's home boards.
pub(crate) const HOME: [u64; 2] = [0xffff_ffff_0000_0000, 0x0000_0000_ffff_ffff];

/// By steps - 1 and direction: the left rotation that shifts a bitboard by that many steps.
pub(crate) const ROTATION: [[u32; 8]; 3] = rotations();
/// By steps - 1 and direction: the squares from which that many steps stay on the board.
pub(crate) const INSIDE: [[u64; 8]; 3] = insides();

/// The number of move vectors. A vector is a direction with a distance, with index
/// `8 * (distance - 1) + direction`.
pub(crate) const VECTORS: usize = 16;

/// Rotations and masks to play a turn along one vector.
#[derive(Clone, Copy)]
pub(crate) struct VectorShifts {
    /// Rotation by one step.
    pub(crate) one_step: u32,
    /// Rotation by the whole vector.
    pub(crate) all_steps: u32,
    /// Rotation by one more step: where a pushed stone ends.
    pub(crate) beyond: u32,
    /// The squares from which `beyond` stays on the board.
    pub(crate) has_beyond: u64,
}

/// By vector.
pub(crate) const SHIFTS: [VectorShifts; VECTORS] = shifts();

#[inline]
const fn shifts() -> [VectorShifts; VECTORS] {
    let mut table = [VectorShifts { one_step: 0, all_steps: 0, beyond: 0, has_beyond: 0 }; VECTORS];
    let mut vector = 0;
    while vector < VECTORS {
        let (more_steps, d) = (vector / 8, vector % 8);
        table[vector] = VectorShifts {
            one_step: ROTATION[0][d],
            all_steps: ROTATION[more_steps][d],
            beyond: ROTATION[more_steps + 1][d],
            has_beyond: INSIDE[more_steps + 1][d],
        };
        vector += 1;
    }
    table
}

#[inline]
const fn rotations() -> [[u32; 8]; 3] {
    let mut table = [[0; 8]; 3];
    let mut i = 0;
    while i < 24 {
        let (dx, dy) = Direction::ALL[i % 8].offset();
        table[i / 8][i % 8] = ((dx + 4 * dy) * (i as i32 / 8 + 1)).rem_euclid(64) as u32;
        i += 1;
    }
    table
}

#[inline]
const fn insides() -> [[u64; 8]; 3] {
    let mut table = [[0; 8]; 3];
    let mut i = 0;
    while i < 24 * 64 {
        let (steps, direction, square) = (i / 512, i / 64 % 8, Square(i as u8 % 64));
        if square.step(Direction::ALL[direction], steps as u8 + 1).is_some() {
            table[steps][direction] |= square.bit();
        }
        i += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_agree_with_single_steps() {
        for index in 0..64 {
            let square = Square::from_index(index);
            let (row, column) = square.grid();
            assert_eq!(Square::from_grid(row, column), Some(square));
            for direction in Direction::ALL {
                for steps in 1..=3 {
                    let (k, d) = (usize::from(steps) - 1, direction as usize);
                    let by_table = (INSIDE[k][d] & square.bit() != 0)
                        .then(|| square.bit().rotate_left(ROTATION[k][d]));
                    let by_step = square.step(direction, steps).map(Square::bit);
                    assert_eq!(by_table, by_step, "{square} {direction:?} {steps}");
                }
            }
        }
    }

    #[test]
    fn square_names_follow_the_grid() {
        let name = |row, column| Square::from_grid(row, column).map(|square| square.to_string());
        assert_eq!(name(7, 0).as_deref(), Some("a1"));
        assert_eq!(name(0, 7).as_deref(), Some("h8"));
        assert_eq!(name(8, 0), None);
        let a1 = Square::from_grid(7, 0).expect("on the grid");
        assert_eq!(a1.board(), Board::BottomLeft);
        assert_eq!(
            a1.step(Direction::NE, 3).map(|square| square.to_string()).as_deref(),
            Some("d4")
        );
        assert_eq!(a1.step(Direction::N, 4), None);
    }

    #[test]
    fn boards_and_masks_agree() {
        for index in 0..64 {
            let square = Square::from_index(index);
            let board = square.board();
            assert_eq!(board.is_dark(), DARK & square.bit() != 0);
            assert!(HOME[board.owner().index()] & square.bit() != 0);
            assert!(Board::home(board.owner()).contains(&board));
        }
    }
}
