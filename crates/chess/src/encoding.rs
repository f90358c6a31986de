//! Input planes, attack planes and the 73-plane policy of neural networks.

use tablero_core::{Encoding, Game, LocalizedString, Side, write_bitboard};

use crate::cozy_chess::{
    BitBoard, Board, Color, Piece, Rank, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};
use crate::{Chess, Move};

const SQUARES: usize = 64;
/// Queen directions as (files, ranks).
const DIRECTIONS: [(i32, i32); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
const KNIGHT_STEPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
/// First plane of each kind of move.
const QUEEN_MOVES: usize = 0;
const KNIGHT_MOVES: usize = 56;
const UNDERPROMOTIONS: usize = 64;

/// The 18 input planes of Hatchet1, squares a1 (0), b1 (1) to h8 (63), always from White's side: 1-6
/// White's pawns, knights, bishops, rooks, queens, king; 7-12 Black's; 13 White to move; 14 any castling
/// right left; 15 at least two earlier occurrences of the position; 16 ones; 17 half-move clock / 100,
/// at most 1; 18 full-move number / 200, at most 1.
///
/// Policy: AlphaZero's 73 planes (Silver et al. 2018) indexed by the from-square: queen moves (8
/// directions x 7 distances, including queen promotions and castling as king takes rook), 8 knight
/// moves, underpromotions (straight, left, right x knight, bishop, rook).
///
/// The relative encoding flips the board vertically and swaps colours if Black is to move.
///
/// Attack planes: 12, with the squares attacked by own pawns, knights, bishops, rooks, queens and king,
/// then by the opponent's.
impl Encoding for Chess {
    const WIDTH: usize = 8;
    const HEIGHT: usize = 8;
    const PLANES: usize = 18;
    const POLICY_PLANES: usize = 73;
    const CAN_FLIP: bool = true;
    const ATTACK_PLANES: usize = 12;

    fn write_planes(&self, seen: u32, planes: &mut [f32]) {
        write_from_perspective(self, Color::White, seen, planes);
    }

    fn policy_indices(&self, m: Move) -> [usize; 2] {
        [move_plane(m) * SQUARES + m.from as usize, Self::ZERO_LOGIT]
    }

    fn write_flipped(&self, seen: u32, planes: &mut [f32]) {
        write_from_perspective(self, self.board().side_to_move(), seen, planes);
    }

    fn write_attacks(&self, planes: &mut [f32]) {
        let board = self.board();
        write_pieces(planes, board.side_to_move(), |color, piece| attacks(board, color, piece));
    }

    fn plane_name(plane: usize) -> LocalizedString {
        const SIDES: [(&str, &str); 2] = [
            ("White, or the mover", "blancas, o quien mueve"),
            ("Black, or the opponent", "negras, o el rival"),
        ];
        const PIECES: [(&str, &str); 6] = [
            ("pawns", "peones"),
            ("knights", "caballos"),
            ("bishops", "alfiles"),
            ("rooks", "torres"),
            ("queens", "damas"),
            ("king", "rey"),
        ];
        let of = |index: usize, prefix: (&str, &str)| {
            let (side, piece) = (SIDES[index / 6 % 2], PIECES[index % 6]);
            LocalizedString::new(
                format!("{}{} ({})", prefix.0, piece.0, side.0),
                format!("{}{} ({})", prefix.1, piece.1, side.1),
            )
        };
        let (en, es) = match plane {
            0..12 => return of(plane, ("", "")),
            12 => ("White, or the mover, is to move", "mueven blancas, o quien mueve"),
            13 => ("castling rights left", "quedan derechos de enroque"),
            14 => ("third occurrence of the position", "tercera repetición de la posición"),
            15 => ("ones", "unos"),
            16 => ("half-move clock / 100", "regla de las 50 jugadas / 100"),
            17 => ("move number / 200", "número de jugada / 200"),
            _ => {
                return of(
                    plane - Self::PLANES,
                    ("squares attacked by ", "casillas atacadas por "),
                );
            }
        };
        LocalizedString::new(en, es)
    }

    /// Planes begin with a1, diagrams with a8; relative planes of Black are flipped.
    fn plane_cell(&self, _: usize, square: usize, is_relative: bool) -> Option<usize> {
        let is_flipped = is_relative && self.board().side_to_move() == Color::Black;
        Some(if is_flipped { square } else { square ^ 56 })
    }

    fn flipped_policy_indices(&self, m: Move) -> [usize; 2] {
        let relative = |square: Square| square.relative_to(self.board().side_to_move());
        self.policy_indices(Move { from: relative(m.from), to: relative(m.to), ..m })
    }

    fn flipped_action_outputs(action: usize, side: Side) -> [usize; 2] {
        let (plane, square) = (action / SQUARES, action % SQUARES);
        let is_flipped = side == Side::Second && plane < Self::POLICY_PLANES;
        let flipped = || flipped_plane(plane) * SQUARES + (square ^ 56);
        [if is_flipped { flipped() } else { action }, Self::ZERO_LOGIT]
    }

    fn move_of_action(&self, action: usize) -> Option<Move> {
        let from = Square::try_index(action % SQUARES)?;
        let mover = self.board().side_to_move();
        let forward = if mover == Color::White { 1 } else { -1 };
        let ((files, ranks), underpromotion) = match action / SQUARES {
            plane @ QUEEN_MOVES..KNIGHT_MOVES => {
                let ((files, ranks), steps) = (DIRECTIONS[plane / 7], plane as i32 % 7 + 1);
                ((files * steps, ranks * steps), None)
            }
            plane @ KNIGHT_MOVES..UNDERPROMOTIONS => (KNIGHT_STEPS[plane - KNIGHT_MOVES], None),
            plane => {
                let kind = plane.checked_sub(UNDERPROMOTIONS).filter(|&kind| kind < 9)?;
                let files = kind as i32 / 3 - 1;
                ((files, forward), Some(Piece::ALL[kind % 3 + 1]))
            }
        };
        let to = from.try_offset(files as i8, ranks as i8)?;
        let is_promotion = to.rank() == Rank::Eighth.relative_to(mover)
            && self.board().piece_on(from) == Some(Piece::Pawn);
        let promotion = underpromotion.or(is_promotion.then_some(Piece::Queen));
        let m = Move { from, to, promotion };
        self.is_legal(m).then_some(m)
    }
}

/// The plane of the mirrored move: ranks change their sign.
const fn flipped_plane(plane: usize) -> usize {
    match plane {
        QUEEN_MOVES..KNIGHT_MOVES => (12 - plane / 7) % 8 * 7 + plane % 7,
        KNIGHT_MOVES..UNDERPROMOTIONS => KNIGHT_MOVES + (11 - (plane - KNIGHT_MOVES)) % 8,
        _ => plane,
    }
}

/// The squares attacked by the pieces of this kind and colour.
fn attacks(board: &Board, color: Color, piece: Piece) -> BitBoard {
    let occupied = board.occupied();
    let from = |square: Square| match piece {
        Piece::Pawn => get_pawn_attacks(square, color),
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, occupied),
        Piece::Rook => get_rook_moves(square, occupied),
        Piece::Queen => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
        Piece::King => get_king_moves(square),
    };
    board.colored_pieces(color, piece).into_iter().fold(BitBoard::EMPTY, |all, at| all | from(at))
}

