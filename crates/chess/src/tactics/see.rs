//! Static exchange evaluation (SEE) by the swap-list algorithm.

use cozy_chess::{
    BitBoard, Board, Color, Move, Piece, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};

use super::PIECE_VALUES;

/// Static exchange evaluation: the material balance in centipawns for the side to move if, after the
/// legal move `m`, both sides capture on its target square with their least valuable attacker for as
/// long as that pays.
///
/// X-ray attackers join in. Pins are ignored, and a pawn capturing onto the last rank stays a pawn.
///
/// ```
/// use tablero_chess::{Chess, ChessRules, see};
/// use tablero_core::Notation;
/// let fen = "4k3/2p5/3p4/8/8/8/3R4/3QK3 w - - 0 1";
/// let position = Chess::parse_position(fen, ChessRules::Standard)?;
/// let capture = position.parse_move("Rxd6")?;
/// assert_eq!(see(position.board(), capture), 100 - 500 + 100);
/// # Ok::<(), tablero_core::ReadError>(())
/// ```
#[inline]
pub fn see(board: &Board, m: Move) -> i32 {
    /// No piece captures twice.
    const MAX_CAPTURES: usize = 32;
    let Some(start) = FirstCapture::after(board, m) else {
        return 0;
    };
    let FirstCapture { mut side, mut occupied, mut occupant, .. } = start;
    // The swap list: the balance of the side that has just captured, if the sequence stops there.
    let mut balance = [0; MAX_CAPTURES];
    balance[0] = start.gain;
    let mut last = 0;
    let mut attackers = attackers(board, m.to, occupied);
    while let Some((piece, from)) = least_valuable_attacker(board, attackers & board.colors(side)) {
        let is_defended = !(attackers & board.colors(!side)).is_empty();
        if piece == Piece::King && is_defended {
            break;
        }
        last += 1;
        balance[last] = PIECE_VALUES[occupant as usize] - balance[last - 1];
        occupied ^= from.bitboard();
        attackers |= sliders(board, m.to, occupied);
        attackers &= occupied;
        (side, occupant) = (!side, piece);
    }
    // Negamax over the swap list: a side stops when capturing would lose.
    while last > 0 {
        balance[last - 1] = -balance[last].max(-balance[last - 1]);
        last -= 1;
    }
    balance[0]
}

/// The state after the first capture.
struct FirstCapture {
    /// The side to recapture.
    side: Color,
    occupied: BitBoard,
    /// The piece on the target square.
    occupant: Piece,
    /// Material won by the first capture.
    gain: i32,
}

impl FirstCapture {
    /// `None` for castling.
    #[inline]
    fn after(board: &Board, m: Move) -> Option<Self> {
        let mover = board.side_to_move();
        if board.colors(mover).has(m.to) {
            return None;
        }
        let moved = board.piece_on(m.from)?;
        let mut occupied = board.occupied() ^ m.from.bitboard() | m.to.bitboard();
        let mut gain = 0;
        if board.colors(!mover).has(m.to) {
            gain = board.piece_on(m.to).map_or(0, |piece| PIECE_VALUES[piece as usize]);
        } else if moved == Piece::Pawn && m.from.file() != m.to.file() {
            occupied ^= Square::new(m.to.file(), m.from.rank()).bitboard();
            gain = PIECE_VALUES[Piece::Pawn as usize];
        }
        let occupant = m.promotion.unwrap_or(moved);
        gain += PIECE_VALUES[occupant as usize] - PIECE_VALUES[moved as usize];
        Some(Self { side: !mover, occupied, occupant, gain })
    }
}

/// All remaining attackers of `square`, of both sides.
#[inline]
fn attackers(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let pawns =
        |color: Color| get_pawn_attacks(square, !color) & board.colored_pieces(color, Piece::Pawn);
    let leapers = get_knight_moves(square) & board.pieces(Piece::Knight)
        | get_king_moves(square) & board.pieces(Piece::King);
    let pawns = pawns(Color::White) | pawns(Color::Black);
    (leapers | pawns | sliders(board, square, occupied)) & occupied
}

#[inline]
fn sliders(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let queens = board.pieces(Piece::Queen);
    get_bishop_moves(square, occupied) & (board.pieces(Piece::Bishop) | queens)
        | get_rook_moves(square, occupied) & (board.pieces(Piece::Rook) | queens)
}

