//! The error model of Multi-ProbCut: the standard deviation between shallow and deep searches.
//!
//! `sigma = exp(w . terms)`, where the terms are a constant, empties, the logarithm of the shallow
//! depth and of the difference of depths. Being parametric, it extrapolates to depths that were not
//! measured. The weights are fitted by maximum likelihood.

use serde::{Deserialize, Serialize};

/// Number of terms.
const TERMS: usize = 4;

/// The weights of the error model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ProbCut {
    /// Against midgame searches.
    pub midgame: [f64; TERMS],
    /// Against exact searches.
    pub exact: [f64; TERMS],
}

/// A pair of searches of one position.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ProbCutSample {
    /// Empties of the position.
    pub empties: u32,
    /// Depth of the shallow search.
    pub shallow: u32,
    /// Depth of the deep search; the number of empties for an exact one.
    pub deep: u32,
    /// Deep value minus shallow value, in discs.
    pub difference: f64,
}

/// A guess before the first fit: some discs, more for depths further apart.
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
        // Bounds for extrapolation.
        log.exp().clamp(0.25, 32.0) as f32
    }

    /// The maximum-likelihood fit to samples; weights of a kind without samples are kept.
    #[must_use]
    pub fn fitted(&self, samples: &[ProbCutSample]) -> Self {
        let (exact, midgame): (Vec<_>, Vec<_>) =
            samples.iter().partition(|sample| sample.deep == sample.empties);
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

/// Maximum likelihood of normally distributed differences with mean 0, by Fisher scoring, with a
/// Gaussian prior around the previous weights.
fn fit(before: &[f64; TERMS], samples: &[&ProbCutSample]) -> [f64; TERMS] {
    const PRIOR: f64 = 1.0;
    const ITERATIONS: usize = 30;
    let mut weights = *before;
    if samples.is_empty() {
        return weights;
    }
    for _ in 0..ITERATIONS {
        let mut gradient = [0.0; TERMS];
        let mut information = [[0.0; TERMS]; TERMS];
        for sample in samples {
            let terms = terms(sample.empties, sample.shallow, sample.deep);
            // (d / sigma)^2, with expectation 1 under the model; clipped against outliers.
            let ratio = (sample.difference / dot(&weights, &terms).exp()).powi(2).min(25.0);
            for i in 0..TERMS {
                gradient[i] += (ratio - 1.0) * terms[i];
                for j in 0..TERMS {
                    // Expected curvature (Fisher information).
                    information[i][j] += 2.0 * terms[i] * terms[j];
                }
            }
        }
        for i in 0..TERMS {
            gradient[i] -= PRIOR * (weights[i] - before[i]);
            information[i][i] += PRIOR;
        }
        let step = solve(information, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight += step.clamp(-0.5, 0.5);
        }
    }
    weights
}

/// Gaussian elimination for a symmetric positive definite matrix.
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
        let solved: f64 = (row + 1..TERMS).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - solved) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    #[test]
    fn recovers_the_sigma_of_generated_samples() {
        let truth = ProbCut { midgame: [1.4, -1.2, -0.2, 0.35], exact: [0.6, 0.5, -0.1, 0.6] };
        let mut rng = Rng::seeded(1);
        let mut samples = Vec::new();
        for _ in 0..20_000 {
            let empties = 10 + rng.below(40) as u32;
            let shallow = rng.below(5) as u32;
            let deep = shallow + 1 + rng.below(8) as u32;
            for deep in [deep.min(empties - 1), empties] {
                let sigma = f64::from(truth.sigma(empties, shallow, deep));
                let difference = sigma * rng.irwin_hall();
                samples.push(ProbCutSample { empties, shallow, deep, difference });
            }
        }
        let found = ProbCut::default().fitted(&samples);
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
    fn without_samples_the_weights_are_kept() {
        assert_eq!(ProbCut::default().fitted(&[]), ProbCut::default());
    }
}
