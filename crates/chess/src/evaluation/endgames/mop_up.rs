//! Mop-up evaluation: progress towards a mate that is too far away to be seen.

use cozy_chess::{BitBoard, Piece, Square};

use super::super::sum::Sum;
use super::super::terms::Terms;
use super::super::view::{View, distance};
use super::non_pawn_material;
use crate::tactics::PIECE_VALUES;

/// Rewards driving a bare king to the edge, and approaching it with the own king. With bishop and knight the target is
/// a corner of the bishop's colour.
pub(in super::super) fn mop_up<S: Sum>(view: &View, terms: &Terms) -> S {
    let (own, other) = (&view.own, &view.other);
    if other.all.len() > 1 || non_pawn_material(own) < PIECE_VALUES[Piece::Rook as usize] {
        return S::default();
    }
    let bishops = own[Piece::Bishop];
    if bishops.len() == 1 && own.non_pawns() == bishops | own[Piece::Knight] {
        return bishop_and_knight(view, terms);
    }
    let centre = |at: i32| (2 * at - 7).unsigned_abs() / 2;
    let edge = 2 * (centre(other.king.file() as i32) + centre(other.king.rank() as i32));
    let mut sum = S::default();
    sum.add("mop-up-edge", terms.mop_up_edge, edge, other.king.bitboard());
    let near = proximity(own.king, other.king);
    sum.add("mop-up-proximity", terms.mop_up_proximity, near, own.king.bitboard());
    sum
}

/// Must outweigh all other terms: the bare king is safe in the wrong corner and runs there, and the knight has to
/// leave good squares to help driving it out.
fn bishop_and_knight<S: Sum>(view: &View, terms: &Terms) -> S {
    let (own, king) = (&view.own, view.other.king);
    let is_light = own[Piece::Bishop].is_subset(BitBoard::LIGHT_SQUARES);
    // 7 in the bishop's corners, 0 on the diagonal between the other two.
    let target = if is_light { king.flip_file() } else { king };
    let corner = (target.file() as u32 + target.rank() as u32).abs_diff(7);
    let knights: u32 = own[Piece::Knight].iter().map(|knight| proximity(knight, king)).sum();
    let near = 8 * proximity(own.king, king) + 2 * knights;
    let mut sum = S::default();
    sum.add("mop-up-edge", terms.mop_up_edge, 8 * corner, king.bitboard());
    let squares = own.king.bitboard() | own[Piece::Knight];
    sum.add("mop-up-proximity", terms.mop_up_proximity, near, squares);
    sum
}

fn proximity(a: Square, b: Square) -> u32 {
    7 - distance(a, b)
}
