use tablero_core::TableKey;
use tablero_othello::{Othello, bits};

use crate::flips::flips;

/// A position, as the searches keep it: the discs of the side to move and those of the other side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    /// The discs of the side to move.
    pub player: u64,
    /// The discs of the other side.
    pub opponent: u64,
}

impl Board {
    /// The squares without a disc.
    #[inline]
    pub const fn empties(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// The squares where the side to move may play.
    #[inline]
    pub fn moves(self) -> u64 {
        bits::moves(self.player, self.opponent)
    }

    /// What a move on an empty square turns; nothing if it is not allowed.
    #[inline]
    pub fn flips(self, square: u8) -> u64 {
        flips(self.player, self.opponent, square)
    }

    /// The position after a move that turns `flips`.
    #[inline]
    #[must_use]
    pub const fn play(self, square: u8, flips: u64) -> Self {
        Self { player: self.opponent ^ flips, opponent: self.player ^ flips ^ (1 << (square & 63)) }
    }

    /// The position after a pass.
    #[inline]
    #[must_use]
    pub const fn pass(self) -> Self {
        Self { player: self.opponent, opponent: self.player }
    }

    /// The margin of a game that ends here, for the side to move; empty squares go to the winner.
    #[inline]
    pub const fn margin(self) -> i32 {
        let own = self.player.count_ones() as i32;
        let other = self.opponent.count_ones() as i32;
        let margin = own - other;
        margin + (64 - own - other) * margin.signum()
    }

    /// Where to look for the position in a table, and how to know it there: the middle of a product,
    /// and its halves on each other. Every bit depends on many of both factors.
    #[inline]
    pub(crate) const fn key(self) -> BoardKey {
        let player = self.player ^ 0x9e37_79b9_7f4a_7c15;
        let opponent = self.opponent ^ 0xd1b5_4a32_d192_ed03;
        let product = player as u128 * opponent as u128;
        let high = (product >> 64) as u64;
        BoardKey { index: high, check: high ^ product as u64 }
    }
}

/// How a table finds a position: two hashes, for tables with a power of two of buckets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoardKey {
    index: u64,
    check: u64,
}

impl TableKey for BoardKey {
    /// The low bits, which lie in the middle of the product, are the best mixed.
    #[inline]
    fn bucket(self, buckets: usize) -> usize {
        self.index as usize & (buckets - 1)
    }

    #[inline]
    fn check(self) -> u64 {
        self.check
    }
}

impl From<&Othello> for Board {
    fn from(position: &Othello) -> Self {
        Self { player: position.mover(), opponent: position.other() }
    }
}
