//! Passed pawns: rank, king proximity, support, blockade, free path, rooks behind, unstoppable runners.

use cozy_chess::{BitBoard, Piece, Rank, Square};

use super::pawns::passed as passed_pawns;
use super::pieces::AttackMap;
use super::tapered::Tapered;
use super::terms::Terms;
use super::view::{View, distance, east_and_west, north, north_fill, south_fill};

/// Weight of the surroundings of a passed pawn, by its rank.
const RANK_FACTORS: [u32; 8] = [0, 0, 0, 1, 2, 4, 6, 0];

pub(super) fn passed(view: &View, other: &AttackMap, terms: &Terms) -> Tapered {
    let passed = passed_pawns(view);
    let mut sum = Tapered::default();
    for pawn in passed {
        sum += terms.passed[pawn.rank() as usize];
        sum += rank_scaled_terms(view, other, pawn, terms) * RANK_FACTORS[pawn.rank() as usize];
    }
    if view.other.non_pawns().is_empty() && passed.iter().any(|pawn| is_unstoppable(view, pawn)) {
        sum += terms.passed_runner;
    }
    sum
}

fn rank_scaled_terms(view: &View, other: &AttackMap, pawn: Square, terms: &Terms) -> Tapered {
    let stop = north(pawn.bitboard());
    let path = north_fill(stop);
    let pawns = view.own[Piece::Pawn];
    let supported = view.own.pawn_attacks | east_and_west(pawns);
    let behind = south_fill(pawn.bitboard()) & view.own[Piece::Rook];
    let free = path.is_disjoint(view.occupied | other.all);
    let stop_square = stop.next_square().unwrap_or(pawn);
    terms.passed_own_king * distance(view.own.king, stop_square)
        + terms.passed_other_king * distance(view.other.king, stop_square)
        + terms.passed_supported * u32::from(supported.has(pawn))
        + terms.passed_blocked * u32::from(!stop.is_disjoint(view.other.all))
        + terms.passed_free * u32::from(free)
        + terms.passed_rook * u32::from(!behind.is_empty())
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
