//! Maximum-likelihood ratings of a round robin (Bradley-Terry model), as in BayesElo and Ordo.

use serde::{Deserialize, Serialize};

use super::{ELO_PER_LOGIT, Z_95, expected_score};

/// The score of two players against each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairResult {
    /// Indices of the two players.
    pub players: [usize; 2],
    /// Points of the first: 1 for a win, 1/2 for a draw.
    pub points: f64,
    /// Number of games.
    pub games: f64,
}

/// The rating of a player in a pool.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rating {
    /// Elo above the mean of all players.
    pub elo: f64,
    /// Half the width of the 95 % confidence interval.
    pub error: f64,
}

/// Prior: virtual draws of every player against one of mean strength. They keep the ratings of players
/// who won or lost all games finite.
const PRIOR: f64 = 0.1;

/// Maximum-likelihood ratings of `players` players with mean 0 (Bradley-Terry model, a draw counts as half
/// a win).
///
/// ```
/// use tablero_arena::stats::{PairResult, ratings};
/// let results = [PairResult { players: [0, 1], points: 75.0, games: 100.0 }];
/// let [first, second] = ratings(2, &results)[..] else { unreachable!() };
/// assert!((first.elo - second.elo - 190.0).abs() < 2.0);
/// ```
pub fn ratings(players: usize, results: &[PairResult]) -> Vec<Rating> {
    let mut strength = vec![0.0; players];
    // Damped Newton iteration; the log-likelihood is concave.
    for _ in 0..200 {
        let (gradient, hessian) = derivatives(&strength, results);
        let step = solve(hessian, gradient);
        let longest = step.iter().fold(0.0f64, |longest, step| longest.max(step.abs()));
        let shorten = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        for (strength, step) in strength.iter_mut().zip(&step) {
            *strength += shorten * step;
        }
        if longest < 1e-12 {
            break;
        }
    }
    let mean = strength.iter().sum::<f64>() / players.max(1) as f64;
    let deviations = deviations_from_mean(derivatives(&strength, results).1);
    let rating = |(strength, deviation): (f64, f64)| Rating {
        elo: ELO_PER_LOGIT * (strength - mean),
        error: Z_95 * ELO_PER_LOGIT * deviation,
    };
    strength.into_iter().zip(deviations).map(rating).collect()
}

type Matrix = Vec<Vec<f64>>;

/// Gradient and negative Hessian of the log-likelihood. Strengths are log-odds.
fn derivatives(strength: &[f64], results: &[PairResult]) -> (Vec<f64>, Matrix) {
    let players = strength.len();
    let (mut gradient, mut hessian) = (vec![0.0; players], vec![vec![0.0; players]; players]);
    for (player, &strength) in strength.iter().enumerate() {
        let expected = expected_score(ELO_PER_LOGIT * strength);
        gradient[player] += PRIOR * (0.5 - expected);
        hessian[player][player] += PRIOR * expected * (1.0 - expected);
    }
    for result in results {
        let [a, b] = result.players;
        let expected = expected_score(ELO_PER_LOGIT * (strength[a] - strength[b]));
        let surplus = result.points - result.games * expected;
        let weight = result.games * expected * (1.0 - expected);
        gradient[a] += surplus;
        gradient[b] -= surplus;
        for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
            hessian[row][column] += sign * weight;
        }
    }
    (gradient, hessian)
}

/// Standard error of each player's distance from the mean.
fn deviations_from_mean(hessian: Matrix) -> Vec<f64> {
    let players = hessian.len();
    (0..players)
        .map(|player| {
            // The distance is the dot product of the strengths with this vector.
            let share = 1.0 / players as f64;
            let from_mean: Vec<f64> =
                (0..players).map(|other| f64::from(u8::from(other == player)) - share).collect();
            let spread = solve(hessian.clone(), from_mean.clone());
            let variance: f64 = spread.iter().zip(&from_mean).map(|(a, b)| a * b).sum();
            variance.max(0.0).sqrt()
        })
        .collect()
}

/// Solves `matrix x = right` for a positive definite matrix, by Gaussian elimination.
fn solve(mut matrix: Matrix, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for pivot in 0..size {
        let (above, below) = matrix.split_at_mut(pivot + 1);
        let pivot_row = &above[pivot];
        for (offset, row) in below.iter_mut().enumerate() {
            let factor = row[pivot] / pivot_row[pivot];
            for column in pivot..size {
                row[column] -= factor * pivot_row[column];
            }
            right[pivot + 1 + offset] -= factor * right[pivot];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    const fn result(a: usize, b: usize, points: f64, games: f64) -> PairResult {
        PairResult { players: [a, b], points, games }
    }

    /// 75 % is 190.85 Elo; the standard error of the difference is ELO_PER_LOGIT / sqrt(n p q).
    #[test]
    fn two_players_by_hand() {
        let found = ratings(2, &[result(0, 1, 7500.0, 10_000.0)]);
        assert!((found[0].elo - 190.85 / 2.0).abs() < 0.01, "{found:?}");
        assert!((found[0].elo + found[1].elo).abs() < 1e-9);
        let error = 1.959_964 * ELO_PER_LOGIT / (10_000.0f64 * 0.75 * 0.25).sqrt() / 2.0;
        assert!((found[0].error - error).abs() < 0.01, "{found:?}, not {error}");
    }

    #[test]
    fn recovers_the_ratings_of_exact_results() {
        let truth = [250.0, 30.0, -80.0, -200.0];
        let mut results = Vec::new();
        for a in 0..4 {
            for b in a + 1..4 {
                let points = 1e5 * expected_score(truth[a] - truth[b]);
                results.push(result(a, b, points, 1e5));
            }
        }
        for (found, truth) in ratings(4, &results).iter().zip(truth) {
            assert!((found.elo - truth).abs() < 0.01, "{found:?}, not {truth}");
        }
    }

    #[test]
    fn ratings_are_finite_without_losses_or_games() {
        let found = ratings(3, &[result(0, 1, 20.0, 20.0)]);
        assert!(found[0].elo > 300.0 && found[0].elo < 2000.0, "{found:?}");
        assert!(found[2].elo.abs() < 1.0, "{found:?}");
        assert!(found.iter().all(|rating| rating.error.is_finite()));
        assert!(ratings(0, &[]).is_empty());
        assert!(ratings(1, &[])[0].elo.abs() < 1e-9);
    }

    /// In 95 % of tournaments (without draws, which reduce the variance below the model's).
    #[test]
    fn confidence_intervals_cover_the_true_value() {
        let truth = [120.0, 40.0, 0.0, -60.0, -100.0];
        let mut rng = Rng::seeded(5);
        let (mut covered, mut all) = (0, 0);
        for _ in 0..300 {
            let mut results = Vec::new();
            for a in 0..5 {
                for b in a + 1..5 {
                    let chance = expected_score(truth[a] - truth[b]);
                    let points = (0..60).filter(|_| rng.unit() < chance).count() as f64;
                    results.push(result(a, b, points, 60.0));
                }
            }
            for (found, truth) in ratings(5, &results).iter().zip(truth) {
                covered += u32::from((found.elo - truth).abs() < found.error);
                all += 1;
            }
        }
        let share = f64::from(covered) / f64::from(all);
        assert!((0.93..0.97).contains(&share), "{share}");
    }
}
