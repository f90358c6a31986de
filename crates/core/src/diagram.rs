use crate::Side;

/// A board for drawing, in a terminal or on a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// Column labels, from the left.
    pub columns: Vec<String>,
    /// Row labels, from the top.
    pub rows: Vec<String>,
    /// The cells in row-major order from the top left.
    pub cells: Vec<Cell>,
    /// The size of sub-boards, if the board consists of several (Shōbu's four).
    pub split: Option<usize>,
    /// Text beside the board: counts, castling rights, clocks.
    pub notes: Vec<String>,
}

/// One cell of a [`Diagram`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The piece on it.
    pub piece: Option<Piece>,
    /// Its background.
    pub ground: Ground,
}

/// A piece on a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its side.
    pub side: Side,
    /// Its letter or symbol.
    pub symbol: char,
}

/// The background of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// Uniform, as on an Othello board.
    Plain,
    /// A light square or board.
    Light,
    /// A dark square or board.
    Dark,
}

impl Diagram {
    /// A square board with columns a, b, c, ... and the row labels `rows`, from the top.
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
