//! The board from one side's perspective, so that every feature is written once, for a side that
//! moves north. Shifts and fills are named as in the Chess Programming Wiki.

use cozy_chess::{BitBoard, Board, Color, File, Piece, Square, get_king_moves};

/// All pieces from one side's perspective: for Black the board is flipped vertically.
pub(super) struct View {
    pub(super) own: SidePieces,
    pub(super) other: SidePieces,
    pub(super) occupied: BitBoard,
    /// Whether the own side is to move.
    pub(super) to_move: bool,
}

/// One side's pieces.
pub(super) struct SidePieces {
    by_piece: [BitBoard; Piece::NUM],
    pub(super) all: BitBoard,
    pub(super) king: Square,
    /// Squares attacked by pawns.
    pub(super) pawn_attacks: BitBoard,
}

impl View {
    pub(super) fn of(board: &Board, color: Color) -> Self {
        let relative = |set: BitBoard| match color {
            Color::White => set,
            Color::Black => set.flip_ranks(),
        };
        let pieces =
            |of: Color| SidePieces::new(Piece::ALL.map(|p| relative(board.colored_pieces(of, p))));
        let (mut own, mut other) = (pieces(color), pieces(!color));
        own.pawn_attacks = east_and_west(north(own[Piece::Pawn]));
        other.pawn_attacks = east_and_west(south(other[Piece::Pawn]));
        Self { occupied: own.all | other.all, own, other, to_move: board.side_to_move() == color }
    }
}

impl SidePieces {
    fn new(by_piece: [BitBoard; Piece::NUM]) -> Self {
        Self {
            by_piece,
            all: by_piece.into_iter().fold(BitBoard::EMPTY, |all, set| all | set),
            king: by_piece[Piece::King as usize].next_square().unwrap_or(Square::E1),
            pawn_attacks: BitBoard::EMPTY,
        }
    }

    /// Knights, bishops, rooks and queens.
    #[inline]
    pub(super) fn non_pawns(&self) -> BitBoard {
        self.all & !self[Piece::Pawn] & !self[Piece::King]
    }

    /// The only piece or pawn besides the king, and its square.
    pub(super) fn lone_piece(&self) -> Option<(Piece, Square)> {
        if self.all.len() != 2 {
            return None;
        }
        let square = (self.all & !self[Piece::King]).next_square()?;
        super::MATERIAL_PIECES.into_iter().find(|&piece| self[piece].has(square)).zip(Some(square))
    }
}

impl std::ops::Index<Piece> for SidePieces {
    type Output = BitBoard;

    #[inline]
    fn index(&self, piece: Piece) -> &BitBoard {
        &self.by_piece[piece as usize]
    }
}

/// Shifts one rank north.
#[inline]
pub(super) const fn north(set: BitBoard) -> BitBoard {
    BitBoard(set.0 << 8)
}

/// Shifts one rank south.
#[inline]
pub(super) const fn south(set: BitBoard) -> BitBoard {
    BitBoard(set.0 >> 8)
}

/// Shifts one file east and one file west, without wrapping.
#[inline]
pub(super) const fn east_and_west(set: BitBoard) -> BitBoard {
    let (a, h) = (File::A.bitboard().0, File::H.bitboard().0);
    BitBoard((set.0 & !a) >> 1 | (set.0 & !h) << 1)
}

/// The set and all squares north of it.
#[inline]
pub(super) const fn north_fill(set: BitBoard) -> BitBoard {
    let set = set.0 | set.0 << 8;
    let set = set | set << 16;
    BitBoard(set | set << 32)
}

/// The set and all squares south of it.
#[inline]
pub(super) const fn south_fill(set: BitBoard) -> BitBoard {
    let set = set.0 | set.0 >> 8;
    let set = set | set >> 16;
    BitBoard(set | set >> 32)
}

/// All files that the set touches.
#[inline]
pub(super) const fn file_fill(set: BitBoard) -> BitBoard {
    north_fill(south_fill(set))
}

/// The zone of the enemy king: its square, the adjacent ones, and one more rank towards the own side.
#[inline]
pub(super) fn enemy_king_zone(king: Square) -> BitBoard {
    let around = get_king_moves(king) | king.bitboard();
    around | south(around)
}

/// Chebyshev distance: king moves between two squares.
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
    fn shifts_do_not_wrap() {
        let corners = set(&[Square::A1, Square::H1]);
        assert_eq!(east_and_west(corners), set(&[Square::B1, Square::G1]));
        assert_eq!(north(Square::A8.into()), BitBoard::EMPTY);
        assert_eq!(south(Square::C2.into()), Square::C1.into());
        assert_eq!(file_fill(Square::D4.into()), File::D.bitboard());
        assert_eq!(north_fill(Square::D7.into()), set(&[Square::D7, Square::D8]));
        assert_eq!(distance(Square::A1, Square::C7), 6);
    }

    #[test]
    fn both_sides_move_north() {
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
