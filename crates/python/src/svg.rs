//! Boards as SVG.

use std::fmt::Write as _;

use tablero_core::{AnyPosition, Cell, Colour, Ground, PiecePresentation, PieceShape};

/// The side of a square in the units of the drawing, and the margin for coordinates.
const SQUARE: usize = 40;
const MARGIN: usize = 20;
/// The gap between the boards of a split diagram.
const GAP: usize = 14;

/// The board of a position with coordinates; the cells of the last move are marked. `size` is the length of the longer
/// side in pixels.
pub(crate) fn board(position: &AnyPosition, last: &[usize], size: u32) -> String {
    let diagram = position.diagram();
    let gap = |index: usize| diagram.split.map_or(0, |split| index / split * GAP);
    let at = |index: usize| MARGIN + index * SQUARE + gap(index);
    let end = |count: usize| at(count.saturating_sub(1)) + SQUARE + MARGIN;
    let (columns, rows) = (diagram.columns.len(), diagram.rows.len());
    let (width, height) = (end(columns), end(rows));
    let scale = f64::from(size) / width.max(height) as f64;
    let [pixel_width, pixel_height] = [width, height].map(|side| (side as f64 * scale).round());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{pixel_width}\" \
         height=\"{pixel_height}\" font-family=\"sans-serif\" text-anchor=\"middle\" role=\"img\" \
         aria-label=\"{} board\">",
        position.game().name()
    );
    for (index, cell) in diagram.cells.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        let (x, y) = (at(column), at(row));
        let fill = ground(cell.ground, row + column, last.contains(&index));
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{fill}\" \
             stroke=\"#0003\"/>"
        );
        svg += &piece(position, cell, x + SQUARE / 2, y + SQUARE / 2);
    }
    let mut label = |x: usize, y: usize, text: &str| {
        let _ =
            write!(svg, "<text x=\"{x}\" y=\"{y}\" font-size=\"12\" fill=\"#888\">{text}</text>");
    };
    for (column, name) in diagram.columns.iter().enumerate() {
        label(at(column) + SQUARE / 2, 14, name);
        label(at(column) + SQUARE / 2, height - 6, name);
    }
    for (row, name) in diagram.rows.iter().enumerate() {
        label(10, at(row) + SQUARE / 2 + 4, name);
        label(width - 10, at(row) + SQUARE / 2 + 4, name);
    }
    svg + "</svg>"
}

fn ground(ground: Ground, parity: usize, is_last: bool) -> &'static str {
    match (ground, is_last) {
        (Ground::Plain, true) => "#7fbf6a",
        (Ground::Plain, false) if parity.is_multiple_of(2) => "#3f8f5a",
        (Ground::Plain, false) => "#3a8654",
        (Ground::Light, true) => "#f3e58a",
        (Ground::Light, false) => "#ecd9b6",
        (Ground::Dark, true) => "#d3bb55",
        (Ground::Dark, false) => "#b08a62",
    }
}

fn piece(position: &AnyPosition, cell: &Cell, x: usize, y: usize) -> String {
    let Some(piece) = cell.piece else { return String::new() };
    let game = position.game();
    let presentation = game.presentation();
    let letter = game.letter(piece);
    let side = &presentation.sides[piece.side.index()];
    let of_letter = |known: &&PiecePresentation| known.letter == letter;
    let shape = presentation.pieces.iter().find(of_letter).map(|known| known.shape);
    let colour = colour(side.colour);
    let outline = if side.colour == Colour::White { "#333" } else { "#0008" };
    match shape {
        Some(PieceShape::Cross) => format!(
            "<path d=\"M{} {}l20 20m0 -20l-20 20\" stroke=\"{colour}\" stroke-width=\"6\" \
             stroke-linecap=\"round\"/>",
            x - 10,
            y - 10
        ),
        Some(PieceShape::Ring) => format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"11\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"6\"/>"
        ),
        Some(PieceShape::Stone) => format!(
            "<ellipse cx=\"{x}\" cy=\"{y}\" rx=\"16\" ry=\"13\" fill=\"{colour}\" \
             stroke=\"{outline}\"/>"
        ),
        Some(PieceShape::Disc) | None => {
            format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"16\" fill=\"{colour}\" stroke=\"{outline}\"/>"
            )
        }
        Some(chess) => format!(
            "<text x=\"{x}\" y=\"{}\" font-size=\"32\" fill=\"{colour}\" stroke=\"#222\" \
             stroke-width=\"0.8\">{}\u{fe0e}</text>",
            y + 12,
            glyph(chess)
        ),
    }
}

/// The filled symbol of a chess piece; the text variant selector after it prevents emoji.
const fn glyph(shape: PieceShape) -> char {
    match shape {
        PieceShape::Knight => '♞',
        PieceShape::Bishop => '♝',
        PieceShape::Rook => '♜',
        PieceShape::Queen => '♛',
        PieceShape::King => '♚',
        _ => '♟',
    }
}

const fn colour(colour: Colour) -> &'static str {
    match colour {
        Colour::Black => "#1c1c1c",
        Colour::White => "#f7f7f2",
        Colour::Blue => "#2b66c4",
        Colour::Orange => "#e08a1e",
        Colour::Red => "#cf3a3a",
        Colour::Yellow => "#e8c21c",
    }
}
