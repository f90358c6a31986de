//! Position and rules: legal moves, outcome, hash key, symmetry.

use tablero_core::{Game, GameInfo, GameType, Outcome, Side, StandardRules};

use crate::bitboard::{BOARD, BOTTOM_ROW, Column, has_four, mirror, winning_cells};

// ANCHOR: position
/// A position: the stones of the side to move, and the stones of both sides. The side to move
/// follows from their number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConnectFour {
    mover: u64,
    mask: u64,
}
// ANCHOR_END: position

impl ConnectFour {
    /// The position with these stones of the first and the second player. `None` if stones float or
    /// overlap, their numbers cannot occur in a game, or the side to move already has four.
    #[inline]
    pub(crate) fn from_stones(first: u64, second: u64) -> Option<Self> {
        let mask = first | second;
        let extra = first.count_ones().wrapping_sub(second.count_ones());
        let mover = if extra == 0 { first } else { second };
        let is_sound = first & second == 0
            && mask & !BOARD == 0
            // Every stone rests on a stone or on the bottom row.
            && mask & !(mask << 1 | BOTTOM_ROW) == 0
            && extra <= 1
            && !has_four(mover);
        is_sound.then_some(Self { mover, mask })
    }

    /// Plies played so far.
    #[inline]
    pub(crate) const fn plies(&self) -> u32 {
        self.mask.count_ones()
    }

    /// The number of empty cells.
    #[inline]
    pub const fn empty_cells(&self) -> u32 {
        self.empty().count_ones()
    }

    /// The stones of the side to move.
    #[inline]
    pub(crate) const fn mover(&self) -> u64 {
        self.mover
    }

    /// The stones of the side that has just moved.
    #[inline]
    pub(crate) const fn other(&self) -> u64 {
        self.mover ^ self.mask
    }

    /// One side's stones.
    #[inline]
    pub(crate) fn stones(&self, side: Side) -> u64 {
        if side == self.side() { self.mover() } else { self.other() }
    }

    /// The empty cells.
    #[inline]
    pub(crate) const fn empty(&self) -> u64 {
        BOARD & !self.mask
    }

    /// The playable cells: where the next stone can land.
    #[inline]
    pub(crate) const fn landing_cells(&self) -> u64 {
        (self.mask + BOTTOM_ROW) & BOARD
    }

    /// Where a stone dropped into this column lands; the empty set if the column is full.
    #[inline]
    pub(crate) const fn landing_cell(&self, column: Column) -> u64 {
        self.landing_cells() & column.mask()
    }

    /// The position after a stone on this playable cell.
    #[inline]
    pub(crate) const fn after_cell(&self, cell: u64) -> Self {
        Self { mover: self.other(), mask: self.mask | cell }
    }

    /// The playable cells that make four for the side to move.
    #[inline]
    pub(crate) fn immediate_wins(&self) -> u64 {
        winning_cells(self.mover(), self.landing_cells())
    }

    /// The playable cells that would make four for the opponent.
    #[inline]
    pub(crate) fn immediate_threats(&self) -> u64 {
        winning_cells(self.other(), self.landing_cells())
    }
}

// ANCHOR: facts
impl GameType for ConnectFour {
    const NAME: &'static str = "connectfour";
    const SIDES: [&'static str; 2] = ["red", "yellow"];
    /// The board and its mirror image.
    const SYMMETRIES: usize = 2;
}
// ANCHOR_END: facts

// ANCHOR: moves
impl Game for ConnectFour {
    type Move = Column;
    type Rules = StandardRules;

    #[inline]
    fn start(_: StandardRules) -> Self {
        Self { mover: 0, mask: 0 }
    }

    #[inline]
    fn info(&self) -> &'static GameInfo {
        &Self::INFO
    }

    #[inline]
    fn rules(&self) -> StandardRules {
        StandardRules
    }

    #[inline]
    fn side(&self) -> Side {
        Side::BOTH[self.plies() as usize % 2]
    }

    #[inline]
    fn each_move(&self, visit: impl FnMut(Column)) {
        if !has_four(self.other()) {
            Column::ALL.into_iter().filter(|&c| self.landing_cell(c) != 0).for_each(visit);
        }
    }

    #[inline]
    fn play(&mut self, column: Column) {
        // The opponent moves next.
        self.mover = self.other();
        // The addition carries through the stones up to the first empty cell.
        self.mask |= self.mask + column.bottom_cell();
    }
    // ANCHOR_END: moves

    // ANCHOR: outcome
    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if has_four(self.other()) {
            return Some(Outcome::win(!self.side()));
        }
        (self.mask == BOARD).then_some(Outcome::DRAW)
    }
    // ANCHOR_END: outcome

    // ANCHOR: key
    #[inline]
    fn key(&self) -> u64 {
        // The sum is unique (Tromp's encoding): in each column the carry marks the height, the bits
        // below it the owners. A finalizer with SplitMix64's multipliers spreads it over all 64 bits.
        let mut key = self.mover + self.mask;
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            key = (key ^ key >> 30).wrapping_mul(factor);
        }
        key ^ key >> 31
    }
    // ANCHOR_END: key

    #[inline]
    fn count_moves(&self) -> u64 {
        if has_four(self.other()) { 0 } else { u64::from(self.landing_cells().count_ones()) }
    }

    #[inline]
    fn is_legal(&self, column: Column) -> bool {
        self.landing_cell(column) != 0 && !has_four(self.other())
    }

    // ANCHOR: symmetry
    #[inline]
    fn transform(&self, symmetry: usize) -> Self {
        match symmetry {
            0 => *self,
            _ => Self { mover: mirror(self.mover), mask: mirror(self.mask) },
        }
    }

    #[inline]
    fn transform_move(&self, column: Column, symmetry: usize) -> Column {
        if symmetry == 0 { column } else { column.mirrored() }
    }
    // ANCHOR_END: symmetry
}
