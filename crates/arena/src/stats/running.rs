//! Incremental Elo.

use serde::{Deserialize, Serialize};

use super::expected_score;

/// An Elo rating updated after every game with K = 20, as in Hatchet1.
///
/// ```
/// use tablero_arena::stats::RunningElo;
/// let mut rating = RunningElo::default();
/// rating.update(400.0, 1.0);
/// assert_eq!(rating.rating, 410.0);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunningElo {
    /// The rating.
    pub rating: f64,
    /// Number of games so far.
    pub games: u64,
}

impl Default for RunningElo {
    /// The initial rating of 400, without games.
    fn default() -> Self {
        Self { rating: Self::START, games: 0 }
    }
}

impl RunningElo {
    /// The K factor: the most that one game changes the rating.
    pub const K: f64 = 20.0;
    /// The initial rating.
    pub const START: f64 = 400.0;

    /// Updates the rating after a game against an opponent of that rating; `score` is 1, 0.5 or 0.
    pub fn update(&mut self, opponent: f64, score: f64) {
        self.rating += Self::K * (score - expected_score(self.rating - opponent));
        self.games += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R' = R + 20 (score - expected), worked out by hand.
    #[test]
    fn follows_the_update_formula() {
        let mut rating = RunningElo::default();
        rating.update(400.0, 1.0);
        // 10 points above: expected 1 / (1 + 10^(-10/400)) = 0.514387
        rating.update(400.0, 0.0);
        assert!((rating.rating - (410.0 - 20.0 * 0.514_387_18)).abs() < 1e-6, "{rating:?}");
        rating.update(rating.rating, 0.5);
        assert!((rating.rating - 399.712_256_3).abs() < 1e-6, "{rating:?}");
        assert_eq!(rating.games, 3);
    }
}
