//! A turn: two stones, one direction, one distance.

use crate::geometry::{Direction, Distance, Square};

/// A turn: the passive stone, the aggressive stone, and the direction and distance of both.
///
/// Packed into 16 bits: passive square (6), aggressive square (6), direction (3), distance (1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Turn(u16);

impl Turn {
    /// The turn of these stones; whether it is legal depends on the position.
    #[inline]
    pub const fn new(
        passive: Square,
        aggressive: Square,
        direction: Direction,
        distance: Distance,
    ) -> Self {
        let way = 8 * (distance as usize - 1) + direction as usize;
        Self::on_way(passive.index(), aggressive.index(), way)
    }

    /// The turn of the stones on two squares, given by their index, along a way by its number.
    #[inline]
    pub(crate) const fn on_way(passive: u32, aggressive: u32, way: usize) -> Self {
        Self((passive | aggressive << 6 | (way as u32) << 12) as u16)
    }

    /// Direction and distance as one number: the way.
    #[inline]
    pub(crate) const fn way(self) -> usize {
        self.0 as usize >> 12
    }

    /// Where the passive stone starts.
    #[inline]
    pub const fn passive(self) -> Square {
        Square::from_index(self.0 as u32)
    }

    /// Where the aggressive stone starts.
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
    fn every_turn_keeps_its_parts() {
        for bits in 0..=u16::MAX {
            let turn = Turn(bits);
            let parts = (turn.passive(), turn.aggressive(), turn.direction(), turn.distance());
            assert_eq!(Turn::new(parts.0, parts.1, parts.2, parts.3), turn);
        }
    }
}
