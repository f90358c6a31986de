//! Statistics of results: Elo with confidence intervals, likelihood of superiority (LOS), the sequential
//! probability ratio test (SPRT) and maximum-likelihood ratings.

mod normal;
mod pentanomial;
mod rating;
mod running;
mod sprt;

pub use pentanomial::Pentanomial;
pub use rating::{PairResult, Rating, ratings};
pub use running::RunningElo;
pub use sprt::{EloModel, Sprt, SprtError, Verdict};

/// The 97.5 % quantile of the normal distribution: half the width of a 95 % confidence interval in
/// standard deviations.
const Z_95: f64 = 1.959_964;

/// Elo per unit of log-odds.
const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The expected score of a player rated `elo` points above the opponent (logistic model).
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp())
}

/// The inverse of [`expected_score`], for scores above 0 and below 1.
fn score_to_elo(score: f64) -> f64 {
    ELO_PER_LOGIT * (score / (1.0 - score)).ln()
}
