//! The rules.

use tablero_core::{Game, GameInfo, GameType, Outcome, Side, StandardRules};

use crate::bits::{BOARD, Column, FLOOR, has_four, mirror, winning_cells};

// ANCHOR: position
/// A position: the stones of the side to move, and those of both sides. Who is to move follows from
/// their number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConnectFour {
    mover: u64,
    mask: u64,
}
// ANCHOR_END: position

impl ConnectFour {
    /// The position with these stones of the first and the second player; none unless they rest on
    /// each other, their numbers are those of a game, and the side to move has not won already.
    #[inline]
    pub(crate) fn from_stones(first: u64, second: u64) -> Option<Self> {
        let mask = first | second;
        let extra = first.count_ones().wrapping_sub(second.count_ones());
        let mover = if extra == 0 { first } else { second };
        let is_sound = first & second == 0
            && mask & !BOARD == 0
            // Below a stone is a stone or the floor.
            && mask & !(mask << 1 | FLOOR) == 0
            && extra <= 1
            && !has_four(mover);
        is_sound.then_some(Self { mover, mask })
    }

    /// Plies played so far.
    #[inline]
    pub(crate) const fn plies(&self) -> u32 {
        self.mask.count_ones()
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

    /// The cells without a stone.
    #[inline]
    pub(crate) const fn free(&self) -> u64 {
        BOARD & !self.mask
    }

    /// The cells that the next stone can come to lie on.
    #[inline]
    pub(crate) const fn landing_cells(&self) -> u64 {
        (self.mask + FLOOR) & BOARD
    }

    /// Where a stone in this column comes to lie; empty if the column is full.
    #[inline]
    pub(crate) const fn landing_cell(&self, column: Column) -> u64 {
        self.landing_cells() & column.cells()
    }

    /// The landing cells that make four for the side to move.
    #[inline]
    pub(crate) fn wins(&self) -> u64 {
        winning_cells(self.mover(), self.landing_cells())
    }

    /// The landing cells that would make four for the side that is not to move.
    #[inline]
    pub(crate) fn threats(&self) -> u64 {
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
        // The one who moves next is the one who does not move now.
        self.mover = self.other();
        // Adding the lowest cell carries up to the first free one.
        self.mask |= self.mask + column.floor();
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
        // The sum differs for any two positions: in each column the mask says by its carry how high the
        // stones are, the mover's bits below it whose they are. Mixing spreads it over all bits.
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
