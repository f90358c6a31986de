//! Points of view: [`ForMover`] scores are relative to the side to move (negamax), [`ForFirst`] scores
//! to the first player. Converting between them requires a side, so that a sign error does not
//! compile.

use std::ops::Neg;

use crate::Side;

/// A value relative to the side to move: higher is better for the mover.
///
/// Negation gives the opponent's view, as negamax does from ply to ply.
///
/// ```
/// use tablero_core::{ForFirst, ForMover, Side};
/// let value = ForMover(12);
/// assert_eq!(-value, ForMover(-12));
/// assert_eq!(value.for_first(Side::Second), ForFirst(-12));
/// ```
///
/// The two points of view do not mix:
/// ```compile_fail
/// use tablero_core::{ForFirst, ForMover};
/// assert!(ForMover(1) > ForFirst(0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ForMover<T>(pub T);

/// A value relative to the first player, regardless of the side to move: what files store and users
/// see.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ForFirst<T>(pub T);

impl<T: Neg<Output = T>> ForMover<T> {
    /// The same value from the first player's point of view, `mover` being the side to move.
    #[inline]
    pub fn for_first(self, mover: Side) -> ForFirst<T> {
        match mover {
            Side::First => ForFirst(self.0),
            Side::Second => ForFirst(-self.0),
        }
    }
}

impl<T: Neg<Output = T>> ForFirst<T> {
    /// The same value from the point of view of `mover`.
    #[inline]
    pub fn for_mover(self, mover: Side) -> ForMover<T> {
        match mover {
            Side::First => ForMover(self.0),
            Side::Second => ForMover(-self.0),
        }
    }
}

impl<T: Neg<Output = T>> Neg for ForMover<T> {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
