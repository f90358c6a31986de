//! Sparse inputs of NNUE: pieces on squares, in buckets of the own king's square.

use cozy_chess::{BitBoard, Color, Piece, Square};
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

/// How a side sees the board.
#[derive(Clone, Copy, PartialEq, Eq)]
struct View {
    own: Color,
    /// What turns and mirrors a square, by exclusive or.
    flip: usize,
    /// The first feature of the own king's bucket.
    first: usize,
}

impl View {
    #[inline]
    fn of(position: &Chess, side: Side) -> Self {
        let own = if side == Side::First { Color::White } else { Color::Black };
        let turn = if own == Color::White { 0 } else { 0b111_000 };
        let king = position.board().king(own) as usize ^ turn;
        let mirror = if king & 0b100 == 0 { 0 } else { 0b111 };
        Self { own, flip: turn ^ mirror, first: usize::from(KING_BUCKETS[king]) * PIECE_SQUARES }
    }

    #[inline]
    const fn feature(self, color: Color, piece: Piece, square: Square) -> u16 {
        let kind = (color as usize ^ self.own as usize) * Piece::NUM + piece as usize;
        (self.first + kind * Square::NUM + (square as usize ^ self.flip)) as u16
    }
}

/// One slot per square. The board is turned so that the own king is at the bottom, and mirrored so that it is on
/// the files a to d: half the positions to learn.
impl SparseInputs for Chess {
    const INPUT_FEATURES: usize = BUCKETS * PIECE_SQUARES;
    const INPUT_SLOTS: usize = Square::NUM;
    const INPUT_PERIOD: usize = PIECE_SQUARES;
    const OUTPUT_BUCKETS: usize = 8;

    #[inline]
    fn write_inputs(&self, side: Side, slots: &mut [u16]) {
        let (board, view) = (self.board(), View::of(self, side));
        slots.fill(NO_FEATURE);
        for color in [view.own, !view.own] {
            for piece in Piece::ALL {
                for square in board.colored_pieces(color, piece) {
                    slots[square as usize] = view.feature(color, piece, square);
                }
            }
        }
    }

    #[inline]
    fn update_inputs(&self, before: &Self, side: Side, slots: &mut [u16]) -> u128 {
        let view = View::of(self, side);
        if View::of(before, side) != view {
            self.write_inputs(side, slots);
            return u128::MAX;
        }
        let (board, before) = (self.board(), before.board());
        let colors = Color::ALL.map(|color| board.colors(color) ^ before.colors(color));
        let pieces = Piece::ALL.map(|piece| board.pieces(piece) ^ before.pieces(piece));
        let changed = colors.into_iter().chain(pieces).fold(BitBoard::EMPTY, |all, set| all | set);
        for square in changed {
            let piece = board.color_on(square).zip(board.piece_on(square));
            slots[square as usize] =
                piece.map_or(NO_FEATURE, |(color, piece)| view.feature(color, piece, square));
        }
        changed.0.into()
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
    use tablero_core::{Game as _, Notation as _, Rng};

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

    /// From any position to any other of the same game.
    #[test]
    fn updated_slots_equal_new_ones() {
        let mut rng = Rng::seeded(4);
        for game in 0..20 {
            let (mut position, mut slots) = (Chess::start(ChessRules::default()), [[0; 64]; 2]);
            let mut before = position.clone();
            for side in Side::BOTH {
                before.write_inputs(side, &mut slots[side.index()]);
            }
            for _ in 0..200 {
                let Some(m) = position.random_move(&mut rng) else { break };
                position.play(m);
                if rng.below(1 + game) > 0 {
                    continue;
                }
                for side in Side::BOTH {
                    let mut written = [0; Chess::INPUT_SLOTS];
                    position.write_inputs(side, &mut written);
                    let old = slots[side.index()];
                    let changed = position.update_inputs(&before, side, &mut slots[side.index()]);
                    assert_eq!(slots[side.index()], written, "{position:?}");
                    let differs = |&slot: &usize| old[slot] != written[slot];
                    assert!((0..64).filter(differs).all(|slot| changed >> slot & 1 == 1));
                }
                before = position.clone();
            }
        }
    }
}
