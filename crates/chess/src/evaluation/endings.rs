//! Endings in which material says little: some can hardly be won, others must be won by driving the
//! king.

use cozy_chess::{BitBoard, File, Piece, Rank, Square};

use super::tapered::Tapered;
use super::terms::Terms;
use super::view::{Camp, View, distance};
use crate::tactics::WORTH;

/// The whole, in the parts that [`winning_share`] gives.
pub(super) const WHOLE: i32 = 16;

/// How much of its advantage the side that is ahead (the own one) can hope to make use of.
pub(super) fn winning_share(view: &View) -> i32 {
    let (own, other) = (&view.own, &view.other);
    if own[Piece::Pawn].is_empty() {
        let (ours, theirs) = (strength(own), strength(other));
        if ours < WORTH[Piece::Rook as usize] || two_knights_alone(view) {
            return 0;
        }
        if ours - theirs <= WORTH[Piece::Bishop as usize] {
            return 2;
        }
        return WHOLE;
    }
    if is_wrong_bishop(view) {
        return 1;
    }
    let one_bishop_each = own[Piece::Bishop].len() == 1 && other[Piece::Bishop].len() == 1;
    let both = own[Piece::Bishop] | other[Piece::Bishop];
    let same_colour =
        both.is_subset(BitBoard::LIGHT_SQUARES) || both.is_subset(BitBoard::DARK_SQUARES);
    if one_bishop_each && !same_colour {
        let alone = own.pieces().len() == 1 && other.pieces().len() == 1;
        return if alone { 8 } else { 13 };
    }
    WHOLE
}

/// The pieces' worth, without pawns.
fn strength(camp: &Camp) -> i32 {
    super::COUNTED[1..].iter().map(|&piece| WORTH[piece as usize] * camp[piece].len() as i32).sum()
}

fn two_knights_alone(view: &View) -> bool {
    let knights = view.own[Piece::Knight];
    knights == view.own.pieces() && knights.len() == 2
}

/// Nothing but rook pawns whose last square the bishop does not guard, and the enemy king is there
/// first.
fn is_wrong_bishop(view: &View) -> bool {
    let (pawns, bishops) = (view.own[Piece::Pawn], view.own[Piece::Bishop]);
    if view.own.pieces() != bishops {
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

/// Against a bare king: to the edge with him, and the own king near; with bishop and knight to a
/// corner that the bishop guards.
pub(super) fn drive(view: &View, terms: &Terms) -> Tapered {
    let (own, other) = (&view.own, &view.other);
    if other.all.len() > 1 || strength(own) < WORTH[Piece::Rook as usize] {
        return Tapered::default();
    }
    let king = other.king;
    let bishops = own[Piece::Bishop];
    let minors_alone = own.pieces() == bishops | own[Piece::Knight] && bishops.len() == 1;
    let edge = if minors_alone {
        // 7 in the bishop's corners, 0 on the long diagonal between the others.
        let king = if bishops.is_subset(BitBoard::LIGHT_SQUARES) { king.flip_file() } else { king };
        2 * (king.file() as u32 + king.rank() as u32).abs_diff(7)
    } else {
        let centre = |at: i32| (2 * at - 7).unsigned_abs() / 2;
        2 * (centre(king.file() as i32) + centre(king.rank() as i32))
    };
    terms.drive_edge * edge + terms.drive_near * (7 - distance(own.king, king))
}
