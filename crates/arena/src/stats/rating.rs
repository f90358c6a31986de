use serde::{Deserialize, Serialize};

use super::{ERROR_BARS, SCALE, expected_score};

/// What two players scored against each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Meeting {
    /// The two players, by number.
    pub players: [usize; 2],
    /// The first one's points: one for a win, a half for a draw.
    pub points: f64,
    /// How many games they played.
    pub games: f64,
}

/// How strong a player is beside the others.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rating {
    /// Points above the mean of all players.
    pub elo: f64,
    /// The true number is within so much in 95 of 100 cases.
    pub error: f64,
}

/// Games against an average player, half of them won, that are added to everyone's. They keep the
/// rating of those who won or lost everything finite, and hardly move the others.
const PRIOR: f64 = 0.1;

/// The ratings of `players` players under which their results are likeliest (Bradley and Terry's
/// model, a draw counted as half a win), with mean 0.
pub fn ratings(players: usize, meetings: &[Meeting]) -> Vec<Rating> {
    let mut strength = vec![0.0; players];
    // Newton's method; the likelihood has one maximum, and steps are kept short far from it.
    for _ in 0..200 {
        let (slope, curvature) = derivatives(&strength, meetings);
        let step = solve(curvature, slope);
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
    let deviations = deviations_from_mean(derivatives(&strength, meetings).1);
    let rating = |(strength, deviation): (f64, f64)| Rating {
        elo: SCALE * (strength - mean),
        error: ERROR_BARS * SCALE * deviation,
    };
    strength.into_iter().zip(deviations).map(rating).collect()
}

type Matrix = Vec<Vec<f64>>;

/// The log-likelihood's slope, and minus its second derivatives. Strengths are natural logarithms of
/// odds.
fn derivatives(strength: &[f64], meetings: &[Meeting]) -> (Vec<f64>, Matrix) {
    let players = strength.len();
    let (mut slope, mut curvature) = (vec![0.0; players], vec![vec![0.0; players]; players]);
    for (player, &strength) in strength.iter().enumerate() {
        let expected = expected_score(SCALE * strength);
        slope[player] += PRIOR * (0.5 - expected);
        curvature[player][player] += PRIOR * expected * (1.0 - expected);
    }
    for meeting in meetings {
        let [a, b] = meeting.players;
        let expected = expected_score(SCALE * (strength[a] - strength[b]));
        let surplus = meeting.points - meeting.games * expected;
        let weight = meeting.games * expected * (1.0 - expected);
        slope[a] += surplus;
        slope[b] -= surplus;
        for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
            curvature[row][column] += sign * weight;
        }
    }
    (slope, curvature)
}

/// The standard deviation of each player's distance from the mean of all.
fn deviations_from_mean(curvature: Matrix) -> Vec<f64> {
    let players = curvature.len();
    (0..players)
        .map(|player| {
            // The distance is the product of the strengths with this vector.
            let share = 1.0 / players as f64;
            let from_mean: Vec<f64> =
                (0..players).map(|other| f64::from(u8::from(other == player)) - share).collect();
            let spread = solve(curvature.clone(), from_mean.clone());
            let variance: f64 = spread.iter().zip(&from_mean).map(|(a, b)| a * b).sum();
            variance.max(0.0).sqrt()
        })
        .collect()
}

/// Solves `matrix x = right` for a positive definite matrix, by elimination.
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

    const fn meeting(a: usize, b: usize, points: f64, games: f64) -> Meeting {
        Meeting { players: [a, b], points, games }
    }

    /// 75 % is 190.85 points; the deviation of the difference is SCALE / sqrt(n p q).
    #[test]
    fn two_players_by_hand() {
        let found = ratings(2, &[meeting(0, 1, 7500.0, 10_000.0)]);
        assert!((found[0].elo - 190.85 / 2.0).abs() < 0.01, "{found:?}");
        assert!((found[0].elo + found[1].elo).abs() < 1e-9);
        let error = 1.959_964 * SCALE / (10_000.0f64 * 0.75 * 0.25).sqrt() / 2.0;
        assert!((found[0].error - error).abs() < 0.01, "{found:?}, not {error}");
    }

    /// Results that fit ratings exactly give those ratings back.
    #[test]
    fn finds_the_ratings_that_results_come_from() {
        let truth = [250.0, 30.0, -80.0, -200.0];
        let mut meetings = Vec::new();
        for a in 0..4 {
            for b in a + 1..4 {
                let points = 1e5 * expected_score(truth[a] - truth[b]);
                meetings.push(meeting(a, b, points, 1e5));
            }
        }
        for (found, truth) in ratings(4, &meetings).iter().zip(truth) {
            assert!((found.elo - truth).abs() < 0.01, "{found:?}, not {truth}");
        }
    }

    #[test]
    fn the_unbeaten_and_the_unplayed_stay_finite() {
        let found = ratings(3, &[meeting(0, 1, 20.0, 20.0)]);
        assert!(found[0].elo > 300.0 && found[0].elo < 2000.0, "{found:?}");
        assert!(found[2].elo.abs() < 1.0, "{found:?}");
        assert!(found.iter().all(|rating| rating.error.is_finite()));
        assert!(ratings(0, &[]).is_empty());
        assert!(ratings(1, &[])[0].elo.abs() < 1e-9);
    }

    /// The error bars hold the truth in 95 of 100 tournaments (without draws, which make games spread
    /// less than the model says).
    #[test]
    fn error_bars_cover_the_truth() {
        let truth = [120.0, 40.0, 0.0, -60.0, -100.0];
        let mut rng = Rng::seeded(5);
        let (mut covered, mut all) = (0, 0);
        for _ in 0..300 {
            let mut meetings = Vec::new();
            for a in 0..5 {
                for b in a + 1..5 {
                    let chance = expected_score(truth[a] - truth[b]);
                    let points = (0..60).filter(|_| rng.unit() < chance).count() as f64;
                    meetings.push(meeting(a, b, points, 60.0));
                }
            }
            for (found, truth) in ratings(5, &meetings).iter().zip(truth) {
                covered += u32::from((found.elo - truth).abs() < found.error);
                all += 1;
            }
        }
        let share = f64::from(covered) / f64::from(all);
        assert!((0.93..0.97).contains(&share), "{share}");
    }
}
