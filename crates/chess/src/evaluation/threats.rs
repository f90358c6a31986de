//! Threats: attacks on more valuable or undefended pieces, and safe pawn pushes that would attack.

use cozy_chess::{Piece, Rank};

use super::pieces::AttackMap;
use super::sum::Sum;
use super::terms::Terms;
use super::view::{View, east_and_west, north};

pub(super) fn threats<S: Sum>(
    view: &View,
    attacks: &AttackMap,
    other: &AttackMap,
    terms: &Terms,
) -> S {
    let mut sum = S::default();
    let targets = view.other.non_pawns();
    let heavy = view.other[Piece::Rook] | view.other[Piece::Queen];
    let minors = attacks[Piece::Knight] | attacks[Piece::Bishop];
    let undefended = view.other.all & !view.other[Piece::King] & !other.all;
    let by_rooks = view.other[Piece::Queen] & attacks[Piece::Rook];
    let by_king = undefended & attacks[Piece::King];
    sum.add_set("threat-pawn", terms.threat_pawn, targets & view.own.pawn_attacks);
    sum.add_set("threat-push", terms.threat_push, targets & pushes(view, attacks, other));
    sum.add_set("threat-minor", terms.threat_minor, heavy & minors);
    sum.add_set("threat-rook", terms.threat_rook, by_rooks);
    sum.add("threat-king", terms.threat_king, u32::from(!by_king.is_empty()), by_king);
    sum.add_set("hanging", terms.hanging, undefended & attacks.all);
    sum
}

/// The squares that pawns would newly attack after a safe push.
fn pushes(view: &View, attacks: &AttackMap, other: &AttackMap) -> cozy_chess::BitBoard {
    let empty = !view.occupied;
    let single = north(view.own[Piece::Pawn]) & empty;
    let double = north(single & Rank::Third.bitboard()) & empty;
    let safe = !view.other.pawn_attacks & (attacks.all | !other.all);
    east_and_west(north((single | double) & safe)) & !view.own.pawn_attacks
}
