//! What results say about strength: Elo with error bars, likelihood of superiority, sequential
//! tests, ratings.

mod normal;
mod pentanomial;
mod rating;
mod running;
mod sprt;

pub use pentanomial::Pentanomial;
pub use rating::{Meeting, Rating, ratings};
pub use running::RunningElo;
pub use sprt::{Model, Sprt, Verdict};

/// How many standard deviations the error bars reach: 95 % of all cases are within.
const ERROR_BARS: f64 = 1.959_964;

/// Rating points per natural logarithm of the odds.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// The score to expect of a player who is rated `elo` points above the other.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / SCALE).exp())
}

/// How many points above the other a player is who scores `score`, a number above 0 and below 1.
fn elo_of_score(score: f64) -> f64 {
    SCALE * (score / (1.0 - score)).ln()
}
