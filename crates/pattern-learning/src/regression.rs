//! From positions with labels to the numbers of a phase: least squares, by conjugate gradients.
//!
//! The sum of squared errors, with a small price on the size of each number, has one minimum. The
//! price keeps what was seen only now and then close to 0, where other patterns speak for it.
//! A phase also learns from those beside it, with less weight, so that phases change smoothly into
//! each other.

use tablero_champion::eval::{ACTIVE, DISC, PHASES, Parameters, PhaseError, phase_of};
use tablero_jobs::Work;

use crate::samples::Sample;

/// The price of a number's size: what one in so many positions says about it, at first. Measured: 3 and
/// 24 are worse in games that were kept out.
const PRICE: f32 = 10.0;
/// What a position of the phase before or after counts.
const NEIGHBOUR: f32 = 0.8;

/// Fits the phases to samples.
pub(crate) struct Fit<'a> {
    /// By phase.
    pub(crate) samples: &'a [Vec<Sample>],
    /// Steps towards the minimum.
    pub(crate) rounds: u32,
}

/// A position as the regression sees it.
struct Row {
    active: [u32; ACTIVE],
    label: f32,
    weight: f32,
}

impl Work for Fit<'_> {
    const KIND: &'static str = "othello-patterns-fit";
    type Task = usize;
    type Output = Vec<i16>;

    fn run(&self, phase: &usize) -> Result<Vec<i16>, String> {
        let near = phase.saturating_sub(1)..(phase + 2).min(PHASES);
        let rows: Vec<Row> = near
            .flat_map(|near| {
                let weight = if near == *phase { 1.0 } else { NEIGHBOUR };
                self.samples[near].iter().map(move |sample| row(sample, weight))
            })
            .collect();
        let discs = least_squares(&rows, Parameters::per_phase(), self.rounds);
        Ok(discs.into_iter().map(|discs| (discs * DISC as f32).round() as i16).collect())
    }
}

fn row(sample: &Sample, weight: f32) -> Row {
    let active = Parameters::active(sample.player, sample.opponent);
    Row { active, label: sample.label, weight }
}

/// Conjugate gradients, each number scaled by how often it counts.
fn least_squares(rows: &[Row], numbers: usize, rounds: u32) -> Vec<f32> {
    let mut solution = vec![0f32; numbers];
    let mut residual = vec![0f32; numbers];
    let mut scale = vec![PRICE; numbers];
    for row in rows {
        for &number in &row.active {
            residual[number as usize] += row.weight * row.label;
            scale[number as usize] += row.weight;
        }
    }
    let scaled = |residual: &[f32]| -> Vec<f32> {
        residual.iter().zip(&scale).map(|(residual, scale)| residual / scale).collect()
    };
    let mut direction = scaled(&residual);
    let mut length = dot(&residual, &direction);
    for _ in 0..rounds {
        if length <= f64::MIN_POSITIVE {
            break;
        }
        let image = normal_product(rows, &direction);
        let step = (length / dot(&direction, &image)) as f32;
        add(&mut solution, step, &direction);
        add(&mut residual, -step, &image);
        let preconditioned = scaled(&residual);
        let next_length = dot(&residual, &preconditioned);
        let keep = (next_length / length) as f32;
        for (direction, new) in direction.iter_mut().zip(&preconditioned) {
            *direction = new + keep * *direction;
        }
        length = next_length;
    }
    solution
}

/// The matrix of the normal equations times a vector: what each row sees of it goes back to where it
/// came from.
fn normal_product(rows: &[Row], vector: &[f32]) -> Vec<f32> {
    let mut image: Vec<f32> = vector.iter().map(|number| PRICE * number).collect();
    for row in rows {
        let seen: f32 = row.active.iter().map(|&number| vector[number as usize]).sum();
        for &number in &row.active {
            image[number as usize] += row.weight * seen;
        }
    }
    image
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn add(to: &mut [f32], times: f32, what: &[f32]) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += times * what;
    }
}

/// Puts samples into the phases they belong to.
pub(crate) fn by_phase(samples: &[Sample]) -> Vec<Vec<Sample>> {
    let mut phases = vec![Vec::new(); PHASES];
    for sample in samples {
        phases[phase_of(sample.empties())].push(*sample);
    }
    phases
}

/// How far an evaluation is from the labels, phase by phase.
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
    fn finds_the_numbers_that_labels_were_made_with() {
        let mut rng = Rng::seeded(1);
        let truth: Vec<f32> = (0..500).map(|_| rng.unit() as f32 - 0.5).collect();
        let random_row = |rng: &mut Rng| {
            let active: [u32; ACTIVE] = std::array::from_fn(|_| rng.below(500) as u32);
            let label = active.iter().map(|number| truth[*number as usize]).sum();
            Row { active, label, weight: 1.0 }
        };
        let rows: Vec<Row> = (0..20_000).map(|_| random_row(&mut rng)).collect();
        let found = least_squares(&rows, 500, 30);
        for _ in 0..100 {
            let row = random_row(&mut rng);
            let value: f32 = row.active.iter().map(|number| found[*number as usize]).sum();
            assert!((value - row.label).abs() < 0.2, "{value}, not {}", row.label);
        }
    }

    #[test]
    fn without_rows_nothing_is_learned() {
        assert_eq!(least_squares(&[], 3, 5), [0.0; 3]);
    }
}
