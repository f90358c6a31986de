//! Sparse inputs of NNUE: pieces on squares, in buckets of the own king's square.

use cozy_chess::{Color, Piece, Square};
use tablero_core::{ForMover, NO_FEATURE, Side, SparseInputs};

use crate::Chess;
use crate::evaluation::with_endgame_knowledge;

/// Both colours' pieces on all squares.
const PIECE_SQUARES: usize = 2 * Piece::NUM * Square::NUM;

/// The bucket of the own king, by its square as its side sees it, mirrored to the files a to d: at home in the
/// corner, at home in the centre, on the second rank, abroad.
#[rustfmt::skip]
const KING_BUCKETS: [u8; Square::NUM] = [
    0, 0, 1, 1, 1, 1, 0, 0,
    2, 2, 2, 2, 2, 2, 2, 2,
    3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3,
];
const BUCKETS: usize = 4;

/// One slot per square. The board is turned so that the own king is at the bottom, and mirrored so that it is on
/// the files a to d: half the positions to learn.
impl SparseInputs for Chess {
    const INPUT_FEATURES: usize = BUCKETS * PIECE_SQUARES;
    const INPUT_SLOTS: usize = Square::NUM;
    const INPUT_PERIOD: usize = PIECE_SQUARES;
    const OUTPUT_BUCKETS: usize = 8;

    #[inline]
    fn write_inputs(&self, side: Side, slots: &mut [u16]) {
        let board = self.board();
        let own = if side == Side::First { Color::White } else { Color::Black };
        let turn = if own == Color::White { 0 } else { 0b111_000 };
        let king = board.king(own) as usize ^ turn;
        let mirror = if king & 0b100 == 0 { 0 } else { 0b111 };
        let bucket = usize::from(KING_BUCKETS[king]) * PIECE_SQUARES;
        slots.fill(NO_FEATURE);
        for (of, color) in [own, !own].into_iter().enumerate() {
            for piece in Piece::ALL {
                let first = bucket + (of * Piece::NUM + piece as usize) * Square::NUM;
                for square in board.colored_pieces(color, piece) {
                    let square = square as usize;
                    slots[square] = (first + (square ^ turn ^ mirror)) as u16;
                }
            }
        }
    }

    /// By the number of pieces on the board.
    #[inline]
    fn output_bucket(&self) -> usize {
        let pieces = self.board().occupied().len() as usize;
        (pieces.saturating_sub(1) / 4).min(Self::OUTPUT_BUCKETS - 1)
    }

    #[inline]
    fn with_endgame_knowledge(&self, value: ForMover<i32>) -> ForMover<i32> {
        with_endgame_knowledge(self, value)
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game as _, Notation as _};

    use super::*;
    use crate::ChessRules;

    fn slots(fen: &str, side: Side) -> Vec<u16> {
        let position = Chess::parse_position(fen, ChessRules::default()).expect("a position");
        let mut slots = vec![0; Chess::INPUT_SLOTS];
        position.write_inputs(side, &mut slots);
        slots.retain(|&feature| feature != NO_FEATURE);
        slots.sort_unstable();
        slots
    }

    #[test]
    fn mirrored_and_swapped_positions_have_the_same_features() {
        let white = slots("6k1/5ppp/8/8/3N4/8/1P3PPP/6K1 w - - 0 1", Side::First);
        let mirrored = slots("1k6/ppp5/8/8/4N3/8/PPP3P1/1K6 w - - 0 1", Side::First);
        let black = slots("6k1/1p3ppp/8/3n4/8/8/5PPP/6K1 b - - 0 1", Side::Second);
        assert_eq!(white, mirrored);
        assert_eq!(white, black);
        assert_ne!(white, slots("6k1/5ppp/8/8/3N4/8/1P3PPP/6K1 w - - 0 1", Side::Second));
    }

    #[test]
    fn the_bucket_follows_the_king() {
        let start = Chess::start(ChessRules::default());
        let mut slots = [0; Chess::INPUT_SLOTS];
        start.write_inputs(Side::First, &mut slots);
        // The king on e1 is mirrored to d1, in the bucket of the centre.
        let king = PIECE_SQUARES + Piece::King as usize * Square::NUM + Square::D1 as usize;
        assert_eq!(usize::from(slots[Square::E1 as usize]), king);
        assert_eq!(start.output_bucket(), 7);
    }
}