/// Writes one plane per kind of piece of `first`, then of its opponent, from `first`'s perspective.
fn write_pieces(planes: &mut [f32], first: Color, set: impl Fn(Color, Piece) -> BitBoard) {
    for (index, plane) in planes.chunks_exact_mut(SQUARES).enumerate() {
        let color = if index < 6 { first } else { !first };
        let BitBoard(set) = set(color, Piece::ALL[index % 6]);
        write_bitboard(plane, if first == Color::White { set } else { set.swap_bytes() });
    }
}

/// Writes the planes from `first`'s perspective, in the place of White.
fn write_from_perspective(position: &Chess, first: Color, seen: u32, planes: &mut [f32]) {
    let board = position.board();
    write_pieces(&mut planes[..12 * SQUARES], first, |color, piece| {
        board.colored_pieces(color, piece)
    });
    let can_castle = Color::ALL.into_iter().any(|color| {
        let rights = board.castle_rights(color);
        rights.short.is_some() || rights.long.is_some()
    });
    let flag = |condition: bool| f32::from(u8::from(condition));
    let constants = [
        flag(board.side_to_move() == first),
        flag(can_castle),
        flag(seen >= 2),
        1.0,
        (f32::from(position.halfmove_clock()) / 100.0).min(1.0),
        (f32::from(board.fullmove_number()) / 200.0).min(1.0),
    ];
    for (plane, value) in planes[12 * SQUARES..].chunks_exact_mut(SQUARES).zip(constants) {
        plane.fill(value);
    }
}

