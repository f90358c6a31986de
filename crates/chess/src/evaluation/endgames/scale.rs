//! Scale factors: how much of an advantage counts where winning is hard or impossible.

use cozy_chess::{BitBoard, File, Piece, Rank, Square};

use super::super::view::{SidePieces, View, distance};
use super::{kpk, non_pawn_material};
use crate::tactics::PIECE_VALUES;

/// The scale factor of a normal position.
pub(in super::super) const SCALE_NORMAL: i32 = 64;
/// Most positions of this kind are drawn.
const SCALE_DRAWISH: i32 = 8;
/// Won or drawn by a tempo.
const SCALE_CLOSE: i32 = 32;

/// The scale factor of the evaluation if the own side is ahead: 0 for dead draws, up to
/// [`SCALE_NORMAL`].
pub(in super::super) fn scale_factor(view: &View) -> i32 {
    if view.own[Piece::Pawn].is_empty() {
        return without_pawns(view);
    }
    if view.own.non_pawns() == view.own[Piece::Bishop] {
        return with_pawns_and_bishops(view);
    }
    if has_opposite_bishops(view) { 52 } else { SCALE_NORMAL }
}

fn without_pawns(view: &View) -> i32 {
    let (own, other) = (&view.own, &view.other);
    let (ours, theirs) = (non_pawn_material(own), non_pawn_material(other));
    // Too little to mate.
    if ours < PIECE_VALUES[Piece::Rook as usize] || has_only_two_knights(own) {
        return 0;
    }
    // A piece up at most.
    if ours - theirs <= PIECE_VALUES[Piece::Bishop as usize] {
        return rook_against_knight(view).unwrap_or(SCALE_DRAWISH);
    }
    match (own.lone_piece(), other.lone_piece()) {
        (Some((Piece::Queen, queen)), Some((Piece::Pawn, pawn))) => {
            queen_against_pawn(view, queen, pawn)
        }
        (Some((Piece::Rook, _)), Some((Piece::Pawn, pawn))) => rook_against_pawn(view, pawn),
        _ => SCALE_NORMAL,
    }
}

fn with_pawns_and_bishops(view: &View) -> i32 {
    let (own, other) = (&view.own, &view.other);
    let is_bare = other.all.len() == 1;
    if let (true, Some((Piece::Pawn, pawn))) = (is_bare, own.lone_piece()) {
        let is_won = kpk::is_won(own.king, pawn, other.king, view.to_move);
        return if is_won { SCALE_NORMAL } else { 0 };
    }
    if let Some(corner) = wrong_corner(own)
        && holds_corner(view, corner)
    {
        let is_dead_draw = is_bare && distance(other.king, corner) <= 1;
        return if is_dead_draw { 0 } else { SCALE_DRAWISH / 2 };
    }
    if has_opposite_bishops(view) {
        let only_bishops = other.non_pawns() == other[Piece::Bishop];
        return if only_bishops { (10 * own[Piece::Pawn].len() as i32).min(40) } else { 52 };
    }
    SCALE_NORMAL
}

fn has_only_two_knights(pieces: &SidePieces) -> bool {
    pieces.non_pawns() == pieces[Piece::Knight] && pieces[Piece::Knight].len() == 2
}

/// The knight is lost more often the farther it is from its king.
fn rook_against_knight(view: &View) -> Option<i32> {
    let (Some((Piece::Rook, _)), Some((Piece::Knight, knight))) =
        (view.own.lone_piece(), view.other.lone_piece())
    else {
        return None;
    };
    let steps = distance(view.other.king, knight) as i32 - 2;
    Some(SCALE_DRAWISH * steps.max(1))
}

/// Queen against a pawn that is about to promote: drawn by stalemate if it is a rook's or bishop's pawn, its king
/// is near and the own king is not.
fn queen_against_pawn(view: &View, queen: Square, pawn: Square) -> i32 {
    // The distance from which the own king comes in time, or not, by a tempo.
    let limit = match pawn.file() {
        File::A | File::H => 5,
        File::C | File::F => 4,
        _ => return SCALE_NORMAL,
    };
    let promotion = Square::new(pawn.file(), Rank::First);
    let king = view.other.king;
    let is_supported = distance(king, pawn).min(distance(king, promotion)) <= 2;
    if pawn.rank() != Rank::Second || !is_supported || queen == promotion {
        return SCALE_NORMAL;
    }
    let tempi = distance(view.own.king, promotion) + u32::from(!view.to_move);
    match tempi.cmp(&limit) {
        std::cmp::Ordering::Less => SCALE_NORMAL,
        std::cmp::Ordering::Equal => SCALE_CLOSE,
        std::cmp::Ordering::Greater => SCALE_DRAWISH,
    }
}

/// Rook against a pawn whose king is near: the own king must reach the promotion square in time.
fn rook_against_pawn(view: &View, pawn: Square) -> i32 {
    if distance(view.other.king, pawn) > 2 {
        return SCALE_NORMAL;
    }
    let promotion = Square::new(pawn.file(), Rank::First);
    let tempi = distance(view.own.king, promotion) + u32::from(!view.to_move);
    match tempi.saturating_sub(distance(pawn, promotion)) {
        0 | 1 => SCALE_NORMAL,
        2 => SCALE_CLOSE,
        _ => SCALE_DRAWISH,
    }
}

/// The promotion corner of a side that has only pawns on one rook's file and no bishop of its colour.
fn wrong_corner(own: &SidePieces) -> Option<Square> {
    let file =
        [File::A, File::H].into_iter().find(|file| own[Piece::Pawn].is_subset(file.bitboard()))?;
    let corner = Square::new(file, Rank::Eighth);
    let colour = if BitBoard::LIGHT_SQUARES.has(corner) {
        BitBoard::LIGHT_SQUARES
    } else {
        BitBoard::DARK_SQUARES
    };
    own[Piece::Bishop].is_disjoint(colour).then_some(corner)
}

/// Whether the enemy king is in the corner first, before the own king and the pawns.
fn holds_corner(view: &View, corner: Square) -> bool {
    let tempi = distance(view.other.king, corner).saturating_sub(u32::from(!view.to_move));
    let ahead = |pawn: Square| tempi <= distance(pawn, corner);
    tempi < distance(view.own.king, corner) && view.own[Piece::Pawn].iter().all(ahead)
}

fn has_opposite_bishops(view: &View) -> bool {
    let (own, other) = (view.own[Piece::Bishop], view.other[Piece::Bishop]);
    let both = own | other;
    let same_colour =
        both.is_subset(BitBoard::LIGHT_SQUARES) || both.is_subset(BitBoard::DARK_SQUARES);
    own.len() == 1 && other.len() == 1 && !same_colour
}
