use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Pentanomial, SCALE, expected_score};

/// A sequential test of two hypotheses about the difference in rating: games are played until the
/// results speak clearly enough for one of them.
///
/// The generalised sequential probability ratio test over pairs of games, after Michel Van den
/// Bergh's "Comments on normalized Elo".
///
/// ```
/// use tablero_arena::stats::{Pentanomial, Sprt, Verdict};
/// let test: Sprt = "0,10".parse().unwrap();
/// let results = Pentanomial([10, 80, 200, 150, 40]);
/// assert_eq!(test.verdict(test.llr(&results)), Verdict::AcceptH1);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sprt {
    /// Hypothesis H0: the difference is (at most) this.
    pub elo0: f64,
    /// Hypothesis H1: the difference is (at least) this.
    pub elo1: f64,
    /// How often at most H1 is accepted although H0 is true.
    pub alpha: f64,
    /// How often at most H0 is accepted although H1 is true.
    pub beta: f64,
    /// What the hypotheses mean by Elo.
    pub model: Model,
}

/// What a hypothesis means by Elo.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// The usual rating, as the match reports it.
    #[default]
    Logistic,
    /// In units of the spread of one game's result: the effort to tell two players apart then
    /// depends on the hypotheses alone, not on how often games are drawn.
    Normalized,
}

/// What a test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// More games are needed.
    Continue,
    /// The difference is rather `elo0`.
    AcceptH0,
    /// The difference is rather `elo1`.
    AcceptH1,
}

/// A distribution over the five results of a pair.
type Distribution = [f64; 5];

const SCORES: Distribution = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Sprt {
    /// The test of `elo0` against `elo1` with errors of 5 % either way.
    pub const fn new(elo0: f64, elo1: f64) -> Self {
        Self { elo0, elo1, alpha: 0.05, beta: 0.05, model: Model::Logistic }
    }

    /// What is wrong with the hypotheses, if anything.
    pub fn check(&self) -> Result<(), String> {
        let is_error_rate = |rate: f64| 0.0 < rate && rate < 0.5;
        if !(self.elo0.is_finite() && self.elo1.is_finite() && self.elo0 < self.elo1) {
            return Err(format!(
                "E0 must be below E1, but {} is not below {}",
                self.elo0, self.elo1
            ));
        }
        if !(is_error_rate(self.alpha) && is_error_rate(self.beta)) {
            return Err("alpha and beta must be above 0 and below 0.5".into());
        }
        Ok(())
    }

    /// At or below the first number H0 is accepted, at or above the second H1.
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// How much likelier the results are under H1 than under H0, as a logarithm.
    pub fn llr(&self, results: &Pentanomial) -> f64 {
        if results.pairs() == 0 {
            return 0.0;
        }
        // A result that never came is possible all the same.
        let counts = results.0.map(|count| (count as f64).max(1e-3));
        let pairs: f64 = counts.iter().sum();
        let seen = counts.map(|count| count / pairs);
        let fit = |elo: f64| match self.model {
            Model::Logistic => fit_to_score(&seen, expected_score(elo)),
            // A pair's score spreads less than a game's, by the root of two.
            Model::Normalized => fit_to_effect(&seen, 2f64.sqrt() * elo / (2.0 * SCALE)),
        };
        let (h0, h1) = (fit(self.elo0), fit(self.elo1));
        let gain: f64 = (0..5).map(|result| seen[result] * (h1[result] / h0[result]).ln()).sum();
        pairs * gain
    }

    /// What a log-likelihood ratio means.
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
    type Err = String;

    /// `E0,E1`.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let (elo0, elo1) = text
            .split_once(',')
            .and_then(|(elo0, elo1)| Some((number(elo0)?, number(elo1)?)))
            .ok_or_else(|| format!("`{text}` is not E0,E1: two numbers, such as 0,10"))?;
        let test = Self::new(elo0, elo1);
        test.check().map(|()| test)
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lower, upper] = self.bounds();
        let unit = match self.model {
            Model::Logistic => "Elo",
            Model::Normalized => "normalized Elo",
        };
        let Self { elo0, elo1, .. } = self;
        write!(f, "H0 {elo0} against H1 {elo1} {unit}, bounds {lower:.2} to {upper:.2}")
    }
}

/// The distribution with mean `score` under which `seen` is likeliest.
fn fit_to_score(seen: &Distribution, score: f64) -> Distribution {
    fit_to_zero(seen, &SCORES.map(|result| result - score))
}

/// The distribution under which `seen` is likeliest among those whose mean is `effect` standard
/// deviations above one half.
fn fit_to_effect(seen: &Distribution, effect: f64) -> Distribution {
    let mut fitted = [0.2; 5];
    // The condition bends; each round replaces it by its tangent at the last distribution.
    for _ in 0..100 {
        let mean: f64 = (0..5).map(|i| fitted[i] * SCORES[i]).sum();
        let variance: f64 = (0..5).map(|i| fitted[i] * (SCORES[i] - mean).powi(2)).sum();
        let tangent = SCORES.map(|score| {
            let spread = 1.0 + (score - mean).powi(2) / variance;
            score - 0.5 - 0.5 * effect * variance.sqrt() * spread
        });
        let next = fit_to_zero(seen, &tangent);
        let change = (0..5).map(|i| (next[i] - fitted[i]).abs()).fold(0.0, f64::max);
        fitted = next;
        if change < 1e-10 {
            break;
        }
    }
    fitted
}

