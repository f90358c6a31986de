//! Endgame knowledge: scale factors for drawish material, and the mop-up evaluation that drives a bare
//! king to the edge or to the right corner.

use cozy_chess::{BitBoard, File, Piece, Rank, Square};

use super::sum::Sum;
use super::terms::Terms;
use super::view::{SidePieces, View, distance};
use crate::tactics::PIECE_VALUES;

/// The scale factor of a normal position.
pub(super) const SCALE_NORMAL: i32 = 16;

/// The scale factor of the evaluation if the own side is ahead: 0 for dead draws, up to
/// [`SCALE_NORMAL`].
pub(super) fn scale_factor(view: &View) -> i32 {
    let (own, other) = (&view.own, &view.other);
    if own[Piece::Pawn].is_empty() {
        let (ours, theirs) = (non_pawn_material(own), non_pawn_material(other));
        // Too little to mate, or a piece up at most without pawns.
        if ours < PIECE_VALUES[Piece::Rook as usize] || has_only_two_knights(view) {
            return 0;
        }
        if ours - theirs <= PIECE_VALUES[Piece::Bishop as usize] || is_queen_against_pawn(view) {
            return 2;
        }
        return SCALE_NORMAL;
    }
    if has_wrong_bishop(view) {
        return 1;
    }
    // Opposite-coloured bishops.
    let one_bishop_each = own[Piece::Bishop].len() == 1 && other[Piece::Bishop].len() == 1;
    let both = own[Piece::Bishop] | other[Piece::Bishop];
    let same_colour =
        both.is_subset(BitBoard::LIGHT_SQUARES) || both.is_subset(BitBoard::DARK_SQUARES);
    if one_bishop_each && !same_colour {
        let only_bishops = own.non_pawns().len() == 1 && other.non_pawns().len() == 1;
        return if only_bishops { 8 } else { 13 };
    }
    SCALE_NORMAL
}

/// Material value without pawns.
fn non_pawn_material(pieces: &SidePieces) -> i32 {
    let value = |&piece: &Piece| PIECE_VALUES[piece as usize] * pieces[piece].len() as i32;
    super::MATERIAL_PIECES[1..].iter().map(value).sum()
}

/// Queen against a rook's or bishop's pawn that is about to promote, with the kings on the right sides: drawn
/// by stalemate, unless the own king is near.
fn is_queen_against_pawn(view: &View) -> bool {
    let (own, other) = (&view.own, &view.other);
    let pawns = other[Piece::Pawn];
    let drawing_files =
        File::A.bitboard() | File::C.bitboard() | File::F.bitboard() | File::H.bitboard();
    if own.non_pawns() != own[Piece::Queen]
        || own[Piece::Queen].len() != 1
        || other.all.len() != 2
        || !pawns.is_subset(drawing_files & Rank::Second.bitboard())
    {
        return false;
    }
    pawns.iter().any(|pawn| {
        let promotion = Square::new(pawn.file(), Rank::First);
        let supported = distance(other.king, pawn) <= 1 || distance(other.king, promotion) <= 1;
        supported && distance(own.king, promotion) > 4
    })
}

fn has_only_two_knights(view: &View) -> bool {
    let knights = view.own[Piece::Knight];
    knights == view.own.non_pawns() && knights.len() == 2
}

/// Wrong-coloured bishop: only rook pawns on one file, no bishop that controls the promotion corner,
/// and the enemy king next to it.
fn has_wrong_bishop(view: &View) -> bool {
    let (pawns, bishops) = (view.own[Piece::Pawn], view.own[Piece::Bishop]);
    if view.own.non_pawns() != bishops {
        return false;
    }
    [File::A, File::H].into_iter().any(|file| {
        let corner = Square::new(file, Rank::Eighth);
        let colour = if BitBoard::LIGHT_SQUARES.has(corner) {
            BitBoard::LIGHT_SQUARES
        } else {
            BitBoard::DARK_SQUARES
        };
        pawns.is_subset(file.bitboard())
            && bishops.is_disjoint(colour)
            && distance(view.other.king, corner) <= 1
    })
}

/// Mop-up evaluation against a bare king: rewards driving it to the edge and approaching with the own
/// king. With bishop and knight the target is a corner of the bishop's colour.
pub(super) fn mop_up<S: Sum>(view: &View, terms: &Terms) -> S {
    let mut sum = S::default();
    let (own, other) = (&view.own, &view.other);
    if other.all.len() > 1 || non_pawn_material(own) < PIECE_VALUES[Piece::Rook as usize] {
        return sum;
    }
    let king = other.king;
    let bishops = own[Piece::Bishop];
    let is_bishop_and_knight =
        own.non_pawns() == bishops | own[Piece::Knight] && bishops.len() == 1;
    let edge = if is_bishop_and_knight {
        // 7 in the bishop's corners, 0 on the diagonal between the other two.
        let king = if bishops.is_subset(BitBoard::LIGHT_SQUARES) { king.flip_file() } else { king };
        2 * (king.file() as u32 + king.rank() as u32).abs_diff(7)
    } else {
        let centre = |at: i32| (2 * at - 7).unsigned_abs() / 2;
        2 * (centre(king.file() as i32) + centre(king.rank() as i32))
    };
    let target = other.king.bitboard();
    sum.add("mop-up-edge", terms.mop_up_edge, edge, target);
    let proximity = 7 - distance(own.king, other.king);
    sum.add("mop-up-proximity", terms.mop_up_proximity, proximity, own.king.bitboard());
    sum
}
