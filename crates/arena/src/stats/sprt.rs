//! The generalized sequential probability ratio test (GSPRT) over pairs of games.
//!
//! The log-likelihood ratio (LLR) of H1 against H0 is computed from the maximum-likelihood distributions of
//! the five pair results under each hypothesis, as fishtest, fastchess and cutechess do; the match ends
//! when it leaves Wald's bounds. See Michel Van den Bergh, "Comments on normalized Elo" (2020).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{ELO_PER_LOGIT, Pentanomial, expected_score};

/// A sequential test of two hypotheses about the Elo difference of two players.
///
/// ```
/// use tablero_arena::stats::{Pentanomial, Sprt, Verdict};
/// let test: Sprt = "0,10".parse().unwrap();
/// let results = Pentanomial([10, 80, 200, 150, 40]);
/// assert_eq!(test.verdict(test.llr(&results)), Verdict::AcceptH1);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sprt {
    /// H0: the Elo difference is at most this.
    pub elo0: f64,
    /// H1: the Elo difference is at least this.
    pub elo1: f64,
    /// Probability of a type I error: accepting H1 although H0 holds.
    pub alpha: f64,
    /// Probability of a type II error: accepting H0 although H1 holds.
    pub beta: f64,
    /// The unit of the hypotheses.
    pub model: EloModel,
}

/// Why a test is invalid.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum SprtError {
    /// The text is not two numbers.
    #[error("`{text}` is not E0,E1: two numbers, such as 0,10")]
    Syntax {
        /// The text.
        text: String,
    },
    /// H0 is not below H1, or a bound is not finite.
    #[error("E0 must be below E1, but {elo0} is not below {elo1}")]
    Order {
        /// The Elo difference of H0.
        elo0: f64,
        /// The Elo difference of H1.
        elo1: f64,
    },
    /// An error rate is out of range.
    #[error("alpha and beta must be above 0 and below 0.5, not {alpha} and {beta}")]
    ErrorRate {
        /// The rate of type I errors.
        alpha: f64,
        /// The rate of type II errors.
        beta: f64,
    },
}

/// The unit of a hypothesis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// Logistic Elo, as reported for a match.
    #[default]
    Logistic,
    /// Normalized Elo: the difference in standard deviations of a game's result, so that the expected
    /// length of a test does not depend on the draw rate.
    Normalized,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// More games are needed.
    Continue,
    /// H0 is accepted.
    AcceptH0,
    /// H1 is accepted.
    AcceptH1,
}

/// A distribution over the five results of a pair.
type Distribution = [f64; 5];

const SCORES: Distribution = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Sprt {
    /// The test of `elo0` against `elo1` in logistic Elo with alpha = beta = 0.05.
    pub const fn new(elo0: f64, elo1: f64) -> Self {
        Self { elo0, elo1, alpha: 0.05, beta: 0.05, model: EloModel::Logistic }
    }

    /// Validates hypotheses and error probabilities.
    pub fn check(&self) -> Result<(), SprtError> {
        let is_error_rate = |rate: f64| 0.0 < rate && rate < 0.5;
        if !(self.elo0.is_finite() && self.elo1.is_finite() && self.elo0 < self.elo1) {
            return Err(SprtError::Order { elo0: self.elo0, elo1: self.elo1 });
        }
        if !(is_error_rate(self.alpha) && is_error_rate(self.beta)) {
            return Err(SprtError::ErrorRate { alpha: self.alpha, beta: self.beta });
        }
        Ok(())
    }

    /// Wald's bounds of the LLR: H0 is accepted at or below the first, H1 at or above the second.
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The log-likelihood ratio of H1 to H0.
    pub fn llr(&self, results: &Pentanomial) -> f64 {
        if results.pairs() == 0 {
            return 0.0;
        }
        // Regularization: no result has probability 0.
        let counts = results.0.map(|count| (count as f64).max(1e-3));
        let pairs: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / pairs);
        let fit = |elo: f64| match self.model {
            EloModel::Logistic => mle_with_mean(&observed, expected_score(elo)),
            // The standard deviation of a pair's score is that of a game's divided by the root of 2.
            EloModel::Normalized => {
                mle_with_t_value(&observed, 2f64.sqrt() * elo / (2.0 * ELO_PER_LOGIT))
            }
        };
        let (h0, h1) = (fit(self.elo0), fit(self.elo1));
        let gain: f64 =
            (0..5).map(|result| observed[result] * (h1[result] / h0[result]).ln()).sum();
        pairs * gain
    }

    /// The verdict for a log-likelihood ratio.
    pub fn verdict(&self, llr: f64) -> Verdict {
        let [lower, upper] = self.bounds();
        if llr >= upper {
            Verdict::AcceptH1
        } else if llr <= lower {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        }
    }
}

