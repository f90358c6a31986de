//! How safe the kings are.

use cozy_chess::{
    BitBoard, File, Piece, Rank, Square, get_bishop_moves, get_knight_moves, get_rook_moves,
};

use super::pieces::Reach;
use super::tapered::Tapered;
use super::terms::{MOST_ATTACKERS, MOST_DANGER, PIECES, Terms};
use super::view::{View, beside, files, fill_up, up, zone_of_other};

/// The pawns around the own king, and the enemy's that come near.
pub(super) fn shelter(view: &View, terms: &Terms) -> Tapered {
    let (own, other) = (view.own[Piece::Pawn], view.other[Piece::Pawn]);
    let king = view.own.king;
    // A king on the edge hides behind the same files as his neighbour.
    let file = (king.file() as usize).clamp(File::B as usize, File::G as usize);
    let centre = Square::new(File::index(file), king.rank()).bitboard();
    let row = centre | beside(centre);
    let near = up(row);
    let shelter_files = files(row);
    let ahead = fill_up(row);
    let without_own = row & !files(own & ahead);
    let open = without_own & !files(other);
    terms.shield_near * (own & near).len()
        + terms.shield_far * (own & up(near)).len()
        + terms.king_half_open * (without_own ^ open).len()
        + terms.king_open * open.len()
        + storm(king, other & shelter_files, terms)
}

/// Enemy pawns count the more, the nearer they are.
fn storm(king: Square, pawns: BitBoard, terms: &Terms) -> Tapered {
    let reach = king.rank() as usize..(king.rank() as usize + 5).min(8);
    let nearness = |rank: usize| 5 - (rank - king.rank() as usize) as u32;
    let units = reach
        .map(|rank| (pawns & Rank::index(rank).bitboard()).len() * nearness(rank))
        .sum::<u32>();
    terms.storm * units
}

/// What is directed against the enemy king.
pub(super) fn attack(view: &View, reach: &Reach, other: &Reach, terms: &Terms) -> Tapered {
    let attackers = (reach.attackers as usize).min(MOST_ATTACKERS);
    let zone = zone_of_other(view.other.king);
    // Attacked, and nobody but the king or queen guards it.
    let hardly_guarded = other[Piece::King] | other[Piece::Queen];
    let guarded = other.any & !(hardly_guarded & !other.twice);
    let weak = (zone & reach.any & !guarded).len();
    let checks = safe_checks(view, reach, other);
    let mut sum = terms.king_weak * weak;
    let mut danger = weak;
    for (kind, (hits, checks)) in reach.hits.into_iter().zip(checks).enumerate() {
        sum += terms.king_attack[kind][attackers] * hits + terms.safe_check[kind] * checks;
        danger += hits * u32::from(attackers > 1) + 3 * checks;
    }
    sum + terms.king_danger[(danger as usize).min(MOST_DANGER)]
}

/// For each kind of piece, whether it can give check on a square where nothing takes it.
fn safe_checks(view: &View, reach: &Reach, other: &Reach) -> [u32; PIECES.len()] {
    let king = view.other.king;
    // The king alone does not take what is guarded twice.
    let taken = other.any & !(other[Piece::King] & !other.twice & reach.twice);
    let safe = !(taken | view.own.all);
    let diagonal = get_bishop_moves(king, view.occupied) & safe;
    let straight = get_rook_moves(king, view.occupied) & safe;
    let from = [get_knight_moves(king) & safe, diagonal, straight, diagonal | straight];
    std::array::from_fn(|kind| u32::from(!from[kind].is_disjoint(reach[PIECES[kind]])))
}
