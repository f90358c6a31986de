use std::ops::Not;

/// One of the two players: the one who moves first from the usual start, or the other.
///
/// Black in Othello and Shōbu, White in chess, X in tic-tac-toe are all `First`.
///
/// ```
/// use tablero_core::Side;
/// assert_eq!(!Side::First, Side::Second);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// Moves first from the usual start.
    First,
    /// The other player.
    Second,
}

impl Side {
    /// Both sides, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// 0 for the first player, 1 for the second: for tables with one entry a side.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Side {
    type Output = Self;

    /// The opponent.
    #[inline]
    fn not(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}
