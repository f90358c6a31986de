//! Where the men stand and what they reach.

use cozy_chess::{
    BitBoard, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use super::tapered::Tapered;
use super::terms::{PIECES, Terms};
use super::view::{View, files, fill_down, zone_of_other};

/// What one side attacks, in its own view of the board.
pub(super) struct Reach {
    by: [BitBoard; Piece::NUM],
    pub(super) any: BitBoard,
    /// Attacked by two men or more.
    pub(super) twice: BitBoard,
    /// How many pieces attack squares around the enemy king.
    pub(super) attackers: u32,
    /// How many of those squares the pieces of each kind attack, added up.
    pub(super) hits: [u32; PIECES.len()],
}

impl Reach {
    fn new(view: &View) -> Self {
        let (pawns, king) = (view.own.pawn_attacks, get_king_moves(view.own.king));
        let mut by = [BitBoard::EMPTY; Piece::NUM];
        by[Piece::Pawn as usize] = pawns;
        by[Piece::King as usize] = king;
        Self { by, any: pawns | king, twice: pawns & king, attackers: 0, hits: [0; PIECES.len()] }
    }

    fn add(&mut self, piece: Piece, attacks: BitBoard) {
        self.twice |= self.any & attacks;
        self.any |= attacks;
        self.by[piece as usize] |= attacks;
    }

    /// The same as the other side sees it.
    pub(super) fn turned(&self) -> Self {
        Self {
            by: self.by.map(BitBoard::flip_ranks),
            any: self.any.flip_ranks(),
            twice: self.twice.flip_ranks(),
            ..*self
        }
    }
}

impl std::ops::Index<Piece> for Reach {
    type Output = BitBoard;

    #[inline]
    fn index(&self, piece: Piece) -> &BitBoard {
        &self.by[piece as usize]
    }
}

/// Material, places, mobility and what is special for a kind of piece.
pub(super) fn pieces(view: &View, terms: &Terms) -> (Tapered, Reach) {
    let mut reach = Reach::new(view);
    let mut sum = terms.squares[Piece::King as usize][view.own.king as usize];
    for pawn in view.own[Piece::Pawn] {
        sum += terms.squares[Piece::Pawn as usize][pawn as usize];
    }
    // Squares that are no use to a piece: enemy pawns guard them, or the own king or pawns stand there.
    let useful = !(view.other.pawn_attacks | view.own[Piece::Pawn] | view.own.king.bitboard());
    let zone = zone_of_other(view.other.king) & !view.other.pawn_attacks;
    for (kind, piece) in PIECES.into_iter().enumerate() {
        for square in view.own[piece] {
            let attacks = attacks(piece, square, view);
            reach.add(piece, attacks);
            let hits = (attacks & zone).len();
            reach.attackers += u32::from(hits > 0);
            reach.hits[kind] += hits;
            sum += terms.squares[piece as usize][square as usize];
            sum += terms.mobility[kind][(attacks & useful).len() as usize];
        }
    }
    (sum + minors(view, terms) + rooks(view, terms), reach)
}

/// Bishops look through queens, rooks through rooks and queens of their side: they act together.
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

fn minors(view: &View, terms: &Terms) -> Tapered {
    let bishops = view.own[Piece::Bishop];
    let pawns = view.own[Piece::Pawn];
    let mut sum = Tapered::default();
    for colour in [BitBoard::LIGHT_SQUARES, BitBoard::DARK_SQUARES] {
        let hampered = (bishops & colour).len() * (pawns & colour).len();
        sum += terms.bad_bishop * hampered;
    }
    let both =
        !bishops.is_subset(BitBoard::LIGHT_SQUARES) && !bishops.is_subset(BitBoard::DARK_SQUARES);
    sum += terms.bishop_pair * u32::from(both);
    // Where a pawn guards a piece and no enemy pawn can ever drive it away.
    let ranks = Rank::Fourth.bitboard() | Rank::Fifth.bitboard() | Rank::Sixth.bitboard();
    let posts = ranks & view.own.pawn_attacks & !fill_down(view.other.pawn_attacks);
    sum += terms.outpost_knight * (posts & view.own[Piece::Knight]).len();
    sum + terms.outpost_bishop * (posts & bishops).len()
}

fn rooks(view: &View, terms: &Terms) -> Tapered {
    let rooks = view.own[Piece::Rook];
    let without_own = rooks & !files(view.own[Piece::Pawn]);
    let open = without_own & !files(view.other[Piece::Pawn]);
    let mut sum = terms.rook_open * open.len() + terms.rook_half_open * (without_own ^ open).len();
    let seventh = Rank::Seventh.bitboard();
    let targets = view.other[Piece::Pawn] & seventh;
    if view.other.king.rank() == Rank::Eighth || !targets.is_empty() {
        sum += terms.rook_seventh * (rooks & seventh).len();
    }
    sum
}
