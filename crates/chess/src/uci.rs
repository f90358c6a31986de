//! Moves in UCI notation (long algebraic): from square, to square, promotion piece.

use cozy_chess::{Color, File, Move, Piece, Rank, Square};
use tablero_core::{Game as _, ReadError};

use crate::fen::color_name;
use crate::position::CastlingSide;
use crate::{Chess, ChessRules};

/// The pieces a pawn can promote to.
pub(crate) const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight];

impl Chess {
    /// A legal move in UCI notation. Castling is the king's two-square move (`e1g1`) in standard
    /// chess, and king takes rook (`e1h1`) in Chess960.
    ///
    /// ```
    /// use tablero_chess::{Chess, ChessRules};
    /// use tablero_core::Notation;
    /// let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    /// for (rules, text) in [(ChessRules::Standard, "e1g1"), (ChessRules::Chess960, "e1h1")] {
    ///     let position = Chess::parse_position(fen, rules)?;
    ///     let castling = position.parse_move("O-O")?;
    ///     assert_eq!(position.uci_text(castling), text);
    ///     assert_eq!(position.parse_uci(text)?, castling);
    /// }
    /// # Ok::<(), tablero_core::ReadError>(())
    /// ```
    pub fn uci_text(&self, m: Move) -> String {
        Move { to: self.displayed_target(m), ..m }.to_string()
    }

    /// Parses a legal move in UCI notation; castling in either form.
    pub fn parse_uci(&self, text: &str) -> Result<Move, ReadError> {
        let Some(m) = read(text) else {
            let expected = "a move in UCI notation, such as e2e4, e1g1 or e7e8q";
            return Err(ReadError::at(text, 0, expected));
        };
        if self.is_legal(m) {
            return Ok(m);
        }
        if let Some(castling) = self.castling_by_target(m).filter(|&m| self.is_legal(m)) {
            return Ok(castling);
        }
        Err(ReadError::at(text, 0, self.why_illegal(m)))
    }

    /// The target square as shown to users: for castling the king's target, except in Chess960, where
    /// that could also be an ordinary king move.
    pub(crate) fn displayed_target(&self, m: Move) -> Square {
        match (self.castling_side(m), self.rules()) {
            (Some(CastlingSide::KingSide), ChessRules::Standard) => {
                Square::new(File::G, m.from.rank())
            }
            (Some(CastlingSide::QueenSide), ChessRules::Standard) => {
                Square::new(File::C, m.from.rank())
            }
            _ => m.to,
        }
    }

    /// The castling move, if any, that takes the king from `m.from` to `m.to`.
    fn castling_by_target(&self, m: Move) -> Option<Move> {
        let mover = self.board().side_to_move();
        let home = Rank::First.relative_to(mover);
        if m.from != self.board().king(mover) || m.to.rank() != home {
            return None;
        }
        let side = match m.to.file() {
            File::G => CastlingSide::KingSide,
            File::C => CastlingSide::QueenSide,
            _ => return None,
        };
        let rook = self.castling_rook(mover, side)?;
        Some(Move { to: Square::new(rook, home), ..m })
    }

    /// The `expected` text of the error for an illegal move.
    fn why_illegal(&self, m: Move) -> String {
        let board = self.board();
        let mover = board.side_to_move();
        let with = |promotion| Move { promotion: Some(promotion), ..m };
        if m.promotion.is_none() && self.is_legal(with(Piece::Queen)) {
            let moves = PROMOTIONS.map(|piece| with(piece).to_string());
            return format!("the piece to promote to: {}", moves.join(", "));
        }
        let reason = match (board.piece_on(m.from), board.color_on(m.from)) {
            (Some(piece), Some(color)) if color == mover => {
                let piece = piece_name(piece);
                format!("{}'s {piece} on {} cannot do that", color_name(mover), m.from)
            }
            (_, Some(color)) => format!("{}'s piece is on {}", color_name(color), m.from),
            _ => format!("no piece is on {}", m.from),
        };
        format!("a legal move for {}: {reason}{}", color_name(mover), self.check_hint(mover))
    }

    /// A note for error messages if the side to move is in check.
    pub(crate) fn check_hint(&self, mover: Color) -> String {
        let in_check = !self.board().checkers().is_empty();
        if in_check { format!(" ({} is in check)", color_name(mover)) } else { String::new() }
    }
}

/// Whether `text` is a well-formed UCI move.
pub(crate) fn is_uci(text: &str) -> bool {
    read(text).is_some()
}

fn read(text: &str) -> Option<Move> {
    let (from, to) = (text.get(..2)?.parse().ok()?, text.get(2..4)?.parse().ok()?);
    let mut rest = text[4..].chars();
    let promotion = match (rest.next(), rest.next()) {
        (None, _) => None,
        (Some(letter), None) => Some(promotion_from_letter(letter)?),
        _ => return None,
    };
    Some(Move { from, to, promotion })
}

/// The promotion piece of a letter, case-insensitively.
pub(crate) fn promotion_from_letter(letter: char) -> Option<Piece> {
    let piece = Piece::try_from(letter.to_ascii_lowercase()).ok()?;
    PROMOTIONS.contains(&piece).then_some(piece)
}

/// The piece's English name.
pub(crate) const fn piece_name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}