fn move_plane(m: Move) -> usize {
    if let Some(piece) = m.promotion.filter(|&piece| piece != Piece::Queen) {
        let files = m.to.file() as i32 - m.from.file() as i32;
        // Knight, bishop and rook have indices 1 to 3.
        return UNDERPROMOTIONS + 3 * (files + 1) as usize + piece as usize - 1;
    }
    usize::from(MOVE_PLANES[m.from as usize][m.to as usize])
}

/// The planes of queen and knight moves by their squares; 0 where there is no such move.
const MOVE_PLANES: [[u8; SQUARES]; SQUARES] = {
    let mut planes = [[0; SQUARES]; SQUARES];
    let mut plane = 0;
    while plane < UNDERPROMOTIONS {
        let (files, ranks) = if plane < KNIGHT_MOVES {
            let ((files, ranks), steps) = (DIRECTIONS[plane / 7], plane as i32 % 7 + 1);
            (files * steps, ranks * steps)
        } else {
            KNIGHT_STEPS[plane - KNIGHT_MOVES]
        };
        let mut from = 0;
        while from < SQUARES {
            let (file, rank) = (from as i32 % 8 + files, from as i32 / 8 + ranks);
            if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                planes[from][(8 * rank + file) as usize] = plane as u8;
            }
            from += 1;
        }
        plane += 1;
    }
    planes
};

#[cfg(test)]
mod tests {
    use crate::ChessRules;

    use tablero_core::{Game, Notation};

    use super::*;

    fn planes(text: &str, seen: u32) -> Vec<f32> {
        let position = Chess::parse_position(text, ChessRules::Standard).expect("a position");
        let mut planes = vec![0.0; Chess::PLANES * SQUARES];
        position.write_planes(seen, &mut planes);
        planes
    }

    #[test]
    fn planes_of_a_known_position() {
        // White: king e1, pawn a2. Black: king e8, rook h8, which may castle. Black is to move.
        let planes = planes("4k2r/8/8/8/8/8/P7/4K3 b k - 50 20", 2);
        let mut expected = vec![0.0; Chess::PLANES * SQUARES];
        for (plane, square) in [(0, 8), (5, 4), (11, 60), (9, 63)] {
            expected[plane * SQUARES + square] = 1.0;
        }
        for (plane, value) in [(13, 1.0), (14, 1.0), (15, 1.0), (16, 0.5), (17, 0.1)] {
            expected[plane * SQUARES..(plane + 1) * SQUARES].fill(value);
        }
        assert_eq!(planes, expected);
    }