impl FromStr for Sprt {
    type Err = SprtError;

    /// Parses `E0,E1`.
    fn from_str(text: &str) -> Result<Self, SprtError> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let (elo0, elo1) = text
            .split_once(',')
            .and_then(|(elo0, elo1)| Some((number(elo0)?, number(elo1)?)))
            .ok_or_else(|| SprtError::Syntax { text: text.into() })?;
        let test = Self::new(elo0, elo1);
        test.check().map(|()| test)
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lower, upper] = self.bounds();
        let unit = match self.model {
            EloModel::Logistic => "Elo",
            EloModel::Normalized => "normalized Elo",
        };
        let Self { elo0, elo1, .. } = self;
        write!(f, "H0 {elo0} against H1 {elo1} {unit}, bounds {lower:.2} to {upper:.2}")
    }
}

/// The maximum-likelihood distribution with mean `score`.
fn mle_with_mean(observed: &Distribution, score: f64) -> Distribution {
    mle_with_zero_mean(observed, &SCORES.map(|result| result - score))
}

/// The maximum-likelihood distribution with t value `t_value`: its mean is that many standard deviations
/// above 1/2.
fn mle_with_t_value(observed: &Distribution, t_value: f64) -> Distribution {
    let mut fitted = [0.2; 5];
    // The constraint is nonlinear; each iteration linearizes it at the last distribution.
    for _ in 0..100 {
        let mean: f64 = (0..5).map(|i| fitted[i] * SCORES[i]).sum();
        let variance: f64 = (0..5).map(|i| fitted[i] * (SCORES[i] - mean).powi(2)).sum();
        let tangent = SCORES.map(|score| {
            let spread = 1.0 + (score - mean).powi(2) / variance;
            score - 0.5 - 0.5 * t_value * variance.sqrt() * spread
        });
        let next = mle_with_zero_mean(observed, &tangent);
        let change = (0..5).map(|i| (next[i] - fitted[i]).abs()).fold(0.0, f64::max);
        fitted = next;
        if change < 1e-10 {
            break;
        }
    }
    fitted
}

