//! Pentanomial statistics of pairs of games.

use serde::{Deserialize, Serialize};

use super::normal::normal_cdf;
use super::{ELO_PER_LOGIT, Z_95, score_to_elo};

/// Counts of pairs (one opening, colours swapped) in which a player scored 0, 1/2, 1, 3/2 and 2 points.
///
/// The two games of a pair are correlated, since an opening may favour one side; pairs are independent.
/// The variance is therefore estimated from pairs, as in fishtest and fastchess.
///
/// ```
/// use tablero_arena::stats::Pentanomial;
/// let results = Pentanomial([34, 54, 63, 64, 75]);
/// assert_eq!(results.elo().unwrap().round(), 56.0);
/// assert_eq!(results.elo_error().unwrap().round(), 28.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Adds a pair, by the player's half points.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean score from 0 to 1; none without games.
    pub fn score(&self) -> Option<f64> {
        let pairs = self.pairs();
        let half_points: u64 = (0..).zip(self.0).map(|(points, count)| points * count).sum();
        (pairs > 0).then(|| half_points as f64 / (4 * pairs) as f64)
    }

    /// Sample variance of the score of a pair; none from fewer than two pairs.
    pub fn variance(&self) -> Option<f64> {
        let (score, pairs) = (self.score()?, self.pairs());
        let square = |half_points: usize| (half_points as f64 / 4.0 - score).powi(2);
        let sum: f64 = (0..5).map(|points| self.0[points] as f64 * square(points)).sum();
        (pairs > 1).then(|| sum / (pairs - 1) as f64)
    }

    /// Standard error of [`score`](Self::score).
    fn score_stddev(&self) -> Option<f64> {
        Some((self.variance()? / self.pairs() as f64).sqrt())
    }

    /// Elo difference; none if one player won all games.
    pub fn elo(&self) -> Option<f64> {
        let score = self.score()?;
        (0.0 < score && score < 1.0).then(|| score_to_elo(score))
    }

    /// Half the width of the 95 % confidence interval of [`elo`](Self::elo); none if the variance is
    /// unknown or 0.
    pub fn elo_error(&self) -> Option<f64> {
        let (score, deviation) = (self.score()?, self.score_stddev()?);
        // Delta method: the derivative of Elo with respect to the score.
        let error = Z_95 * deviation * ELO_PER_LOGIT / (score * (1.0 - score));
        (error > 0.0 && error.is_finite()).then_some(error)
    }

    /// Likelihood of superiority; 1/2 without information.
    pub fn los(&self) -> f64 {
        let advantage = self.score().unwrap_or(0.5) - 0.5;
        let deviation = self.score_stddev().unwrap_or(0.0);
        if advantage == 0.0 { 0.5 } else { normal_cdf(advantage / deviation) }
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;
    use crate::stats::expected_score;

    fn close(found: Option<f64>, expected: f64) {
        let found = found.expect("a number");
        assert!((found - expected).abs() < 0.01 * expected.abs(), "{found}, not {expected}");
    }

    /// Results published by fastchess.
    #[test]
    fn agrees_with_fastchess() {
        let results = Pentanomial([34, 54, 63, 64, 75]);
        close(results.elo(), 55.58);
        close(results.elo_error(), 27.65);
        let results = Pentanomial([332, 433, 498, 333, 334]);
        close(results.elo(), -8.64);
        close(results.elo_error(), 10.33);
        close(Some(results.los()), 0.0505);
        let results = Pentanomial([7895, 8757, 5685, 568, 9999]);
        close(results.elo(), -21.04);
        close(results.elo_error(), 2.95);
    }

    /// Two pairs of 3/2 and one of 1/2: 7 of 12 half points; variance (2/24^2 + ... ) by hand.
    #[test]
    fn agrees_with_a_calculation_by_hand() {
        let mut results = Pentanomial::default();
        for half_points in [3, 3, 1] {
            results.add(half_points);
        }
        let score: f64 = 7.0 / 12.0;
        assert_eq!(results.score(), Some(score));
        // Deviations of the pairs from 7/12: 1/6, 1/6, -1/3; squares sum to 1/6; over n - 1 = 2.
        assert!((results.variance().unwrap() - 1.0 / 12.0).abs() < 1e-15);
        assert!((results.elo().unwrap() - 400.0 * 1.4f64.log10()).abs() < 1e-9);
    }

    #[test]
    fn unknown_quantities_are_none() {
        let none = Pentanomial::default();
        assert_eq!((none.score(), none.elo(), none.elo_error()), (None, None, None));
        assert!((none.los() - 0.5).abs() < 1e-15);
        let all_won = Pentanomial([0, 0, 0, 0, 9]);
        assert_eq!((all_won.score(), all_won.elo(), all_won.elo_error()), (Some(1.0), None, None));
        assert!((all_won.los() - 1.0).abs() < 1e-15);
        let all_even = Pentanomial([0, 0, 9, 0, 0]);
        assert_eq!((all_even.elo(), all_even.elo_error()), (Some(0.0), None));
        assert!((all_even.los() - 0.5).abs() < 1e-15);
    }

    /// The confidence interval covers the true value in 95 % of matches, also if openings favour a side.
    #[test]
    fn confidence_intervals_cover_the_true_value() {
        const MATCHES: u32 = 2000;
        let mut rng = Rng::seeded(1);
        for (elo, opening_spread) in [(0.0, 0.0), (60.0, 300.0)] {
            let truth = true_elo(elo, opening_spread);
            let (mut covered, mut better) = (0, 0);
            for _ in 0..MATCHES {
                let mut results = Pentanomial::default();
                for _ in 0..150 {
                    let bias = opening_spread * (rng.unit() - rng.unit());
                    let wins = [bias, -bias].map(|bias| rng.unit() < expected_score(elo + bias));
                    results.add(wins.into_iter().map(|won| 2 * usize::from(won)).sum());
                }
                let off = results.elo().unwrap() - truth;
                covered += u32::from(off.abs() < results.elo_error().unwrap());
                better += u32::from(results.los() > 0.95);
            }
            let share = f64::from(covered) / f64::from(MATCHES);
            assert!((0.935..0.965).contains(&share), "{share} at {elo}");
            if elo == 0.0 {
                let share = f64::from(better) / f64::from(MATCHES);
                assert!((0.035..0.065).contains(&share), "{share} false positives");
            }
        }
    }

    /// Openings that favour a side compress scores towards 1/2: the Elo of the mean score over the same
    /// distribution of openings.
    fn true_elo(elo: f64, opening_spread: f64) -> f64 {
        let mut rng = Rng::seeded(2);
        let games = 200_000;
        let score: f64 = (0..games)
            .map(|_| expected_score(elo + opening_spread * (rng.unit() - rng.unit())))
            .sum();
        score_to_elo(score / f64::from(games))
    }
}
