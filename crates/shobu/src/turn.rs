//! Turns, packed into 16 bits.

use crate::geometry::{Direction, Distance, Square};

/// A turn: the passive stone, the aggressive stone, and the direction and distance of both.
///
/// Bits: passive square (6), aggressive square (6), direction (3), distance (1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Turn(u16);

impl Turn {
    /// A turn, legal or not.
    #[inline]
    pub const fn new(
        passive: Square,
        aggressive: Square,
        direction: Direction,
        distance: Distance,
    ) -> Self {
        let vector = 8 * (distance as usize - 1) + direction as usize;
        Self::from_parts(passive.index(), aggressive.index(), vector)
    }

    /// The turn of the stones on two squares, given by index, along the vector with this index.
    #[inline]
    pub(crate) const fn from_parts(passive: u32, aggressive: u32, vector: usize) -> Self {
        Self((passive | aggressive << 6 | (vector as u32) << 12) as u16)
    }

    /// The index of the vector: direction and distance.
    #[inline]
    pub(crate) const fn vector(self) -> usize {
        self.0 as usize >> 12
    }

    /// The square of the passive stone.
    #[inline]
    pub const fn passive(self) -> Square {
        Square::from_index(self.0 as u32)
    }

    /// The square of the aggressive stone.
    #[inline]
    pub const fn aggressive(self) -> Square {
        Square::from_index(self.0 as u32 >> 6)
    }

    /// The direction of both stones.
    #[inline]
    pub const fn direction(self) -> Direction {
        Direction::ALL[self.0 as usize >> 12 & 7]
    }

    /// The distance of both stones.
    #[inline]
    pub const fn distance(self) -> Distance {
        Distance::ALL[self.0 as usize >> 15]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_round_trips() {
        for bits in 0..=u16::MAX {
            let turn = Turn(bits);
            let parts = (turn.passive(), turn.aggressive(), turn.direction(), turn.distance());
            assert_eq!(Turn::new(parts.0, parts.1, parts.2, parts.3), turn);
        }
    }
}