/// The maximum-likelihood distribution under which `values` (of both signs) have mean 0: it is
/// `observed / (1 + t values)` for the unique `t` with that mean, found by bisection.
fn mle_with_zero_mean(observed: &Distribution, values: &Distribution) -> Distribution {
    let tilted =
        |t: f64| -> Distribution { std::array::from_fn(|i| observed[i] / (1.0 + t * values[i])) };
    let mean = |t: f64| -> f64 { tilted(t).iter().zip(values).map(|(p, value)| p * value).sum() };
    // Between its poles the mean decreases from plus to minus infinity.
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if mean(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    tilted(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    fn test(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt { model, ..Sprt::new(elo0, elo1) }
    }

    /// Results published by fastchess.
    #[test]
    fn agrees_with_fastchess() {
        let known = [
            ([365, 16618, 36229, 16974, 390], 0.0, 2.0, EloModel::Normalized, 2.25),
            ([127, 4883, 10712, 5150, 104], -1.75, 0.25, EloModel::Normalized, 3.01),
            ([223, 9863, 21279, 10037, 246], 0.5, 2.5, EloModel::Logistic, -3.07),
            ([871, 26175, 55983, 26678, 821], 0.0, 2.0, EloModel::Logistic, -4.98),
        ];
        for (counts, elo0, elo1, model, expected) in known {
            let llr = test(elo0, elo1, model).llr(&Pentanomial(counts));
            assert!((llr - expected).abs() < 0.01 * f64::abs(expected), "{llr}, not {expected}");
        }
    }

    #[test]
    fn maximum_likelihood_distributions_satisfy_their_constraints() {
        let observed = [0.1, 0.2, 0.3, 0.25, 0.15];
        let mean: f64 = (0..5).map(|i| observed[i] * SCORES[i]).sum();
        for (fitted, observed) in mle_with_mean(&observed, mean).iter().zip(observed) {
            assert!((fitted - observed).abs() < 1e-12);
        }
        for score in [0.3, 0.5, 0.7] {
            let fitted = mle_with_mean(&observed, score);
            let found: f64 = (0..5).map(|i| fitted[i] * SCORES[i]).sum();
            assert!((found - score).abs() < 1e-12);
            assert!((fitted.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        for t_value in [-0.5, 0.0, 0.2] {
            let fitted = mle_with_t_value(&observed, t_value);
            let mean: f64 = (0..5).map(|i| fitted[i] * SCORES[i]).sum();
            let variance: f64 = (0..5).map(|i| fitted[i] * (SCORES[i] - mean).powi(2)).sum();
            assert!(((mean - 0.5) / variance.sqrt() - t_value).abs() < 1e-8);
        }
    }

    /// If one player won all games, the maximum-likelihood distributions with a mean near 1/2 have only
    /// double wins and double losses: H1 makes a double win more likely by 1 + the t value.
    #[test]
    fn degenerate_results_by_hand() {
        let t_value = 2f64.sqrt() * 5.0 / (2.0 * ELO_PER_LOGIT);
        let llr = test(0.0, 5.0, EloModel::Normalized).llr(&Pentanomial([0, 0, 0, 0, 104]));
        assert!((llr - 104.0 * (1.0 + t_value).ln()).abs() < 0.01, "{llr}");
    }

    #[test]
    fn bounds_and_parsing() {
        let [lower, upper] = Sprt::new(0.0, 5.0).bounds();
        assert!((upper - 2.944_439).abs() < 1e-6 && (lower + upper).abs() < 1e-12);
        assert_eq!("0, 5".parse(), Ok(Sprt::new(0.0, 5.0)));
        for wrong in ["", "5", "5,0", "a,b", "0,inf", "0,NaN", "1,2,3"] {
            assert!(wrong.parse::<Sprt>().is_err(), "{wrong}");
        }
        let shown = Sprt::new(0.0, 5.0).to_string();
        assert_eq!(shown, "H0 0 against H1 5 Elo, bounds -2.94 to 2.94");
    }

    /// Simulates tests at a true difference of `elo`; returns how many accepted H1.
    fn accepted(test: &Sprt, elo: f64, runs: u64) -> u64 {
        let run = |seed| {
            let mut rng = Rng::for_stream(11, seed);
            let mut results = Pentanomial::default();
            loop {
                // A draw rate of 1/3.
                let win = expected_score(elo) - 1.0 / 6.0;
                let mut game = || match rng.unit() {
                    point if point < win => 2,
                    point if point < win + 1.0 / 3.0 => 1,
                    _ => 0,
                };
                results.add(game() + game());
                match test.verdict(test.llr(&results)) {
                    Verdict::Continue => {}
                    verdict => return u64::from(verdict == Verdict::AcceptH1),
                }
            }
        };
        (0..runs).map(run).sum()
    }

    /// At most 5 %, plus three standard deviations.
    #[test]
    fn error_rates_are_within_alpha_and_beta() {
        let test = Sprt::new(0.0, 40.0);
        let runs = 400;
        let (when_equal, when_better) = (accepted(&test, 0.0, runs), accepted(&test, 40.0, runs));
        assert!(when_equal <= 33, "{when_equal} of {runs} accepted although equal");
        assert!(when_better >= runs - 33, "{when_better} of {runs} accepted although better");
    }
}
