//! Glicko-1 (Glickman, "Parameter estimation in large dynamic paired comparison experiments", 1999).

use std::f64::consts::{LN_10, PI};

/// A rating with its standard deviation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// The rating.
    pub value: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl Rating {
    /// Of somebody unknown.
    pub const NEW: Self = Self { value: 1500.0, deviation: 350.0 };
}

const Q: f64 = LN_10 / 400.0;
/// Deviations stay above, so that ratings follow progress.
const MIN_DEVIATION: f64 = 45.0;

/// The rating of `player` after a score (1, 0.5 or 0) against `opponent`.
///
/// ```
/// use tablero_training::{Rating, glicko};
/// let after = glicko(Rating::NEW, Rating { value: 1500.0, deviation: 100.0 }, 1.0);
/// assert!(after.value > 1600.0 && after.deviation < 350.0);
/// ```
pub fn glicko(player: Rating, opponent: Rating, score: f64) -> Rating {
    let g = 1.0 / (1.0 + 3.0 * (Q * opponent.deviation / PI).powi(2)).sqrt();
    let expected = 1.0 / (1.0 + 10f64.powf(-g * (player.value - opponent.value) / 400.0));
    let information = Q * Q * g * g * expected * (1.0 - expected);
    let precision = player.deviation.powi(-2) + information;
    Rating {
        value: player.value + Q / precision * g * (score - expected),
        deviation: precision.powf(-0.5).max(MIN_DEVIATION),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Glickman's paper, one game of it at a time gives nearly the same.
    #[test]
    fn ratings_follow_the_published_example() {
        let player = Rating { value: 1500.0, deviation: 200.0 };
        let opponents = [(1400.0, 30.0, 1.0), (1550.0, 100.0, 0.0), (1700.0, 300.0, 0.0)];
        let after = opponents.iter().fold(player, |player, &(value, deviation, score)| {
            glicko(player, Rating { value, deviation }, score)
        });
        assert!((after.value - 1464.0).abs() < 6.0, "{after:?}");
        assert!((after.deviation - 151.4).abs() < 3.0, "{after:?}");
    }
}
