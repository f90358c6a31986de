use std::fmt::Write as _;

use crate::Side;

/// Gap between the boards of a split diagram.
const GAP: &str = "   ";

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

    /// The board with coordinates; to the right of it `caption`, then the notes. `cell` draws a cell in three
    /// characters.
    pub fn draw(&self, caption: &[String], mut cell: impl FnMut(usize, &Cell) -> String) -> String {
        let mut notes = caption.iter().chain(&self.notes);
        let mut out = String::new();
        let letters = self.column_names();
        let _ = writeln!(out, "   {letters}");
        for (row, name) in self.rows.iter().enumerate() {
            if self.split.is_some_and(|size| row > 0 && row % size == 0) {
                let width = 3 * self.columns.len() + GAP.len();
                let _ = writeln!(out, "   {}", "~".repeat(width));
            }
            let _ = write!(out, "{name:>2} ");
            for column in 0..self.columns.len() {
                out.push_str(self.gap(column));
                let index = row * self.columns.len() + column;
                out.push_str(&cell(index, &self.cells[index]));
            }
            let line = notes.next().map(String::as_str).unwrap_or_default();
            let _ = writeln!(out, " {name:<2}  {line}");
        }
        let _ = writeln!(out, "   {letters}");
        for line in notes {
            let _ = writeln!(out, "   {line}");
        }
        out
    }

    fn column_names(&self) -> String {
        let mut line = String::new();
        for (column, name) in self.columns.iter().enumerate() {
            let _ = write!(line, "{} {name} ", self.gap(column));
        }
        line.trim_end().to_owned()
    }

    /// The gap before a column, where a board begins.
    fn gap(&self, column: usize) -> &'static str {
        let is_gap = self.split.is_some_and(|size| column > 0 && column.is_multiple_of(size));
        if is_gap { GAP } else { "" }
    }
}

impl Cell {
    /// The cell without colours: lower case for the second player's pieces, brackets around the last move, a
    /// cross for a legal one.
    pub fn plain_text(&self, last: bool, legal: bool) -> String {
        let shown = match self.piece {
            Some(Piece { side: Side::Second, symbol }) if symbol.is_alphabetic() => {
                symbol.to_lowercase().next().unwrap_or(symbol)
            }
            Some(piece) => piece.symbol,
            None if legal => '+',
            None => '.',
        };
        if last { format!("[{shown}]") } else { format!(" {shown} ") }
    }
}
