//! Attacks that must be answered.

use cozy_chess::{Piece, Rank};

use super::pieces::Reach;
use super::tapered::Tapered;
use super::terms::Terms;
use super::view::{View, beside, up};

pub(super) fn threats(view: &View, reach: &Reach, other: &Reach, terms: &Terms) -> Tapered {
    let targets = view.other.pieces();
    let heavy = view.other[Piece::Rook] | view.other[Piece::Queen];
    let minors = reach[Piece::Knight] | reach[Piece::Bishop];
    let loose = view.other.all & !view.other[Piece::King] & !other.any;
    terms.threat_pawn * (targets & view.own.pawn_attacks).len()
        + terms.threat_push * (targets & pushes(view, reach, other)).len()
        + terms.threat_minor * (heavy & minors).len()
        + terms.threat_rook * (view.other[Piece::Queen] & reach[Piece::Rook]).len()
        + terms.threat_king * u32::from(!reach[Piece::King].is_disjoint(loose))
        + terms.hanging * (loose & reach.any).len()
}

/// What pawns would attack after a step onto a square where they are safe.
fn pushes(view: &View, reach: &Reach, other: &Reach) -> cozy_chess::BitBoard {
    let free = !view.occupied;
    let single = up(view.own[Piece::Pawn]) & free;
    let double = up(single & Rank::Third.bitboard()) & free;
    let safe = !view.other.pawn_attacks & (reach.any | !other.any);
    beside(up((single | double) & safe)) & !view.own.pawn_attacks
}
