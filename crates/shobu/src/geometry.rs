//! Boards, squares and directions.
//!
//! A set of squares of all four boards is one `u64`: 16 bits a board in the order of [`Board::ALL`],
//! each board row by row from White's edge. One rotation moves the stones of all boards at once; a
//! mask then drops those that would have left their own board.

use std::fmt;

use tablero_core::Side;

/// One of the four boards, as Black sees them: the rope lies between the top and the bottom pair.
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
    /// All four, in the order in which positions are written.
    pub const ALL: [Self; 4] = [Self::TopLeft, Self::TopRight, Self::BottomLeft, Self::BottomRight];

    /// The two boards on `side`'s side of the rope, the dark one first.
    #[inline]
    pub const fn home(side: Side) -> [Self; 2] {
        match side {
            Side::First => [Self::BottomLeft, Self::BottomRight],
            Side::Second => [Self::TopLeft, Self::TopRight],
        }
    }

    /// The side that has this board on its side of the rope.
    #[inline]
    pub const fn owner(self) -> Side {
        match self {
            Self::TopLeft | Self::TopRight => Side::Second,
            Self::BottomLeft | Self::BottomRight => Side::First,
        }
    }

    /// Whether the board is a dark one.
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

/// A square of one of the boards. Its name (`a1` to `h8`) is that of the four boards seen as one
/// 8x8 grid: columns from the left, rows from Black's edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Square(u8);

impl Square {
    /// The square of bit `index` in a set of squares; bits beyond 63 wrap round.
    #[inline]
    pub const fn from_index(index: u32) -> Self {
        Self((index & 63) as u8)
    }

    /// The square's bit in a set of squares.
    #[inline]
    pub const fn index(self) -> u32 {
        self.0 as u32
    }

    /// The square in row `row` (0 at White's edge) and column `column` (0 on the left) of the 8x8
    /// grid, if there is one.
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

    /// The square `steps` steps away, if it is on the same board.
    #[inline]
    pub const fn step(self, direction: Direction, steps: u8) -> Option<Self> {
        let (dx, dy) = direction.vector();
        let column = (self.0 % 4) as i32 + dx * steps as i32;
        let row = (self.0 / 4 % 4) as i32 + dy * steps as i32;
        if column < 0 || column > 3 || row < 0 || row > 3 {
            return None;
        }
        Some(Self((self.0 & !15) + 4 * row as u8 + column as u8))
    }

    /// The set that holds only this square.
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

    /// The direction in a mirror that swaps left and right.
    #[inline]
    pub(crate) const fn mirrored(self) -> Self {
        Self::ALL[(8 - self as usize) % 8]
    }

    /// One step, to the right and down.
    #[inline]
    const fn vector(self) -> (i32, i32) {
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

/// How far both stones of a turn move.
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

/// The dark boards' squares.
pub(crate) const DARK: u64 = 0x0000_ffff_0000_ffff;
/// The light boards' squares.
pub(crate) const LIGHT: u64 = !DARK;
/// The squares of each side's home boards.
pub(crate) const HOME: [u64; 2] = [0xffff_ffff_0000_0000, 0x0000_0000_ffff_ffff];

/// By steps - 1 and direction: how far to rotate a set to the left to move its squares so many steps.
pub(crate) const ROTATION: [[u32; 8]; 3] = rotations();
/// By steps - 1 and direction: the squares from which so many steps stay on the board.
pub(crate) const INSIDE: [[u64; 8]; 3] = insides();

/// The number of *ways*: a way is a direction with a distance, `8 * (distance - 1) + direction`.
pub(crate) const WAYS: usize = 16;

/// What it takes to play a turn along one way.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    /// The rotation that moves a stone by one step.
    pub(crate) one_step: u32,
    /// The rotation that moves a stone by the way's distance.
    pub(crate) all_steps: u32,
    /// The rotation that moves a stone one step further than that: to where it pushes another.
    pub(crate) beyond: u32,
    /// The squares from which that is still on the board.
    pub(crate) has_beyond: u64,
}

/// All ways, by number.
pub(crate) const WAY: [Way; WAYS] = ways();

#[inline]
const fn ways() -> [Way; WAYS] {
    let mut table = [Way { one_step: 0, all_steps: 0, beyond: 0, has_beyond: 0 }; WAYS];
    let mut way = 0;
    while way < WAYS {
        let (more_steps, d) = (way / 8, way % 8);
        table[way] = Way {
            one_step: ROTATION[0][d],
            all_steps: ROTATION[more_steps][d],
            beyond: ROTATION[more_steps + 1][d],
            has_beyond: INSIDE[more_steps + 1][d],
        };
        way += 1;
    }
    table
}

#[inline]
const fn rotations() -> [[u32; 8]; 3] {
    let mut table = [[0; 8]; 3];
    let mut i = 0;
    while i < 24 {
        let (dx, dy) = Direction::ALL[i % 8].vector();
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
    fn names_follow_the_grid() {
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
