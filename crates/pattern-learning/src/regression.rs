//! Fits the weights of a phase to labeled positions: ridge regression by conjugate gradients.
//!
//! The ridge penalty keeps the weights of rare configurations close to 0. A phase also learns from
//! the neighbouring phases, with less weight, so that evaluations change smoothly from phase to
//! phase. The normal equations are never formed; their product with a vector is two sparse passes
//! over the positions, preconditioned by the diagonal.

use tablero_champion::eval::{ACTIVE, DISC, PHASES, Parameters, PhaseError, phase_of};
use tablero_jobs::Work;

use crate::samples::Sample;

/// Ridge penalty, in positions. 3 and 24 have larger held-out errors.
const RIDGE: f32 = 10.0;
/// Weight of positions of the neighbouring phases.
const NEIGHBOUR_WEIGHT: f32 = 0.8;

/// Fits phases to samples.
pub(crate) struct PhaseRegression<'a> {
    /// By phase.
    pub(crate) samples: &'a [Vec<Sample>],
    /// Conjugate gradient iterations.
    pub(crate) cg_iterations: u32,
}

/// A row of the regression.
struct Row {
    active: [u32; ACTIVE],
    label: f32,
    weight: f32,
}

impl Work for PhaseRegression<'_> {
    const KIND: &'static str = "othello-patterns-fit";
    type Task = usize;
    type Output = Vec<i16>;

    fn run(&self, phase: &usize) -> Result<Vec<i16>, String> {
        let near = phase.saturating_sub(1)..(phase + 2).min(PHASES);
        let rows: Vec<Row> = near
            .flat_map(|near| {
                let weight = if near == *phase { 1.0 } else { NEIGHBOUR_WEIGHT };
                self.samples[near].iter().map(move |sample| row(sample, weight))
            })
            .collect();
        let discs = ridge_regression(&rows, Parameters::per_phase(), self.cg_iterations);
        Ok(discs.into_iter().map(|discs| (discs * DISC as f32).round() as i16).collect())
    }
}

fn row(sample: &Sample, weight: f32) -> Row {
    let active = Parameters::active(sample.player, sample.opponent);
    Row { active, label: sample.label, weight }
}

/// Preconditioned conjugate gradients.
fn ridge_regression(rows: &[Row], weights: usize, cg_iterations: u32) -> Vec<f32> {
    let mut solution = vec![0f32; weights];
    let mut residual = vec![0f32; weights];
    let mut diagonal = vec![RIDGE; weights];
    for row in rows {
        for &index in &row.active {
            residual[index as usize] += row.weight * row.label;
            diagonal[index as usize] += row.weight;
        }
    }
    let precondition = |residual: &[f32]| -> Vec<f32> {
        residual.iter().zip(&diagonal).map(|(residual, diagonal)| residual / diagonal).collect()
    };
    let mut direction = precondition(&residual);
    let mut rho = dot(&residual, &direction);
    for _ in 0..cg_iterations {
        if rho <= f64::MIN_POSITIVE {
            break;
        }
        let product = normal_product(rows, &direction);
        let step = (rho / dot(&direction, &product)) as f32;
        add(&mut solution, step, &direction);
        add(&mut residual, -step, &product);
        let preconditioned = precondition(&residual);
        let next_rho = dot(&residual, &preconditioned);
        let beta = (next_rho / rho) as f32;
        for (direction, new) in direction.iter_mut().zip(&preconditioned) {
            *direction = new + beta * *direction;
        }
        rho = next_rho;
    }
    solution
}

/// The product of the normal equations' matrix with a vector.
fn normal_product(rows: &[Row], vector: &[f32]) -> Vec<f32> {
    let mut product: Vec<f32> = vector.iter().map(|value| RIDGE * value).collect();
    for row in rows {
        let prediction: f32 = row.active.iter().map(|&index| vector[index as usize]).sum();
        for &index in &row.active {
            product[index as usize] += row.weight * prediction;
        }
    }
    product
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn add(to: &mut [f32], factor: f32, what: &[f32]) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += factor * what;
    }
}

/// Groups samples by phase.
pub(crate) fn by_phase(samples: &[Sample]) -> Vec<Vec<Sample>> {
    let mut phases = vec![Vec::new(); PHASES];
    for sample in samples {
        phases[phase_of(sample.empties())].push(*sample);
    }
    phases
}

/// Errors of an evaluation by phase.
pub(crate) fn errors(phases: &[Vec<Sample>], evaluate: impl Fn(&Sample) -> f32) -> Vec<PhaseError> {
    let error = |(phase, samples): (usize, &Vec<Sample>)| {
        let differences =
            || samples.iter().map(|sample| f64::from(evaluate(sample) - sample.label));
        let count = (samples.len() as f64).max(1.0);
        PhaseError {
            empties: 59 - 2 * phase as u32,
            positions: samples.len() as u64,
            mean: differences().map(f64::abs).sum::<f64>() / count,
            rms: (differences().map(|difference| difference * difference).sum::<f64>() / count)
                .sqrt(),
        }
    };
    phases.iter().enumerate().map(error).collect()
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    #[test]
    fn recovers_the_weights_of_generated_labels() {
        let mut rng = Rng::seeded(1);
        let weights: Vec<f32> = (0..500).map(|_| rng.unit() as f32 - 0.5).collect();
        let random_row = |rng: &mut Rng| {
            let active: [u32; ACTIVE] = std::array::from_fn(|_| rng.below(500) as u32);
            let label = active.iter().map(|index| weights[*index as usize]).sum();
            Row { active, label, weight: 1.0 }
        };
        let rows: Vec<Row> = (0..20_000).map(|_| random_row(&mut rng)).collect();
        let found = ridge_regression(&rows, 500, 30);
        for _ in 0..100 {
            let row = random_row(&mut rng);
            let value: f32 = row.active.iter().map(|index| found[*index as usize]).sum();
            assert!((value - row.label).abs() < 0.2, "{value}, not {}", row.label);
        }
    }

    #[test]
    fn without_rows_the_solution_is_zero() {
        assert_eq!(ridge_regression(&[], 3, 5), [0.0; 3]);
    }
}
