//! Passed pawns: how far they are, who helps them and who stops them.

use cozy_chess::{BitBoard, Piece, Rank, Square};

use super::pawns::passed as passed_pawns;
use super::pieces::Reach;
use super::tapered::Tapered;
use super::terms::Terms;
use super::view::{View, beside, distance, fill_down, fill_up, up};

/// What surrounds a passed pawn matters the more, the farther the pawn is: factors by rank.
const URGENCY: [u32; 8] = [0, 0, 0, 1, 2, 4, 6, 0];

pub(super) fn passed(view: &View, other: &Reach, terms: &Terms) -> Tapered {
    let passed = passed_pawns(view);
    let mut sum = Tapered::default();
    for pawn in passed {
        sum += terms.passed[pawn.rank() as usize];
        sum += chances(view, other, pawn, terms) * URGENCY[pawn.rank() as usize];
    }
    if view.other.pieces().is_empty() && passed.iter().any(|pawn| runs_through(view, pawn)) {
        sum += terms.passed_runner;
    }
    sum
}

fn chances(view: &View, other: &Reach, pawn: Square, terms: &Terms) -> Tapered {
    let stop = up(pawn.bitboard());
    let way = fill_up(stop);
    let pawns = view.own[Piece::Pawn];
    let helpers = view.own.pawn_attacks | beside(pawns);
    let behind = fill_down(pawn.bitboard()) & view.own[Piece::Rook];
    let free = way.is_disjoint(view.occupied | other.any);
    let stop_square = stop.next_square().unwrap_or(pawn);
    terms.passed_own_king * distance(view.own.king, stop_square)
        + terms.passed_other_king * distance(view.other.king, stop_square)
        + terms.passed_supported * u32::from(helpers.has(pawn))
        + terms.passed_blocked * u32::from(!stop.is_disjoint(view.other.all))
        + terms.passed_free * u32::from(free)
        + terms.passed_rook * u32::from(!behind.is_empty())
}

/// Nobody but the enemy king could stop the pawn, and he comes too late.
fn runs_through(view: &View, pawn: Square) -> bool {
    let way: BitBoard = fill_up(up(pawn.bitboard()));
    let goal = Square::new(pawn.file(), Rank::Eighth);
    // A pawn on its first square may make a double step.
    let steps = distance(pawn, goal) - u32::from(pawn.rank() == Rank::Second);
    let lead = u32::from(!view.to_move);
    way.is_disjoint(view.occupied) && distance(view.other.king, goal) > steps + lead
}
