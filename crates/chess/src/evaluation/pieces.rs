//! Piece-square tables, mobility, attack maps, minor piece and rook terms.

use cozy_chess::{
    BitBoard, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use super::sum::Sum;
use super::terms::{PIECES, Terms};
use super::view::{View, enemy_king_zone, file_fill, south_fill};

/// The squares that one side attacks, from its own perspective.
pub(super) struct AttackMap {
    by: [BitBoard; Piece::NUM],
    pub(super) all: BitBoard,
    /// Attacked at least twice.
    pub(super) twice: BitBoard,
    /// Number of pieces that attack the enemy king zone.
    pub(super) king_attackers: u32,
    /// Attacks on squares of that zone, by kind of piece.
    pub(super) king_zone_attacks: [u32; PIECES.len()],
}

impl AttackMap {
    fn new(view: &View) -> Self {
        let (pawns, king) = (view.own.pawn_attacks, get_king_moves(view.own.king));
        let mut by = [BitBoard::EMPTY; Piece::NUM];
        by[Piece::Pawn as usize] = pawns;
        by[Piece::King as usize] = king;
        Self {
            by,
            all: pawns | king,
            twice: pawns & king,
            king_attackers: 0,
            king_zone_attacks: [0; PIECES.len()],
        }
    }

    fn add(&mut self, piece: Piece, attacks: BitBoard) {
        self.twice |= self.all & attacks;
        self.all |= attacks;
        self.by[piece as usize] |= attacks;
    }

    /// The map from the opponent's perspective.
    pub(super) fn flipped(&self) -> Self {
        Self {
            by: self.by.map(BitBoard::flip_ranks),
            all: self.all.flip_ranks(),
            twice: self.twice.flip_ranks(),
            ..*self
        }
    }
}

impl std::ops::Index<Piece> for AttackMap {
    type Output = BitBoard;

    #[inline]
    fn index(&self, piece: Piece) -> &BitBoard {
        &self.by[piece as usize]
    }
}

/// The names of the mobility terms.
const MOBILITY: [&str; PIECES.len()] =
    ["mobility-knight", "mobility-bishop", "mobility-rook", "mobility-queen"];

/// Piece-square, mobility, minor piece and rook terms, and the attack map on the way.
pub(super) fn pieces<S: Sum>(view: &View, terms: &Terms) -> (S, AttackMap) {
    let mut sum = S::default();
    let mut attack_map = AttackMap::new(view);
    sum.add_piece(terms, Piece::King, view.own.king);
    for pawn in view.own[Piece::Pawn] {
        sum.add_piece(terms, Piece::Pawn, pawn);
    }
    // The mobility area excludes squares attacked by enemy pawns and those of the own king and pawns.
    let mobility_area =
        !(view.other.pawn_attacks | view.own[Piece::Pawn] | view.own.king.bitboard());
    let zone = enemy_king_zone(view.other.king) & !view.other.pawn_attacks;
    for (kind, piece) in PIECES.into_iter().enumerate() {
        for square in view.own[piece] {
            let attacks = attacks(piece, square, view);
            attack_map.add(piece, attacks);
            let zone_attacks = (attacks & zone).len();
            attack_map.king_attackers += u32::from(zone_attacks > 0);
            attack_map.king_zone_attacks[kind] += zone_attacks;
            sum.add_piece(terms, piece, square);
            let reachable = (attacks & mobility_area).len() as usize;
            sum.add_entry(MOBILITY[kind], terms.mobility[kind][reachable], square.bitboard());
        }
    }
    sum.merge(minors(view, terms));
    sum.merge(rooks(view, terms));
    (sum, attack_map)
}

/// Attacks with x-rays: bishops through own queens, rooks through own rooks and queens.
#[inline]
fn attacks(piece: Piece, square: Square, view: &View) -> BitBoard {
    let (own, occupied) = (&view.own, view.occupied);
    match piece {
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, occupied ^ own[Piece::Queen]),
        Piece::Rook => get_rook_moves(square, occupied ^ own[Piece::Queen] ^ own[Piece::Rook]),
        _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
    }
}

#[inline]
fn minors<S: Sum>(view: &View, terms: &Terms) -> S {
    let mut sum = S::default();
    let bishops = view.own[Piece::Bishop];
    let pawns = view.own[Piece::Pawn];
    for colour in [BitBoard::LIGHT_SQUARES, BitBoard::DARK_SQUARES] {
        let same_coloured = (bishops & colour).len() * (pawns & colour).len();
        sum.add("bad-bishop", terms.bad_bishop, same_coloured, bishops & colour);
    }
    let both =
        !bishops.is_subset(BitBoard::LIGHT_SQUARES) && !bishops.is_subset(BitBoard::DARK_SQUARES);
    sum.add("bishop-pair", terms.bishop_pair, u32::from(both), bishops);
    // Outposts: defended by a pawn and beyond the reach of enemy pawns.
    let ranks = Rank::Fourth.bitboard() | Rank::Fifth.bitboard() | Rank::Sixth.bitboard();
    let outposts = ranks & view.own.pawn_attacks & !south_fill(view.other.pawn_attacks);
    sum.add_set("outpost-knight", terms.outpost_knight, outposts & view.own[Piece::Knight]);
    sum.add_set("outpost-bishop", terms.outpost_bishop, outposts & bishops);
    sum
}

#[inline]
fn rooks<S: Sum>(view: &View, terms: &Terms) -> S {
    let mut sum = S::default();
    let rooks = view.own[Piece::Rook];
    let half_open = rooks & !file_fill(view.own[Piece::Pawn]);
    let open = half_open & !file_fill(view.other[Piece::Pawn]);
    sum.add_set("rook-open", terms.rook_open, open);
    sum.add_set("rook-half-open", terms.rook_half_open, half_open ^ open);
    let seventh = Rank::Seventh.bitboard();
    let targets = view.other[Piece::Pawn] & seventh;
    if view.other.king.rank() == Rank::Eighth || !targets.is_empty() {
        sum.add_set("rook-seventh", terms.rook_seventh, rooks & seventh);
    }
    sum
}