/// The distribution with mean zero of `values` (some of which are below zero, some above) under
/// which `seen` is likeliest: `seen / (1 + t values)` for the one `t` that gives that mean.
fn fit_to_zero(seen: &Distribution, values: &Distribution) -> Distribution {
    let tilted =
        |t: f64| -> Distribution { std::array::from_fn(|i| seen[i] / (1.0 + t * values[i])) };
    let mean = |t: f64| -> f64 { tilted(t).iter().zip(values).map(|(p, value)| p * value).sum() };
    // Between its poles the mean falls from plus to minus infinity.
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

    fn test(elo0: f64, elo1: f64, model: Model) -> Sprt {
        Sprt { model, ..Sprt::new(elo0, elo1) }
    }

    /// Published results of fastchess, an arena for chess engines.
    #[test]
    fn agrees_with_fastchess() {
        let known = [
            ([365, 16618, 36229, 16974, 390], 0.0, 2.0, Model::Normalized, 2.25),
            ([127, 4883, 10712, 5150, 104], -1.75, 0.25, Model::Normalized, 3.01),
            ([223, 9863, 21279, 10037, 246], 0.5, 2.5, Model::Logistic, -3.07),
            ([871, 26175, 55983, 26678, 821], 0.0, 2.0, Model::Logistic, -4.98),
        ];
        for (counts, elo0, elo1, model, expected) in known {
            let llr = test(elo0, elo1, model).llr(&Pentanomial(counts));
            assert!((llr - expected).abs() < 0.01 * f64::abs(expected), "{llr}, not {expected}");
        }
    }

    /// Where the mean of what was seen is one hypothesis, that hypothesis fits what was seen, and
    /// the ratio is the divergence to the other.
    #[test]
    fn fits_what_was_seen() {
        let seen = [0.1, 0.2, 0.3, 0.25, 0.15];
        let mean: f64 = (0..5).map(|i| seen[i] * SCORES[i]).sum();
        for (fitted, seen) in fit_to_score(&seen, mean).iter().zip(seen) {
            assert!((fitted - seen).abs() < 1e-12);
        }
        for score in [0.3, 0.5, 0.7] {
            let fitted = fit_to_score(&seen, score);
            let found: f64 = (0..5).map(|i| fitted[i] * SCORES[i]).sum();
            assert!((found - score).abs() < 1e-12);
            assert!((fitted.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        for effect in [-0.5, 0.0, 0.2] {
            let fitted = fit_to_effect(&seen, effect);
            let mean: f64 = (0..5).map(|i| fitted[i] * SCORES[i]).sum();
            let variance: f64 = (0..5).map(|i| fitted[i] * (SCORES[i] - mean).powi(2)).sum();
            assert!(((mean - 0.5) / variance.sqrt() - effect).abs() < 1e-8);
        }
    }

    /// If one player won every game, the likeliest distributions with a mean of (nearly) one half are
    /// (nearly) all won or all lost: under H1 a win of both is likelier by 1 + the effect.
    #[test]
    fn a_hopeless_case_by_hand() {
        let effect = 2f64.sqrt() * 5.0 / (2.0 * SCALE);
        let llr = test(0.0, 5.0, Model::Normalized).llr(&Pentanomial([0, 0, 0, 0, 104]));
        assert!((llr - 104.0 * (1.0 + effect).ln()).abs() < 0.01, "{llr}");
    }

    #[test]
    fn bounds_and_text() {
        let [lower, upper] = Sprt::new(0.0, 5.0).bounds();
        assert!((upper - 2.944_439).abs() < 1e-6 && (lower + upper).abs() < 1e-12);
        assert_eq!("0, 5".parse(), Ok(Sprt::new(0.0, 5.0)));
        for wrong in ["", "5", "5,0", "a,b", "0,inf", "0,NaN", "1,2,3"] {
            assert!(wrong.parse::<Sprt>().is_err(), "{wrong}");
        }
        let shown = Sprt::new(0.0, 5.0).to_string();
        assert_eq!(shown, "H0 0 against H1 5 Elo, bounds -2.94 to 2.94");
    }

    /// Plays tests between players whose true difference is `elo`; gives how many accepted H1.
    fn accepted(test: &Sprt, elo: f64, runs: u64) -> u64 {
        let run = |seed| {
            let mut rng = Rng::for_part(11, seed);
            let mut results = Pentanomial::default();
            loop {
                // A third of the games is drawn.
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

    /// Wrong verdicts come at most as often as stated: 5 %, and three deviations for luck.
    #[test]
    fn errors_come_as_often_as_stated() {
        let test = Sprt::new(0.0, 40.0);
        let runs = 400;
        let (when_equal, when_better) = (accepted(&test, 0.0, runs), accepted(&test, 40.0, runs));
        assert!(when_equal <= 33, "{when_equal} of {runs} accepted although equal");
        assert!(when_better >= runs - 33, "{when_better} of {runs} accepted although better");
    }
}
