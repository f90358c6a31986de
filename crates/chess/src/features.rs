//! What small evolved networks see.

use tablero_core::Features;

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
        "knight-reach",
        "bishop-reach",
        "rook-reach",
        "queen-reach",
        "progress",
    ];

    fn write_features(&self, numbers: &mut [f32]) {
        let board = self.board();
        let mover = board.side_to_move();
        let mut own = [0.0; Self::FEATURES.len()];
        let mut other = own;
        view(board, mover, &mut own);
        view(board, !mover, &mut other);
        for (number, (own, other)) in numbers.iter_mut().zip(own.into_iter().zip(other)) {
            *number = own - other;
        }
        // What is left of the pieces concerns both.
        let pieces = board.occupied() - board.pieces(Piece::Pawn);
        numbers[Self::FEATURES.len() - 1] = 1.0 - pieces.len() as f32 / 8.0;
    }
}

/// One side alone.
fn view(board: &Board, side: Color, numbers: &mut [f32]) {
    for piece in Piece::ALL {
        let set = board.colored_pieces(side, piece);
        let index = piece as usize;
        if piece != Piece::King {
            numbers[index] = set.len() as f32;
        }
        for square in set {
            numbers[5 + index] += square.rank().relative_to(side) as usize as f32 / 8.0;
            numbers[11 + index] += central(square);
        }
        if (Piece::Knight as usize..=Piece::Queen as usize).contains(&index) {
            let reach = |square| reach(piece, square, board.occupied()) - board.colors(side);
            let squares: u32 = set.into_iter().map(|square| reach(square).len()).sum();
            numbers[16 + index] = squares as f32 / 10.0;
        }
    }
}

fn reach(piece: Piece, square: Square, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, occupied),
        Piece::Rook => get_rook_moves(square, occupied),
        _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
    }
}

/// From 0 in the corner to 1 in the centre.
fn central(square: Square) -> f32 {
    let from_edge = |at: usize| at.min(7 - at) as f32;
    (from_edge(square.file() as usize) + from_edge(square.rank() as usize)) / 6.0
}
