use cozy_chess::{
    BitBoard, Board, Color, Move, Piece, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};

use super::WORTH;

/// What the mover wins, in hundredths of a pawn, if after the legal move `m` both sides go on taking
/// on its square with their cheapest pieces for as long as that pays.
///
/// Pieces behind others join in; pins do not count, and a pawn that takes its way to the last rank
/// stays a pawn.
///
/// ```
/// use tablero_chess::{Chess, ChessRules, exchange};
/// use tablero_core::Notation;
/// let fen = "4k3/2p5/3p4/8/8/8/3R4/3QK3 w - - 0 1";
/// let position = Chess::parse_position(fen, ChessRules::Standard)?;
/// let takes = position.parse_move("Rxd6")?;
/// assert_eq!(exchange(position.board(), takes), 100 - 500 + 100);
/// # Ok::<(), tablero_core::ReadError>(())
/// ```
#[inline]
pub fn exchange(board: &Board, m: Move) -> i32 {
    /// Both sides' men, none of which takes twice.
    const MOST: usize = 32;
    let Some(start) = Exchange::after(board, m) else {
        return 0;
    };
    let Exchange { mut side, mut occupied, mut standing, .. } = start;
    // What the side that has just taken is ahead by, if nobody takes any more.
    let mut balance = [0; MOST];
    balance[0] = start.won;
    let mut last = 0;
    let mut attackers = attackers(board, m.to, occupied);
    while let Some((piece, from)) = cheapest(board, attackers & board.colors(side)) {
        let is_guarded = !(attackers & board.colors(!side)).is_empty();
        if piece == Piece::King && is_guarded {
            break;
        }
        last += 1;
        balance[last] = WORTH[standing as usize] - balance[last - 1];
        occupied ^= from.bitboard();
        attackers |= sliders(board, m.to, occupied);
        attackers &= occupied;
        (side, standing) = (!side, piece);
    }
    // A side that would lose by taking does not take.
    while last > 0 {
        balance[last - 1] = -balance[last].max(-balance[last - 1]);
        last -= 1;
    }
    balance[0]
}

/// The first capture made.
struct Exchange {
    /// Whose turn it is to take.
    side: Color,
    occupied: BitBoard,
    /// The piece that stands on the square.
    standing: Piece,
    /// What the first capture won.
    won: i32,
}

impl Exchange {
    /// None for castling.
    #[inline]
    fn after(board: &Board, m: Move) -> Option<Self> {
        let mover = board.side_to_move();
        if board.colors(mover).has(m.to) {
            return None;
        }
        let moved = board.piece_on(m.from)?;
        let mut occupied = board.occupied() ^ m.from.bitboard() | m.to.bitboard();
        let mut won = 0;
        if board.colors(!mover).has(m.to) {
            won = board.piece_on(m.to).map_or(0, |piece| WORTH[piece as usize]);
        } else if moved == Piece::Pawn && m.from.file() != m.to.file() {
            occupied ^= Square::new(m.to.file(), m.from.rank()).bitboard();
            won = WORTH[Piece::Pawn as usize];
        }
        let standing = m.promotion.unwrap_or(moved);
        won += WORTH[standing as usize] - WORTH[moved as usize];
        Some(Self { side: !mover, occupied, standing, won })
    }
}

/// Everything that attacks `square`, of both sides, of those that still stand.
#[inline]
fn attackers(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let pawns =
        |color: Color| get_pawn_attacks(square, !color) & board.colored_pieces(color, Piece::Pawn);
    let steps = get_knight_moves(square) & board.pieces(Piece::Knight)
        | get_king_moves(square) & board.pieces(Piece::King);
    let pawns = pawns(Color::White) | pawns(Color::Black);
    (steps | pawns | sliders(board, square, occupied)) & occupied
}

#[inline]
fn sliders(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let queens = board.pieces(Piece::Queen);
    get_bishop_moves(square, occupied) & (board.pieces(Piece::Bishop) | queens)
        | get_rook_moves(square, occupied) & (board.pieces(Piece::Rook) | queens)
}

#[inline]
fn cheapest(board: &Board, of: BitBoard) -> Option<(Piece, Square)> {
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

    fn worth(fen: &str, m: &str) -> i32 {
        let position = Chess::parse_position(fen, ChessRules::Standard).expect("a position");
        exchange(position.board(), position.parse_move(m).expect("a legal move"))
    }

    #[test]
    fn knows_simple_exchanges() {
        let [pawn, knight, _, rook, queen, _] = WORTH;
        assert_eq!(worth("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "exd5"), pawn, "nobody guards");
        assert_eq!(worth("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "exd5"), 0, "pawn for pawn");
        assert_eq!(worth("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1", "Qxd5"), pawn - queen);
        assert_eq!(worth("4k3/8/8/8/8/1p6/8/R3K3 w - - 0 1", "Ra2"), -rook, "a quiet blunder");
        let fen = "3rk3/3r4/8/3n4/8/8/3R4/3RK3 w - - 0 1";
        assert_eq!(worth(fen, "Rxd5"), knight - rook + rook - rook, "rooks behind rooks");
        assert_eq!(worth("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6"), pawn, "en passant");
        let fen = "3r2k1/2P5/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(worth(fen, "cxd8=Q"), rook + queen - pawn, "a promotion");
        assert_eq!(worth("2r3k1/2P5/8/8/8/8/8/4KB2 w - - 0 1", "Bh3"), 0, "nobody takes");
    }

    #[test]
    fn kings_take_only_what_is_not_guarded() {
        let [pawn, _, _, rook, ..] = WORTH;
        assert_eq!(worth("8/8/8/8/8/1k6/1p6/1R2K3 w - - 0 1", "Rxb2"), pawn - rook);
        assert_eq!(worth("8/8/8/8/3B4/1k6/1p6/1R2K3 w - - 0 1", "Rxb2"), pawn);
        assert_eq!(worth("8/8/8/8/3B4/bk6/1p6/1R2K3 w - - 0 1", "Rxb2"), pawn - rook, "he is last");
    }

    /// The same without arrays and short cuts: who takes leaves the square to the other side.
    fn slow(board: &Board, square: Square, side: Color, standing: Piece, gone: BitBoard) -> i32 {
        let occupied = board.occupied() & !gone | square.bitboard();
        let left = attackers(board, square, occupied) & !gone;
        let takers = left & board.colors(side);
        let by = |piece| (takers & board.pieces(piece)).iter().next();
        let Some((piece, from)) = Piece::ALL.into_iter().find_map(|p| Some((p, by(p)?))) else {
            return 0;
        };
        if piece == Piece::King && !(left & board.colors(!side)).is_empty() {
            return 0;
        }
        let gone = gone | from.bitboard();
        (WORTH[standing as usize] - slow(board, square, !side, piece, gone)).max(0)
    }

    #[test]
    fn is_the_same_as_taking_turns() {
        let mut rng = Rng::seeded(6);
        let mut captures = 0;
        for _ in 0..150 {
            let mut position = Chess::start(ChessRules::Standard);
            for _ in 0..rng.below(120) {
                for m in position.moves() {
                    let board = position.board();
                    let Some(start) = Exchange::after(board, m) else {
                        assert_eq!(exchange(board, m), 0, "castling");
                        continue;
                    };
                    let gone = board.occupied() & !start.occupied;
                    let reply = slow(board, m.to, start.side, start.standing, gone);
                    assert_eq!(exchange(board, m), start.won - reply, "{position:?} {m}");
                    captures += usize::from(start.won > 0);
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
