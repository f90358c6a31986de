//! Passed pawns: rank, king proximity, support, blockade, free path, rooks behind, unstoppable runners.

use cozy_chess::{BitBoard, Piece, Rank, Square};

use super::endgames::kpk;
use super::pawns::passed as passed_pawns;
use super::pieces::AttackMap;
use super::sum::Sum;
use super::terms::Terms;
use super::view::{View, distance, east_and_west, north, north_fill, south_fill};

/// Weight of the surroundings of a passed pawn, by its rank.
const RANK_FACTORS: [u32; 8] = [0, 0, 0, 1, 2, 4, 6, 0];

pub(super) fn passed<S: Sum>(view: &View, other: &AttackMap, terms: &Terms) -> S {
    let mut sum = S::default();
    let passed = passed_pawns(view);
    for pawn in passed {
        sum.add_entry("passed", terms.passed[pawn.rank() as usize], pawn.bitboard());
        let around: S = rank_scaled_terms(view, other, pawn, terms);
        sum.merge(around.times(RANK_FACTORS[pawn.rank() as usize]));
    }
    if view.other.non_pawns().is_empty() && passed.iter().any(|pawn| is_unstoppable(view, pawn)) {
        sum.add("passed-runner", terms.passed_runner, 1, passed);
    }
    sum
}

/// What surrounds a passed pawn.
#[inline]
fn rank_scaled_terms<S: Sum>(view: &View, other: &AttackMap, pawn: Square, terms: &Terms) -> S {
    let (stop, at) = (north(pawn.bitboard()), pawn.bitboard());
    let path = north_fill(stop);
    let pawns = view.own[Piece::Pawn];
    let supported = view.own.pawn_attacks | east_and_west(pawns);
    let behind = south_fill(at) & view.own[Piece::Rook];
    let is_blocked = !stop.is_disjoint(view.other.all);
    let is_free = path.is_disjoint(view.occupied | other.all);
    let stop_square = stop.next_square().unwrap_or(pawn);
    let mut sum = S::default();
    sum.add("passed-own-king", terms.passed_own_king, distance(view.own.king, stop_square), at);
    sum.add(
        "passed-other-king",
        terms.passed_other_king,
        distance(view.other.king, stop_square),
        at,
    );
    sum.add("passed-supported", terms.passed_supported, u32::from(supported.has(pawn)), at);
    sum.add("passed-blocked", terms.passed_blocked, u32::from(is_blocked), at);
    sum.add("passed-free", terms.passed_free, u32::from(is_free), at);
    sum.add("passed-rook", terms.passed_rook, u32::from(!behind.is_empty()), at);
    sum
}

/// By the bitbase for a lone pawn against a bare king, otherwise by the rule of the square: the path is clear and
/// the enemy king arrives too late.
fn is_unstoppable(view: &View, pawn: Square) -> bool {
    if view.other.all.len() == 1 && view.own.all.len() == 2 {
        return kpk::is_won(view.own.king, pawn, view.other.king, view.to_move);
    }
    let path: BitBoard = north_fill(north(pawn.bitboard()));
    let promotion = Square::new(pawn.file(), Rank::Eighth);
    // A double push saves one move.
    let moves = distance(pawn, promotion) - u32::from(pawn.rank() == Rank::Second);
    let tempo = u32::from(!view.to_move);
    path.is_disjoint(view.occupied) && distance(view.other.king, promotion) > moves + tempo
}
