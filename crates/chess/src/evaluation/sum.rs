//! Where the terms of `classic` are added: to a score, or to a score that remembers them.

use cozy_chess::{BitBoard, Piece, Square};

use super::tapered::Tapered;
use super::terms::Terms;

/// A sum of terms. Names and squares are only for [`Trace`]: searches sum [`Tapered`] scores.
pub(super) trait Sum: Default {
    /// Adds `weight` once for every one of `count`, which come from `squares`.
    fn add(&mut self, name: &'static str, weight: Tapered, count: u32, squares: BitBoard);

    /// Adds an entry of a table, looked up because of `squares`.
    fn add_entry(&mut self, name: &'static str, entry: Tapered, squares: BitBoard);

    /// Adds the material and the place of a piece.
    fn add_piece(&mut self, terms: &Terms, piece: Piece, square: Square);

    /// Adds another sum.
    fn merge(&mut self, other: Self);

    /// The sum of so many like this one.
    #[must_use]
    fn times(self, count: u32) -> Self;

    /// Adds `weight` for every square of a set.
    #[inline]
    fn add_set(&mut self, name: &'static str, weight: Tapered, set: BitBoard) {
        self.add(name, weight, set.len(), set);
    }
}

impl Sum for Tapered {
    #[inline]
    fn add(&mut self, _: &'static str, weight: Tapered, count: u32, _: BitBoard) {
        *self += weight * count;
    }

    #[inline]
    fn add_entry(&mut self, _: &'static str, entry: Tapered, _: BitBoard) {
        *self += entry;
    }

    #[inline]
    fn add_piece(&mut self, terms: &Terms, piece: Piece, square: Square) {
        *self += terms.psqt[piece as usize][square as usize];
    }

    #[inline]
    fn merge(&mut self, other: Self) {
        *self += other;
    }

    #[inline]
    fn times(self, count: u32) -> Self {
        self * count
    }
}

/// One side's terms by name.
#[derive(Default)]
pub(super) struct Trace(pub(super) Vec<Traced>);

/// A term of one side.
pub(super) struct Traced {
    pub(super) name: &'static str,
    /// The weight of what is counted; none if entries of a table were added.
    pub(super) weight: Option<Tapered>,
    pub(super) count: u32,
    pub(super) sum: Tapered,
    /// From that side's perspective.
    pub(super) squares: BitBoard,
}

impl Trace {
    fn record(
        &mut self,
        name: &'static str,
        weight: Option<Tapered>,
        count: u32,
        sum: Tapered,
        squares: BitBoard,
    ) {
        match self.0.iter_mut().find(|term| term.name == name) {
            Some(term) => {
                term.count += count;
                term.sum += sum;
                term.squares |= squares;
            }
            None => self.0.push(Traced { name, weight, count, sum, squares }),
        }
    }
}

impl Sum for Trace {
    fn add(&mut self, name: &'static str, weight: Tapered, count: u32, squares: BitBoard) {
        let squares = if count == 0 { BitBoard::EMPTY } else { squares };
        self.record(name, Some(weight), count, weight * count, squares);
    }

    fn add_entry(&mut self, name: &'static str, entry: Tapered, squares: BitBoard) {
        self.record(name, None, 0, entry, squares);
    }

    fn add_piece(&mut self, terms: &Terms, piece: Piece, square: Square) {
        let (material, place) = NAMES[piece as usize];
        let entry = terms.psqt[piece as usize][square as usize];
        if piece != Piece::King {
            self.add(material, terms.material[piece as usize], 1, square.bitboard());
        }
        self.add_entry(place, entry - terms.material[piece as usize], square.bitboard());
    }

    fn merge(&mut self, other: Self) {
        for Traced { name, weight, count, sum, squares } in other.0 {
            self.record(name, weight, count, sum, squares);
        }
    }

    fn times(mut self, count: u32) -> Self {
        for term in &mut self.0 {
            term.count *= count;
            term.sum = term.sum * count;
            if count == 0 {
                term.squares = BitBoard::EMPTY;
            }
        }
        self
    }
}

/// Material and place of every piece.
const NAMES: [(&str, &str); Piece::NUM] = [
    ("pawn", "pawn-squares"),
    ("knight", "knight-squares"),
    ("bishop", "bishop-squares"),
    ("rook", "rook-squares"),
    ("queen", "queen-squares"),
    ("king", "king-squares"),
];
