//! How well a shallow search tells what a deep one will find.

use serde::{Deserialize, Serialize};

/// How many numbers describe the error of one kind of deep search.
const TERMS: usize = 4;

/// The standard deviation between shallow and deep searches: `exp` of a sum over the terms below, so
/// that it can be carried on, carefully, to depths that were not measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ProbCut {
    /// Against searches that end in an evaluation.
    pub midgame: [f64; TERMS],
    /// Against exact searches.
    pub exact: [f64; TERMS],
}

/// What two searches of one position found.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Observation {
    /// Empty squares of the position.
    pub empties: u32,
    /// Plies of the shallow search.
    pub shallow: u32,
    /// Plies of the deep one; as many as there are empty squares for an exact one.
    pub deep: u32,
    /// What the deep search found, less what the shallow one did, in discs.
    pub difference: f64,
}

/// Before anything was measured: some discs, more for depths further apart.
impl Default for ProbCut {
    fn default() -> Self {
        let guess = [1.5, -1.0, -0.2, 0.4];
        Self { midgame: guess, exact: guess }
    }
}

impl ProbCut {
    /// The standard deviation in discs; `deep == empties` is an exact search.
    pub fn sigma(&self, empties: u32, shallow: u32, deep: u32) -> f32 {
        let weights = if deep == empties { &self.exact } else { &self.midgame };
        let log = dot(weights, &terms(empties, shallow, deep));
        // No search is surer than a fraction of a disc, and no position beyond the board.
        log.exp().clamp(0.25, 32.0) as f32
    }

    /// The model under which the observations are most likely. A kind of deep search that was not
    /// observed keeps its numbers.
    #[must_use]
    pub fn fitted(&self, observations: &[Observation]) -> Self {
        let (exact, midgame): (Vec<_>, Vec<_>) =
            observations.iter().partition(|seen| seen.deep == seen.empties);
        Self { midgame: fit(&self.midgame, &midgame), exact: fit(&self.exact, &exact) }
    }
}

fn terms(empties: u32, shallow: u32, deep: u32) -> [f64; TERMS] {
    let apart = f64::from(deep.saturating_sub(shallow).max(1));
    [1.0, f64::from(empties) / 60.0, (1.0 + f64::from(shallow)).ln(), apart.ln()]
}

fn dot(a: &[f64; TERMS], b: &[f64; TERMS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Newton's method on the likelihood of normally distributed differences around 0. A light pull
/// towards the numbers before holds what the observations do not tell.
fn fit(before: &[f64; TERMS], observations: &[&Observation]) -> [f64; TERMS] {
    const PULL: f64 = 1.0;
    const ROUNDS: usize = 30;
    let mut weights = *before;
    if observations.is_empty() {
        return weights;
    }
    for _ in 0..ROUNDS {
        let mut slope = [0.0; TERMS];
        let mut curve = [[0.0; TERMS]; TERMS];
        for seen in observations {
            let terms = terms(seen.empties, seen.shallow, seen.deep);
            // In variances: (d / sigma)^2, which is 1 on average where the model is right.
            let ratio = (seen.difference / dot(&weights, &terms).exp()).powi(2).min(25.0);
            for i in 0..TERMS {
                slope[i] += (ratio - 1.0) * terms[i];
                for j in 0..TERMS {
                    // The curvature to expect: 2 where the ratio is 1.
                    curve[i][j] += 2.0 * terms[i] * terms[j];
                }
            }
        }
        for i in 0..TERMS {
            slope[i] -= PULL * (weights[i] - before[i]);
            curve[i][i] += PULL;
        }
        let step = solve(curve, slope);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight += step.clamp(-0.5, 0.5);
        }
    }
    weights
}

/// Solves a small system of linear equations whose matrix is symmetric and positive.
fn solve(mut matrix: [[f64; TERMS]; TERMS], mut right: [f64; TERMS]) -> [f64; TERMS] {
    for pivot in 0..TERMS {
        for row in pivot + 1..TERMS {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let above = matrix[pivot];
            for (number, above) in matrix[row].iter_mut().zip(above).skip(pivot) {
                *number -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..TERMS).rev() {
        let known: f64 = (row + 1..TERMS).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    #[test]
    fn finds_the_spread_that_differences_were_made_with() {
        let truth = ProbCut { midgame: [1.4, -1.2, -0.2, 0.35], exact: [0.6, 0.5, -0.1, 0.6] };
        let mut rng = Rng::seeded(1);
        let mut seen = Vec::new();
        for _ in 0..20_000 {
            let empties = 10 + rng.below(40) as u32;
            let shallow = rng.below(5) as u32;
            let deep = shallow + 1 + rng.below(8) as u32;
            for deep in [deep.min(empties - 1), empties] {
                let sigma = f64::from(truth.sigma(empties, shallow, deep));
                let difference = sigma * rng.irwin_hall();
                seen.push(Observation { empties, shallow, deep, difference });
            }
        }
        let found = ProbCut::default().fitted(&seen);
        for (empties, shallow, deep) in [(12, 1, 12), (20, 0, 4), (30, 3, 8), (45, 2, 7)] {
            let (found, truth) =
                (found.sigma(empties, shallow, deep), truth.sigma(empties, shallow, deep));
            assert!(
                (found / truth - 1.0).abs() < 0.06,
                "{empties} {shallow} {deep}: {found}, not {truth}"
            );
        }
    }

    #[test]
    fn without_observations_nothing_changes() {
        assert_eq!(ProbCut::default().fitted(&[]), ProbCut::default());
    }
}
