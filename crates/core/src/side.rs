use std::ops::Not;

/// One of the two sides: the one that moves first from the starting position, or the other.
///
/// Black in Othello and Shōbu, White in chess and X in tic-tac-toe are all `First`.
///
/// ```
/// use tablero_core::Side;
/// assert_eq!(!Side::First, Side::Second);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// Moves first from the starting position.
    First,
    /// Moves second.
    Second,
}

impl Side {
    /// Both sides, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// 0 for the first side, 1 for the second: for arrays with one entry per side.
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
