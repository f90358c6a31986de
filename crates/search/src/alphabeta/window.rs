use tablero_core::GameType;

use crate::score::{INFINITE, WIN};

/// The alpha-beta window. A value at or below `alpha` fails low, one at or above `beta` fails high.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
}

impl Window {
    /// Contains every value.
    pub(super) const FULL: Self = Self { alpha: -INFINITE, beta: INFINITE };

    /// The null window `(alpha, alpha + 1)`.
    #[inline]
    pub(super) const fn null_above(alpha: i32) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// The null window `(beta - 1, beta)`.
    #[inline]
    pub(super) const fn null_below(beta: i32) -> Self {
        Self::null_above(beta - 1)
    }

    /// The same window from the opponent's point of view.
    #[inline]
    pub(super) const fn negated(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// Whether this is a null window: a search with it is a test, not an evaluation.
    #[inline]
    pub(super) const fn is_null_window(self) -> bool {
        self.beta - self.alpha == 1
    }

    /// Whether no value lies inside.
    #[inline]
    pub(super) const fn is_empty(self) -> bool {
        self.alpha >= self.beta
    }

    /// Mate-distance pruning: no game ends sooner than at `ply`, so better and worse mates are cut
    /// off.
    #[inline]
    pub(super) fn mate_distance_pruned<G: GameType>(self, ply: usize) -> Self {
        if G::MARGIN.is_some() {
            return self;
        }
        Self { alpha: self.alpha.max(ply as i32 - WIN), beta: self.beta.min(WIN - ply as i32) }
    }
}
