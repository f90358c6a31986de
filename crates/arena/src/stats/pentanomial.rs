use serde::{Deserialize, Serialize};

use super::normal::normal_cdf;
use super::{ERROR_BARS, SCALE, elo_of_score};

/// How often a player scored 0, 1/2, 1, 3/2 and 2 points in a pair of games from one opening with
/// colours swapped.
///
/// The two games of a pair are not independent (an opening may favour one side), pairs are: so the
/// spread of the result is estimated from pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Adds a pair in which the player scored so many half points.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The player's share of all points, from 0 to 1; none without games.
    pub fn score(&self) -> Option<f64> {
        let pairs = self.pairs();
        let half_points: u64 = (0..).zip(self.0).map(|(points, count)| points * count).sum();
        (pairs > 0).then(|| half_points as f64 / (4 * pairs) as f64)
    }

    /// The estimated variance of the score of one pair; none from fewer than two pairs.
    pub fn variance(&self) -> Option<f64> {
        let (score, pairs) = (self.score()?, self.pairs());
        let square = |half_points: usize| (half_points as f64 / 4.0 - score).powi(2);
        let sum: f64 = (0..5).map(|points| self.0[points] as f64 * square(points)).sum();
        (pairs > 1).then(|| sum / (pairs - 1) as f64)
    }

    /// The standard deviation of [`score`](Self::score).
    fn score_deviation(&self) -> Option<f64> {
        Some((self.variance()? / self.pairs() as f64).sqrt())
    }

    /// The difference in rating that the score shows; none if all points went one way.
    pub fn elo(&self) -> Option<f64> {
        let score = self.score()?;
        (0.0 < score && score < 1.0).then(|| elo_of_score(score))
    }

    /// The true difference is within so much of [`elo`](Self::elo) in 95 of 100 cases; none if the
    /// pairs do not tell (too few, or all the same).
    pub fn elo_error(&self) -> Option<f64> {
        let (score, deviation) = (self.score()?, self.score_deviation()?);
        // The rating's slope over the score carries the deviation from one to the other.
        let error = ERROR_BARS * deviation * SCALE / (score * (1.0 - score));
        (error > 0.0 && error.is_finite()).then_some(error)
    }

    /// How likely the player is the better one, given these results; 1/2 if they do not tell.
    pub fn los(&self) -> f64 {
        let lead = self.score().unwrap_or(0.5) - 0.5;
        let deviation = self.score_deviation().unwrap_or(0.0);
        if lead == 0.0 { 0.5 } else { normal_cdf(lead / deviation) }
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

    /// Published results of fastchess, an arena for chess engines.
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
    fn what_cannot_be_known_is_not_told() {
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

    /// The error bars must hold the truth in 95 of 100 matches, also when openings favour a side.
    #[test]
    fn error_bars_cover_the_truth() {
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
                assert!((0.035..0.065).contains(&share), "{share} look better but are not");
            }
        }
    }

    /// Openings that favour a side bring scores nearer to one half: the rating that the mean score
    /// shows, averaged over the same distribution of openings.
    fn true_elo(elo: f64, opening_spread: f64) -> f64 {
        let mut rng = Rng::seeded(2);
        let games = 200_000;
        let score: f64 = (0..games)
            .map(|_| expected_score(elo + opening_spread * (rng.unit() - rng.unit())))
            .sum();
        elo_of_score(score / f64::from(games))
    }
}