    #[test]
    fn counters_are_capped_and_flags_cleared() {
        let planes = planes("4k3/8/8/8/8/8/8/4K2R w - - 149 400", 1);
        let of = |plane: usize| planes[plane * SQUARES];
        let whole: Vec<f32> = (12..18).map(of).collect();
        assert_eq!(whole, [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }

    /// A position and its colour-swapped mirror image have the same relative planes and policy indices.
    #[test]
    fn relative_planes_are_colour_blind() {
        let position =
            |text| Chess::parse_position(text, ChessRules::Standard).expect("a position");
        let view = |position: &Chess| {
            let mut planes = vec![0.0; Chess::PLANES * SQUARES];
            position.write_flipped(0, &mut planes);
            let mut attacks = vec![0.0; Chess::ATTACK_PLANES * SQUARES];
            position.write_attacks(&mut attacks);
            let moves = position.moves().into_iter().map(|m| position.flipped_policy_indices(m));
            (planes, attacks, moves.collect::<std::collections::BTreeSet<_>>())
        };
        for (white, black) in [
            (
                "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 3 7",
                "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 3 7",
            ),
            ("1n2k3/P7/8/3pP3/8/8/8/R3K2R w KQ d6 0 9", "r3k2r/8/8/8/3Pp3/8/p7/1N2K3 b kq d3 0 9"),
        ] {
            let (white, black) = (position(white), position(black));
            assert_eq!(view(&white), view(&black));
            // For White the relative and the absolute planes are equal.
            let mut planes = vec![0.0; Chess::PLANES * SQUARES];
            white.write_planes(0, &mut planes);
            assert_eq!(view(&white).0, planes);
        }
    }

    #[test]
    fn attack_planes_of_a_known_position() {
        // The rook on a1 attacks up to its own pawn on a3 and the enemy queen on d1.
        let text = "4k3/8/8/8/8/P7/8/R2q1K2 w - - 0 1";
        let position = Chess::parse_position(text, ChessRules::Standard).expect("a position");
        let mut planes = vec![0.0; Chess::ATTACK_PLANES * SQUARES];
        position.write_attacks(&mut planes);
        let squares = |plane: usize| -> Vec<usize> {
            let plane = &planes[plane * SQUARES..][..SQUARES];
            (0..SQUARES).filter(|&square| plane[square] != 0.0).collect()
        };
        assert_eq!(squares(0), [25]);
        assert_eq!(squares(3), [1, 2, 3, 8, 16]);
        assert_eq!(squares(5), [4, 6, 12, 13, 14]);
        assert_eq!(squares(11), [51, 52, 53, 59, 61]);
        // d1: the rank, the file, and both diagonals.
        let queen = [0, 1, 2, 4, 5, 10, 11, 12, 17, 19, 21, 24, 27, 30, 35, 39, 43, 51, 59];
        assert_eq!(squares(10), queen);
        assert!([1, 2, 4, 6, 7, 8, 9].into_iter().all(|plane| squares(plane).is_empty()));
    }

    #[test]
    fn actions_are_legal_moves_or_none() {
        for text in [
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "r3k2r/8/8/3PpP2/8/8/p6p/1N2K2R b Kkq - 0 9",
            "4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 0 9",
            "4k3/8/8/8/7b/8/3P1P2/4K3 w - - 0 1",
        ] {
            let position = Chess::parse_position(text, ChessRules::default()).expect(text);
            let moves = position.moves();
            for action in 0..Chess::ACTIONS + SQUARES {
                let expected = moves.iter().copied().find(|&m| position.action(m) == action);
                assert_eq!(position.move_of_action(action), expected, "{action} in {text}");
            }
        }
    }

    #[test]
    fn policy_planes_of_known_moves() {
        let position =
            |text| Chess::parse_position(text, ChessRules::Standard).expect("a position");
        let plane = |position: &Chess, m: &str| {
            let m = position.parse_move(m).expect("a move");
            let [output, nothing] = position.policy_indices(m);
            assert_eq!(nothing, 73 * 64);
            (output / SQUARES, output % SQUARES)
        };
        let start = Chess::start(ChessRules::Standard);
        assert_eq!(plane(&start, "e4"), (1, 12));
        assert_eq!(plane(&start, "Nf3"), (KNIGHT_MOVES + 7, 6));
        let castling = position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        // Three steps east, four steps west.
        assert_eq!(plane(&castling, "O-O"), (2 * 7 + 2, 4));
        assert_eq!(plane(&castling, "O-O-O"), (6 * 7 + 3, 4));
        let promotion = position("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1");
        assert_eq!(plane(&promotion, "a8=Q"), (0, 48));
        assert_eq!(plane(&promotion, "a8=N"), (UNDERPROMOTIONS + 3, 48));
        assert_eq!(plane(&promotion, "axb8=R"), (UNDERPROMOTIONS + 8, 48));
    }
}