#[inline]
fn least_valuable_attacker(board: &Board, of: BitBoard) -> Option<(Piece, Square)> {
    if of.is_empty() {
        return None;
    }
    Piece::ALL.into_iter().find_map(|piece| {
        let square = (of & board.pieces(piece)).next_square()?;
        Some((piece, square))
    })
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Notation, Rng};

    use super::*;
    use crate::{Chess, ChessRules};

    fn see_of(fen: &str, m: &str) -> i32 {
        let position = Chess::parse_position(fen, ChessRules::Standard).expect("a position");
        see(position.board(), position.parse_move(m).expect("a legal move"))
    }

    #[test]
    fn simple_exchanges() {
        let [pawn, knight, _, rook, queen, _] = PIECE_VALUES;
        assert_eq!(see_of("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "exd5"), pawn, "undefended");
        assert_eq!(see_of("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "exd5"), 0, "pawn for pawn");
        assert_eq!(see_of("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1", "Qxd5"), pawn - queen);
        assert_eq!(see_of("4k3/8/8/8/8/1p6/8/R3K3 w - - 0 1", "Ra2"), -rook, "a quiet blunder");
        let fen = "3rk3/3r4/8/3n4/8/8/3R4/3RK3 w - - 0 1";
        assert_eq!(see_of(fen, "Rxd5"), knight - rook + rook - rook, "rooks behind rooks");
        assert_eq!(see_of("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6"), pawn, "en passant");
        let fen = "3r2k1/2P5/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(see_of(fen, "cxd8=Q"), rook + queen - pawn, "a promotion");
        assert_eq!(see_of("2r3k1/2P5/8/8/8/8/8/4KB2 w - - 0 1", "Bh3"), 0, "no recapture");
    }

    #[test]
    fn kings_capture_only_undefended_pieces() {
        let [pawn, _, _, rook, ..] = PIECE_VALUES;
        assert_eq!(see_of("8/8/8/8/8/1k6/1p6/1R2K3 w - - 0 1", "Rxb2"), pawn - rook);
        assert_eq!(see_of("8/8/8/8/3B4/1k6/1p6/1R2K3 w - - 0 1", "Rxb2"), pawn);
        assert_eq!(
            see_of("8/8/8/8/3B4/bk6/1p6/1R2K3 w - - 0 1", "Rxb2"),
            pawn - rook,
            "defended twice"
        );
    }

    /// The recursive definition of SEE, without the swap list.
    fn recursive(
        board: &Board,
        square: Square,
        side: Color,
        occupant: Piece,
        removed: BitBoard,
    ) -> i32 {
        let occupied = board.occupied() & !removed | square.bitboard();
        let left = attackers(board, square, occupied) & !removed;
        let capturers = left & board.colors(side);
        let by = |piece| (capturers & board.pieces(piece)).iter().next();
        let Some((piece, from)) = Piece::ALL.into_iter().find_map(|p| Some((p, by(p)?))) else {
            return 0;
        };
        if piece == Piece::King && !(left & board.colors(!side)).is_empty() {
            return 0;
        }
        let removed = removed | from.bitboard();
        (PIECE_VALUES[occupant as usize] - recursive(board, square, !side, piece, removed)).max(0)
    }

    #[test]
    fn agrees_with_the_recursive_definition() {
        let mut rng = Rng::seeded(6);
        let mut captures = 0;
        for _ in 0..150 {
            let mut position = Chess::start(ChessRules::Standard);
            for _ in 0..rng.below(120) {
                for m in position.moves() {
                    let board = position.board();
                    let Some(start) = FirstCapture::after(board, m) else {
                        assert_eq!(see(board, m), 0, "castling");
                        continue;
                    };
                    let removed = board.occupied() & !start.occupied;
                    let reply = recursive(board, m.to, start.side, start.occupant, removed);
                    assert_eq!(see(board, m), start.gain - reply, "{position:?} {m}");
                    captures += usize::from(start.gain > 0);
                }
                match position.random_move(&mut rng) {
                    Some(m) => position.play(m),
                    None => break,
                }
            }
        }
        assert!(captures > 1000);
    }
}
