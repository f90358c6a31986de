//! Drawing boards in the terminal.

use anstyle::{Ansi256Color, Color, Style};
use tablero_core::{AnyMove, AnyPosition, Cell, Diagram, Ground, Piece, Side};

/// Cells to highlight.
#[derive(Clone, Default)]
pub(crate) struct Marks {
    /// Cells of the last move.
    pub(crate) last: Vec<usize>,
    /// Targets of legal moves.
    pub(crate) legal: Vec<usize>,
}

impl Marks {
    /// The cells of the last move, and of the legal moves that touch a single cell.
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

/// Whether to colour standard output.
fn is_coloured() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// The board with coordinates and marks; to the right of it `caption`, then the notes of the diagram.
/// `flipped` shows it from the second player's side.
pub(crate) fn board(
    position: &AnyPosition,
    marks: &Marks,
    caption: &[String],
    flipped: bool,
) -> String {
    let (diagram, marks) =
        if flipped { flip(position.diagram(), marks) } else { (position.diagram(), marks.clone()) };
    let marks = &marks;
    let sides = position.info().sides;
    let painter = Painter { sides, columns: diagram.columns.len(), colour: is_coloured() };
    diagram.draw(caption, |index, cell| painter.cell(cell, index, marks))
}

/// Rotates by 180 degrees.
fn flip(mut diagram: Diagram, marks: &Marks) -> (Diagram, Marks) {
    let last = diagram.cells.len() - 1;
    diagram.cells.reverse();
    diagram.rows.reverse();
    diagram.columns.reverse();
    let flipped = |cells: &[usize]| cells.iter().map(|cell| last - cell).collect();
    let marks = Marks { last: flipped(&marks.last), legal: flipped(&marks.legal) };
    (diagram, marks)
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
            return cell.plain_text(last, legal);
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
        let (symbol, ink) = match cell.piece {
            Some(piece) => (solid_symbol(piece), self.ink(piece.side)),
            None if legal => ('·', 16),
            None => (' ', 16),
        };
        let colour = |number| Some(Color::Ansi256(Ansi256Color(number)));
        let style = Style::new().bg_color(colour(ground)).fg_color(colour(ink)).bold();
        format!("{style} {symbol} {style:#}")
    }

    /// Odd cells are darker, as on a checkerboard.
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

/// The filled symbol of a piece, coloured by its side.
fn solid_symbol(piece: Piece) -> char {
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
