use tablero_core::GameType;

use crate::score::{INFINITE, WON};

/// The values that a search must tell apart: at `alpha` or below, the mover has something better
/// elsewhere; at `beta` or above, the opponent has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
}

impl Window {
    /// Tells every value apart.
    pub(super) const FULL: Self = Self { alpha: -INFINITE, beta: INFINITE };

    /// Only tells whether a value is above `alpha`.
    #[inline]
    pub(super) const fn above(alpha: i32) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// Only tells whether a value is `beta` or more.
    #[inline]
    pub(super) const fn reaching(beta: i32) -> Self {
        Self::above(beta - 1)
    }

    /// The same window as the opponent sees it.
    #[inline]
    pub(super) const fn for_opponent(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// Just asks a question with the answers yes and no.
    #[inline]
    pub(super) const fn is_question(self) -> bool {
        self.beta - self.alpha == 1
    }

    /// Whether no value lies inside.
    #[inline]
    pub(super) const fn is_empty(self) -> bool {
        self.alpha >= self.beta
    }

    /// Without values that no position at `ply` can have: no game ends sooner than now.
    #[inline]
    pub(super) fn possible<G: GameType>(self, ply: usize) -> Self {
        if G::MARGIN.is_some() {
            return self;
        }
        Self { alpha: self.alpha.max(ply as i32 - WON), beta: self.beta.min(WON - ply as i32) }
    }
}
