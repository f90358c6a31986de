use crate::Side;

/// A board as a picture: what a terminal or a page needs to draw any game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// Names of the columns, from the left.
    pub columns: Vec<String>,
    /// Names of the rows, from the top.
    pub rows: Vec<String>,
    /// The cells, row by row from the top left.
    pub cells: Vec<Cell>,
    /// The board falls apart into boards of this many columns and rows (Shōbu's four).
    pub split: Option<usize>,
    /// What to say beside the board: counts, rights, clocks.
    pub notes: Vec<String>,
}

/// One cell of a [`Diagram`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// What stands on it.
    pub piece: Option<Piece>,
    /// What it looks like without a piece.
    pub ground: Ground,
}

/// A piece on a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Whose.
    pub side: Side,
    /// Its usual letter or sign.
    pub symbol: char,
}

/// The look of an empty cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// All cells alike, as on an Othello board.
    Plain,
    /// A light square or board.
    Light,
    /// A dark square or board.
    Dark,
}

impl Diagram {
    /// A square board of `size` columns a, b, c, ... whose rows are named by `rows`, from the top.
    pub fn square(size: usize, rows: impl Iterator<Item = usize>, cells: Vec<Cell>) -> Self {
        debug_assert_eq!(cells.len(), size * size);
        Self {
            columns: ('a'..).take(size).map(String::from).collect(),
            rows: rows.map(|row| row.to_string()).collect(),
            cells,
            split: None,
            notes: Vec::new(),
        }
    }
}
