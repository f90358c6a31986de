//! King safety: pawn shield and pawn storm, attacks on the king zone, safe checks, attack units.

use cozy_chess::{
    BitBoard, File, Piece, Rank, Square, get_bishop_moves, get_knight_moves, get_rook_moves,
};

use super::pieces::AttackMap;
use super::sum::Sum;
use super::terms::{MAX_ATTACK_UNITS, MAX_ATTACKERS, PIECES, Terms};
use super::view::{View, east_and_west, enemy_king_zone, file_fill, north, north_fill};

/// Pawn shield, open files next to the king, and the enemy's pawn storm.
pub(super) fn shelter<S: Sum>(view: &View, terms: &Terms) -> S {
    let mut sum = S::default();
    let (own, other) = (view.own[Piece::Pawn], view.other[Piece::Pawn]);
    let king = view.own.king;
    // A king on an edge file has the same shield files as on the next file.
    let file = (king.file() as usize).clamp(File::B as usize, File::G as usize);
    let centre = Square::new(File::index(file), king.rank()).bitboard();
    let shield_row = centre | east_and_west(centre);
    let near = north(shield_row);
    let shield_files = file_fill(shield_row);
    let ahead = north_fill(shield_row);
    let half_open = shield_row & !file_fill(own & ahead);
    let open = half_open & !file_fill(other);
    sum.add_set("shield-near", terms.shield_near, own & near);
    sum.add_set("shield-far", terms.shield_far, own & north(near));
    sum.add_set("king-half-open", terms.king_half_open, half_open ^ open);
    sum.add_set("king-open", terms.king_open, open);
    sum.merge(storm(king, other & shield_files, terms));
    sum
}

/// Pawn storm: enemy pawns on the shield files, weighted by proximity.
#[inline]
fn storm<S: Sum>(king: Square, pawns: BitBoard, terms: &Terms) -> S {
    let ranks = king.rank() as usize..(king.rank() as usize + 5).min(8);
    let proximity = |rank: usize| 5 - (rank - king.rank() as usize) as u32;
    let units = ranks
        .map(|rank| (pawns & Rank::index(rank).bitboard()).len() * proximity(rank))
        .sum::<u32>();
    let mut sum = S::default();
    sum.add("storm", terms.storm, units, pawns);
    sum
}

/// The names of the king attack terms.
const KING_ATTACK: [&str; PIECES.len()] =
    ["king-attack-knight", "king-attack-bishop", "king-attack-rook", "king-attack-queen"];
const SAFE_CHECK: [&str; PIECES.len()] =
    ["safe-check-knight", "safe-check-bishop", "safe-check-rook", "safe-check-queen"];

/// The attack on the enemy king: attacks on its zone, weak squares, safe checks, and a quadratic
/// term of the attack units (Chess Programming Wiki, "King Safety").
pub(super) fn king_attack<S: Sum>(
    view: &View,
    attacks: &AttackMap,
    other: &AttackMap,
    terms: &Terms,
) -> S {
    let mut sum = S::default();
    let attackers = (attacks.king_attackers as usize).min(MAX_ATTACKERS);
    let zone = enemy_king_zone(view.other.king);
    // Weak squares: attacked, and defended at most by the king or queen alone.
    let weakly_defended = (other[Piece::King] | other[Piece::Queen]) & !other.twice;
    let defended = other.all & !weakly_defended;
    let weak_squares = zone & attacks.all & !defended;
    let weak = weak_squares.len();
    let king = view.other.king.bitboard();
    let checks = safe_checks(view, attacks, other);
    sum.add_set("king-weak", terms.king_weak, weak_squares);
    let mut attack_units = weak;
    for (kind, (hits, checks)) in attacks.king_zone_attacks.into_iter().zip(checks).enumerate() {
        let attack = terms.king_attack[kind][attackers] * hits;
        sum.add_entry(KING_ATTACK[kind], attack, zone & attacks[PIECES[kind]]);
        sum.add(SAFE_CHECK[kind], terms.safe_check[kind], checks, king);
        attack_units += hits * u32::from(attackers > 1) + 3 * checks;
    }
    let danger = terms.king_danger[(attack_units as usize).min(MAX_ATTACK_UNITS)];
    sum.add_entry("king-danger", danger, king);
    sum
}

/// By kind of piece: 1 if it can give a safe check.
fn safe_checks(view: &View, attacks: &AttackMap, other: &AttackMap) -> [u32; PIECES.len()] {
    let king = view.other.king;
    // A lone king cannot capture on a square attacked twice.
    let unsafe_squares = other.all & !(other[Piece::King] & !other.twice & attacks.twice);
    let safe = !(unsafe_squares | view.own.all);
    let diagonal = get_bishop_moves(king, view.occupied) & safe;
    let straight = get_rook_moves(king, view.occupied) & safe;
    let from = [get_knight_moves(king) & safe, diagonal, straight, diagonal | straight];
    std::array::from_fn(|kind| u32::from(!from[kind].is_disjoint(attacks[PIECES[kind]])))
}
