//! Moves as engines write them: from square, to square, piece to promote to.

use cozy_chess::{Color, File, Move, Piece, Rank, Square};
use tablero_core::{Game as _, ReadError};

use crate::fen::color_name;
use crate::position::Wing;
use crate::{Chess, ChessRules};

/// The pieces that a pawn can become.
pub(crate) const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight];

impl Chess {
    /// A legal move as the UCI protocol writes it. Castling is the king's two steps (`e1g1`) in
    /// standard chess, and king takes rook (`e1h1`) in Chess960.
    pub fn uci_text(&self, m: Move) -> String {
        Move { to: self.target_shown(m), ..m }.to_string()
    }

    /// The legal move that `text` names in UCI notation; castling in either way of writing it.
    pub fn parse_uci(&self, text: &str) -> Result<Move, ReadError> {
        let Some(m) = read(text) else {
            let expected = "a move by its squares, such as e2e4, e1g1 or e7e8q";
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

    /// The square that a move seems to lead to: where the king goes when he castles, except in
    /// Chess960, where that could be an ordinary move of his.
    pub(crate) fn target_shown(&self, m: Move) -> Square {
        match (self.castles(m), self.rules()) {
            (Some(Wing::Short), ChessRules::Standard) => Square::new(File::G, m.from.rank()),
            (Some(Wing::Long), ChessRules::Standard) => Square::new(File::C, m.from.rank()),
            _ => m.to,
        }
    }

    /// The castling move, if any, by which the king would go from `m.from` to `m.to`.
    fn castling_by_target(&self, m: Move) -> Option<Move> {
        let mover = self.board().side_to_move();
        let home = Rank::First.relative_to(mover);
        if m.from != self.board().king(mover) || m.to.rank() != home {
            return None;
        }
        let wing = match m.to.file() {
            File::G => Wing::Short,
            File::C => Wing::Long,
            _ => return None,
        };
        let rook = self.castling_rook(mover, wing)?;
        Some(Move { to: Square::new(rook, home), ..m })
    }

    /// What would have been right instead of a move that is not legal.
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

    /// A reason why many moves are not legal, to be added to an error message.
    pub(crate) fn check_hint(&self, mover: Color) -> String {
        let in_check = !self.board().checkers().is_empty();
        if in_check { format!(" ({} is in check)", color_name(mover)) } else { String::new() }
    }
}

/// Whether `text` has the shape of a move in UCI notation.
pub(crate) fn is_uci(text: &str) -> bool {
    read(text).is_some()
}

fn read(text: &str) -> Option<Move> {
    let (from, to) = (text.get(..2)?.parse().ok()?, text.get(2..4)?.parse().ok()?);
    let mut rest = text[4..].chars();
    let promotion = match (rest.next(), rest.next()) {
        (None, _) => None,
        (Some(letter), None) => Some(promotion_of(letter)?),
        _ => return None,
    };
    Some(Move { from, to, promotion })
}

/// The piece that a pawn becomes, by its letter in any case.
pub(crate) fn promotion_of(letter: char) -> Option<Piece> {
    let piece = Piece::try_from(letter.to_ascii_lowercase()).ok()?;
    PROMOTIONS.contains(&piece).then_some(piece)
}

/// A piece's name in a sentence.
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
