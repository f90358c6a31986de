//! Input features of small evolved networks: material, advancement, centrality and mobility by piece,
//! and game phase.

use tablero_core::{Features, Localized};

use crate::Chess;
use crate::cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_knight_moves, get_rook_moves,
};

impl Features for Chess {
    const FEATURES: &'static [&'static str] = &[
        "pawns",
        "knights",
        "bishops",
        "rooks",
        "queens",
        "pawns-forward",
        "knights-forward",
        "bishops-forward",
        "rooks-forward",
        "queens-forward",
        "king-forward",
        "pawns-central",
        "knights-central",
        "bishops-central",
        "rooks-central",
        "queens-central",
        "king-central",
        "knight-mobility",
        "bishop-mobility",
        "rook-mobility",
        "queen-mobility",
        "progress",
    ];

    const FEATURE_TEXTS: &'static [Localized] = &[
        Localized::new("pawns", "peones"),
        Localized::new("knights", "caballos"),
        Localized::new("bishops", "alfiles"),
        Localized::new("rooks", "torres"),
        Localized::new("queens", "damas"),
        Localized::new("advance of pawns", "avance de peones"),
        Localized::new("advance of knights", "avance de caballos"),
        Localized::new("advance of bishops", "avance de alfiles"),
        Localized::new("advance of rooks", "avance de torres"),
        Localized::new("advance of queens", "avance de damas"),
        Localized::new("advance of the king", "avance del rey"),
        Localized::new("pawns in the centre", "peones en el centro"),
        Localized::new("knights in the centre", "caballos en el centro"),
        Localized::new("bishops in the centre", "alfiles en el centro"),
        Localized::new("rooks in the centre", "torres en el centro"),
        Localized::new("queens in the centre", "damas en el centro"),
        Localized::new("king in the centre", "rey en el centro"),
        Localized::new("mobility of knights", "movilidad de caballos"),
        Localized::new("mobility of bishops", "movilidad de alfiles"),
        Localized::new("mobility of rooks", "movilidad de torres"),
        Localized::new("mobility of queens", "movilidad de damas"),
        Localized::new("progress of the game", "avance de la partida"),
    ];

    fn write_features(&self, numbers: &mut [f32]) {
        let board = self.board();
        let mover = board.side_to_move();
        let mut own = [0.0; Self::FEATURES.len()];
        let mut other = own;
        side_features(board, mover, &mut own);
        side_features(board, !mover, &mut other);
        for (number, (own, other)) in numbers.iter_mut().zip(own.into_iter().zip(other)) {
            *number = own - other;
        }
        // The game phase is not a difference between the sides.
        let pieces = board.occupied() - board.pieces(Piece::Pawn);
        numbers[Self::FEATURES.len() - 1] = 1.0 - pieces.len() as f32 / 8.0;
    }
}

/// One side's features.
fn side_features(board: &Board, side: Color, numbers: &mut [f32]) {
    for piece in Piece::ALL {
        let set = board.colored_pieces(side, piece);
        let index = piece as usize;
        if piece != Piece::King {
            numbers[index] = set.len() as f32;
        }
        for square in set {
            numbers[5 + index] += square.rank().relative_to(side) as usize as f32 / 8.0;
            numbers[11 + index] += centrality(square);
        }
        if (Piece::Knight as usize..=Piece::Queen as usize).contains(&index) {
            let targets = |square| attacks(piece, square, board.occupied()) - board.colors(side);
            let mobility: u32 = set.into_iter().map(|square| targets(square).len()).sum();
            numbers[16 + index] = mobility as f32 / 10.0;
        }
    }
}

fn attacks(piece: Piece, square: Square, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, occupied),
        Piece::Rook => get_rook_moves(square, occupied),
        _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
    }
}

/// 0 in a corner to 1 in the centre.
fn centrality(square: Square) -> f32 {
    let from_edge = |at: usize| at.min(7 - at) as f32;
    (from_edge(square.file() as usize) + from_edge(square.rank() as usize)) / 6.0
}
