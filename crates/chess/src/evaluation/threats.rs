//! Threats: attacks on more valuable or undefended pieces, and safe pawn pushes that would attack.

use cozy_chess::{Piece, Rank};

use super::pieces::AttackMap;
use super::tapered::Tapered;
use super::terms::Terms;
use super::view::{View, east_and_west, north};

pub(super) fn threats(
    view: &View,
    attacks: &AttackMap,
    other: &AttackMap,
    terms: &Terms,
) -> Tapered {
    let targets = view.other.non_pawns();
    let heavy = view.other[Piece::Rook] | view.other[Piece::Queen];
    let minors = attacks[Piece::Knight] | attacks[Piece::Bishop];
    let undefended = view.other.all & !view.other[Piece::King] & !other.all;
    terms.threat_pawn * (targets & view.own.pawn_attacks).len()
        + terms.threat_push * (targets & pushes(view, attacks, other)).len()
        + terms.threat_minor * (heavy & minors).len()
        + terms.threat_rook * (view.other[Piece::Queen] & attacks[Piece::Rook]).len()
        + terms.threat_king * u32::from(!attacks[Piece::King].is_disjoint(undefended))
        + terms.hanging * (undefended & attacks.all).len()
}

/// The squares that pawns would newly attack after a safe push.
fn pushes(view: &View, attacks: &AttackMap, other: &AttackMap) -> cozy_chess::BitBoard {
    let empty = !view.occupied;
    let single = north(view.own[Piece::Pawn]) & empty;
    let double = north(single & Rank::Third.bitboard()) & empty;
    let safe = !view.other.pawn_attacks & (attacks.all | !other.all);
    east_and_west(north((single | double) & safe)) & !view.own.pawn_attacks
}
