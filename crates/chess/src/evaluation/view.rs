//! The board as one side sees it, so that every feature is written once and for a side that moves
//! up.

use cozy_chess::{BitBoard, Board, Color, File, Piece, Square, get_king_moves};

/// The men from one side's point of view: for Black the board is turned upside down.
pub(super) struct View {
    pub(super) own: Camp,
    pub(super) other: Camp,
    pub(super) occupied: BitBoard,
    /// It is the own side's turn.
    pub(super) to_move: bool,
}

/// One side's men.
pub(super) struct Camp {
    men: [BitBoard; Piece::NUM],
    pub(super) all: BitBoard,
    pub(super) king: Square,
    /// What the pawns attack.
    pub(super) pawn_attacks: BitBoard,
}

impl View {
    pub(super) fn of(board: &Board, color: Color) -> Self {
        let turned = |set: BitBoard| match color {
            Color::White => set,
            Color::Black => set.flip_ranks(),
        };
        let camp = |of: Color| Camp::new(Piece::ALL.map(|p| turned(board.colored_pieces(of, p))));
        let (mut own, mut other) = (camp(color), camp(!color));
        own.pawn_attacks = beside(up(own[Piece::Pawn]));
        other.pawn_attacks = beside(down(other[Piece::Pawn]));
        Self { occupied: own.all | other.all, own, other, to_move: board.side_to_move() == color }
    }
}

impl Camp {
    fn new(men: [BitBoard; Piece::NUM]) -> Self {
        Self {
            men,
            all: men.into_iter().fold(BitBoard::EMPTY, |all, set| all | set),
            king: men[Piece::King as usize].next_square().unwrap_or(Square::E1),
            pawn_attacks: BitBoard::EMPTY,
        }
    }

    /// Everything but pawns and the king.
    #[inline]
    pub(super) fn pieces(&self) -> BitBoard {
        self.all & !self[Piece::Pawn] & !self[Piece::King]
    }
}

impl std::ops::Index<Piece> for Camp {
    type Output = BitBoard;

    #[inline]
    fn index(&self, piece: Piece) -> &BitBoard {
        &self.men[piece as usize]
    }
}

/// One rank up.
#[inline]
pub(super) const fn up(set: BitBoard) -> BitBoard {
    BitBoard(set.0 << 8)
}

/// One rank down.
#[inline]
pub(super) const fn down(set: BitBoard) -> BitBoard {
    BitBoard(set.0 >> 8)
}

/// The neighbours on the same rank.
#[inline]
pub(super) const fn beside(set: BitBoard) -> BitBoard {
    let (a, h) = (File::A.bitboard().0, File::H.bitboard().0);
    BitBoard((set.0 & !a) >> 1 | (set.0 & !h) << 1)
}

/// The set and everything above it.
#[inline]
pub(super) const fn fill_up(set: BitBoard) -> BitBoard {
    let set = set.0 | set.0 << 8;
    let set = set | set << 16;
    BitBoard(set | set << 32)
}

/// The set and everything below it.
#[inline]
pub(super) const fn fill_down(set: BitBoard) -> BitBoard {
    let set = set.0 | set.0 >> 8;
    let set = set | set >> 16;
    BitBoard(set | set >> 32)
}

/// Whole files.
#[inline]
pub(super) const fn files(set: BitBoard) -> BitBoard {
    fill_up(fill_down(set))
}

/// The king, the squares around him and a rank more towards the enemy, who is below.
#[inline]
pub(super) fn zone_of_other(king: Square) -> BitBoard {
    let around = get_king_moves(king) | king.bitboard();
    around | down(around)
}

/// Steps that a king needs from one square to the other.
#[inline]
pub(super) fn distance(a: Square, b: Square) -> u32 {
    let files = (a.file() as u32).abs_diff(b.file() as u32);
    let ranks = (a.rank() as u32).abs_diff(b.rank() as u32);
    files.max(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(squares: &[Square]) -> BitBoard {
        squares.iter().copied().collect()
    }

    #[test]
    fn shifts_stay_on_the_board() {
        let corners = set(&[Square::A1, Square::H1]);
        assert_eq!(beside(corners), set(&[Square::B1, Square::G1]));
        assert_eq!(up(Square::A8.into()), BitBoard::EMPTY);
        assert_eq!(down(Square::C2.into()), Square::C1.into());
        assert_eq!(files(Square::D4.into()), File::D.bitboard());
        assert_eq!(fill_up(Square::D7.into()), set(&[Square::D7, Square::D8]));
        assert_eq!(distance(Square::A1, Square::C7), 6);
    }

    #[test]
    fn both_sides_move_up() {
        let board = Board::startpos();
        let [white, black] = [Color::White, Color::Black].map(|color| View::of(&board, color));
        for view in [&white, &black] {
            assert_eq!(view.own[Piece::Rook], set(&[Square::A1, Square::H1]));
            assert_eq!(view.own.king, Square::E1);
            assert_eq!(view.other.king, Square::E8);
            assert_eq!(view.own.pawn_attacks, cozy_chess::Rank::Third.bitboard());
            assert_eq!(view.other.pawn_attacks, cozy_chess::Rank::Sixth.bitboard());
        }
        assert!(white.to_move && !black.to_move);
    }
}
