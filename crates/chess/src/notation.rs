//! FEN, SAN and UCI behind [`Notation`], and the board diagram.

use cozy_chess::{BitBoard, Color, File, Move, Rank, Square};
use tablero_core::{Cell, Diagram, Ground, Notation, Piece, ReadError, Side};

use crate::{Chess, ChessRules, fen, san, uci};

impl Notation for Chess {
    fn move_number(&self) -> u32 {
        self.board().fullmove_number().into()
    }

    fn move_text(&self, m: Move) -> String {
        san::text(self, m)
    }

    fn parse_move(&self, text: &str) -> Result<Move, ReadError> {
        let word = text.trim();
        let start = text.len() - text.trim_start().len();
        let m = if uci::is_uci(word) { self.parse_uci(word) } else { san::parse(self, word) };
        m.map_err(|error| error.within(text, start))
    }

    fn position_text(&self) -> String {
        fen::text(self)
    }

    fn parse_position(text: &str, rules: ChessRules) -> Result<Self, ReadError> {
        fen::parse(text, rules)
    }

    fn diagram(&self) -> Diagram {
        let ranks = Rank::ALL.into_iter().rev();
        let squares = ranks.flat_map(|rank| File::ALL.map(|file| Square::new(file, rank)));
        let cells = squares.map(|square| self.cell(square)).collect();
        Diagram { notes: self.notes(), ..Diagram::square(8, (1..=8).rev(), cells) }
    }

    fn touched(&self, m: Move) -> Vec<usize> {
        vec![cell_index(m.from), cell_index(self.displayed_target(m))]
    }
}

impl Chess {
    fn cell(&self, square: Square) -> Cell {
        let side = self.board().color_on(square).map(|color| match color {
            Color::White => Side::First,
            Color::Black => Side::Second,
        });
        let symbol = self.board().piece_on(square).map(san::letter);
        let is_dark = BitBoard::DARK_SQUARES.has(square);
        Cell {
            piece: side.zip(symbol).map(|(side, symbol)| Piece { side, symbol }),
            ground: if is_dark { Ground::Dark } else { Ground::Light },
        }
    }

    /// State that the pieces do not show: castling rights, en passant, half-move clock.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let castling = fen::castling_text(self);
        if castling != "-" {
            notes.push(format!("castling {castling}"));
        }
        if let Some(square) = self.en_passant() {
            notes.push(format!("en passant {square}"));
        }
        if self.halfmove_clock() > 0 {
            notes.push(format!("half-move clock {}", self.halfmove_clock()));
        }
        notes
    }
}

/// The diagram index of a square; the first row is the eighth rank.
pub(crate) const fn cell_index(square: Square) -> usize {
    8 * (7 - square.rank() as usize) + square.file() as usize
}
