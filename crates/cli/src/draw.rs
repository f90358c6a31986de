//! Boards in the terminal.

use std::fmt::Write as _;

use anstyle::{Ansi256Color, Color, Style};
use tablero_core::{AnyMove, AnyPosition, Cell, Diagram, Ground, Piece, Side};

/// Space between Shōbu's boards, in cells of three characters.
const GAP: &str = "   ";

/// What to mark on a board.
#[derive(Clone, Default)]
pub(crate) struct Marks {
    /// Cells of the last move.
    pub(crate) last: Vec<usize>,
    /// Cells where the mover may put something.
    pub(crate) legal: Vec<usize>,
}

impl Marks {
    /// The last move's cells, and the legal moves' where a move is just one cell.
    pub(crate) fn of(position: &AnyPosition, last: Option<(&AnyPosition, AnyMove)>) -> Self {
        let single = |m: AnyMove| match position.touched(m)[..] {
            [cell] => Some(cell),
            _ => None,
        };
        Self {
            last: last.map_or_else(Vec::new, |(before, m)| before.touched(m)),
            legal: position.moves().into_iter().filter_map(single).collect(),
        }
    }
}

/// Whether standard output shows colours.
fn in_colour() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// The board with coordinates and marks, `beside` and the diagram's own notes to the right of it;
/// `turned` as the other player sees it.
pub(crate) fn board(
    position: &AnyPosition,
    marks: &Marks,
    beside: &[String],
    turned: bool,
) -> String {
    let (diagram, marks) =
        if turned { turn(position.diagram(), marks) } else { (position.diagram(), marks.clone()) };
    let marks = &marks;
    let sides = position.info().sides;
    let painter = Painter { sides, columns: diagram.columns.len(), colour: in_colour() };
    let mut notes = beside.iter().chain(&diagram.notes);
    let mut out = String::new();
    let letters = column_names(&diagram);
    let _ = writeln!(out, "   {letters}");
    for (row, name) in diagram.rows.iter().enumerate() {
        if diagram.split.is_some_and(|size| row > 0 && row % size == 0) {
            let width = 3 * diagram.columns.len() + GAP.len();
            let _ = writeln!(out, "   {}", "~".repeat(width));
        }
        let _ = write!(out, "{name:>2} ");
        for column in 0..diagram.columns.len() {
            if diagram.split.is_some_and(|size| column > 0 && column % size == 0) {
                out.push_str(GAP);
            }
            let cell = row * diagram.columns.len() + column;
            out.push_str(&painter.cell(&diagram.cells[cell], cell, marks));
        }
        let note = notes.next().map(String::as_str).unwrap_or_default();
        let _ = writeln!(out, " {name:<2}  {note}");
    }
    let _ = writeln!(out, "   {letters}");
    for note in notes {
        let _ = writeln!(out, "   {note}");
    }
    out
}

/// Half a turn.
fn turn(mut diagram: Diagram, marks: &Marks) -> (Diagram, Marks) {
    let last = diagram.cells.len() - 1;
    diagram.cells.reverse();
    diagram.rows.reverse();
    diagram.columns.reverse();
    let turned = |cells: &[usize]| cells.iter().map(|cell| last - cell).collect();
    let marks = Marks { last: turned(&marks.last), legal: turned(&marks.legal) };
    (diagram, marks)
}

fn column_names(diagram: &Diagram) -> String {
    let mut line = String::new();
    for (column, name) in diagram.columns.iter().enumerate() {
        if diagram.split.is_some_and(|size| column > 0 && column % size == 0) {
            line.push_str(GAP);
        }
        let _ = write!(line, " {name} ");
    }
    line.trim_end().to_owned()
}

struct Painter {
    sides: [&'static str; 2],
    columns: usize,
    colour: bool,
}

impl Painter {
    /// Three characters.
    fn cell(&self, cell: &Cell, index: usize, marks: &Marks) -> String {
        let (last, legal) = (marks.last.contains(&index), marks.legal.contains(&index));
        if !self.colour {
            return plain_cell(cell, last, legal);
        }
        let ground = match (cell.ground, last) {
            (Ground::Plain, false) if self.is_odd(index) => 22,
            (Ground::Plain, false) => 28,
            (Ground::Plain, true) => 34,
            (Ground::Light, false) => 180,
            (Ground::Light, true) => 186,
            (Ground::Dark, false) => 137,
            (Ground::Dark, true) => 143,
        };
        let (sign, ink) = match cell.piece {
            Some(piece) => (full_sign(piece), self.ink(piece.side)),
            None if legal => ('·', 16),
            None => (' ', 16),
        };
        let colour = |number| Some(Color::Ansi256(Ansi256Color(number)));
        let style = Style::new().bg_color(colour(ground)).fg_color(colour(ink)).bold();
        format!("{style} {sign} {style:#}")
    }

    /// Every other cell is a little darker, so that cells can be counted.
    fn is_odd(&self, index: usize) -> bool {
        (index / self.columns + index % self.columns) % 2 == 1
    }

    fn ink(&self, side: Side) -> u8 {
        match self.sides[side.index()] {
            "black" => 16,
            "white" => 231,
            _ => [25, 160][side.index()],
        }
    }
}

/// Without colours: small letters for the second player's pieces, brackets around the last move.
fn plain_cell(cell: &Cell, last: bool, legal: bool) -> String {
    let sign = match cell.piece {
        Some(Piece { side: Side::Second, symbol }) if symbol.is_alphabetic() => {
            symbol.to_lowercase().next().unwrap_or(symbol)
        }
        Some(piece) => piece.symbol,
        None if legal => '+',
        None => '.',
    };
    if last { format!("[{sign}]") } else { format!(" {sign} ") }
}

/// The sign whose colour says whose it is.
fn full_sign(piece: Piece) -> char {
    match piece.symbol {
        'K' => '♚',
        'Q' => '♛',
        'R' => '♜',
        'B' => '♝',
        'N' => '♞',
        'P' => '♟',
        '○' => '●',
        other => other,
    }
}
