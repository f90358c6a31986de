//! Passed pawns: rank, king proximity, support, blockade, free path, rooks behind, unstoppable runners.

use cozy_chess::{BitBoard, Piece, Rank, Square};

use super::pawns::passed as passed_pawns;
use super::pieces::AttackMap;
use super::sum::Sum;
use super::terms::Terms;
use super::view::{View, distance, east_and_west, north, north_fill, south_fill};

/// Weight of the surroundings of a passed pawn, by its rank.
const RANK_FACTORS: [u32; 8] = [0, 0, 0, 1, 2, 4, 6, 0];

#[inline]
pub(super) fn passed(view: &View, other: &AttackMap, terms: &Terms, sum: &mut impl Sum) {
    let passed = passed_pawns(view);
    for pawn in passed {
        sum.add_entry("passed", terms.passed[pawn.rank() as usize], pawn.bitboard());
        rank_scaled_terms(view, other, pawn, terms, sum);
    }
    if view.other.non_pawns().is_empty() && passed.iter().any(|pawn| is_unstoppable(view, pawn)) {
        sum.add("passed-runner", terms.passed_runner, 1, passed);
    }
}

/// What surrounds a passed pawn, the more important the farther it is.
#[inline]
fn rank_scaled_terms(
    view: &View,
    other: &AttackMap,
    pawn: Square,
    terms: &Terms,
    sum: &mut impl Sum,
) {
    let stop = north(pawn.bitboard());
    let path = north_fill(stop);
    let pawns = view.own[Piece::Pawn];
    let supported = view.own.pawn_attacks | east_and_west(pawns);
    let behind = south_fill(pawn.bitboard()) & view.own[Piece::Rook];
    let free = path.is_disjoint(view.occupied | other.all);
    let stop_square = stop.next_square().unwrap_or(pawn);
    let (own_king, other_king) =
        (distance(view.own.king, stop_square), distance(view.other.king, stop_square));
    let flag = u32::from;
    let counts = [
        ("passed-own-king", terms.passed_own_king, own_king),
        ("passed-other-king", terms.passed_other_king, other_king),
        ("passed-supported", terms.passed_supported, flag(supported.has(pawn))),
        ("passed-blocked", terms.passed_blocked, flag(!stop.is_disjoint(view.other.all))),
        ("passed-free", terms.passed_free, flag(free)),
        ("passed-rook", terms.passed_rook, flag(!behind.is_empty())),
    ];
    let factor = RANK_FACTORS[pawn.rank() as usize];
    for (name, weight, count) in counts {
        sum.add(name, weight, count * factor, pawn.bitboard());
    }
}

/// Rule of the square: the path is clear and the enemy king arrives too late.
fn is_unstoppable(view: &View, pawn: Square) -> bool {
    let path: BitBoard = north_fill(north(pawn.bitboard()));
    let promotion = Square::new(pawn.file(), Rank::Eighth);
    // A double push saves one move.
    let moves = distance(pawn, promotion) - u32::from(pawn.rank() == Rank::Second);
    let tempo = u32::from(!view.to_move);
    path.is_disjoint(view.occupied) && distance(view.other.king, promotion) > moves + tempo
}
