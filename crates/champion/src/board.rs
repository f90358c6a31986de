use tablero_core::TableKey;
use tablero_othello::{Othello, bitboard};

use crate::flips::flips;

/// A bitboard position: the discs of the side to move and of the opponent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    /// The discs of the side to move.
    pub player: u64,
    /// The discs of the opponent.
    pub opponent: u64,
}

impl Board {
    /// The empty squares.
    #[inline]
    pub const fn empties(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// The legal moves of the side to move.
    #[inline]
    pub fn moves(self) -> u64 {
        bitboard::moves(self.player, self.opponent)
    }

    /// The discs flipped by a move on an empty square; 0 if it is illegal.
    #[inline]
    pub fn flips(self, square: u8) -> u64 {
        flips(self.player, self.opponent, square)
    }

    /// The position after a move that flips `flips`.
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

    /// The final score for the side to move; empty squares go to the winner.
    #[inline]
    pub const fn margin(self) -> i32 {
        let own = self.player.count_ones() as i32;
        let other = self.opponent.count_ones() as i32;
        let margin = own - other;
        margin + (64 - own - other) * margin.signum()
    }

    /// The hash key: the middle of a 128-bit product as the index, its halves xored as the check.
    #[inline]
    pub(crate) const fn key(self) -> BoardKey {
        let player = self.player ^ 0x9e37_79b9_7f4a_7c15;
        let opponent = self.opponent ^ 0xd1b5_4a32_d192_ed03;
        let product = player as u128 * opponent as u128;
        let high = (product >> 64) as u64;
        BoardKey { index: high, check: high ^ product as u64 }
    }
}

/// A hash key of two parts, for tables whose number of buckets is a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoardKey {
    index: u64,
    check: u64,
}

impl TableKey for BoardKey {
    /// The low bits, from the middle of the product, are mixed best.
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
